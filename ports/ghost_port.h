/* SPDX-License-Identifier: BSD-3-Clause */
/* ghost_port.h: copy rectangles of cells from patch to patch, on one rank and between
 * ranks, to fill the ghost cells of one level of a mesh.
 *
 * The mesh plans the copies of a level once for each layout of patches, and starts and
 * finishes them for each update of the ghost cells. Between start and finish it may use
 * cells that are neither read nor written. A plan has up to GHOST_PARTS parts, each with
 * its own arrays: one for values from the same level, one for values from the coarser
 * level, which can be interpolated in time.
 *
 *     rank 0                      rank 1
 *     +---------+---+             +---------+
 *     |         |###| <---------- |###      |      a copy: nx x ny cells, all
 *     |         |###|             |###      |      components, from one patch's
 *     +---------+---+             +---------+      array to another's
 *
 * Sizes are in doubles: component c of cell (i, j) of a rectangle is at first + c * plane
 * + j * pitch + i of its patch's array. One instance serves one mesh.
 */
#ifndef PORTS_GHOST_PORT_H
#define PORTS_GHOST_PORT_H

#include "ports/cca_port.h"

#define GHOST_PORT_TYPE "mesh.GhostPort/1"

enum { GHOST_LEVELS = 8, GHOST_PARTS = 2 };

/* One end of a copy. */
struct ghost_end {
    int rank;        /* rank that owns the patch */
    int patch;       /* index into the arrays that `rank` passes to `start`, one for each
                      * of its patches */
    ptrdiff_t first; /* offset of the rectangle in the patch's array */
    ptrdiff_t pitch, plane;
};

struct ghost_copy {
    int part; /* part of the plan to which the copy belongs, 0 to GHOST_PARTS - 1 */
    int nx, ny;
    struct ghost_end from, to; /* other ranks than the owner of an end's patch use only
                                  its members rank and patch */
};

/* The arrays of one part: one array for each patch of this rank. Owned by the caller. */
struct ghost_values {
    double *const *now;
    /* [patch] old values; NULL: values of this part are not interpolated */
    double *const *old;
    double *const *to;
};

struct ghost_port {
    struct cca_port base;

    /* Plan the copies of `level`; replaces the last plan.
     *
     *   level   in  0 to GHOST_LEVELS - 1
     *   stamp   in  number of this plan, chosen by the caller; `start` compares it
     *   copies  in  [count], copied. All copies that read or write patches of this rank;
     *               other copies are ignored. Any two ranks list the copies between them
     *               in the same order. Targets are disjoint, and no cell is both read and
     *               written
     *
     * Returns 0; -EINVAL no such level; -ENOTCONN a copy between ranks although there is
     * only one rank; -ENOMEM; -ECANCELED another rank has failed. On an error `err` is
     * set, and the level has no plan. Collective. */
    int (*plan)(struct ghost_port *self, CCA_MODE("0, 1, 2, 3, 4, 5, 6, 7") int level,
                int64_t stamp, const struct ghost_copy *copies, CCA_PARAM int count,
                struct cca_error *err);
    /* Free the plan of a level; does nothing if there is none. */
    void (*forget)(struct ghost_port *self, int level) CCA_UNMEASURED;

    /* Start the copies of a level: a target gets `now`, or (1 - fraction) old + fraction
     * now. When this returns, messages between ranks are in flight; targets are complete
     * after `finish`.
     *
     *   components  in   components of all arrays
     *   values      in   [GHOST_PARTS]; unused parts are zero. The arrays must not change
     *                    until `finish` has returned; the struct itself may change
     *   fraction    in   weight of `now` in a part with old values, 0 to 1
     *
     * Returns 0; -ESTALE the level has no plan with this stamp: call `plan`, then `start`
     * again; or another negative errno. After an error do not call `finish`. Collective.
     */
    int (*start)(struct ghost_port *self, CCA_MODE("0, 1, 2, 3, 4, 5, 6, 7") int level,
                 int64_t stamp, CCA_PARAM int components,
                 const struct ghost_values *values, double fraction);
    /* Wait for the values from other ranks and store them in the targets.
     *
     *   cells     out  cells that this rank has filled
     *   bytes     out  bytes sent to and received from other ranks
     *   messages  out  messages with these bytes
     *   peers     out  number of the ranks to which or from which these bytes went
     *
     * All may be NULL. Returns 0; -EINVAL nothing was started; -ECANCELED another rank
     * has failed; or a negative errno. Collective. */
    int (*finish)(struct ghost_port *self, CCA_MODE("0, 1, 2, 3, 4, 5, 6, 7") int level,
                  CCA_OUT_PARAM int64_t *cells, CCA_OUT_PARAM int64_t *bytes,
                  CCA_OUT_PARAM int64_t *messages, CCA_OUT_PARAM int64_t *peers);
};

#endif

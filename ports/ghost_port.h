/* SPDX-License-Identifier: BSD-3-Clause */
/* ghost_port.h: rectangles of cells copied from patch to patch, on one rank and between
 * ranks: the ghost cells of one level of a mesh.
 *
 * The mesh plans the copies of a level once for each layout of patches, and starts and
 * finishes them for each update of the ghost cells. Between the two it may work with the
 * cells that are neither read nor written. A plan has up to GHOST_PARTS parts, each with
 * arrays of its own: what comes from the same level, and what from the coarser one,
 * where it can be interpolated in time.
 *
 *     rank 0                      rank 1
 *     +---------+---+             +---------+
 *     |         |###| <---------- |###      |      a copy: nx x ny cells, all
 *     |         |###|             |###      |      components, from one patch's
 *     +---------+---+             +---------+      array to another's
 *
 * Sizes are in doubles: component c of cell (i, j) of a rectangle stands at
 * first + c * plane + j * pitch + i of its patch's array. One component serves one mesh.
 */
#ifndef PORTS_GHOST_PORT_H
#define PORTS_GHOST_PORT_H

#include "ports/cca_port.h"

#define GHOST_PORT_TYPE "mesh.GhostPort/1"

enum { GHOST_LEVELS = 8, GHOST_PARTS = 2 };

/* One end of a copy. */
struct ghost_end {
    int rank;        /* that has the patch */
    int patch;       /* among that rank's patches: an index into the arrays of start */
    ptrdiff_t first; /* of the rectangle in the patch's array */
    ptrdiff_t pitch, plane;
};

struct ghost_copy {
    int part; /* 0 to GHOST_PARTS - 1 */
    int nx, ny;
    struct ghost_end from,
        to; /* each is read on its own rank only, but for rank, patch */
};

/* The values of one part: the array of each of this rank's patches. Owner: the caller. */
struct ghost_values {
    double *const *now;
    double *const *old; /* NULL: `now` alone */
    double *const *to;
};

struct ghost_port {
    struct cca_port base;

    /* Plan the copies of `level` anew.
     *
     *   level   in  0 to GHOST_LEVELS - 1
     *   stamp   in  the caller's number of this plan, for start to compare
     *   copies  in  [count], copied. At least those that this rank takes part in; others
     *               are ignored. Any two ranks list the copies between them in the same
     *               order. Targets are disjoint, and no cell is read and written
     *
     * 0; -EINVAL no such level; -ENOTCONN a copy between ranks, but there is one rank
     * only; -ENOMEM; -ECANCELED another rank has failed: with `err`, and the level has no
     * plan. Collective. */
    int (*plan)(struct ghost_port *self, CCA_MODE("0, 1, 2, 3, 4, 5, 6, 7") int level,
                int64_t stamp, const struct ghost_copy *copies, CCA_PARAM int count,
                struct cca_error *err);
    /* Forget the plan of a level and free what it holds. No plan: nothing happens. */
    void (*forget)(struct ghost_port *self, int level) CCA_UNMEASURED;

    /* Start the copies of a level: a target becomes `now`, or (1 - fraction) old +
     * fraction now. Values between ranks are on their way when this returns, targets are
     * complete after finish.
     *
     *   components  in   of all arrays
     *   values      in   [GHOST_PARTS]; unused parts zeroed. The arrays stay as they are
     *                    until finish has returned; the struct itself may go
     *   fraction    in   of a part that has old values, 0 to 1
     *
     * 0; -ESTALE there is no plan of the level with this stamp: plan it and start again;
     * or a negative errno, and finish must not be called. Collective. */
    int (*start)(struct ghost_port *self, CCA_MODE("0, 1, 2, 3, 4, 5, 6, 7") int level,
                 int64_t stamp, CCA_PARAM int components,
                 const struct ghost_values *values, double fraction);
    /* Wait for the values from other ranks and put them in place.
     *
     *   cells     out  that this rank has filled
     *   bytes     out  sent to other ranks and received from them
     *   messages  out  that had these bytes
     *   peers     out  those ranks
     *
     * All may be NULL. 0; -EINVAL nothing was started; -ECANCELED another rank has
     * failed; or a negative errno. Collective. */
    int (*finish)(struct ghost_port *self, CCA_MODE("0, 1, 2, 3, 4, 5, 6, 7") int level,
                  CCA_OUT_PARAM int64_t *cells, CCA_OUT_PARAM int64_t *bytes,
                  CCA_OUT_PARAM int64_t *messages, CCA_OUT_PARAM int64_t *peers);
};

#endif

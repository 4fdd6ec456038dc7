/* SPDX-License-Identifier: BSD-3-Clause */
/* checkpoint_port.h: keep a moment of a run in files, and go on from it.
 *
 * A moment is between two steps of level 0, when all levels have reached one time. */
#ifndef PORTS_CHECKPOINT_PORT_H
#define PORTS_CHECKPOINT_PORT_H

#include "ports/mesh_port.h"

#define CHECKPOINT_PORT_TYPE "shock.CheckpointPort/1"

/* What a driver knows beside the mesh. */
struct checkpoint_moment {
    double time_s;
    double least_dt_s;            /* the smallest step so far */
    int64_t step;                 /* steps of level 0 made so far */
    int64_t updates[MESH_LEVELS]; /* cells advanced so far, of each level */
};

struct checkpoint_port {
    struct cca_port base;

    /* Write the levels' patches and the values of `field`. The last whole checkpoint
     * stays in place until the new one is whole.
     *
     *   bytes  out  of the values that this rank has written; may be NULL
     *
     * 0 or a negative errno with `err`, the same on all ranks; the last checkpoint is
     * then still in place. -ECANCELED where another rank has failed elsewhere.
     * Collective. */
    int (*write)(struct checkpoint_port *self, struct mesh_port *mesh, int field,
                 const struct checkpoint_moment *moment, CCA_OUT_PARAM int64_t *bytes,
                 struct cca_error *err);

    /* Whether read is asked for: 1, 0, or a negative errno with `err`. */
    int (*wanted)(struct checkpoint_port *self, struct cca_error *err) CCA_UNMEASURED;

    /* Give the mesh the levels of the checkpoint and `field` its values. The mesh is
     * defined with the same domain, cells and borders; its ranks and the cut of level 0
     * may be others.
     *
     *   moment  out  as it was written
     *   bytes   out  of the values that this rank has read; may be NULL
     *
     * 0 or a negative errno with `err`, as write; the mesh is then to be defined afresh.
     * Collective. */
    int (*read)(struct checkpoint_port *self, struct mesh_port *mesh, int field,
                struct checkpoint_moment *moment, CCA_OUT_PARAM int64_t *bytes,
                struct cca_error *err);
};

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* checkpoint_port.h: save the state of a run in files, and restart from it.
 *
 * A state is saved between two steps of level 0, when all levels have reached one
 * time. */
#ifndef PORTS_CHECKPOINT_PORT_H
#define PORTS_CHECKPOINT_PORT_H

#include "ports/mesh_port.h"

#define CHECKPOINT_PORT_TYPE "shock.CheckpointPort/1"

/* State of the driver, saved in addition to the mesh. */
struct checkpoint_moment {
    double time_s;
    double least_dt_s;            /* the smallest time step so far */
    int64_t step;                 /* steps of level 0 made so far */
    int64_t updates[MESH_LEVELS]; /* [level]: number of cells advanced so far */
};

struct checkpoint_port {
    struct cca_port base;

    /* Write the patches of all levels and the values of `field`. The last complete
     * checkpoint is replaced only when the new one is complete.
     *
     *   bytes  out  bytes of values that this rank has written; may be NULL
     *
     * Returns 0, or a negative errno with `err`, the same on all ranks; the last
     * checkpoint then remains. Returns -ECANCELED if another rank has failed elsewhere.
     * Collective. */
    int (*write)(struct checkpoint_port *self, struct mesh_port *mesh, int field,
                 const struct checkpoint_moment *moment, CCA_OUT_PARAM int64_t *bytes,
                 struct cca_error *err);

    /* Whether the user requests a restart by `read`. Returns 1, 0, or a negative errno
     * with `err`. */
    int (*wanted)(struct checkpoint_port *self, struct cca_error *err) CCA_UNMEASURED;

    /* Restore the levels of the mesh and the values of `field` from the checkpoint. The
     * mesh must be defined with the same domain, cells and borders; the number of ranks
     * and the patches of level 0 may differ.
     *
     *   moment  out  the state as written
     *   bytes   out  bytes of values that this rank has read; may be NULL
     *
     * Returns like `write`; after an error the mesh must be defined again.
     * Collective. */
    int (*read)(struct checkpoint_port *self, struct mesh_port *mesh, int field,
                struct checkpoint_moment *moment, CCA_OUT_PARAM int64_t *bytes,
                struct cca_error *err);
};

#endif

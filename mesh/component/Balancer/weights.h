/* SPDX-License-Identifier: BSD-3-Clause */
/* weights.h: cost of a mesh's patches on this rank since the last query, as reported
 * through a probe port. */
#ifndef MESH_COMPONENT_BALANCER_WEIGHTS_H
#define MESH_COMPONENT_BALANCER_WEIGHTS_H

#include "ports/balance_port.h"
#include "ports/probe_port.h"

enum weights_kind {
    WEIGHTS_CELLS, /* cells, times the number of time steps of their level in one step of
                    * level 0 */
    WEIGHTS_WORK,  /* weight: iterations of the flux over the faces; 2 per cell for a flux
                      that counts none */
    WEIGHTS_TIME   /* weight: CPU time of the thread, ns */
};

/* Cost of a patch, which is identified by level and number. */
struct weight {
    int level, number;
    int64_t work, cpu_ns;
};

struct weights {
    struct weight *all;
    size_t count, room;
    int depth, told;         /* nested begins without end; whether the innermost patch has
                                reported its faces */
    struct mesh_patch patch; /* the innermost patch that has begun */
    int64_t begun_ns;
    int32_t *faces; /* buffer for the iterations of faces that a flux component reports */
    int64_t faces_room;
};

void weights_begin(struct weights *w, const struct mesh_patch *patch);
void weights_end(struct weights *w);
void weights_faces(struct weights *w, int axis, int nx, int ny, const int32_t *work);
/* Implements `room` of the probe port. */
int32_t *weights_room(struct weights *w, int64_t count);

/* The weight of each patch, [count], from this rank's reports; 0 for all others. */
void weights_take(const struct weights *w, enum weights_kind kind,
                  const struct balance_mesh *mesh, const struct balance_patch *patches,
                  int count, int rank, int64_t *weights);
/* Sums over all patches of this rank, of both kinds of weights. */
void weights_sum(const struct weights *w, int64_t *work, int64_t *cpu_ns);
/* Forget all patches before the next step, in which their numbers may differ. */
void weights_forget(struct weights *w);
void weights_done(struct weights *w);

#endif

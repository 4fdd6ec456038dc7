/* SPDX-License-Identifier: BSD-3-Clause */
/* weights.h: what the patches of a mesh cost this rank since they were asked about last,
 * told through a probe port. */
#ifndef MESH_COMPONENT_BALANCER_WEIGHTS_H
#define MESH_COMPONENT_BALANCER_WEIGHTS_H

#include "ports/balance_port.h"
#include "ports/probe_port.h"

enum weights_kind {
    WEIGHTS_CELLS, /* cells, times the steps of their level in one of level 0 */
    WEIGHTS_WORK,  /* iterations of faces; of a flux that counts none, two a cell */
    WEIGHTS_TIME   /* CPU time of the thread, ns */
};

/* One patch, by level and number. */
struct weight {
    int level, number;
    int64_t work, cpu_ns;
};

struct weights {
    struct weight *all;
    size_t count, room;
    int depth, told;         /* as MeshProbe */
    struct mesh_patch patch; /* the innermost */
    int64_t begun_ns;
    int32_t *faces; /* room for work */
    int64_t faces_room;
};

void weights_begin(struct weights *w, const struct mesh_patch *patch);
void weights_end(struct weights *w);
void weights_faces(struct weights *w, int axis, int nx, int ny, const int32_t *work);
/* As room of the probe port. */
int32_t *weights_room(struct weights *w, int64_t count);

/* The weight of each patch, [count], that this rank has told; 0 for all others. */
void weights_take(const struct weights *w, enum weights_kind kind,
                  const struct balance_mesh *mesh, const struct balance_patch *patches,
                  int count, int rank, int64_t *weights);
/* The sums of this rank. */
void weights_sum(const struct weights *w, int64_t *work, int64_t *cpu_ns);
/* Before the next step: patches may have other numbers in it. */
void weights_forget(struct weights *w);
void weights_done(struct weights *w);

#endif

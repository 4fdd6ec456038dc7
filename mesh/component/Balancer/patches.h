/* SPDX-License-Identifier: BSD-3-Clause */
/* patches.h: map patches of all levels to the cells of level 0 under them, [ny][nx]. */
#ifndef MESH_COMPONENT_BALANCER_PATCHES_H
#define MESH_COMPONENT_BALANCER_PATCHES_H

#include "ports/balance_port.h"

/* Assign each patch to the rank that owns most of the cells under it, the lowest of
 * equals.
 *
 *   owners   in       [ny][nx], 0 to ranks - 1
 *   patches  in       [count]
 *   chosen   in, out  [count]
 *
 * Returns 1 if any of `chosen` changed, 0 if not, or -ENOMEM: nothing was changed. */
int patches_follow(const struct balance_mesh *mesh, const int32_t *owners,
                   const struct balance_patch *patches, int count, int *chosen);

/* Spread the weight of each patch evenly over the cells under it.
 *
 *   weights  in   [count]
 *   cells    out  [ny][nx] */
void patches_spread(const struct balance_mesh *mesh, const struct balance_patch *patches,
                    int count, const int64_t *weights, float *cells);

/* Cells of a patch, times the number of time steps that its level makes in one step of
 * level 0. */
int64_t patch_updates(const struct balance_mesh *mesh, const struct balance_patch *patch);

#endif

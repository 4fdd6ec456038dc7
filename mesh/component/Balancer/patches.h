/* SPDX-License-Identifier: BSD-3-Clause */
/* patches.h: patches of all levels, and the cells of level 0 under them, [ny][nx]. */
#ifndef MESH_COMPONENT_BALANCER_PATCHES_H
#define MESH_COMPONENT_BALANCER_PATCHES_H

#include "ports/balance_port.h"

/* The rank that owns most of the cells under each patch, the lowest of equals.
 *
 *   owners   in       [ny][nx], 0 to ranks - 1
 *   patches  in       [count]
 *   chosen   in, out  [count]
 *
 * 1 where any of `chosen` has changed, 0, or -ENOMEM: untouched. */
int patches_follow(const struct balance_mesh *mesh, const int32_t *owners,
                   const struct balance_patch *patches, int count, int *chosen);

/* Weights of patches, evenly onto the cells under each.
 *
 *   weights  in   [count]
 *   cells    out  [ny][nx] */
void patches_spread(const struct balance_mesh *mesh, const struct balance_patch *patches,
                    int count, const int64_t *weights, float *cells);

/* The cells of a patch, times the steps that its level makes in one of level 0. */
int64_t patch_updates(const struct balance_mesh *mesh, const struct balance_patch *patch);

#endif

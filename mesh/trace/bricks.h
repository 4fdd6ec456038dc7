/* SPDX-License-Identifier: BSD-3-Clause */
/* bricks.h: boxes of values as packed BLOCK frames, each of a brick of at most
 * MESH_BRICK_CELLS cells: what is read alone is decoded alone. Bricks remember what was
 * decoded of them last, for packing along time. One thread at a time. */
#ifndef MESH_TRACE_BRICKS_H
#define MESH_TRACE_BRICKS_H

#include "mesh/trace/writer.h"

enum { MESH_BRICK_CELLS = 4096 }; /* 16^3, 64^2 */

struct mesh_bricks;

/* Given a frame without `previous` as an offset: 1 there means that it needs the brick's
 * last one. `payload` is borrowed for the call. 0, or a negative errno that ends the
 * call. */
typedef int mesh_brick_fn(void *context, const struct mm_mesh_frame *frame,
                          const void *payload, struct cca_error *err);

/* New, for boxes of `dims` dimensions, 1 to 3; NULL: out of memory. Freed by
 * mesh_bricks_free; NULL is fine. */
struct mesh_bricks *mesh_bricks_new(int dims);
void mesh_bricks_free(struct mesh_bricks *bricks);

/* Pack values of a box (dimension 0 slowest) with error at most `eps`, and give each
 * brick to `out`. 0, -ENOMEM, or what `out` returned. Bricks begin at multiples of their
 * side in the index space of the level, so they stay where boxes move. */
int mesh_bricks_pack(struct mesh_bricks *bricks, const struct mesh_box *box, double eps,
                     const float *values, mesh_brick_fn *out, void *context,
                     struct cca_error *err);

/* While `out` is called: the values of its brick as a reader will decode them, C order.
 */
const float *mesh_bricks_decoded(const struct mesh_bricks *bricks);

#endif

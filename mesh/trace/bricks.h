/* SPDX-License-Identifier: BSD-3-Clause */
/* bricks.h: pack boxes of values as BLOCK frames, one for each brick of at most
 * MESH_BRICK_CELLS cells, so that a brick can be decoded alone. The last decoded values
 * of each brick are kept, for packing differences in time. One thread at a time. */
#ifndef MESH_TRACE_BRICKS_H
#define MESH_TRACE_BRICKS_H

#include "mesh/trace/writer.h"

enum { MESH_BRICK_CELLS = 4096 }; /* largest number of cells of a brick: 16^3 or 64^2 */

struct mesh_bricks;

/* Called for each packed brick. Member `previous` of the frame is not an offset here: 1
 * means that decoding needs the brick's previous block. `payload` is borrowed for the
 * call. Returns 0, or a negative errno that ends mesh_bricks_pack. */
typedef int mesh_brick_fn(void *context, const struct mm_mesh_frame *frame,
                          const void *payload, struct cca_error *err);

/* Make an object that packs boxes of `dims` dimensions, 1 to 3. Returns NULL: out of
 * memory. mesh_bricks_free frees it; NULL is fine. */
struct mesh_bricks *mesh_bricks_new(int dims);
void mesh_bricks_free(struct mesh_bricks *bricks);

/* Pack the values of a box (dimension 0 slowest) with errors of at most `eps`, and pass
 * each brick to `out`. Returns 0, -ENOMEM, or the error of `out`. Bricks begin at
 * multiples of their side in the level's index space, so they stay the same when boxes
 * move. */
int mesh_bricks_pack(struct mesh_bricks *bricks, const struct mesh_box *box, double eps,
                     const float *values, mesh_brick_fn *out, void *context,
                     struct cca_error *err);

/* Return, during a call of `out`, the values of its brick as a reader will decode them,
 * in C order. */
const float *mesh_bricks_decoded(const struct mesh_bricks *bricks);

#endif

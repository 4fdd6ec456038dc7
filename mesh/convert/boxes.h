/* SPDX-License-Identifier: BSD-3-Clause */
/* boxes.h: cells of equal keys as few boxes. */
#ifndef MESH_CONVERT_BOXES_H
#define MESH_CONVERT_BOXES_H

#include <stddef.h>
#include <stdint.h>

#define MESH_NO_KEY INT32_MIN /* of a cell that is in no box */

struct mesh_key_box {
    int32_t key;
    int64_t lo[3], hi[3]; /* lo <= c < hi */
};

/* Cover all cells of a mesh of n[0] x n[1] x n[2] cells (dimension 2 fastest) that have a
 * key other than MESH_NO_KEY by boxes of equal keys that do not overlap: from each cell
 * that none covers yet, in their order, as far as possible along dimension 2, then 1,
 * then 0. `keys` is destroyed: covered cells get MESH_NO_KEY. (*boxes)[0 .. result-1] is
 * new, the caller's; NULL where there is none. The number of boxes, or -ENOMEM.
 * Reentrant. */
int64_t mesh_boxes_cover(const int64_t n[3], int32_t *keys, struct mesh_key_box **boxes);

#endif

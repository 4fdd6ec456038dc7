/* SPDX-License-Identifier: BSD-3-Clause */
/* boxes.h: cover cells of equal keys by few boxes. */
#ifndef MESH_CONVERT_BOXES_H
#define MESH_CONVERT_BOXES_H

#include <stdint.h>

#define MESH_NO_KEY INT32_MIN /* key of cells that need no box */

struct mesh_key_box {
    int32_t key;
    int64_t lo[3], hi[3]; /* cells c of the box: lo <= c < hi */
};

/* Cover all cells that have a key other than MESH_NO_KEY by disjoint boxes of equal keys,
 * in a mesh of n[0] x n[1] x n[2] cells (dimension 2 fastest). Each box starts at the
 * first cell not yet covered and extends as far as possible along dimension 2, then 1,
 * then 0. `keys` is overwritten: covered cells get MESH_NO_KEY. (*boxes)[0 .. result-1]
 * is new, freed by the caller; NULL if there is none. Returns the number of boxes, or
 * -ENOMEM. Reentrant. */
int64_t mesh_boxes_cover(const int64_t n[3], int32_t *keys, struct mesh_key_box **boxes);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* boxes.c: cover cells of equal keys by few boxes. */
#include "mesh/convert/parts.h"

#include <stdlib.h>

#include "common/array.h"

/* Whether all cells of a box have the key. */
static int has_key(const int64_t n[3], const int32_t *keys,
                   const struct mesh_key_box *box)
{
    for (int64_t i = box->lo[0]; i < box->hi[0]; i++)
        for (int64_t j = box->lo[1]; j < box->hi[1]; j++)
            for (int64_t k = box->lo[2]; k < box->hi[2]; k++)
                if (keys[(i * n[1] + j) * n[2] + k] != box->key)
                    return 0;
    return 1;
}

static void forget_keys(const int64_t n[3], int32_t *keys, const struct mesh_key_box *box)
{
    for (int64_t i = box->lo[0]; i < box->hi[0]; i++)
        for (int64_t j = box->lo[1]; j < box->hi[1]; j++)
            for (int64_t k = box->lo[2]; k < box->hi[2]; k++)
                keys[(i * n[1] + j) * n[2] + k] = MESH_NO_KEY;
}

/* Grow a box, which begins as one cell, in each dimension as far as cells have its key.
 */
static void grow(const int64_t n[3], const int32_t *keys, struct mesh_key_box *box)
{
    for (int d = 2; d >= 0; d--) {
        struct mesh_key_box next = *box;

        for (; next.hi[d] < n[d]; box->hi[d] = next.hi[d]) {
            next.lo[d] = next.hi[d]++;
            if (!has_key(n, keys, &next))
                break;
        }
    }
}

int64_t mesh_boxes_cover(const int64_t n[3], int32_t *keys, struct mesh_key_box **boxes)
{
    struct mesh_key_box *found = NULL;
    size_t count = 0;

    for (int64_t c = 0; c < n[0] * n[1] * n[2]; c++) {
        struct mesh_key_box *box;

        if (keys[c] == MESH_NO_KEY)
            continue;
        box = cca_array_add(&found, &count, sizeof *found);
        if (!box) {
            free(found);
            return -ENOMEM;
        }
        box->key = keys[c];
        box->lo[0] = c / (n[1] * n[2]);
        box->lo[1] = c / n[2] % n[1];
        box->lo[2] = c % n[2];
        for (int d = 0; d < 3; d++)
            box->hi[d] = box->lo[d] + 1;
        grow(n, keys, box);
        forget_keys(n, keys, box);
    }
    *boxes = found;
    return (int64_t)count;
}

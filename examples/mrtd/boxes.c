/* SPDX-License-Identifier: BSD-3-Clause */
/* boxes.c: cut cells into boxes, greedily: start at the first cell that is in no box yet;
 * extend along dimension 2 as far as cells go, then along 1 as far as whole rows go, then
 * along 0 as far as whole planes go. */
#include "examples/mrtd/boxes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct scan {
    const struct mrtd_parts *parts;
    unsigned char *free; /* [cells]: cells of this rank that are in no box yet */
};

static int32_t number(const struct scan *s, int64_t i, int64_t j, int64_t k)
{
    return (int32_t)((i * s->parts->n[1] + j) * s->parts->n[2] + k);
}

/* Whether all cells of the box are free. */
static int is_free(const struct scan *s, const int64_t lo[3], const int64_t hi[3])
{
    for (int64_t i = lo[0]; i < hi[0]; i++)
        for (int64_t j = lo[1]; j < hi[1]; j++)
            if (memchr(s->free + number(s, i, j, lo[2]), 0, (size_t)(hi[2] - lo[2])))
                return 0;
    return 1;
}

/* Grow a box from its corner lo; its end is hi. */
static void grow_box(const struct scan *s, const int64_t lo[3], int64_t hi[3])
{
    for (int d = 0; d < 3; d++)
        hi[d] = lo[d] + 1;
    for (int d = 2; d >= 0; d--)
        for (; hi[d] < s->parts->n[d]; hi[d]++) {
            int64_t from[3], to[3]; /* the slice of cells that the box would gain next */

            memcpy(from, lo, sizeof from);
            memcpy(to, hi, sizeof to);
            from[d] = hi[d];
            to[d] = hi[d] + 1;
            if (!is_free(s, from, to))
                break;
        }
    for (int64_t i = lo[0]; i < hi[0]; i++)
        for (int64_t j = lo[1]; j < hi[1]; j++)
            memset(s->free + number(s, i, j, lo[2]), 0, (size_t)(hi[2] - lo[2]));
}

static int add_box(struct mrtd_boxes *b, int64_t *room, const int64_t lo[3],
                   const int64_t hi[3])
{
    if (b->count == *room) {
        int64_t more = *room ? 2 * *room : 64;
        int64_t *los = realloc(b->lo, (size_t)more * 3 * sizeof *los), *his;

        if (!los)
            return -ENOMEM;
        b->lo = los;
        his = realloc(b->hi, (size_t)more * 3 * sizeof *his);
        if (!his)
            return -ENOMEM;
        b->hi = his;
        *room = more;
    }
    memcpy(b->lo + 3 * b->count, lo, 3 * sizeof *lo);
    memcpy(b->hi + 3 * b->count, hi, 3 * sizeof *hi);
    b->count++;
    return 0;
}

int mrtd_boxes_make(struct mrtd_boxes *boxes, const struct mrtd_parts *parts)
{
    struct scan s = {.parts = parts, .free = calloc((size_t)parts->cells + 1, 1)};
    int64_t room = 0;
    int rc = s.free ? 0 : -ENOMEM;

    *boxes = (struct mrtd_boxes){0};
    for (int32_t i = 0; i < parts->own && !rc; i++)
        s.free[parts->cell[i]] = 1;
    for (int32_t i = 0; i < parts->own && !rc; i++) {
        int32_t c = parts->cell[i], row = c / parts->n[2];
        int64_t lo[3] = {row / parts->n[1], row % parts->n[1], c % parts->n[2]}, hi[3];

        if (!s.free[c])
            continue;
        grow_box(&s, lo, hi);
        rc = add_box(boxes, &room, lo, hi);
    }
    free(s.free);
    return rc;
}

void mrtd_boxes_done(struct mrtd_boxes *boxes)
{
    free(boxes->lo);
    free(boxes->hi);
    *boxes = (struct mrtd_boxes){0};
}

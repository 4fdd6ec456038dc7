/* SPDX-License-Identifier: BSD-3-Clause */
/* mask.c: a set of cells of one level, one byte for each cell of a box. */
#include "components/AMRMesh/mask.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int mask_init(struct mask *m, struct box box)
{
    m->box = box;
    m->at = calloc((size_t)box_cells(box) + 1, 1);
    return m->at ? 0 : -ENOMEM;
}

void mask_done(struct mask *m)
{
    free(m->at);
    memset(m, 0, sizeof *m);
}

void mask_fill(struct mask *m, struct box box, int value)
{
    struct box in = box_intersect(m->box, box);

    if (box_empty(in))
        return;
    for (int64_t j = in.jlo; j < in.jhi; j++)
        memset(mask_row(m, j) + in.ilo - m->box.ilo, value, (size_t)box_nx(in));
}

int64_t mask_count(const struct mask *m, struct box box)
{
    int64_t count = 0;

    for (int64_t j = box.jlo; j < box.jhi; j++) {
        const unsigned char *row = mask_row(m, j) - m->box.ilo;

        for (int64_t i = box.ilo; i < box.ihi; i++)
            count += row[i];
    }
    return count;
}

/* Grow along one line of n cells that are `stride` apart, from `line` into `grown`. */
static void line_grow(const unsigned char *line, unsigned char *grown, int64_t n,
                      int64_t stride, int cells, int periodic)
{
    int64_t reach = periodic && cells > n ? n : cells;
    int64_t last = -2 * reach - 1; /* the last cell of the set that was passed */

    for (int64_t i = periodic ? -reach : 0; i < n + reach; i++) {
        int64_t at = i < 0 ? i + n : i >= n ? i - n : i;

        if ((i < n || periodic) && line[at * stride])
            last = i;
        /* The window around cell i - reach has been passed. */
        if (i >= reach && i - reach < n)
            grown[(i - reach) * stride] = last >= i - 2 * reach;
    }
}

int mask_grow(struct mask *m, int cells, const int periodic[2])
{
    int64_t nx = box_nx(m->box), ny = box_ny(m->box);
    unsigned char *other;

    if (cells < 1 || box_empty(m->box))
        return 0;
    other = malloc((size_t)(nx * ny));
    if (!other)
        return -ENOMEM;
    for (int64_t j = 0; j < ny; j++)
        line_grow(m->at + j * nx, other + j * nx, nx, 1, cells, periodic[0]);
    for (int64_t i = 0; i < nx; i++)
        line_grow(other + i, m->at + i, ny, nx, cells, periodic[1]);
    free(other);
    return 0;
}

static void mask_invert(struct mask *m)
{
    for (int64_t k = 0; k < box_cells(m->box); k++)
        m->at[k] = !m->at[k];
}

int mask_shrink(struct mask *m, int cells, const int periodic[2])
{
    int code;

    mask_invert(m);
    code = mask_grow(m, cells, periodic);
    mask_invert(m);
    return code;
}

void mask_intersect(struct mask *m, const struct mask *other)
{
    for (int64_t k = 0; k < box_cells(m->box); k++)
        m->at[k] &= other->at[k];
}

int mask_refine(struct mask *fine, const struct mask *m, int ratio)
{
    int code = mask_init(fine, box_refine(m->box, ratio));

    for (int64_t j = m->box.jlo; j < m->box.jhi && !code; j++)
        for (int64_t i = m->box.ilo; i < m->box.ihi; i++)
            if (mask_has(m, i, j))
                mask_fill(fine, box_refine((struct box){i, j, i + 1, j + 1}, ratio), 1);
    return code;
}

/* Append one run of row j, or lengthen the box from `first` on that ends at this row and
 * has the same columns. */
static int run_add(struct boxes *rectangles, int first, int64_t ilo, int64_t ihi,
                   int64_t j)
{
    for (int k = first; k < rectangles->count; k++) {
        struct box *b = &rectangles->at[k];

        if (b->jhi == j && b->ilo == ilo && b->ihi == ihi) {
            b->jhi = j + 1;
            return 0;
        }
    }
    return boxes_add(rectangles, (struct box){ilo, j, ihi, j + 1});
}

int mask_rectangles(const struct mask *m, struct box box, struct boxes *rectangles)
{
    int first = rectangles->count, code = 0;

    for (int64_t j = box.jlo; j < box.jhi; j++)
        for (int64_t i = box.ilo, begin; i < box.ihi && !code; i++) {
            if (!mask_has(m, i, j))
                continue;
            for (begin = i; i < box.ihi && mask_has(m, i, j);)
                i++;
            code = run_add(rectangles, first, begin, i, j);
        }
    return code;
}

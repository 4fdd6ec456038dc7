/* SPDX-License-Identifier: BSD-3-Clause */
/* mask.c: a set of cells of one level, one byte for each cell of a box. */
#include "components/AMRMesh/boxes/mask.h"

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

/* Grow the set by `cells` cells across `n` lines (rows) of `width` cells; last[width] is
 * temporary memory. */
static void lines_grow(const unsigned char *lines, unsigned char *grown, int64_t n,
                       int64_t width, int cells, int periodic, int64_t *last)
{
    int64_t reach = periodic && cells > n ? n : cells;

    for (int64_t k = 0; k < width; k++)
        last[k] = -2 * reach - 1; /* index of the last line that has cell k */
    for (int64_t i = periodic ? -reach : 0; i < n + reach; i++) {
        int64_t at = i < 0 ? i + n : i >= n ? i - n : i;

        if (i < n || periodic)
            for (int64_t k = 0; k < width; k++)
                last[k] = lines[at * width + k] ? i : last[k];
        /* lines up to i have been read, so line i - reach is decided */
        if (i >= reach && i - reach < n)
            for (int64_t k = 0; k < width; k++)
                grown[(i - reach) * width + k] = last[k] >= i - 2 * reach;
    }
}

int mask_grow(struct mask *m, int cells, const int periodic[2])
{
    int64_t nx = box_nx(m->box), ny = box_ny(m->box), last_x;
    unsigned char *other;
    int64_t *last;

    if (cells < 1 || box_empty(m->box))
        return 0;
    other = malloc((size_t)(nx * ny));
    last = malloc((size_t)nx * sizeof *last);
    if (other && last) {
        for (int64_t j = 0; j < ny; j++)
            lines_grow(m->at + j * nx, other + j * nx, nx, 1, cells, periodic[0],
                       &last_x);
        lines_grow(other, m->at, ny, nx, cells, periodic[1], last);
    }
    free(last);
    free(other);
    return other && last ? 0 : -ENOMEM;
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
    int64_t width = box_nx(m->box) * ratio;
    int code = mask_init(fine, box_refine(m->box, ratio));

    for (int64_t j = m->box.jlo; j < m->box.jhi && !code; j++) {
        const unsigned char *from = mask_row(m, j);
        unsigned char *to = mask_row(fine, j * ratio);

        for (int64_t i = 0; i < width; i++)
            to[i] = from[i / ratio];
        for (int k = 1; k < ratio; k++)
            memcpy(to + k * width, to, (size_t)width);
    }
    return code;
}

/* Add one run of cells in row j: extend a box (from index `first` on) that ends at this
 * row and has the same columns, or append a new box. */
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

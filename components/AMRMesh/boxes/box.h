/* SPDX-License-Identifier: BSD-3-Clause */
/* box.h: rectangles of cells, and lists of them.
 *
 * A box consists of the cells ilo <= i < ihi, jlo <= j < jhi of one level, counted over
 * the whole domain. It is empty if a side has no cells. */
#ifndef COMPONENTS_AMRMESH_BOXES_BOX_H
#define COMPONENTS_AMRMESH_BOXES_BOX_H

#include <stddef.h>
#include <stdint.h>

struct box {
    int64_t ilo, jlo, ihi, jhi;
};

/* An ordered list of boxes; zeroed memory is an empty list. */
struct boxes {
    int count;
    size_t room;
    struct box *at;
};

static inline int64_t box_nx(struct box b)
{
    return b.ihi - b.ilo;
}

static inline int64_t box_ny(struct box b)
{
    return b.jhi - b.jlo;
}

static inline int box_empty(struct box b)
{
    return b.ihi <= b.ilo || b.jhi <= b.jlo;
}

static inline int64_t box_cells(struct box b)
{
    return box_empty(b) ? 0 : box_nx(b) * box_ny(b);
}

static inline int box_equal(struct box a, struct box b)
{
    return a.ilo == b.ilo && a.jlo == b.jlo && a.ihi == b.ihi && a.jhi == b.jhi;
}

static inline struct box box_intersect(struct box a, struct box b)
{
    return (struct box){a.ilo > b.ilo ? a.ilo : b.ilo, a.jlo > b.jlo ? a.jlo : b.jlo,
                        a.ihi < b.ihi ? a.ihi : b.ihi, a.jhi < b.jhi ? a.jhi : b.jhi};
}

/* Return the smallest box that contains both boxes. */
static inline struct box box_around(struct box a, struct box b)
{
    return (struct box){a.ilo < b.ilo ? a.ilo : b.ilo, a.jlo < b.jlo ? a.jlo : b.jlo,
                        a.ihi > b.ihi ? a.ihi : b.ihi, a.jhi > b.jhi ? a.jhi : b.jhi};
}

static inline struct box box_grow(struct box b, int64_t cells)
{
    return (struct box){b.ilo - cells, b.jlo - cells, b.ihi + cells, b.jhi + cells};
}

static inline struct box box_shift(struct box b, int64_t di, int64_t dj)
{
    return (struct box){b.ilo + di, b.jlo + dj, b.ihi + di, b.jhi + dj};
}

/* Return n / d rounded down, also for a negative n; d > 0. */
static inline int64_t floor_divide(int64_t n, int64_t d)
{
    return n / d - (n % d < 0);
}

static inline struct box box_refine(struct box b, int ratio)
{
    return (struct box){b.ilo * ratio, b.jlo * ratio, b.ihi * ratio, b.jhi * ratio};
}

/* Return the smallest box of the coarser level that covers the box. */
static inline struct box box_coarsen(struct box b, int ratio)
{
    return (struct box){floor_divide(b.ilo, ratio), floor_divide(b.jlo, ratio),
                        floor_divide(b.ihi + ratio - 1, ratio),
                        floor_divide(b.jhi + ratio - 1, ratio)};
}

/* Compare two boxes for the order of patches: by row, then column of the lower left
 * corner. */
static inline int box_compare(struct box a, struct box b)
{
    if (a.jlo != b.jlo)
        return a.jlo < b.jlo ? -1 : 1;
    return a.ilo < b.ilo ? -1 : a.ilo > b.ilo;
}

/* Append a box unless it is empty. Returns 0 or -ENOMEM. */
int boxes_add(struct boxes *boxes, struct box box);
/* Remove the cells of `hole` from the list; disjoint boxes stay disjoint. Returns 0 or
 * -ENOMEM. */
int boxes_subtract(struct boxes *boxes, struct box hole);
/* Return the number of pieces into which a row of `cells` cells is cut, so that no piece
 * has more than `most` cells (0: no limit) and each begins at a multiple of `grain`; a
 * piece has at least `grain` cells, whatever `most` is. */
int64_t pieces_needed(int64_t cells, int64_t most, int grain);
/* Cut `box` into columns x rows pieces and append them. Their sides differ by `grain`
 * cells at most; each piece begins at a multiple of `grain` from the box's corner.
 * Returns 0 or -ENOMEM. */
int boxes_add_cut(struct boxes *boxes, struct box box, int64_t columns, int64_t rows,
                  int grain);
/* Sort by box_compare; the order of disjoint boxes is unique. */
void boxes_sort(struct boxes *boxes);
void boxes_done(struct boxes *boxes);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* mask.h: a set of cells of one level, one byte for each cell of a box. */
#ifndef COMPONENTS_AMRMESH_BOXES_MASK_H
#define COMPONENTS_AMRMESH_BOXES_MASK_H

#include "components/AMRMesh/boxes/box.h"

struct mask {
    struct box box;
    /* [ny][nx] for each cell of the box: 1 if it is in the set, else 0 */
    unsigned char *at;
};

static inline unsigned char *mask_row(const struct mask *m, int64_t j)
{
    return m->at + (j - m->box.jlo) * box_nx(m->box);
}

static inline int mask_has(const struct mask *m, int64_t i, int64_t j)
{
    return mask_row(m, j)[i - m->box.ilo];
}

/* Make an empty set in `box`. Returns 0 or -ENOMEM. */
int mask_init(struct mask *m, struct box box);
/* free the members of the struct; a zeroed struct is accepted */
void mask_done(struct mask *m);

/* Set the cells of `box` to `value`; cells outside the mask's box are dropped. */
void mask_fill(struct mask *m, struct box box, int value);
/* Return the number of set cells in `box`, which is inside the mask's box. */
int64_t mask_count(const struct mask *m, struct box box);
/* Add all cells within `cells` cells of a cell in the set, also diagonally. On a periodic
 * axis the mask's box must be the domain, and the set grows across its ends. Returns 0 or
 * -ENOMEM. */
int mask_grow(struct mask *m, int cells, const int periodic[2]);
/* Remove all cells within `cells` cells of a cell of the box that is not set. Cells are
 * not removed for being near the box's border. Returns like mask_grow. */
int mask_shrink(struct mask *m, int cells, const int periodic[2]);
/* Remove cells that are not in `other`, which has the same box. */
void mask_intersect(struct mask *m, const struct mask *other);
/* Make the set of a finer level that covers the same area. Returns 0 or -ENOMEM. */
int mask_refine(struct mask *fine, const struct mask *m, int ratio);
/* Append disjoint boxes of the set's cells in `box`: runs of cells in a row, each joined
 * with equal runs in the next rows. Returns 0 or -ENOMEM. */
int mask_rectangles(const struct mask *m, struct box box, struct boxes *rectangles);

#endif

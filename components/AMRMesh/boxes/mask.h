/* SPDX-License-Identifier: BSD-3-Clause */
/* mask.h: a set of cells of one level, one byte for each cell of a box. */
#ifndef COMPONENTS_AMRMESH_BOXES_MASK_H
#define COMPONENTS_AMRMESH_BOXES_MASK_H

#include "components/AMRMesh/boxes/box.h"

struct mask {
    struct box box;
    unsigned char *at; /* [ny][nx] of the box: 1 in the set, 0 not */
};

static inline unsigned char *mask_row(const struct mask *m, int64_t j)
{
    return m->at + (j - m->box.jlo) * box_nx(m->box);
}

static inline int mask_has(const struct mask *m, int64_t i, int64_t j)
{
    return mask_row(m, j)[i - m->box.ilo];
}

/* An empty set in `box`. 0 or -ENOMEM. */
int mask_init(struct mask *m, struct box box);
void mask_done(struct mask *m); /* also of a zeroed one */

/* Set the cells of `box` to `value`; cells outside the mask's box are dropped. */
void mask_fill(struct mask *m, struct box box, int value);
/* Cells of the set in `box`, which lies in the mask's. */
int64_t mask_count(const struct mask *m, struct box box);
/* Add all cells up to `cells` away from one of the set, diagonally too; where an axis is
 * periodic the mask's box is the domain and the set grows across its ends. 0 or -ENOMEM.
 */
int mask_grow(struct mask *m, int cells, const int periodic[2]);
/* Take away all cells up to `cells` away from a cell of the box that is not in the set.
 * The ends of the box take nothing away. As grow. */
int mask_shrink(struct mask *m, int cells, const int periodic[2]);
/* Take away what is not in `other`, which has the same box. */
void mask_intersect(struct mask *m, const struct mask *other);
/* The set of a finer level that covers the same area. 0 or -ENOMEM. */
int mask_refine(struct mask *fine, const struct mask *m, int ratio);
/* Append the cells of the set in `box` as disjoint boxes: runs of a row, joined with the
 * like runs below. 0 or -ENOMEM. */
int mask_rectangles(const struct mask *m, struct box box, struct boxes *rectangles);

#endif

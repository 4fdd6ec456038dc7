/* SPDX-License-Identifier: BSD-3-Clause */
/* boxes.h: cut any set of cells into boxes that do not overlap: few, if the set is nearly
 * a box. Numbers only, no MPI. */
#ifndef EXAMPLES_MRTD_BOXES_H
#define EXAMPLES_MRTD_BOXES_H

#include "examples/mrtd/parts.h"

struct mrtd_boxes {
    int64_t count;
    int64_t *lo, *hi; /* bounds of the boxes, [count][3]: cells c with lo <= c < hi */
};

/* Cut the cells of this rank into boxes. Returns 0 or -ENOMEM; freed by mrtd_boxes_done
 * in both cases.
 */
int mrtd_boxes_make(struct mrtd_boxes *boxes, const struct mrtd_parts *parts);
void mrtd_boxes_done(struct mrtd_boxes *boxes);

#endif

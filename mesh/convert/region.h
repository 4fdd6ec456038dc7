/* SPDX-License-Identifier: BSD-3-Clause */
/* region.h: read values of a part of a mesh, cell by cell or as means over larger
 * cells. */
#ifndef MESH_CONVERT_REGION_H
#define MESH_CONVERT_REGION_H

#include "mesh/trace/profile.h"

/* Cells lo <= c < hi of a level. With `coarse` N > 1, cells with equal c / N in each used
 * dimension form one coarse cell, as far as they are in the region. */
struct mesh_region {
    int level;
    /* cells c of the region: lo <= c < hi; unused dimensions: 0, 1 */
    int64_t lo[3], hi[3];
    int64_t coarse;
};

/* Make the region that is a whole level. */
void mesh_region_whole(const struct mm_mesh_about *about, int level,
                       struct mesh_region *region);
/* Compute the number of (coarse) cells in each dimension, and the coordinates of the
 * first cell. */
void mesh_region_size(const struct mm_mesh_about *about, const struct mesh_region *region,
                      int64_t n[3], int64_t first[3]);

/* Write the values of step i, dimension 2 fastest, into values[n[0] * n[1] * n[2]]: a
 * cell's value, or the mean of the finite values in a coarse cell; NAN if there is none.
 * `ranks`, if not NULL, gets the rank of each cell, -1: none, or several. A block inside
 * one coarse cell is not decoded, because the file contains its sum. Returns the number
 * of (coarse) cells without a value; -EINVAL, -EBADMSG or -ENOMEM. */
int64_t mesh_region_values(struct mesh_profile *p, size_t i, int probe,
                           const struct mesh_region *region, double *values,
                           int32_t *ranks, struct cca_error *err);

#endif

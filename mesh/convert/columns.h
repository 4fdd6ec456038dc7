/* SPDX-License-Identifier: BSD-3-Clause */
/* columns.h: values of cells of level 0. They include the finer cells inside, because
 * these move together with the cell of level 0. */
#ifndef MESH_CONVERT_COLUMNS_H
#define MESH_CONVERT_COLUMNS_H

#include "mesh/trace/profile.h"

/* Write the values of step i of all cells of level 0, each with the sum of the finer
 * cells in it, into values[cells]; NAN where level 0 has no value. `owner`, if not NULL,
 * gets the rank of each cell of level 0, -1: none. Returns the number of cells without
 * value; -EBADMSG: a damaged block; -ENOMEM. */
int64_t mesh_columns_values(struct mesh_profile *p, size_t i, int probe, float *values,
                            int32_t *owner, struct cca_error *err);

/* Add the values of a block to the cells of level 0 that it lies in. */
void mesh_columns_add(const struct mm_mesh_about *about, const struct mm_mesh_frame *f,
                      const float *from, float *values);

enum { MESH_COLUMNS_RANKS = 1 << 20 };

/* Return the number of ranks: the largest rank that has cells in any step, + 1; at
 * least 1. -EBADMSG: there are more than MESH_COLUMNS_RANKS. */
int mesh_columns_ranks(const struct mesh_profile *p, struct cca_error *err);

/* Format a cell as "4,10,10", an element as "12"; returns `text`. */
const char *mesh_columns_cell(const struct mm_mesh_about *about, int level, int64_t cell,
                              char text[64]);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* source.h: weights of the cells of a mesh, step by step: the simulator's input. */
#ifndef MESH_BALANCE_SOURCE_H
#define MESH_BALANCE_SOURCE_H

#include <stdint.h>

#include "ports/cca_error.h"

/* A mesh and a callback that gives its weights. `context` and arrays are borrowed. */
struct mesh_source {
    int dims;              /* number of dimensions, 1 to 3 */
    int64_t n[3];          /* cells in each dimension, dimension 2 fastest; unused ones 1;
                            * elements: their number, 1, 1 */
    const double *centres; /* centres of elements, 3 coordinates each; NULL: a grid */
    int64_t steps;
    /* [steps]: the program's own number of each step; NULL: 0, 1, ... */
    const int64_t *numbers;

    /* Write the weights of step t, 0 <= t < steps, into weights[cells]. Returns 0, or a
     * negative errno with `err`. The simulator requests steps in ascending order, maybe
     * more than once. */
    int (*weights)(void *context, int64_t t, float *weights, struct cca_error *err);
    void *context;
};

/* Return the number of cells or elements. */
static inline int64_t mesh_source_cells(const struct mesh_source *source)
{
    return source->n[0] * source->n[1] * source->n[2];
}

/* Return the program's own number of step t. */
static inline int64_t mesh_source_number(const struct mesh_source *source, int64_t t)
{
    return source->numbers ? source->numbers[t] : t;
}

/* Format a step and the coordinates of a cell: "step 20, cell 4,10,10". Returns `text`.
 */
const char *mesh_source_place(const struct mesh_source *source, int64_t t, int64_t cell,
                              char *text, size_t size);

/* Read and check the weights of step t: 0; -EDOM names the step and cell of the first
 * weight that is negative, infinite or not a number; or the source's error. */
int mesh_source_weights(const struct mesh_source *source, int64_t t, float *weights,
                        struct cca_error *err);

/* Check weights[cells] in memory; as mesh_source_weights. */
int mesh_weights_check(const struct mesh_source *source, int64_t t, const float *weights,
                       struct cca_error *err);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* table.c: a summed-area table: the entry of a corner is the sum of all cells with
 * smaller coordinates. */
#include "mesh/balance/parts.h"

#include <stdlib.h>
#include <string.h>

int mesh_table_new(struct mesh_table *table, const int64_t n[3])
{
    memcpy(table->n, n, sizeof table->n);
    table->stride[1] = n[2] + 1;
    table->stride[0] = (n[1] + 1) * table->stride[1];
    table->sums = calloc((size_t)((n[0] + 1) * table->stride[0]), sizeof *table->sums);
    return table->sums ? 0 : -ENOMEM;
}

void mesh_table_free(struct mesh_table *table)
{
    free(table->sums);
    table->sums = NULL;
}

void mesh_table_fill(struct mesh_table *table, const float *weights)
{
    const int64_t *n = table->n;

    for (int64_t i = 0; i < n[0]; i++)
        for (int64_t j = 0; j < n[1]; j++) {
            double *row =
                table->sums + (i + 1) * table->stride[0] + (j + 1) * table->stride[1] + 1;
            const double *below = row - table->stride[1],
                         *behind = row - table->stride[0];
            const double *both = behind - table->stride[1];
            double run = 0;

            for (int64_t k = 0; k < n[2]; k++) {
                run += (double)*weights++;
                row[k] = run + below[k] + behind[k] - both[k];
            }
        }
}

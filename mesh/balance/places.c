/* SPDX-License-Identifier: BSD-3-Clause */
/* places.c: cell coordinates of a grid, ranks of element coordinates. */
#include "mesh/balance/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void grid_places(struct mesh_places *places, const struct mesh_source *source)
{
    int64_t cell = 0;

    for (int64_t i = 0; i < source->n[0]; i++)
        for (int64_t j = 0; j < source->n[1]; j++)
            for (int64_t k = 0; k < source->n[2]; k++, cell++) {
                places->at[0][cell] = (int32_t)i;
                places->at[1][cell] = (int32_t)j;
                places->at[2][cell] = (int32_t)k;
            }
}

struct coordinate {
    double value;
    int32_t element;
};

static int by_value(const void *a, const void *b)
{
    const struct coordinate *x = a, *y = b;

    return x->value < y->value ? -1 : x->value > y->value;
}

static int rank_dimension(struct mesh_places *places, const struct mesh_source *source,
                          int d, struct cca_error *err)
{
    int64_t cells = mesh_source_cells(source);
    struct coordinate *list = malloc((size_t)cells * sizeof *list);
    int32_t rank = -1;

    places->value[d] = malloc((size_t)cells * sizeof *places->value[d]);
    if (!list || !places->value[d]) {
        free(list);
        return cca_no_memory(err);
    }
    for (int64_t c = 0; c < cells; c++) {
        double x = source->centres[3 * c + d];

        if (!isfinite(x)) {
            free(list);
            return cca_error_set(
                err, -EDOM, "element %lld: found coordinate %g, expected a finite one",
                (long long)c, x);
        }
        list[c] = (struct coordinate){x, (int32_t)c};
    }
    qsort(list, (size_t)cells, sizeof *list, by_value);
    for (int64_t c = 0; c < cells; c++) {
        if (c == 0 || list[c].value > list[c - 1].value)
            places->value[d][++rank] = list[c].value;
        places->at[d][list[c].element] = rank;
    }
    free(list);
    return 0;
}

int mesh_places_init(struct mesh_places *places, const struct mesh_source *source,
                     struct cca_error *err)
{
    size_t cells = (size_t)mesh_source_cells(source);
    int rc = 0;

    memset(places, 0, sizeof *places);
    for (int d = 0; d < 3; d++) {
        places->at[d] = malloc(cells * sizeof *places->at[d]);
        if (!places->at[d])
            return cca_no_memory(err);
    }
    if (!source->centres)
        grid_places(places, source);
    for (int d = 0; source->centres && d < 3 && !rc; d++)
        rc = rank_dimension(places, source, d, err);
    return rc;
}

void mesh_places_done(struct mesh_places *places)
{
    for (int d = 0; d < 3; d++) {
        free(places->at[d]);
        free(places->value[d]);
    }
    memset(places, 0, sizeof *places);
}

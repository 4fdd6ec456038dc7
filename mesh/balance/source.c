/* SPDX-License-Identifier: BSD-3-Clause */
/* source.c: weights of a source, checked as they are read. */
#include "mesh/balance/source.h"

#include <inttypes.h>
#include <float.h>

const char *mesh_source_place(const struct mesh_source *source, int64_t t, int64_t cell,
                              char *text, size_t size)
{
    int64_t at[3] = {cell / (source->n[1] * source->n[2]),
                     cell / source->n[2] % source->n[1], cell % source->n[2]};
    int used = source->centres ? 1 : source->dims, n;

    n = snprintf(text, size, "step %" PRId64 ", %s %" PRId64,
                 mesh_source_number(source, t), source->centres ? "element" : "cell",
                 at[0]);
    for (int d = 1; d < used && n > 0 && (size_t)n < size; d++)
        n += snprintf(text + n, size - (size_t)n, ",%" PRId64, at[d]);
    return text;
}

int mesh_weights_check(const struct mesh_source *source, int64_t t, const float *weights,
                       struct cca_error *err)
{
    int64_t cells = mesh_source_cells(source);
    char place[96];

    for (int64_t c = 0; c < cells; c++)
        if (!(weights[c] >= 0 && weights[c] <= FLT_MAX))
            return cca_error_set(err, -EDOM, "%s: found weight %g, expected at least 0",
                                 mesh_source_place(source, t, c, place, sizeof place),
                                 (double)weights[c]);
    return 0;
}

int mesh_source_weights(const struct mesh_source *source, int64_t t, float *weights,
                        struct cca_error *err)
{
    int rc = source->weights(source->context, t, weights, err);

    return rc ? rc : mesh_weights_check(source, t, weights, err);
}

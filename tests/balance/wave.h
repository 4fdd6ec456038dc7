/* SPDX-License-Identifier: BSD-3-Clause */
/* wave.h: a trace of the paper's case: examples/mrtd in this process, a cell's weight is
 * its active coefficients. */
#ifndef TESTS_BALANCE_WAVE_H
#define TESTS_BALANCE_WAVE_H

#include "examples/mrtd/field.h"
#include "tests/balance/traces.h"

/* 30 x 20 x 20 cells with the source in cell "I,J,K"; freed by trace_free. 0 or -1. */
static inline int wave_make(struct trace *trace, const char *source, int64_t steps)
{
    char *argv[] = {(char *)"mrtd", (char *)"--source", (char *)source, NULL};
    struct mrtd_options options;
    struct mrtd_parts *parts = NULL;
    struct mrtd_field *field = NULL;
    int64_t cells = (int64_t)30 * 20 * 20;
    int32_t *owner = calloc((size_t)cells, sizeof *owner);

    memset(trace, 0, sizeof *trace);
    trace->weights = malloc((size_t)(cells * steps) * sizeof *trace->weights);
    if (owner && trace->weights && !mrtd_options_read(&options, 3, argv, 0))
        parts = mrtd_parts_new(options.n, 0, 1, owner);
    if (parts)
        field = mrtd_field_new(&options, parts);
    for (int64_t t = 0; field && t < steps; t++) {
        for (int32_t s = 0; s < parts->own; s++)
            mrtd_field_update(field, parts, MRTD_H, s);
        for (int32_t s = 0; s < parts->own; s++)
            mrtd_field_update(field, parts, MRTD_E, s);
        mrtd_field_source(field, &options, parts, (int32_t)t);
        for (int32_t s = 0; s < parts->own; s++)
            trace->weights[t * cells + parts->cell[s]] = field->work[s];
    }
    trace->memory = (struct mesh_memory){trace->weights, cells};
    trace->source = (struct mesh_source){3,    {30, 20, 20},       NULL,          steps,
                                         NULL, mesh_source_memory, &trace->memory};
    free(owner);
    mrtd_parts_free(parts);
    if (!field)
        return -1;
    mrtd_field_free(field);
    return 0;
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* traces.h: made traces of four families, seeded: an expanding shell, a spot that
 * wanders, a spot that jumps, a plane front. Weights 1 to 9. */
#ifndef TESTS_BALANCE_TRACES_H
#define TESTS_BALANCE_TRACES_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/balance/source.h"

enum trace_family { TRACE_SHELL, TRACE_SPOT, TRACE_JUMPS, TRACE_FRONT, TRACE_FAMILIES };
static const char *const trace_names[TRACE_FAMILIES] = {"shell", "spot", "jumps",
                                                        "front"};

/* Weights held in memory: the context is a struct mesh_memory. */
struct mesh_memory {
    const float *weights; /* [steps][cells], borrowed */
    int64_t cells;
};

static inline int mesh_source_memory(void *context, int64_t t, float *weights,
                                     struct cca_error *err)
{
    const struct mesh_memory *memory = context;

    (void)err;
    memcpy(weights, memory->weights + t * memory->cells,
           (size_t)memory->cells * sizeof *weights);
    return 0;
}

struct trace {
    struct mesh_source source;
    struct mesh_memory memory;
    float *weights;
};

/* xorshift64*, (0, 1). */
static inline double trace_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return ((double)(*state * 2685821657736338717ull >> 11) + .5) / 9007199254740992.0;
}

/* Where the source of weight is at a step, in units of the domain's sides. */
struct trace_place {
    double at[3], radius, width;
};

static inline double trace_distance(const struct trace_place *place, const double x[3])
{
    double sum = 0;

    for (int d = 0; d < 3; d++)
        sum += (x[d] - place->at[d]) * (x[d] - place->at[d]);
    return sqrt(sum);
}

static inline float trace_weight(enum trace_family family,
                                 const struct trace_place *place, const double x[3])
{
    double r = family == TRACE_FRONT ? x[0] - place->at[0]
                                     : trace_distance(place, x) - place->radius;

    return 1 + floorf((float)(8.99 * exp(-r * r / (place->width * place->width))));
}

static inline void trace_move(enum trace_family family, struct trace_place *place,
                              int64_t t, int64_t steps, uint64_t *state)
{
    double part = (double)t / (double)steps;

    switch (family) {
    case TRACE_SHELL:
        place->radius = .1 + 1.0 * part;
        break;
    case TRACE_SPOT:
        for (int d = 0; d < 3; d++) {
            place->at[d] += .02 * (trace_random(state) + trace_random(state) - 1);
            place->at[d] = fmin(1, fmax(0, place->at[d]));
        }
        break;
    case TRACE_JUMPS:
        if (t == 0 || trace_random(state) < 1 / 25.)
            for (int d = 0; d < 3; d++)
                place->at[d] = trace_random(state);
        break;
    default:
        place->at[0] = fmod(.1 + 1.7 * part, 1.2) - .1;
        break;
    }
}

/* A trace of n[0] x n[1] x n[2] cells; freed by trace_free. */
static inline void trace_make(struct trace *trace, enum trace_family family,
                              const int64_t n[3], int64_t steps, uint64_t seed)
{
    uint64_t state = seed * 0x9e3779b97f4a7c15ull + 1;
    struct trace_place place = {{.3, .4, .5}, 0, .18};
    int64_t cells = n[0] * n[1] * n[2];
    float *to;

    for (int i = 0; i < 8; i++)
        trace_random(&state);
    for (int d = 0; d < 3; d++)
        place.at[d] = .2 + .6 * trace_random(&state);
    place.width = .12 + .12 * trace_random(&state);
    memset(trace, 0, sizeof *trace);
    to = trace->weights = malloc((size_t)(cells * steps) * sizeof *to);
    for (int64_t t = 0; t < steps; t++) {
        trace_move(family, &place, t, steps, &state);
        for (int64_t c = 0; c < cells; c++) {
            double x[3] = {((double)(c / (n[1] * n[2])) + .5) / (double)n[0],
                           ((double)(c / n[2] % n[1]) + .5) / (double)n[1],
                           ((double)(c % n[2]) + .5) / (double)n[2]};

            *to++ = trace_weight(family, &place, x);
        }
    }
    trace->memory = (struct mesh_memory){trace->weights, cells};
    trace->source = (struct mesh_source){3,    {n[0], n[1], n[2]}, NULL,          steps,
                                         NULL, mesh_source_memory, &trace->memory};
}

static inline void trace_free(struct trace *trace)
{
    free(trace->weights);
}

#endif

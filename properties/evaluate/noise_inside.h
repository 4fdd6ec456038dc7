/* SPDX-License-Identifier: BSD-3-Clause */
/* noise_inside.h: the replicates of the runs of a question. Inside noise.h. */
#ifndef PROPERTIES_EVALUATE_NOISE_INSIDE_H
#define PROPERTIES_EVALUATE_NOISE_INSIDE_H

#include "properties/evaluate/noise_store.h"

struct mm_noise {
    struct mm_store *from, *store;
    struct mm_world world;
    struct mm_noise_run *runs; /* those asked, and the sequential one */
    size_t run_count;
    int ends;     /* there are messages or collectives */
    double *rows; /* replicates of the answers asked last */
};

/* True where runs number `a` and `b` are of one configuration. */
int mm_noise_same(const struct mm_noise *noise, size_t a, size_t b);
/* Number of the first run asked of the configuration of run `at`. */
size_t mm_noise_first(const struct mm_noise *noise, size_t at);
int mm_noise_has_repeats(const struct mm_noise *noise);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* noise_inside.h: state of the replicates of a question's runs, shared by the files
 * noise*.c. */
#ifndef PROPERTIES_EVALUATE_NOISE_INSIDE_H
#define PROPERTIES_EVALUATE_NOISE_INSIDE_H

#include "properties/evaluate/noise_store.h"

struct mm_noise {
    struct mm_store *from, *store;
    struct mm_world world;
    struct mm_noise_run *runs; /* the runs of the question, and its sequential run */
    size_t run_count;
    int ends; /* 1: there are messages or collectives, so replicates with lower and upper
                 ends are needed */
    double *rows; /* replicates of the latest answers */
};

/* Whether runs number `a` and `b` have the same configuration. */
int mm_noise_same(const struct mm_noise *noise, size_t a, size_t b);
/* Number of the first asked run with the configuration of run `at`. */
size_t mm_noise_first(const struct mm_noise *noise, size_t at);
int mm_noise_has_repeats(const struct mm_noise *noise);

#endif

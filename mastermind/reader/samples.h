/* SPDX-License-Identifier: BSD-3-Clause */
/* samples.h: samples of a recorded run's CPU time, which its file samples.json counts. */
#ifndef MASTERMIND_READER_SAMPLES_H
#define MASTERMIND_READER_SAMPLES_H

#include "mastermind/reader/experiment.h"

/* A function or file outside of all recorded calls. */
struct mm_sampled_line {
    const char *file;     /* "libc.so.6"; "(kernel)" */
    const char *function; /* NULL: none */
    const char *line;     /* "heat.c:12", or NULL */
    uint64_t samples;
};

/* Strings are borrowed from `root`. */
struct mm_run_samples {
    void *root;
    int64_t period_ns;
    uint64_t count; /* samples of the run; 0: it was not sampled */
    uint64_t lost;  /* samples for which the kernel had no space */
    double cost_ns; /* CPU time that the samples took */
    int64_t peak_bytes;
    uint64_t loading, other_processes; /* samples before recording, and of children */
    struct mm_sampled_line *rest;      /* [rest_count], most samples first */
    size_t rest_count;
    uint64_t *methods; /* [method_count] samples of each method of the experiment */
};

/* Read the samples of an experiment; none is not an error. Returns 0 or a negative errno
 * with `err`; mm_run_samples_done in any case. */
int mm_run_samples_read(struct mm_run_samples *samples,
                        const struct mm_experiment *experiment, struct cca_error *err);
void mm_run_samples_done(struct mm_run_samples *samples);

#endif

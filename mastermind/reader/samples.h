/* SPDX-License-Identifier: BSD-3-Clause */
/* samples.h: numbers of samples of a recorded run's CPU time, from its file samples.json,
 * and sampled stacks, from stacks.json. */
#ifndef MASTERMIND_READER_SAMPLES_H
#define MASTERMIND_READER_SAMPLES_H

#include "mastermind/reader/experiment.h"

/* A function or file with samples outside of all recorded calls. */
struct mm_sampled_line {
    const char *file;     /* name of the file, "libc.so.6", or "(kernel)" */
    const char *function; /* NULL: none */
    const char *line;     /* line in the source, "heat.c:12", or NULL */
    uint64_t samples;
};

/* Samples of a run. Strings are borrowed from `root`. */
struct mm_run_samples {
    void *root;
    int64_t period_ns;
    uint64_t count; /* number of samples of the run; 0: it was not sampled */
    /* number of samples that were lost because the kernel had no space for them */
    uint64_t lost;
    double cost_ns; /* CPU time that all samples together took */
    int64_t peak_bytes;
    /* numbers of samples before recording began, and of child processes */
    uint64_t loading, other_processes;
    struct mm_sampled_line *rest; /* [rest_count], most samples first */
    size_t rest_count;
    /* [method_count] number of samples of each method of the experiment */
    uint64_t *methods;
};

/* Read the samples of an experiment. It is no error if there are none. Returns 0 or a
 * negative errno with `err`; call mm_run_samples_done in any case. */
int mm_run_samples_read(struct mm_run_samples *samples,
                        const struct mm_experiment *experiment, struct cca_error *err);
void mm_run_samples_done(struct mm_run_samples *samples);

/* --- Stacks ----------------------------------------------------------------- */

/* A node of a tree of calls. */
struct mm_run_stack_node {
    int64_t parent;       /* index, less than the node's own; -1: none */
    const char *function; /* name, or a word for code without one */
    const char *file;     /* name of its file; NULL: none */
    uint64_t stacks;      /* number of stacks whose innermost function this is */
};

/* Stacks of a run. Strings are borrowed from `root`. */
struct mm_run_stacks {
    void *root;
    int64_t period_ns;               /* CPU time from one stack to the next */
    struct mm_run_stack_node *nodes; /* [count] */
    size_t count;                    /* 0: no stacks were taken */
};

/* Read the stacks of an experiment. It is no error if there are none. Returns 0 or a
 * negative errno with `err`; call mm_run_stacks_done in any case. */
int mm_run_stacks_read(struct mm_run_stacks *stacks,
                       const struct mm_experiment *experiment, struct cca_error *err);
void mm_run_stacks_done(struct mm_run_stacks *stacks);

#endif

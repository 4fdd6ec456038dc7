/* SPDX-License-Identifier: BSD-3-Clause */
/* run.h: the parameters of a run, which distinguish it from other runs of the program. */
#ifndef MASTERMIND_READER_RUN_H
#define MASTERMIND_READER_RUN_H

#include <stddef.h>

struct mm_run_value {
    const char *name, *text;
};

struct mm_run_values {
    struct mm_run_value *items; /* names and values, ascending by name */
    size_t count;
};

/* Parameters of a run at its latest go. Strings are owned by the experiment. */
struct mm_run {
    struct mm_run_values variables; /* definitions (-D) used by the scripts */
    struct mm_run_values set;       /* "instance.port.name" of parameters set by the
                                       script or --set */
    struct mm_run_values classes;   /* classes of instances */
    int ranks;
    int is_known; /* 0: `variables` and `set` are unknown, because the experiment is old
                     or not from `ccafe` */
    int cores, local_ranks; /* cores of the machine of rank 0, and number of ranks
                               there; 0: unknown */
};

/* Return the value of a parameter, borrowed, or NULL. */
const char *mm_run_value(const struct mm_run_values *values, const char *name);

/* True for a run with more ranks on a machine than it has cores. */
int mm_run_is_crowded(const struct mm_run *run);

#endif

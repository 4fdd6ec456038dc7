/* SPDX-License-Identifier: BSD-3-Clause */
/* run.h: the parameters of a run, which distinguish it from other runs of its program. */
#ifndef MASTERMIND_READER_RUN_H
#define MASTERMIND_READER_RUN_H

#include <stddef.h>

struct mm_run_value {
    const char *name, *text;
};

struct mm_run_values {
    struct mm_run_value *items; /* by name */
    size_t count;
};

/* As of the latest go. Strings are owned by the experiment. */
struct mm_run {
    struct mm_run_values variables; /* definitions (-D) that the scripts have used */
    struct mm_run_values set;     /* "instance.port.name" of parameters that the script or
                                     --set has set */
    struct mm_run_values classes; /* of instances */
    int ranks;
    int is_known; /* 0: variables and set are not known: the experiment is an older one,
                     or not of `ccafe` */
    int cores, local_ranks; /* of the machine of rank 0, and ranks there; 0: not known */
};

/* The value of a name, borrowed, or NULL. */
const char *mm_run_value(const struct mm_run_values *values, const char *name);

/* True for a run with more ranks on a machine than it has cores. */
int mm_run_is_crowded(const struct mm_run *run);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* run.h: the parameters of a run, which distinguish it from other runs of the program. */
#ifndef MASTERMIND_READER_RUN_H
#define MASTERMIND_READER_RUN_H

#include <stddef.h>

struct mm_run_value {
    const char *name, *text;
};

struct mm_run_values {
    struct mm_run_value *items; /* parameters with their values, ascending by name */
    size_t count;
};

/* Parameters of a run at its latest `go` command. Strings are owned by the experiment. */
struct mm_run {
    struct mm_run_values variables; /* definitions (option -D) that the scripts use */
    struct mm_run_values set;     /* parameters that the script or --set has set, by their
                                     names "instance.port.name" */
    struct mm_run_values classes; /* classes of the instances, by instance name */
    int ranks;
    int is_known; /* false if `variables` and `set` are unknown, because the experiment is
                     old or not from `ccafe` */
    int cores, local_ranks; /* number of cores of rank 0's machine, and number of ranks on
                               it; 0: unknown */
};

/* Return the value of the parameter `name`, borrowed, or NULL. */
const char *mm_run_value(const struct mm_run_values *values, const char *name);

/* True if the run had more ranks on a machine than the machine has cores. */
int mm_run_is_crowded(const struct mm_run *run);

#endif

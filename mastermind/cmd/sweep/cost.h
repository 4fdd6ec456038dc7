/* SPDX-License-Identifier: BSD-3-Clause */
/* cost.h: run a command and measure the cost of the whole run from outside: nothing of
 * the command is changed. */
#ifndef MASTERMIND_CMD_SWEEP_COST_H
#define MASTERMIND_CMD_SWEEP_COST_H

#include <stddef.h>

#include "mastermind/cmd/record/whole.h"

/* Names that the parts of several runs share. Zero-initialised is empty. */
struct sweep_names {
    char **list; /* [count] */
    size_t count;
};

/* CPU time of a function in one run. */
struct sweep_part {
    const char *name; /* of struct sweep_names: one address for one name */
    double cpu_s;
};

struct sweep_cost {
    double cpu_s; /* user and system time, with all processes that it waited for */
    double wall_s;
    double peak_bytes;        /* peak of memory of the run's largest process */
    struct sweep_part *parts; /* [part_count] by samples; their sum is cpu_s */
    size_t part_count;
    char unsampled[200];   /* reason why there are no samples, or "" */
    struct mm_whole whole; /* samples of the run, collected, to be kept */
};

/* Run a command in `cwd` without standard input, its output in files.
 *
 *   watch          in   its tick and context, or NULL
 *   names          in, out  names of functions; NULL: take no samples
 *   cost           out  sweep_cost_done frees it, also after a failure
 *   signal_number  out  signal that this process received and that ended the run, or 0
 *
 * A function of the program's own file has its plain name, others "NAME in FILE". Returns
 * the wait status, or a negative errno. */
struct sweep_watch;
int sweep_cost_run(char *const *words, const char *cwd, const char *out, const char *err,
                   const struct sweep_watch *watch, struct sweep_names *names,
                   struct sweep_cost *cost, int *signal_number);
/* A command of sweep_costs_run, with the arguments of sweep_cost_run. */
struct sweep_cost_request {
    char *const *words;
    const char *cwd, *out, *err;
    const struct sweep_watch *watch;
    struct sweep_names *names;
    int is_pinned, core; /* 1: it runs on this core only */
};

/* Run commands at the same time.
 *
 *   costs     out  [count] sweep_cost_done frees each, also after a failure
 *   statuses  out  [count] wait statuses
 *
 * Returns 0 or a negative errno. */
int sweep_costs_run(const struct sweep_cost_request *requests, size_t count,
                    struct sweep_cost *costs, int *statuses, int *signal_number);
void sweep_cost_done(struct sweep_cost *cost);
void sweep_names_done(struct sweep_names *names);

/* The last line of a file that has a letter, without lines about the experiment. New, or
 * NULL. */
char *sweep_last_line(const char *path);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* asked.h: the options of the verb sweep. */
#ifndef MASTERMIND_CMD_SWEEP_ASKED_H
#define MASTERMIND_CMD_SWEEP_ASKED_H

#include "mastermind/cmd/cmd.h"
#include "mastermind/cmd/sweep/sweep.h"

/* Indices of options; options of axes come first, in the order of enum sweep_kind. */
enum {
    ASKED_VARY = SWEEP_SET,
    ASKED_RANKS = SWEEP_RANKS,
    ASKED_ENV = SWEEP_ENV,
    ASKED_LAUNCHER = SWEEP_KINDS,
    ASKED_CHECK,
    ASKED_REPEAT,
    ASKED_BUDGET,
    ASKED_GRID,
    ASKED_SEED,
    ASKED_OVER,
    ASKED_WITHIN,
    ASKED_METRIC,
    ASKED_OUTPUT, /* from here on: options that need no command */
    ASKED_DRY,
    ASKED_STATUS,
    ASKED_SHARED,
    ASKED_PATIENCE,
    ASKED_SLURM,
    ASKED_TASKS,
    ASKED_SBATCH,
    ASKED_JSON,
    ASKED_OPTIONS
};

/* Read the budget, "90s", "10m", "1.5h" or "90"; INFINITY: none. -1 to go on. */
int sweep_budget(const struct cca_given *option, double *seconds);
/* Read a time like sweep_budget, of any option. */
int sweep_time_asked(const struct cca_given *option, double otherwise, double *seconds);

/* A request for a job array of Slurm. */
struct sweep_slurm {
    size_t tasks;        /* number of tasks; 0: one for each run, at most 100 */
    const char *options; /* options of sbatch, separated by blanks, or NULL */
    const char *budget;  /* of the sweep, as text, or NULL */
    const char *results; /* command before DIR that prints the results */
};

/* Read the options --slurm, --tasks and --sbatch. Returns -1 to go on. slurm.c */
int sweep_slurm_asked(const struct cca_given *slurm, const struct cca_given *tasks,
                      const struct cca_given *options, struct sweep_slurm *asked);
/* Write DIR/sweep.sbatch, a job array whose tasks make the open runs, and submit it. The
 * sweep is open, and its locks are given up. Returns an exit code. slurm.c */
int sweep_slurm_submit(struct sweep *sweep, const struct sweep_slurm *asked);
/* Set the command of a sweep to the words, which end with NULL, and its working directory
 * to the current one. Returns -1 to go on. */
int sweep_copy_command(struct sweep *sweep, char *const *words);
/* Read the request into an empty sweep: from the options and the words of the command
 * (ending with NULL), or without these from the plan in the directory. Returns -1 to go
 * on. */
int sweep_asked(const struct cca_given *options, char **words, struct sweep *sweep);

#endif

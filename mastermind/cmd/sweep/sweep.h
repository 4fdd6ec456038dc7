/* SPDX-License-Identifier: BSD-3-Clause */
/* sweep.h: a sweep: measured runs of one program with different parameters, in a
 * directory.
 *
 *   plan.json      what was asked, and the runs in their order
 *   runs.json      what became of them
 *   run-001.mm     experiment of a finished run; run-001.part: of a run that did not end
 *   run-001.out, run-001.err   what the run printed */
#ifndef MASTERMIND_CMD_SWEEP_SWEEP_H
#define MASTERMIND_CMD_SWEEP_SWEEP_H

#include <jansson.h>

#include "mastermind/cmd/sweep/words.h"
#include "mastermind/plan/plan.h"

enum sweep_kind { SWEEP_VARIABLE, SWEEP_SET, SWEEP_CLASS, SWEEP_RANKS, SWEEP_KINDS };

/* An axis with the words of its values, by number where all are numbers. */
struct sweep_axis {
    enum sweep_kind kind;
    char *name; /* "NX", "driver.config.nx", "flux", "ranks" */
    char **texts;
    double *numbers; /* [count], or NULL */
    size_t count;
};

enum sweep_state { SWEEP_OPEN, SWEEP_DONE, SWEEP_FAILED };

struct sweep_run {
    enum sweep_state state;
    double elapsed_s; /* from start to end of the process */
    /* Of a finished run, from its experiment; NAN: unknown. */
    double time_s; /* own time of outermost calls, of the rank with most */
    double cpu_s;  /* CPU time of outermost calls, all ranks */
    double wait_s; /* waiting in outermost calls, all ranks; NAN: they do not tell, and
                      time_s is wall time */
    double seen_s; /* wall time of outermost calls, all ranks; of runs that do not tell,
                      time with readings */
    double lost_s; /* of this, taken by the host */
    uint64_t rows;
    char *error; /* of a failed run, or NULL */
};

struct sweep {
    /* What was asked. */
    struct sweep_axis *axes;
    size_t axis_count;
    size_t repeats, grid_limit;
    uint64_t seed;
    char *launcher; /* "mpirun -n %n", or NULL */
    char **command; /* with NULL at its end */
    size_t program; /* position of ccafe in it */
    char *cwd;      /* directory of the runs */
    /* What is made of it. */
    const char *dir; /* as it was given */
    char *path;      /* the same, absolute; NULL before sweep_open */
    struct mm_plan *plan;
    struct sweep_run *runs; /* [plan->run_count] */
    int lock, run_lock;     /* files, or -1: of the sweep, of it and its runs */
};

/* Free what a sweep holds. cmd_sweep.c */
void sweep_done(struct sweep *sweep);

/* --- axes.c: axes in words ---------------------------------------------------------- */

/* Add an axis "NAME=VALUE,..." of an option, or "VALUE,..." of ranks. Returns -1 to go
 * on, else an exit code after a message. */
int sweep_axis_add(struct sweep *sweep, enum sweep_kind kind, const char *word);
void sweep_axis_done(struct sweep_axis *axis);
/* The word for documents, "variable", and the option, "-D". */
const char *sweep_kind_word(enum sweep_kind kind);
const char *sweep_kind_option(enum sweep_kind kind);
/* "NX=64 flux=EFMFlux": positions on the axes in words, in the caller's buffer. */
const char *sweep_point_text(const struct sweep *sweep, const size_t *values, char *text,
                             size_t size);
/* {"NX": "64", "flux": "EFMFlux"}, new. */
json_t *sweep_point_json(const struct sweep *sweep, const size_t *values);

/* --- command.c: the command of a run ------------------------------------------------ */

/* Find ccafe in the command, and refuse what belongs to the sweep. Returns -1 to go on.
 */
int sweep_command_check(struct sweep *sweep);
/* New array of the words of run `at`, NULL at its end; NULL: out of memory. */
char **sweep_command_of(const struct sweep *sweep, size_t at);
/* Like sweep_command_of, for a run that is no run of the sweep.
 *
 *   ranks       in  for the launcher, if the sweep has one; else NULL
 *   experiment  in  path of the experiment
 *   metrics     in  further ones than CPU_TIME, or ""
 *   options     in  options of ccafe, NULL at their end
 */
char **sweep_command_with(const struct sweep *sweep, const char *ranks,
                          const char *experiment, const char *metrics,
                          char *const *options);

/* --- plan_file.c: the plan as a file ------------------------------------------------ */

#define SWEEP_PLAN "plan.json"

/* Read what was asked from the plan in the directory, into an empty sweep. Returns -1 to
 * go on. */
int sweep_read_plan(struct sweep *sweep);
/* Write the plan. Returns -1 to go on. */
int sweep_write_plan(const struct sweep *sweep);
/* Refuse a plan that is not that of the sweep. Returns -1 to go on. */
int sweep_compare_plan(const struct sweep *sweep, const json_t *plan);

/* --- files.c: the directory --------------------------------------------------------- */

/* Path of a file of run `at`, "DIR/run-001" with `ending`: new, or NULL. */
char *sweep_run_path(const struct sweep *sweep, size_t at, const char *ending);
/* The document in a file of the directory, new; NULL: it is damaged, or `*missing`. */
json_t *sweep_load(const char *dir, const char *name, int *missing);
/* Make the directory and its plan, or compare with the plan that it has; take it for
 * this process; find what became of the runs. Returns -1 to go on. */
int sweep_open(struct sweep *sweep);
/* Write what became of the runs. Returns -1 to go on. */
int sweep_write_runs(const struct sweep *sweep);
/* Remove the experiment of run `at` with this ending. */
void sweep_remove(const struct sweep *sweep, size_t at, const char *ending);

/* --- runs.c ---------------------------------------------------------------------------
 */

/* Make all runs that are open and fit into the budget. Returns -1, or an exit code: 128
 * and a signal's number if it ended the sweep. */
int sweep_make_runs(const struct sweep *sweep, double budget_s);

/* --- child.c: the process of a run ----------------------------------------------------
 */

/* Called about once a second. */
struct sweep_watch {
    void (*tick)(void *context, double elapsed_s);
    void *context;
};

/* Hold the signals that end a sweep, from now on. */
void sweep_hold_signals(void);
/* Run a command in `cwd` with its output in files. Returns the wait status, or a negative
 * errno; `*signal_number` is the signal that this process got meanwhile, which has ended
 * the run, or 0. */
int sweep_child_run(char *const *words, const char *cwd, const char *out, const char *err,
                    const struct sweep_watch *watch, double *elapsed_s,
                    int *signal_number);

/* --- measure.c: what a finished run took ----------------------------------------------
 */

/* Read the experiment of a run into `run`. 0; -EBADMSG where it is not finished; other
 * negative errnos with `err`, which may be NULL. */
int sweep_measure(const char *path, struct sweep_run *run, struct cca_error *err);

/* Check that an experiment has the variables and the ranks of run `at`: a variable that
 * the script does not use is no axis. 0; -EINVAL and others with `err`. */
int sweep_check_run(const struct sweep *sweep, size_t at, const char *path,
                    struct cca_error *err);
/* True if a run has ended in order. */
int sweep_is_finished(const char *path);

/* --- verdict.c: what the runs say -----------------------------------------------------
 */

#define SWEEP_BAR                                                                        \
    .03 /* of the mean of a point's runs, 95 %: the bar of models of cost                \
         */
enum {
    SWEEP_SIZES = 4,   /* values of an axis that a law with a check needs: a + b x^c, 1 */
    SWEEP_REPEATS = 3, /* that an interval between runs needs */
    SWEEP_MOST_REPEATS = 20 /* that are advised; beyond, a quiet host is */
};
#define SWEEP_QUIET .02 /* most that a quiet host takes of the time */
#define SWEEP_UNSHARED                                                                   \
    .05 /* most that equal runs differ in CPU time, if no other guest                    \
           shares a core */

struct sweep_verdict {
    size_t done, failed, open;
    double elapsed_s;
    int is_cpu;     /* spread is of CPU time: runs do not tell their own time */
    int is_own;     /* all runs tell their own time */
    int one_rank;   /* spread is of runs on one rank; others ran on more */
    double spread;  /* relative, between equal runs; NAN: no two */
    size_t freedom; /* of `spread` */
    size_t least;   /* fewest finished runs of a point */
    size_t wanted;  /* repeats that the bar needs; 0: unknown */
    int repeats_suffice, sizes_suffice;
    size_t sizes[MM_PLAN_AXES]; /* values of each axis that finished runs have */
    int is_short[MM_PLAN_AXES]; /* they do not suffice */
    double lost;                /* part of the time that the host took; NAN: unknown */
    size_t worst;               /* the run of which it took most */
    double worst_lost;          /* of this run */
    double wall_per_cpu;        /* of runs on one rank; NAN: none */
    int oversubscribed;         /* more ranks than cores */
    int is_quiet;               /* 0 where unknown */
    int is_shared;              /* equal runs differ in CPU time */
    int has_advice;
    struct mm_plan_advice advice;
    size_t extend; /* axis that needs another value, or axis_count; then advice.values
                      are of its last one, and advice.gain is not of this run */
};

/* Returns 0 or -ENOMEM. */
int sweep_judge(const struct sweep *sweep, struct sweep_verdict *verdict);
/* A number beyond the values of an axis that needs more, or NAN. */
double sweep_next_number(const struct sweep_axis *axis);
/* True where a finished run tells its own time. */
int sweep_run_is_own(const struct sweep_run *run);
/* Times of the runs, [run_count]: own time where all finished runs tell it, else CPU time
 * where all have that, else wall time; NAN: none. Returns 1 for CPU time. */
int sweep_times(const struct sweep *sweep, double *seconds);

/* --- summary.c ------------------------------------------------------------------------
 */

void sweep_print_plan(const struct sweep *sweep);
void sweep_print(const struct sweep *sweep, const struct sweep_verdict *verdict);
/* The document, new. */
json_t *sweep_json(const struct sweep *sweep, const struct sweep_verdict *verdict);

#endif

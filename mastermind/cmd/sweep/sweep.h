/* SPDX-License-Identifier: BSD-3-Clause */
/* sweep.h: a sweep, which is a directory with measured runs of one program with different
 * parameters.
 *
 *   plan.json      the request, and the runs in their order
 *   runs.json      states and results of the runs
 *   run-001.mm     experiment of a finished run; run-001.part: of an unfinished run
 *   run-001.out, run-001.err   output of the run
 *   run-001.check.out, run-001.check.err   output of the check of its result
 *   queue/         the runs of a sweep that several workers share, queue.h */
#ifndef MASTERMIND_CMD_SWEEP_SWEEP_H
#define MASTERMIND_CMD_SWEEP_SWEEP_H

#include <sys/resource.h>
#include <sys/types.h>

#include <jansson.h>

#include "mastermind/cmd/sweep/queue.h"
#include "mastermind/cmd/sweep/words.h"
#include "mastermind/plan/plan.h"

enum sweep_kind {
    SWEEP_VARIABLE,
    SWEEP_SET,
    SWEEP_CLASS,
    SWEEP_RANKS,
    SWEEP_ENV, /* a variable of the environment of any command */
    SWEEP_KINDS
};

/* An axis with the texts of its values, sorted as numbers if all are numbers. */
struct sweep_axis {
    enum sweep_kind kind;
    char *name; /* name of the axis: "NX", "driver.config.nx", "flux", "ranks" */
    char **texts;
    double *numbers; /* [count] values as numbers, or NULL: not all are numbers */
    char *parameter; /* values are files, and their numbers are sizes in bytes: name of
                      * the size in experiments, "n.bytes"; else NULL */
    size_t count;
};

/* SWEEP_TAKEN: another worker makes the run. */
enum sweep_state { SWEEP_OPEN, SWEEP_DONE, SWEEP_FAILED, SWEEP_TAKEN };

struct sweep_run {
    enum sweep_state state;
    double elapsed_s; /* time from start to end of the run's process */
    /* From the experiment of a finished run; NAN: unknown. */
    double time_s; /* own time of outermost calls, of the rank with most */
    double cpu_s;  /* CPU time of outermost calls, all ranks */
    double wait_s; /* waiting in outermost calls, all ranks; NAN: not recorded, and time_s
                    * is wall time */
    double seen_s; /* wall time of outermost calls, all ranks; without recorded host time
                    * the time covered by readings */
    double lost_s; /* part of `seen_s` that the host (other processes or guests) took */
    uint64_t rows;
    char *error; /* reason of a failed run, or NULL */
    /* Number of times that the run was made and failed; number of them with a result that
     * the check rejected. */
    size_t failures, wrong;
    char *host; /* in a shared sweep: host that made the run, or that makes it; or NULL */
    /* Of a run of a command other than ccafe. */
    double peak_bytes;
    json_t *functions; /* CPU time by function in s, from samples; or NULL */
};

struct sweep {
    /* The request. */
    struct sweep_axis *axes;
    size_t axis_count;
    size_t repeats, grid_limit;
    uint64_t seed;
    char *launcher; /* launcher of the runs: "mpirun -n %n", or NULL */
    char *check;    /* command that judges the output of a run, or NULL */
    char *over;    /* "NAME,...", axes whose values race: only runs that decide which cost
                    * least are made; NULL: all runs */
    char *metric;  /* with `over`: WALL_TIME or CPU_TIME */
    double within; /* with `over`: see struct mm_plan_race; else NAN */
    char **command;    /* ends with NULL */
    int is_read;       /* 1: the request is from the plan in the directory */
    int is_plain;      /* 1: the command has no ccafe: {NAME} in it stands for a value */
    size_t program;    /* index of ccafe in the command */
    char *cwd;         /* working directory of the runs */
    int is_shared;     /* 1: other workers may work in the directory at the same time */
    double patience_s; /* time after which a claim of another host is given back */
    /* The state. */
    struct sweep_queue *queue; /* of a shared sweep; else NULL */
    const char *dir;           /* directory of the sweep as the user gave it */
    char *own_dir;             /* `dir` by default, or NULL */
    char *path; /* absolute path of the directory; NULL before sweep_open */
    struct mm_plan *plan;
    struct sweep_run *runs; /* [plan->run_count] */
    int lock, run_lock;     /* descriptors of lock files: of the sweep; of the sweep
                             * and its runs; -1: none */
};

/* Plan the runs of the request. Returns -1 to go on, else an exit code. sweep.c */
int sweep_make_plan(struct sweep *sweep);
/* Free the members of a sweep. sweep.c */
void sweep_done(struct sweep *sweep);

/* --- axes.c: axes in words ---------------------------------------------------------- */

/* Add an axis "NAME=VALUE,..." from an option, or "VALUE,..." for ranks. Returns -1 to go
 * on, else an exit code after a message. */
int sweep_axis_add(struct sweep *sweep, enum sweep_kind kind, const char *word);
void sweep_axis_done(struct sweep_axis *axis);
/* Replace the values of an axis; `sizes` of files, or NULL. Returns -1 to go on. */
int sweep_axis_set(struct sweep_axis *axis, char *const *texts, const double *sizes,
                   size_t count);
/* If all values of an axis are names of files, set its numbers to their sizes and sort by
 * them; files of equal sizes stay names. Returns 0 or -ENOMEM. */
int sweep_axis_measure_files(struct sweep_axis *axis);
/* Set the sizes of files, as measured earlier. Returns 0 or -ENOMEM. */
int sweep_axis_set_sizes(struct sweep_axis *axis, const double *sizes);
/* Name of an axis in experiments. */
static inline const char *sweep_axis_parameter(const struct sweep_axis *axis)
{
    return axis->parameter ? axis->parameter : axis->name;
}
/* Name of a kind in documents, "variable"; its option, "-D". */
const char *sweep_kind_word(enum sweep_kind kind);
const char *sweep_kind_option(enum sweep_kind kind);
/* Write the values of a point, "NX=64 flux=EFMFlux", to the caller's buffer; `values` are
 * indices on the axes. */
const char *sweep_point_text(const struct sweep *sweep, const size_t *values, char *text,
                             size_t size);
/* New object of names and values, {"NX": "64", "flux": "EFMFlux"}. */
json_t *sweep_point_json(const struct sweep *sweep, const size_t *values);

/* --- command.c: the command of a run ------------------------------------------------ */

/* Find ccafe in the command, and refuse options that the sweep sets itself. Returns -1 to
 * go on. */
int sweep_command_check(struct sweep *sweep);
/* New array with the command of run `at`, ending with NULL; NULL: out of memory. */
char **sweep_command_of(const struct sweep *sweep, size_t at);
/* The number of ranks of run `at` as text; NULL: the sweep has no axis of ranks. */
const char *sweep_ranks_of(const struct sweep *sweep, size_t at);
/* Like sweep_command_of, for a run outside the sweep's plan.
 *
 *   ranks       in  number for the launcher, if the sweep has one; else NULL
 *   experiment  in  path of the experiment
 *   metrics     in  metrics besides CPU_TIME, or ""
 *   options     in  options of ccafe, ending with NULL
 */
char **sweep_command_with(const struct sweep *sweep, const char *ranks,
                          const char *experiment, const char *metrics,
                          char *const *options);

/* --- plain.c: any other command ----------------------------------------------------- */

struct sweep_cost;

/* Refuse axes that the command has no place for. Returns -1 to go on. */
int sweep_plain_check(const struct sweep *sweep);
/* Like sweep_command_of; `ranks` as in sweep_command_with. */
char **sweep_plain_command(const struct sweep *sweep, const char *ranks, size_t at);
/* A word with the values of run `at` in their places. New; NULL: out of memory. */
char *sweep_fill_word(const struct sweep *sweep, size_t at, const char *word);
/* Write the experiment of run `at`: one row with its elapsed and CPU
 * time, peak memory and values.
 * Returns 0 or a negative errno with `err`. */
int sweep_plain_write(const struct sweep *sweep, size_t at, const struct sweep_cost *cost,
                      const char *path, struct cca_error *err);
/* New object of names and CPU times, {"solve": 0.12}. */
json_t *sweep_plain_functions(const struct sweep_cost *cost);

/* --- usage.c: cost of programs that run on other hosts ------------------------------ */

/* Add the words that let each rank measure itself, if a parallel launcher starts the
 * run. */
void sweep_usage_add_words(struct sweep_words *words, const struct sweep *sweep,
                           size_t at);
/* Before a run: make room for the measurements of its ranks. */
void sweep_usage_begin(const struct sweep *sweep, size_t at);
/* After a run: raise its CPU time and peak memory to the measurements of its ranks, or of
 * Slurm's accounting. Returns 0; -EINVAL with `err`: another number of ranks ran. */
int sweep_usage_end(const struct sweep *sweep, size_t at, const char *ranks,
                    struct sweep_cost *cost, struct cca_error *err);

/* --- check.c: is the result right? -------------------------------------------------- */

/* Run the command `check` in `cwd` on the standard output of run `at`.
 *
 *   check  in   words separated by blanks; {NAME} stands for a value of the run
 *   wrong  out  reason, new: the check ended with a status from 1 to 125; NULL: 0
 *
 * {out} stands for the path of the output, which otherwise is the last word. Returns -1
 * to go on, else an exit code: the check was not run or was killed; 128 plus the number
 * of a signal that this process received. */
int sweep_check_result(const struct sweep *sweep, const char *check, const char *cwd,
                       size_t at, char **wrong);

/* --- plan_file.c: the plan as a file ------------------------------------------------ */

#define SWEEP_PLAN "plan.json"
#define SWEEP_RUNS "runs.json"
#define SWEEP_MOVING "moving" /* folder of runs that get other numbers, see resize.c */

/* Read the request from the plan in the directory into an empty sweep. Returns -1 to go
 * on. */
int sweep_read_plan(struct sweep *sweep);
/* Write the plan. Returns -1 to go on. */
int sweep_write_plan(const struct sweep *sweep);
/* Refuse a plan that differs from the sweep's own. Returns -1 to go on. */
int sweep_compare_plan(const struct sweep *sweep, const json_t *plan);
/* Refuse a plan that differs in more than its axes; `may_repeat`: it may have fewer
 * repeats. Returns -1 to go on. */
int sweep_compare_rest(const struct sweep *sweep, const json_t *plan, int may_repeat);
/* True if a plan has the axes and repeats of the sweep. */
int sweep_has_runs(const struct sweep *sweep, const json_t *plan);

/* --- resize.c: other values of the axes --------------------------------------------- */

/* If the plan in the directory differs in values of axes and repeats alone, add its
 * values that have finished runs to the request, give the runs their numbers in the new
 * plan, and write it. Returns -1 to go on. */
int sweep_resize(struct sweep *sweep);
/* Finish a move of runs that a killed process began. Returns -1 to go on. */
int sweep_resume_move(const struct sweep *sweep);

/* --- states.c: paths, and the states of the runs ------------------------------------ */

/* Path of a file in a directory: new, or NULL. */
char *sweep_path_in(const char *dir, const char *name);
/* Path of a file of run `at`, "DIR/run-001" plus `ending`: new, or NULL. With the name of
 * the worker while this process makes the run as one of several. */
char *sweep_run_path(const struct sweep *sweep, size_t at, const char *ending);
/* The JSON document in a file of the directory, new. NULL: it is damaged, or does not
 * exist (`*missing`); ENOMEM in errno: out of memory. */
json_t *sweep_load(const char *dir, const char *name, int *missing);
/* Fill a run from its item of the file, or NULL: its failures, and if it is done its
 * times. Returns true if it is done. */
int sweep_read_run(struct sweep_run *run, const json_t *item);
/* Free the results of a run, which is open then; its failures stay. */
void sweep_run_reset(struct sweep_run *run);
/* The state and results of a run as an item of the file. New. */
json_t *sweep_run_item(const struct sweep *sweep, const struct sweep_run *run);
/* Write the states of the runs. Returns -1 to go on. */
int sweep_write_runs(const struct sweep *sweep);
/* Remove the experiment of run `at` with this ending. */
void sweep_remove(const struct sweep *sweep, size_t at, const char *ending);
/* Replace a file of the directory by this text. Returns 0 or a negative errno. */
int sweep_replace(const struct sweep *sweep, const char *name, const char *text,
                  struct cca_error *err);
/* Read the states of the runs from the file, as they are; a missing file is an error if
 * `is_needed`. Returns -1 to go on. */
int sweep_read_results(const struct sweep *sweep, int is_needed);

/* --- files.c: the directory --------------------------------------------------------- */

/* Make the directory and its plan, or compare with the plan in it; lock the directory for
 * this process; find the state of each run. Returns -1 to go on. */
int sweep_open(struct sweep *sweep);
/* Make the directory of a sweep or search, named by `noun`, unless it is there, and lock
 * it for this process, or if `is_shared` for this and others that share it. `path` gets
 * its absolute path, new. Returns -1 to go on, else an exit code. */
int sweep_make_directory(const char *dir, const char *noun, int is_shared, char **path,
                         int *lock);

/* --- results.c -------------------------------------------------------------------- */

/* Read the request of the sweep in `dir`, and its runs as they are, without a lock and
 * without a change in the directory. Returns -1 to go on; call sweep_done either way. */
int sweep_read(struct sweep *sweep);

/* --- runs.c ------------------------------------------------------------------------- */

/* Make all runs that are open and fit into the budget, or until `is_enough` (or NULL),
 * called before each run, returns true. Returns -1, or an exit code: 128 plus the number
 * of a signal that ended the sweep. */
int sweep_make_runs(const struct sweep *sweep, double budget_s,
                    int (*is_enough)(const struct sweep *sweep));

/* --- race.c: the runs that decide ------------------------------------------------- */

/* A race between values. */
struct sweep_race {
    struct mm_plan_race race;
    size_t axes[MM_PLAN_AXES];
    struct mm_plan_decision decision;
    size_t *best; /* [points] as of mm_plan_race_next */
};

/* Check `over` and its options against the axes. Returns -1 to go on. */
int sweep_race_check(const struct sweep *sweep);
/* Find the next run, and the choices so far. Returns 0 or -ENOMEM; call sweep_race_done
 * either way. */
int sweep_race_find(const struct sweep *sweep, struct sweep_race *race);
void sweep_race_done(struct sweep_race *race);
/* Print the choices. */
void sweep_race_print(const struct sweep *sweep, const struct sweep_race *race);
/* New object of the choices for the document of a sweep. */
json_t *sweep_race_json(const struct sweep *sweep, const struct sweep_race *race);

/* --- child.c: the process of a run -------------------------------------------------- */

/* Callbacks during a run; each may be NULL. */
struct sweep_watch {
    void (*tick)(void *context, double elapsed_s); /* about once a second */
    void *context;
    void (*begin)(void *context, pid_t child); /* before the child calls exec */
    struct rusage *usage; /* out: resources that the child and its children used */
};

/* A command of sweep_children_run. */
struct sweep_child {
    char *const *words;
    const char *cwd, *out, *err; /* working directory; files for its output */
    const struct sweep_watch *watch;
    int is_pinned, core; /* 1: it runs on this core only */
    int long_turns;      /* with is_pinned: 1: its turns on the core are the system's, so
                          * that caches are refilled rarely */
    /* called in the process that becomes the launcher of the child, with the context of
     * the watch; NULL: nothing */
    void (*prepare)(void *context);
    /* Results. */
    pid_t pid;  /* 0: it has ended */
    int status; /* wait status */
    double elapsed_s;
};

/* Run commands at the same time, and wait for all. Returns 0 or a negative errno.
 * `*signal_number` as below. */
int sweep_children_run(struct sweep_child *children, size_t count, int *signal_number);

/* Block the signals that end a sweep, from now on. */
void sweep_hold_signals(void);
/* Wait. Returns 0, or the number of a signal that this process received. */
int sweep_pause(int seconds);
/* Run a command in `cwd` with its output in files. Returns the wait status, or a negative
 * errno. `*signal_number` is the signal that this process received and that ended the
 * run, or 0. */
int sweep_child_run(char *const *words, const char *cwd, const char *out, const char *err,
                    const struct sweep_watch *watch, double *elapsed_s,
                    int *signal_number);

/* --- measure.c: times of a finished run --------------------------------------------- */

/* Read the times of a run from its experiment into `run`. Returns 0; -EBADMSG if it is
 * unfinished; other negative errnos with `err`, which may be NULL. */
int sweep_measure(const char *path, struct sweep_run *run, struct cca_error *err);

/* Check that an experiment has the variables and ranks of run `at`: a variable that the
 * script ignores cannot be an axis. Returns 0; -EINVAL and others with `err`. */
int sweep_check_run(const struct sweep *sweep, size_t at, const char *path,
                    struct cca_error *err);
/* True if a run has ended in order. */
int sweep_is_finished(const char *path);

/* --- verdict.c: are the runs enough? ------------------------------------------------ */

/* Half-width of the 95 % interval of a point's mean that suffices for models of cost. */
#define SWEEP_BAR .03
enum {
    SWEEP_SIZES = 4,        /* values of an axis that a + b x^c and one check need */
    SWEEP_REPEATS = 3,      /* number of repeats that a confidence interval between
                             * runs needs */
    SWEEP_MOST_REPEATS = 20 /* most repeats advised; beyond, a quieter host is advised */
};
#define SWEEP_QUIET .02 /* largest share of the time that a quiet host takes */
/* Largest difference in CPU time between equal runs if no other guest shares a core. */
#define SWEEP_UNSHARED .05

struct sweep_verdict {
    size_t done, failed, open, taken;
    double elapsed_s;
    int is_cpu;     /* spread is of CPU time, as own time is unknown */
    int is_own;     /* 1: own time of all runs is known */
    int one_rank;   /* spread is of runs on one rank, although others ran on more */
    double spread;  /* relative standard deviation of equal runs; NAN: no equal runs */
    size_t freedom; /* degrees of freedom of `spread` */
    size_t least;   /* fewest finished runs of a point */
    size_t wanted;  /* repeats needed for SWEEP_BAR; 0: unknown */
    int repeats_suffice, sizes_suffice;
    size_t sizes[MM_PLAN_AXES]; /* number of values of each axis in finished runs */
    int is_short[MM_PLAN_AXES]; /* 1: `sizes` of the axis is too small */
    double lost;                /* share of the time that the host took; NAN: unknown */
    size_t worst;               /* index of the run with the largest share taken by the
                                 * host */
    double worst_lost;          /* share of the time of run `worst` that the host took */
    double wall_per_cpu;        /* ratio of wall time to CPU time of runs on one rank;
                                 * NAN: there is none */
    int oversubscribed;         /* 1: a run has more ranks than the machine has cores */
    int is_quiet;               /* 1: the host took little of the time; 0 also if
                                 * unknown */
    int is_shared;              /* 1: equal runs differ in CPU time, so other guests
                                 * share the cores */
    int has_advice;
    struct mm_plan_advice advice;
    size_t extend; /* axis that needs another value, or axis_count. If there is one,
                    * advice.values are the point with its largest value, and advice.gain
                    * does not apply */
};

/* Judge the finished runs. Returns 0 or -ENOMEM. */
int sweep_judge(const struct sweep *sweep, struct sweep_verdict *verdict);
/* A value beyond the largest of an axis that needs more values; NAN: none. */
double sweep_next_number(const struct sweep_axis *axis);

/* --- summary.c ---------------------------------------------------------------------- */

void sweep_print_plan(const struct sweep *sweep);
void sweep_print(const struct sweep *sweep, const struct sweep_verdict *verdict);
/* New document. */
json_t *sweep_json(const struct sweep *sweep, const struct sweep_verdict *verdict);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* experiment.h: read an experiment directory of a finished, running or killed run.
 *
 * It is the only reader of the format in docs/internals/experiment.md. It checks every
 * count and offset; a damaged file is refused with a message that has its name and the
 * offset. */
#ifndef MASTERMIND_READER_EXPERIMENT_H
#define MASTERMIND_READER_EXPERIMENT_H

#include "mastermind/reader/rows.h"
#include "mastermind/reader/run.h"

/* A requested metric that has no values, and the reason. */
struct mm_missing {
    const char *name, *why;
};

/* An open experiment. It owns its strings; a string that the run has not written is
 * NULL. */
struct mm_experiment {
    char *path;
    char *name;   /* name of the experiment: the last component of `path` */
    int is_apart; /* true for shadow calls, which are no part of a run: they have costs
                     of calls, but no counts */
    int finished; /* true if the run ended normally on every rank */
    const char *ended_by; /* how a run that did not end normally ended: "SIGSEGV ended
                             it"; NULL: unknown */
    int ranks;
    struct mm_method_info **methods;
    size_t method_count;
    struct mm_wiring *wiring; /* the assembly; NULL: the run has not written it yet */
    struct mm_run run;        /* parameters of the run */
    const char **command;     /* [command_count] arguments of the command line */
    size_t command_count;
    const char *host, *cpu; /* names of the machine and of its processor; `cache_bytes`:
                               sizes of the data caches */
    double cache_bytes[MM_CACHE_LEVELS];
    const char *storage;   /* the storage mode, such as "auto:20" */
    int64_t size_limit;    /* limit on the size of files in bytes, 0: none */
    const char **counters; /* names of the counters that rows have */
    const char **units;    /* [counter_count] their units; NULL: given by the name */
    size_t counter_count;
    const char **asked; /* names of the requested counters */
    size_t asked_count;
    struct mm_missing *missing; /* requested metrics without values */
    size_t missing_count;
    const char **not_seen; /* reasons why an interposer missed calls */
    size_t not_seen_count;
    const void *counted_alone;  /* for mm_experiment_counted */
    int64_t epoch_ns;           /* CLOCK_REALTIME at the start of the clock, 0: unknown */
    struct mm_call_costs costs; /* measured costs of recording a call */
    struct mm_method_cost *method_costs; /* [method_count] cost of recording a call of
                                            each method; NULL: unknown */
    /* CPU time that rank 0 spent on measuring (docs/internals/experiment.md, Cost);
     * `process_ns` is 0 if it is unknown. */
    struct {
        double calls_ns, files_ns, helper_ns, setup_ns, mpi_ns, openmp_ns, process_ns;
    } cost;
    /* a run with delays (mastermind whatif --run): its length, divided by the length with
     * the changed costs, and the cost of a reading of the clock, two a call; 0: there are
     * no delays */
    double delay_scale, delay_reading_ns;
    uint64_t gos_off;   /* number of `go` commands during which recording was off */
    int has_mpi;        /* true if time inside MPI was measured */
    int has_cpu;        /* true if rows have thread CPU time */
    int has_losses;     /* true if rows have the time that the thread was off its core */
    double unplaced_ns; /* time in which a thread was off its core, outside all rows */
    const char *origin; /* "imported", "simulated" or "timed"; NULL: the rows were
                         * recorded */
    const char *source; /* path of the file that the rows were imported from, or NULL */
    const char *unit;   /* unit of time in that file, "us", or NULL */
    void *inside;       /* private data of the reader */
};

/* Open a directory: read the JSON files and the tables of methods, but not the rows.
 * Returns a new experiment, or NULL with `err`: -ENOENT, -ENOTDIR, -EBADMSG: damaged or
 * another format number ("file: found, expected"), -ENOMEM. */
struct mm_experiment *mm_experiment_open(const char *path, struct cca_error *err);
void mm_experiment_free(struct mm_experiment *experiment);
/* Make the hints of all methods parameters, the last of their in-values, before rows are
 * read. They are absent in aggregates and in calls that did not end. */
void mm_experiment_use_hints(struct mm_experiment *experiment);
/* Find the number of a method's calls that were counted alone, because its recording was
 * suspended: they have no rows and no times. `*is_least`: there were more. Returns false
 * for a method whose recording was not suspended. */
int mm_experiment_counted(const struct mm_experiment *experiment,
                          const struct mm_method_info *method, uint64_t *calls,
                          int *is_least);

/* Return a source of rows with the default metric, TIME: the time that calls would take
 * on an undisturbed host, including waiting. The source reads `experiment`, which must
 * outlive it. */
struct mm_row_source mm_row_source_of(struct mm_experiment *experiment);
/* Return the cost of recording a call of a method, from its kind of entry and its
 * values. */
struct mm_method_cost mm_method_cost_of(const struct mm_call_costs *costs,
                                        const struct mm_method_info *method);

/* Call `function` for all aggregates (sums over calls), thread by thread. Returns like
 * mm_experiment_rows. */
int mm_experiment_aggregates(const struct mm_experiment *experiment,
                             mm_aggregate_function function, void *context,
                             struct cca_error *err);
/* Call `function` for all rows, rank by rank and thread by thread. The rows of a thread
 * come in the order of their ends (a callee before its caller); then rows of its
 * reservoirs, by time; then its open invocations, innermost first. Memory does not grow
 * with the number of rows.
 *
 * Returns 0, the non-zero result of `function`, or -EBADMSG, -EIO, -ENOMEM with `err`. */
int mm_experiment_rows(const struct mm_experiment *experiment, mm_row_function function,
                       void *context, struct cca_error *err);

/* Call `function` for all intervals between two readings of CPU time, thread by thread,
 * ordered by time from the thread's first recorded call to its latest reading.
 * Experiments without readings have none. Returns like mm_experiment_rows. */
int mm_experiment_intervals(const struct mm_experiment *experiment,
                            mm_interval_function function, void *context,
                            struct cca_error *err);

/* Like mm_experiment_rows, but for one rank, which must exist. */
int mm_experiment_rank_rows(const struct mm_experiment *experiment, int rank,
                            mm_row_function function, void *context,
                            struct cca_error *err);
/* Like mm_experiment_rows, but for one thread of a rank, which must exist. */
int mm_experiment_thread_rows(const struct mm_experiment *experiment, int rank,
                              int thread, mm_row_function function, void *context,
                              struct cca_error *err);

/* Numbers of lost invocations, which neither have a row nor are counted in an
 * aggregate. */
struct mm_losses {
    /* number of invocations lost because there was no memory or no file */
    uint64_t dropped;
    /* number of invocations in signal handlers that had interrupted the recorder */
    uint64_t nested;
    uint64_t limited; /* number of threads that kept fewer rows or keys because of the
                         size limit */
    uint64_t gos_off; /* number of `go` commands during which recording was off */
};

/* Sum the losses that all threads report; if experiment.json reports more, its numbers
 * are used. Also for killed and running runs. Returns 0 or a negative errno with
 * `err`. */
int mm_experiment_losses(const struct mm_experiment *experiment, struct mm_losses *losses,
                         struct cca_error *err);

/* Return the method with the id `id` in methods.json of a rank, which must exist;
 * borrowed; NULL: none. */
const struct mm_method_info *mm_experiment_rank_method(const struct mm_experiment *e,
                                                       int rank, int id);

/* True if a rank ended normally. */
int mm_experiment_rank_finished(const struct mm_experiment *experiment, int rank);

/* List the numbers of the threads that left files in a rank's directory, ascending; free
 * `*numbers` in any case. Returns 0 or a negative errno with `err`. */
int mm_experiment_threads(const struct mm_experiment *experiment, int rank, int **numbers,
                          size_t *count, struct cca_error *err);

#endif

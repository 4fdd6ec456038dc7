/* SPDX-License-Identifier: BSD-3-Clause */
/* experiment.h: reader of an experiment directory, finished, running, or left by a killed
 * run.
 *
 * The one reader of docs/internals/experiment.md. It trusts no file: every count and
 * offset is checked, a damaged file is refused with its name and offset. */
#ifndef MASTERMIND_READER_EXPERIMENT_H
#define MASTERMIND_READER_EXPERIMENT_H

#include "mastermind/reader/rows.h"
#include "mastermind/reader/run.h"

/* A metric without values, and the reason. */
struct mm_missing {
    const char *name, *why;
};

/* Strings are owned by the experiment; one that the run has not written is NULL. */
struct mm_experiment {
    char *path;
    char *name;   /* last component of path */
    int finished; /* the run ended in order on every rank and recorded this */
    int ranks;
    struct mm_method_info **methods;
    size_t method_count;
    struct mm_wiring *wiring; /* NULL where the run had not written it yet */
    struct mm_run run;        /* its parameters */
    const char **command;     /* [command_count] arguments of the command line */
    size_t command_count;
    const char *host, *cpu; /* of the machine, as the bytes of its data caches: */
    double cache_bytes[MM_CACHE_LEVELS];
    const char *storage;   /* the storage mode, "auto:20" */
    int64_t size_limit;    /* bytes, 0: none */
    const char **counters; /* names of the counters that rows have */
    size_t counter_count;
    const char **asked; /* names of the requested counters */
    size_t asked_count;
    struct mm_missing *missing; /* requested metrics without values */
    size_t missing_count;
    const char **not_seen; /* causes of calls that an interposer could not see */
    size_t not_seen_count;
    int64_t epoch_ns;           /* CLOCK_REALTIME at the start of the clock, 0: unknown */
    struct mm_call_costs costs; /* measured costs of recording */
    struct mm_method_cost *method_costs; /* [method_count]; NULL: they are not known */
    /* CPU time that measuring cost the process (docs/internals/experiment.md, Cost), of
     * rank 0; process_ns is 0 where it is unknown. */
    struct {
        double calls_ns, files_ns, helper_ns, setup_ns, mpi_ns, openmp_ns, process_ns;
    } cost;
    uint64_t gos_off;   /* gos for which recording was switched off */
    int has_mpi;        /* time inside MPI was measured */
    int has_cpu;        /* rows have thread CPU time */
    int has_losses;     /* rows tell how long the thread was off its core */
    double unplaced_ns; /* time off the core outside all rows */
    const char *origin; /* "imported" or "simulated"; NULL: the rows were recorded */
    const char *source; /* the file that rows were imported from, or NULL */
    const char *unit;   /* its unit of time, "us", or NULL */
    void *inside;       /* of the reader's own files */
};

/* Open a directory: reads the JSON and the tables of methods, not the rows. New, or NULL
 * with `err`: -ENOENT, -ENOTDIR, -EBADMSG damaged or another format number ("file: found,
 * expected"), -ENOMEM. */
struct mm_experiment *mm_experiment_open(const char *path, struct cca_error *err);
void mm_experiment_free(struct mm_experiment *experiment);

/* A source of the default metric, TIME: time of calls on a host of their own, waiting
 * included. It reads `experiment`, which must outlive it. */
struct mm_row_source mm_row_source_of(struct mm_experiment *experiment);
/* The cost of recording a call of a method, by its entry and values. */
struct mm_method_cost mm_method_cost_of(const struct mm_call_costs *costs,
                                        const struct mm_method_info *method);

/* Walk all aggregates, thread by thread, like mm_experiment_rows. */
int mm_experiment_aggregates(const struct mm_experiment *experiment,
                             mm_aggregate_function function, void *context,
                             struct cca_error *err);
/* Walk all rows: rank by rank, thread by thread, in a thread in order of completion (a
 * callee before its caller); then those of a reservoir, by time; at its end the open
 * frames, innermost first. Memory does not grow with the number of rows.
 *
 * Returns 0, what the function returned, or -EBADMSG, -EIO, -ENOMEM with `err`. */
int mm_experiment_rows(const struct mm_experiment *experiment, mm_row_function function,
                       void *context, struct cca_error *err);

/* Walk the intervals between readings of all threads, each thread's by time, from its
 * first recorded call to the newest reading; none in experiments without readings.
 * Returns as mm_experiment_rows. */
int mm_experiment_intervals(const struct mm_experiment *experiment,
                            mm_interval_function function, void *context,
                            struct cca_error *err);

/* Like mm_experiment_rows, for one rank that exists. */
int mm_experiment_rank_rows(const struct mm_experiment *experiment, int rank,
                            mm_row_function function, void *context,
                            struct cca_error *err);
/* Like mm_experiment_rows, for one thread of a rank that exists. */
int mm_experiment_thread_rows(const struct mm_experiment *experiment, int rank,
                              int thread, mm_row_function function, void *context,
                              struct cca_error *err);

/* Lost invocations: neither a row nor an aggregate has them. */
struct mm_losses {
    uint64_t dropped; /* no room, or no file */
    uint64_t
        nested; /* calls from signal handlers that had interrupted the recorder itself */
    uint64_t limited; /* threads whose rows or keys the size limit cut off */
    uint64_t gos_off; /* gos for which recording was switched off */
};

/* Sum the losses that all threads report, and experiment.json where it reports more;
 * works for a killed or running run, too. 0 or a negative errno with `err`. */
int mm_experiment_losses(const struct mm_experiment *experiment, struct mm_losses *losses,
                         struct cca_error *err);

/* The method that has the number `id` in the methods.json of a rank that exists,
 * borrowed; NULL: none has. */
const struct mm_method_info *mm_experiment_rank_method(const struct mm_experiment *e,
                                                       int rank, int id);

/* True where a rank has ended in order. */
int mm_experiment_rank_finished(const struct mm_experiment *experiment, int rank);

/* Numbers of the threads of a rank that have left files, ascending; free `*numbers` in
 * any case. 0 or a negative errno with `err`. */
int mm_experiment_threads(const struct mm_experiment *experiment, int rank, int **numbers,
                          size_t *count, struct cca_error *err);

#endif

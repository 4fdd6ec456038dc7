/* SPDX-License-Identifier: BSD-3-Clause */
/* experiment.h: read an experiment directory, finished, running, or left by a killed run.
 *
 * The one reader of docs/experiment.md. Nothing of a file is trusted: every count and
 * offset is checked, a damaged file is refused with its name and offset. */
#ifndef MASTERMIND_READER_EXPERIMENT_H
#define MASTERMIND_READER_EXPERIMENT_H

#include <jansson.h>

#include "ports/monitor_port.h"

/* A parameter, mode or out-parameter of a method; strings owned by the experiment. */
struct mm_value_info {
    const char *name;
    const char *expression; /* or NULL */
    enum monitor_type type;
    enum monitor_kind kind;
    struct monitor_label *labels;
    size_t label_count;
};

/* A method, the same over all ranks: one per distinct instance, port, method, class,
 * build id and port type. In-values come first in `values`. */
struct mm_method_info {
    size_t index; /* position in mm_experiment.methods */
    const char *instance, *port, *method;
    const char *class_name, *build_id, *port_type;
    char *name; /* "flux.flux.compute", to print */
    struct mm_value_info *values;
    size_t value_count, in_count;
};

enum mm_row_status {
    MM_ROW_DONE = 0,
    MM_ROW_UNWOUND = 1, /* left by an exception or cancellation: no out-values */
    MM_ROW_LONGJMP = 2, /* skipped by longjmp, closed late: times are upper bounds */
    MM_ROW_OPEN =
        3 /* not finished when the run ended: no times but start_ns, no out-values */
};

/* One invocation. */
struct mm_row {
    const struct mm_method_info *method;
    int rank, thread;
    uint64_t invocation;  /* number in its thread, from 1 */
    uint64_t caller;      /* number of the invocation that called it, 0: none */
    int caller_uncertain; /* the caller may have been dead (longjmp) */
    int counted;          /* it is in the aggregates, too: a sample */
    /* Callees without a row of their own that counts: how many, and all such invocations
     * below; of an OPEN one also the inclusive time of those callees. */
    uint64_t folded, folded_below;
    int64_t folded_ns;
    enum mm_row_status status;
    int clock_back; /* it ended before it began, as the clock says: wall_ns is 0 */
    /* Of a metric in the place of time, metric.h: wall_ns counts as 0, for there is no
     * value; and exclusive_ns is not that of the call. */
    int no_value, no_exclusive;
    int64_t start_ns; /* since the start of the experiment's clock */
    int64_t wall_ns;  /* inclusive; OPEN: up to the newest that is in aggregates, or 0 */
    int64_t exclusive_ns; /* wall_ns less the inclusive time of recorded callees */
    int64_t mpi_ns; /* inclusive time inside MPI, 0 where the experiment has_mpi not */
    int64_t cpu_ns; /* inclusive thread CPU time, -1 where it was not measured */
    /* [counter_count] of the experiment: with all below, and without recorded callees;
     * MM_COUNT_MISSING where it is not known. */
    const int64_t *counters, *exclusive_counters;
    /* [value_count]; out-values only where status is DONE, and then there may be none all
     * the same: monitor_value_absent */
    const union monitor_value *values;
};

/* No value of a counter: it could not be read, or the call did not end in order. */
#define MM_COUNT_MISSING INT64_MIN

struct mm_experiment {
    char *path;
    char *name;     /* last component of path */
    json_t *about;  /* experiment.json */
    json_t *wiring; /* wiring.json; NULL where the run had not written it yet */
    int finished;   /* the run ended in order on every rank and said so */
    int ranks;
    struct mm_method_info **methods;
    size_t method_count;
    const char **counters; /* names of the counters that rows have, of `about` */
    size_t counter_count;
    double call_ns; /* measured cost of recording one call, from experiment.json */
    double fold_ns; /* the same of a call that goes into the aggregates */
    int has_mpi;    /* time inside MPI was measured */
    int has_cpu;    /* thread CPU time was */
    void *inside;   /* experiment.c's own */
};

/* Open a directory: reads the JSON and the tables of methods, not the rows. New, or NULL
 * with `err`: -ENOENT, -ENOTDIR, -EBADMSG damaged or another format number ("file: found,
 * expected"), -ENOMEM. */
struct mm_experiment *mm_experiment_open(const char *path, struct cca_error *err);
void mm_experiment_free(struct mm_experiment *experiment);

/* A calling context: a path of methods. */
struct mm_context {
    const struct mm_context
        *parent; /* of the caller; NULL: a thread began with it, or unknown */
    const struct mm_method_info *method;
    const struct mm_method_info *caller; /* NULL: a thread began with it, or unknown */
    int caller_known;                    /* 0: there were too many contexts */
    int nested;                          /* the method is further out in the path, too */
};

/* Of one metric over the invocations of an aggregate. */
struct mm_sum {
    int64_t sum_ns, min_ns, max_ns;
    double squares_ns2; /* sum of squares */
    double m2_ns2;      /* sum of squares of the difference from the mean */
};

/* Invocations of one thread that were summed up: same context, in-values, and in-values
 * of the caller. With the rows that are not `counted` they are all that were recorded. */
struct mm_aggregate {
    const struct mm_method_info *method;
    const struct mm_context *context;
    int rank, thread;
    int unfinished; /* left by an exception or by longjmp: times are upper bounds */
    const union monitor_value
        *values;            /* in-values; NULL: not known, there were too many keys */
    uint64_t caller_values; /* mm_values_hash of the caller's in-values */
    uint64_t calls, callees, below; /* direct callees; all invocations below */
    struct mm_sum wall, exclusive, mpi, cpu;
    int has_cpu;
    /* As of a row; of all calls. MM_COUNT_MISSING where one of them has none. */
    const int64_t *counters, *exclusive_counters;
    int no_value, no_exclusive;
    int sums_only; /* of a metric neither squares nor extremes are known, metric.h */
    const double *sample; /* exclusive times, ns, a fair sample */
    size_t sample_count;
};

/* Wall times of a method and mode in one thread's aggregates, 8 bins an octave. */
struct mm_wall_histogram {
    const struct mm_method_info *method;
    int rank, thread;
    const union monitor_value *modes; /* values of its modes, in order */
    size_t mode_count; /* 0 where the method has modes: of all, of those with too many
                          keys */
    const uint64_t *bins;
    size_t bin_count;
    double ns_per_tick;
};

/* The least wall time of a bin. */
double mm_histogram_bin_ns(const struct mm_wall_histogram *histogram, size_t bin);

/* As mm_row_function. */
typedef int (*mm_aggregate_function)(const struct mm_aggregate *aggregate, void *context);
typedef int (*mm_histogram_function)(const struct mm_wall_histogram *histogram,
                                     void *context);

/* Walk all aggregates, thread by thread. As mm_experiment_rows. */
int mm_experiment_aggregates(const struct mm_experiment *experiment,
                             mm_aggregate_function function, void *context,
                             struct cca_error *err);
int mm_experiment_histograms(const struct mm_experiment *experiment,
                             mm_histogram_function function, void *context,
                             struct cca_error *err);

/* Called for each row; `row` is borrowed for the call. A non-zero return ends the walk.
 */
typedef int (*mm_row_function)(const struct mm_row *row, void *context);

/* Walk all rows: rank by rank, thread by thread, in a thread in order of completion (a
 * callee before its caller); then those of a reservoir, by time; at its end the open
 * frames, innermost first. Memory does not grow with the number of rows.
 *
 * Returns 0, what the function returned, or -EBADMSG, -EIO, -ENOMEM with `err`. */
int mm_experiment_rows(const struct mm_experiment *experiment, mm_row_function function,
                       void *context, struct cca_error *err);

/* The same of one rank that there is. */
int mm_experiment_rank_rows(const struct mm_experiment *experiment, int rank,
                            mm_row_function function, void *context,
                            struct cca_error *err);
/* The same of one thread of a rank that there is. */
int mm_experiment_thread_rows(const struct mm_experiment *experiment, int rank,
                              int thread, mm_row_function function, void *context,
                              struct cca_error *err);

/* Invocations that are nowhere: neither rows nor in aggregates. */
struct mm_losses {
    uint64_t dropped; /* there was no room, or no file */
    uint64_t
        nested; /* calls from signal handlers that had interrupted the recorder itself */
    uint64_t limited; /* threads whose rows or keys the size limit has ended */
    uint64_t
        gos_off; /* gos for which recording was switched off, as experiment.json says */
};

/* What all threads say of it, and experiment.json where it is more; also of a run that
 * was killed or goes on. 0 or a negative errno with `err`. */
int mm_experiment_losses(const struct mm_experiment *experiment, struct mm_losses *losses,
                         struct cca_error *err);

/* What a rank says of itself, new, to be given back: rank 0 in experiment.json, another
 * in its rank.json. NULL where it has said nothing, as a rank that was lost early. 0 or a
 * negative errno with `err`. */
int mm_experiment_rank_about(const struct mm_experiment *experiment, int rank,
                             json_t **about, struct cca_error *err);
/* True where it has ended in order. */
int mm_experiment_rank_finished(const struct mm_experiment *experiment, int rank);

/* Numbers of the threads of a rank that have left something, ascending: `*numbers` is to
 * be freed in each case. 0 or a negative errno with `err`. */
int mm_experiment_threads(const struct mm_experiment *experiment, int rank, int **numbers,
                          size_t *count, struct cca_error *err);

#endif

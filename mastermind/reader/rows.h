/* SPDX-License-Identifier: BSD-3-Clause */
/* rows.h: structs of methods, rows, aggregates, and a source that delivers them.
 *
 * Models and the dual depend on these structs and on no file. experiment.h fills them
 * from a directory; tests fill them in memory. */
#ifndef MASTERMIND_READER_ROWS_H
#define MASTERMIND_READER_ROWS_H

#include "mastermind/format/call_costs.h"
#include "ports/monitor_port.h"

/* A parameter, mode or out-parameter of a method; the experiment owns the strings. */
struct mm_value_info {
    const char *name;
    const char *expression; /* expression over the arguments, or NULL */
    enum monitor_type type;
    enum monitor_kind kind;
    struct monitor_label *labels;
    size_t label_count;
};

/* A method; all ranks share it: one for each instance, port, method, class, build id and
 * port type. In-values come first in `values`. */
struct mm_method_info {
    size_t index; /* position of the method in mm_experiment.methods */
    const char *instance, *port, *method;
    const char *class_name, *build_id, *port_type;
    char *name; /* printed name, "flux.flux.compute" */
    struct mm_value_info *values;
    size_t value_count, in_count;
    enum mm_entry_kind entry; /* the way in which its calls reach the recorder */
};

/* The cost of recording a call of a method: with a row, and in the aggregates. */
struct mm_method_cost {
    struct mm_call_cost row, sum;
};

/* Copy `method` with all its strings. New; NULL: out of memory. */
struct mm_method_info *mm_method_copy(const struct mm_method_info *method);
/* Free a method with heap-allocated strings and tables; it may be incomplete or NULL. */
void mm_method_free(struct mm_method_info *method);

/* True for a parameter that is an expression over arguments, not a plain argument. */
int mm_value_is_derived(const struct mm_value_info *value);
/* True if two tuples of in-values have the same modes. */
int mm_same_modes(const struct mm_method_info *method, const union monitor_value *a,
                  const union monitor_value *b);
/* 1 + index of a parameter that `in` lacks; 0: none. */
size_t mm_missing_parameter(const struct mm_method_info *method,
                            const union monitor_value *in);
/* Hash of a tuple of in-values, never 0; the same as `caller_values` of aggregates. */
uint64_t mm_in_values_hash(const union monitor_value *in, size_t count);

enum mm_row_status {
    MM_ROW_DONE = 0,
    MM_ROW_UNWOUND = 1, /* the invocation ended by an exception or cancellation: no
                           out-values */
    MM_ROW_LONGJMP = 2, /* the invocation was skipped by longjmp and closed late: times
                           are upper bounds */
    MM_ROW_OPEN = 3 /* the invocation was not finished when the run ended: only start_ns
                       is known, no out-values */
};

/* One invocation (call of a method in a thread). */
struct mm_row {
    const struct mm_method_info *method;
    int rank, thread;
    uint64_t invocation;  /* number of the invocation in its thread, from 1 */
    uint64_t caller;      /* number of the calling invocation, 0: none */
    int caller_uncertain; /* true if the caller may have been skipped by longjmp */
    int counted; /* true if the row is a sample: the aggregates contain the invocation as
                    well */
    /* Number of callees in the aggregates: direct ones, and direct and indirect ones. A
     * row with status MM_ROW_OPEN also has the inclusive time of the direct ones. */
    uint64_t folded, folded_below;
    int64_t folded_ns;
    enum mm_row_status status;
    int clock_back; /* true if the clock went backwards between begin and end: wall_ns is
                       0 */
    /* Rows of another metric (metric.h): the call has no value, and wall_ns is 0;
     * exclusive_ns is unknown. */
    int no_value, no_exclusive;
    int64_t began_ns;     /* rows of another metric: the measured start_ns */
    int64_t start_ns;     /* start of the invocation since the start of the
                             experiment's clock */
    int64_t wall_ns;      /* inclusive wall time; OPEN: up to the latest known time, or
                             0 */
    int64_t exclusive_ns; /* wall_ns less the inclusive time of recorded callees */
    /* Fractions of a nanosecond that rounding removed from wall_ns and exclusive_ns, -.5
     * to .5, in imported and simulated rows, whose clock may be finer; else 0. */
    double wall_part_ns, exclusive_part_ns;
    int64_t mpi_ns; /* inclusive time inside MPI; 0 unless the experiment has_mpi */
    int64_t cpu_ns; /* inclusive CPU time of the thread; -1: not measured */
    /* The parts of wall_ns and of exclusive_ns in which the thread was off its core.
     * host: it was ready to run while the host ran something else, or the recorder
     * worked. wait: it was off the core of its own accord (sleep, lock, I/O, inside MPI).
     * -1: unknown, as in older experiments and OPEN rows. */
    int64_t host_ns, host_exclusive_ns, wait_ns, wait_exclusive_ns;
    /* Evidence of the host's share, from the readings of the thread's CPU time and
     * context switches (docs/internals/experiment.md, Readings). lost_ns is an upper
     * bound of the part of wall_ns in which the thread was off the CPU, in stretches of 1
     * ms or more in which no row ended. 0: no such stretch, so at most 1 ms was lost at
     * once. -1: no evidence (older experiments, reservoirs, OPEN rows, metrics other than
     * time). lost_exclusive_ns: like lost_ns, for exclusive_ns. If `waited` is set, the
     * thread may have left the CPU of its own accord (sleep, lock, I/O, SIGSTOP, or 1 ms
     * and more inside MPI), so the lost time may be waiting of the method. The host
     * disturbed a row that lost as much as its excess over the typical cost and did not
     * wait. */
    int64_t lost_ns, lost_exclusive_ns;
    int waited, waited_exclusive;
    /* [counter_count] counts of the experiment's counters: inclusive, and without
     * recorded callees;
     * MM_COUNT_MISSING where unknown. */
    const int64_t *counters, *exclusive_counters;
    /* [value_count]; out-values only where status is DONE, and even then they may be
     * absent: monitor_value_absent */
    const union monitor_value *values;
};

/* The time of a thread between two readings of its CPU time and context switches. It was
 * off the CPU for wall_ns minus cpu_ns. */
struct mm_interval {
    int rank, thread;
    int64_t start_ns; /* start of the interval since the start of the experiment's
                         clock */
    int64_t wall_ns, cpu_ns;
    uint32_t voluntary, involuntary; /* number of context switches */
    int recording;                   /* true if the recorder worked on its files */
};

/* Value of a counter that could not be read, or whose call did not end normally. */
#define MM_COUNT_MISSING INT64_MIN

/* A calling context: a path of methods. */
struct mm_context {
    const struct mm_context *parent; /* context of the caller; NULL: the thread began
                                        here, or the caller is unknown */
    const struct mm_method_info *method;
    const struct mm_method_info
        *caller;      /* NULL: the thread began here, or the caller is unknown */
    int caller_known; /* 0: the caller is unknown, because there were too many contexts */
    int nested; /* true if the method also occurs further out in the path (recursion) */
};

/* Sums of one metric over the invocations of an aggregate. */
struct mm_sum {
    int64_t sum_ns, min_ns, max_ns;
    double squares_ns2; /* sum of the squares */
    double m2_ns2;      /* sum of the squared differences from the mean */
};

/* Sums over invocations of one thread with the same context, in-values and in-values of
 * the caller. Aggregates and rows that are not `counted` together cover all recorded
 * invocations. */
struct mm_aggregate {
    const struct mm_method_info *method;
    const struct mm_context *context;
    int rank, thread;
    int unfinished; /* true if the invocations ended by an exception or longjmp: times are
                       upper bounds */
    const union monitor_value *values; /* in-values of the calls; NULL: unknown, because
                                          there were too many keys */
    uint64_t caller_values;            /* mm_values_hash of the caller's in-values */
    uint64_t calls, callees, below;    /* numbers of calls, of direct callees, and of
                                          direct and indirect callees */
    /* If host_ns is known, wall and exclusive exclude the host's time. */
    struct mm_sum wall, exclusive, mpi, cpu;
    int has_cpu;
    /* Sums over all calls, see struct mm_row; -1: unknown. */
    int64_t host_ns, host_exclusive_ns, wait_ns, wait_exclusive_ns;
    /* Sums over all calls, like the counters of a row; MM_COUNT_MISSING if one call has
     * no value. */
    const int64_t *counters, *exclusive_counters;
    int no_value, no_exclusive;
    int sums_only; /* true if squares and extremes are unknown, for a metric other than
                      time */
    const double *sample; /* exclusive times in ns of a uniform sample of the calls */
    size_t sample_count;
};

/* Called for each row; `row` is borrowed for the call. Non-zero ends the walk. */
typedef int (*mm_row_function)(const struct mm_row *row, void *context);

typedef int (*mm_interval_function)(const struct mm_interval *interval, void *context);

typedef int (*mm_aggregate_function)(const struct mm_aggregate *aggregate, void *context);

#define MM_CACHE_LEVELS 4

/* A source of rows. Strings and tables are borrowed and must outlive everything built
 * from the source. */
struct mm_row_source {
    const char *name;                /* printed name of the source */
    struct mm_method_info **methods; /* [method_count]; methods[i]->index is i */
    size_t method_count;
    /* [method_count] costs to be subtracted; NULL: the values contain none, or they are
     * unknown */
    const struct mm_method_cost *costs;
    double floor_ns; /* smaller differences may be measurement overhead; 0: none */
    /* The metric is TIME: where host_ns is known, wall_ns and exclusive_ns of rows
     * exclude the host's time, as in aggregates. */
    int less_host;
    /* Bytes of the machine's data caches, level 1 first; 0: no such cache, or unknown. */
    double cache_bytes[MM_CACHE_LEVELS];
    /* Sources of other metrics (metric.h): */
    int ends_at_0; /* true if end times of rows are 0, so began_ns has the start of the
                      call */
    int counts;    /* true if values are counts, not times */
    int host_free; /* true if the host does not disturb this time, because its share is
                      subtracted */
    int derived;   /* true if exclusive values of callers include their callees in
                      aggregates */
    int inclusive; /* true if models are of a call with all that it calls, less the cost
                      of recording that */
    int rows_only; /* true if aggregates have no values; their samples represent them */
    /* Walks the rows like mm_experiment_rows: same order and return values. */
    int (*walk)(void *context, mm_row_function function, void *function_context,
                struct cca_error *err);
    /* Walks the aggregates like mm_experiment_aggregates; NULL: there are none. */
    int (*walk_aggregates)(void *context, mm_aggregate_function function,
                           void *function_context, struct cca_error *err);
    void *context;
};

/* Subtract the host's time from the times of a row, if it is known; this also removes the
 * evidence. */
void mm_row_less_host(struct mm_row *row);
/* End of the call of `row`, since the start of the experiment's clock; `row` is of
 * `source`. */
int64_t mm_row_end_ns(const struct mm_row_source *source, const struct mm_row *row);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* rows.h: structs of methods, rows, aggregates, and a source that delivers them.
 *
 * Models and the dual (the weighted call graph of a run) depend on these structs alone,
 * not on files. experiment.h fills them from a directory; tests fill them in memory. */
#ifndef MASTERMIND_READER_ROWS_H
#define MASTERMIND_READER_ROWS_H

#include "mastermind/format/call_costs.h"
#include "ports/monitor_port.h"

/* A parameter, mode or out-parameter of a method; the experiment owns the strings. */
struct mm_value_info {
    const char *name;
    /* text of an expression over the arguments whose value it is, or NULL */
    const char *expression;
    enum monitor_type type;
    enum monitor_kind kind;
    struct monitor_label *labels;
    size_t label_count;
};

/* A method, which all ranks share. Methods differ in their instance, port, name, class,
 * build id or port type. `values` has the in-values first. */
struct mm_method_info {
    size_t index; /* index of the method in mm_experiment.methods */
    const char *instance, *port, *method;
    const char *class_name, *build_id, *port_type;
    char *name; /* printed name, "flux.flux.compute" */
    struct mm_value_info *values;
    size_t value_count, in_count;
    /* number of hints that mm_experiment_use_hints made in-values, the last of these;
     * rows store them among the out-values */
    size_t hint_count;
    /* how its calls reach the recorder (proxy, interposer, ...) */
    enum mm_entry_kind entry;
};

/* The cost of recording a call of a method: with a compact or a wide row, and in the
 * aggregates. */
struct mm_method_cost {
    struct mm_call_cost row, wide, sum;
};

/* The number of values that the recorder gets before a call. */
static inline size_t mm_method_stored_in(const struct mm_method_info *method)
{
    return method->in_count - method->hint_count;
}

/* Set the in-values that are hints to absent. */
void mm_method_drop_hints(const struct mm_method_info *method,
                          union monitor_value *values);

/* Return a new copy of `method` with all its strings; NULL: out of memory. */
struct mm_method_info *mm_method_copy(const struct mm_method_info *method);
/* Free a method with heap-allocated strings and tables; it may be incomplete or NULL. */
void mm_method_free(struct mm_method_info *method);

/* True for a parameter that is an expression over arguments, not a plain argument. */
int mm_value_is_derived(const struct mm_value_info *value);
/* True if two tuples of in-values have the same modes. */
int mm_same_modes(const struct mm_method_info *method, const union monitor_value *a,
                  const union monitor_value *b);
/* Return 1 + the index of a parameter that is absent in `in`; 0 if none is absent. */
size_t mm_missing_parameter(const struct mm_method_info *method,
                            const union monitor_value *in);
/* Return the hash of a tuple of in-values, never 0. The member `caller_values` of
 * aggregates has such hashes. */
uint64_t mm_in_values_hash(const union monitor_value *in, size_t count);

enum mm_row_status {
    MM_ROW_DONE = 0,
    /* the invocation ended by an exception or a cancellation of the thread: it has no
       out-values */
    MM_ROW_UNWOUND = 1,
    /* longjmp left the invocation, which was closed some time later: its times are upper
       bounds */
    MM_ROW_LONGJMP = 2,
    /* the invocation was not finished when the run ended: only `start_ns` is known, and
       it has no out-values */
    MM_ROW_OPEN = 3
};

/* One invocation (call of a method in a thread). */
struct mm_row {
    const struct mm_method_info *method;
    int rank, thread;
    uint64_t invocation; /* number of the invocation in its thread, counted from 1 */
    uint64_t caller;     /* number of the calling invocation, 0: none */
    /* true if longjmp may have left the caller, so that `caller` is uncertain */
    int caller_uncertain;
    int wide; /* true if its values or times did not fit into a compact row */
    /* pace of the core near the row, as a multiple of the mean pace of the run; 0:
     * unknown */
    double pace;
    /* true if the invocation is counted in the aggregates, too, of which the row is a
     * sample */
    int counted;
    /* Numbers of aggregated callees: `folded` of direct callees, `folded_below` of direct
     * and indirect ones. A row with status MM_ROW_OPEN also has the inclusive time of the
     * direct ones. */
    uint64_t folded, folded_below;
    int64_t folded_ns;
    enum mm_row_status status;
    /* true if the clock went backwards during the call; then `wall_ns` is 0 */
    int clock_back;
    /* For rows of a metric other than time (metric.h): `no_value`: true if the call has
     * no value, and `wall_ns` is 0; `no_exclusive`: true if `exclusive_ns` is unknown. */
    int no_value, no_exclusive;
    /* for rows of a metric other than time: the measured start of the call */
    int64_t began_ns;
    int64_t start_ns; /* start of the invocation since the start of the
                         experiment's clock */
    /* inclusive wall time; for MM_ROW_OPEN: up to the latest known time, or 0 */
    int64_t wall_ns;
    int64_t exclusive_ns; /* wall_ns less the inclusive time of recorded callees */
    /* Fractions of a nanosecond that rounding removed from wall_ns and exclusive_ns, -.5
     * to .5, in imported and simulated rows, whose clock may be finer; else 0. */
    double wall_part_ns, exclusive_part_ns;
    /* inclusive time inside MPI; 0 unless `has_mpi` of the experiment is set */
    int64_t mpi_ns;
    int64_t cpu_ns; /* inclusive CPU time of the thread; -1: not measured */
    /* The parts of `wall_ns` and of `exclusive_ns` in which the thread was off its core.
     * `host_`: it was ready to run while the host ran something else, or the recorder
     * worked. `wait_`: it left the core of its own accord (sleep, lock, I/O, inside MPI).
     * -1: unknown, as in older experiments and for MM_ROW_OPEN. */
    int64_t host_ns, host_exclusive_ns, wait_ns, wait_exclusive_ns;
    /* Evidence of the host's share, from the readings of the thread's CPU time and
     * context switches (docs/internals/experiment.md, Readings). lost_ns is an upper
     * bound of the part of wall_ns in which the thread was off the CPU, in stretches of 1
     * ms or more in which no row ended. 0: no such stretch, so at most 1 ms was lost at
     * once. -1: no evidence (older experiments, reservoirs, MM_ROW_OPEN, metrics other
     * than time). lost_exclusive_ns is like lost_ns, but for exclusive_ns. If `waited` is
     * set, the thread may have left the CPU of its own accord (sleep, lock, I/O, SIGSTOP,
     * or 1 ms and more inside MPI), so the lost time may be waiting of the method. A row
     * counts as disturbed by the host if it lost as much time as it took more than the
     * typical cost, and did not wait. */
    int64_t lost_ns, lost_exclusive_ns;
    int waited, waited_exclusive;
    /* [counter_count] counts of the experiment's counters: including recorded callees,
     * and without them; MM_COUNT_MISSING for an unknown count. */
    const int64_t *counters, *exclusive_counters;
    /* [value_count]; out-values are present only if the status is MM_ROW_DONE; any value
     * may be absent (monitor_value_absent) */
    const union monitor_value *values;
};

/* The time of a thread between two readings of its CPU time and context switches. The
 * thread was off the CPU for wall_ns - cpu_ns. */
struct mm_interval {
    int rank, thread;
    int64_t start_ns; /* start of the interval since the start of the experiment's
                         clock */
    int64_t wall_ns, cpu_ns;
    uint32_t voluntary, involuntary; /* number of context switches */
    int recording;                   /* true if the recorder worked on its files */
};

/* Count of a counter that could not be read, or of a call that did not end normally. */
#define MM_COUNT_MISSING INT64_MIN

/* A calling context: a path of methods. */
struct mm_context {
    const struct mm_context *parent; /* context of the caller; NULL: the thread began
                                        here, or the caller is unknown */
    const struct mm_method_info *method;
    const struct mm_method_info
        *caller; /* NULL: the thread began here, or the caller is unknown */
    /* false: the caller is unknown, because there were too many contexts */
    int caller_known;
    /* true if the method also occurs further up in the path, as in a recursion */
    int nested;
};

/* Sums of one metric over the invocations of an aggregate. */
struct mm_sum {
    int64_t sum_ns, min_ns, max_ns;
    double squares_ns2; /* sum of the squares */
    double m2_ns2;      /* sum of the squared differences from the mean */
};

/* Sums over the invocations of one thread that have the same context, the same in-values
 * and the same in-values of the caller. The aggregates, together with the rows that are
 * not `counted`, cover all recorded invocations. */
struct mm_aggregate {
    const struct mm_method_info *method;
    const struct mm_context *context;
    int rank, thread;
    /* true if an exception or longjmp ended the invocations, so that times are upper
     * bounds */
    int unfinished;
    const union monitor_value *values; /* in-values of the calls; NULL: unknown, because
                                          there were too many keys */
    uint64_t caller_values;            /* mm_values_hash of the caller's in-values */
    uint64_t calls, callees, below;    /* numbers of calls, of direct callees, and of
                                          direct and indirect callees */
    /* If `host_ns` is known, `wall` and `exclusive` do not contain the host's time. */
    struct mm_sum wall, exclusive, mpi, cpu;
    int has_cpu;
    /* Sums over all calls of the members of struct mm_row; -1: unknown. */
    int64_t host_ns, host_exclusive_ns, wait_ns, wait_exclusive_ns;
    /* Sums over all calls, like the counters of a row; MM_COUNT_MISSING if the count of
     * one call is missing. */
    const int64_t *counters, *exclusive_counters;
    int no_value, no_exclusive;
    /* true if squares and extremes are unknown, as for a metric other than time */
    int sums_only;
    const double *sample; /* exclusive times in ns of a uniform sample of the calls */
    size_t sample_count;
};

/* Function called for each row; `row` is borrowed for the call. A non-zero result ends
 * the walk. */
typedef int (*mm_row_function)(const struct mm_row *row, void *context);

typedef int (*mm_interval_function)(const struct mm_interval *interval, void *context);

typedef int (*mm_aggregate_function)(const struct mm_aggregate *aggregate, void *context);

#define MM_CACHE_LEVELS 4

/* A source of rows and aggregates with one metric. Strings and tables are borrowed and
 * must outlive everything that is made from the source. */
struct mm_row_source {
    const char *name;                /* name of the experiment, for messages */
    struct mm_method_info **methods; /* [method_count]; methods[i]->index is i */
    size_t method_count;
    /* [method_count] recording costs that must be subtracted from the values; NULL: the
     * values contain none, or the costs are unknown */
    const struct mm_method_cost *costs;
    /* smaller differences between values may come from recording; 0: there is no such
     * limit */
    double floor_ns;
    /* True for the metric TIME: if host_ns of a row is known, its wall_ns and
     * exclusive_ns do not contain the host's time, as in aggregates. */
    int less_host;
    /* Bytes of the machine's data caches, level 1 first; 0: no such cache, or unknown. */
    double cache_bytes[MM_CACHE_LEVELS];
    /* For sources of metrics other than TIME (metric.h): */
    int ends_at_0; /* true if rows end at 0, and `began_ns` has the start of the call */
    int counts;    /* true if values are counts, not times */
    int largest;   /* true if values do not add up: a total is the largest of all calls */
    int host_free; /* true if the host does not disturb this time, because its share is
                      subtracted */
    /* true if the exclusive values of callers include their aggregated callees */
    int derived;
    /* true if a model's cost is of a call with all its callees, less the cost of
     * recording these */
    int inclusive;
    /* true if aggregates have no values of this metric; sampled rows represent them */
    int rows_only;
    /* Call `function` for each row like mm_experiment_rows, with the same order and
     * return values. */
    int (*walk)(void *context, mm_row_function function, void *function_context,
                struct cca_error *err);
    /* Call `function` for each aggregate like mm_experiment_aggregates; NULL: there are
     * none. */
    int (*walk_aggregates)(void *context, mm_aggregate_function function,
                           void *function_context, struct cca_error *err);
    void *context;
};

/* Subtract the host's time from the times of a row, if it is known. Afterwards the row
 * has no lost time. */
void mm_row_less_host(struct mm_row *row);
/* Return the end of the call of `row`, a row of `source`, in ns since the start of the
 * experiment's clock. */
int64_t mm_row_end_ns(const struct mm_row_source *source, const struct mm_row *row);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* dual.h: the dual of an assembly: callers, callees, calls and costs.
 *
 * A vertex per method, and two for callers that have no row: `<thread>` above the first
 * calls of every thread, `<not recorded>` above calls whose caller's row was dropped.
 * Times exclude the recording cost: the part between the two clock readings is subtracted
 * from the call, the rest from its caller. */
#ifndef MASTERMIND_COUNTS_DUAL_DUAL_H
#define MASTERMIND_COUNTS_DUAL_DUAL_H

#include "mastermind/counts/dual/off_core.h"
#include "mastermind/reader/rows.h"

struct mm_vertex {
    const struct mm_method_info *method; /* method of the vertex; NULL: <thread> or
                                            <not recorded> */
    const char *name;
    uint64_t calls;
    uint64_t subrs; /* number of calls made by the method, to others and to itself */
    /* calls that were not finished when the run ended, part of `calls`; they end at the
     * latest known time of their thread */
    uint64_t open;
    uint64_t broken; /* calls left by an exception or longjmp, part of `calls` */
    /* calls in aggregates, part of `calls`; `other`: with unknown values;
     * `sampled`: also with a row */
    uint64_t folded;
    uint64_t other, sampled;
    uint64_t clock_back;  /* calls during which the clock went backwards, part of `calls`;
                             only calls with rows are counted */
    uint64_t missing;     /* calls without a value of the metric, part of `calls` */
    int64_t inclusive_ns; /* inclusive time of outermost activations */
    int64_t exclusive_ns;
    /* cost of recording the call and its callees, already subtracted from exclusive_ns */
    int64_t overhead_ns;
    double uncertain_ns;      /* the uncertainty of exclusive_ns because of this cost */
    int64_t mpi_ns;           /* exclusive time inside MPI, outside recorded callees */
    int64_t mpi_inclusive_ns; /* inclusive time inside MPI of outermost activations */
    /* Time off the core, exclusive and of outermost activations; if the source has
     * `less_host` set, the times above exclude host_ns. */
    struct mm_off_core off, off_inclusive;
    double mean_ns, m2_ns2; /* spread of the inclusive time of a call (Welford) */
    int64_t min_ns, max_ns;
};

struct mm_edge {
    size_t caller, callee; /* indexes of the vertices */
    uint64_t calls;
    int64_t inclusive_ns; /* inclusive time of the callee in these calls */
};

/* An invocation that was not finished when the run ended. */
struct mm_open_frame {
    int rank, thread;
    const struct mm_method_info *method;
    int64_t start_ns, elapsed_ns;
};

struct mm_dual {
    struct mm_vertex *vertices; /* vertices of the methods by index, then the two vertices
                                   without a method */
    size_t vertex_count, thread_vertex, lost_vertex;
    struct mm_edge *edges; /* edges of the call graph, ascending by caller and callee */
    size_t edge_count;
    struct mm_open_frame *open; /* open calls, innermost first, thread by thread */
    size_t open_count;
    uint64_t rows; /* number of rows, without samples; the next members have the same
                      meaning as in struct mm_vertex */
    uint64_t folded, other, sampled;
    int ranks, threads;     /* number of ranks and threads with rows or aggregates */
    int64_t total_ns;       /* inclusive time of all calls without a recorded caller */
    int64_t overhead_ns;    /* recording cost subtracted from all calls */
    struct mm_off_core off; /* time off the core of all calls */
    uint64_t off_unknown;   /* finished calls with unknown time off the core */
    /* The estimated cost of recording all calls: by the length of each call; in a loop,
     * less MM_COST_UNCERTAIN (least); with cold caches, and MM_COST_UNCERTAIN more
     * (most). 0: not known. */
    double recording_ns, recording_least_ns, recording_most_ns;
};

/* Sums over the callees of a row, and the row's corrected times. */
struct mm_joined {
    uint64_t callees, below; /* number of direct callees, and of all recorded callees,
                                direct and indirect */
    int64_t wall_ns;         /* inclusive time, less recording cost */
    int64_t exclusive_ns;    /* exclusive time, less recording cost */
};

/* Called for each row that no aggregate counts, in source order; a non-zero return ends
 * the walk. If the source has `rows_only` set, also called for samples of aggregates
 * (`row->counted`); then `joined` has the row's own values only. */
typedef int (*mm_joined_function)(const struct mm_row *row,
                                  const struct mm_joined *joined, void *context);

/* Called for each aggregate after all rows; `joined` has sums over its calls. */
typedef int (*mm_joined_aggregate_function)(const struct mm_aggregate *aggregate,
                                            const struct mm_joined *joined,
                                            void *context);

/* Walk `source` once. The result is new, or NULL with `err`. Either function may be NULL.
 */
struct mm_dual *mm_dual_new(const struct mm_row_source *source,
                            mm_joined_function function,
                            mm_joined_aggregate_function aggregate, void *context,
                            struct cca_error *err);
void mm_dual_free(struct mm_dual *dual);

/* The edge from one vertex to another, or NULL. */
const struct mm_edge *mm_dual_edge(const struct mm_dual *dual, size_t caller,
                                   size_t callee);
/* Standard deviation of the inclusive time of a call; 0 for fewer than two calls. */
double mm_vertex_sd(const struct mm_vertex *vertex);
/* Mark the core in `keep[vertex_count]`: vertices whose inclusive time is at least
 * `percent` of the total. */
void mm_dual_core(const struct mm_dual *dual, double percent, unsigned char *keep);

#endif

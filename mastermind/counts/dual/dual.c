/* SPDX-License-Identifier: BSD-3-Clause */
/* dual.c: build the weighted call graph in one walk over the rows. */
#include "mastermind/counts/dual/dual.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/find.h"
#include "mastermind/counts/dual/pending.h"

/* A thread that has rows (recorded calls). */
struct seen {
    int rank, thread;
};

/* The cost of recording one call in ns: its part between the two clock readings, and its
 * part in the caller's time. */
struct split {
    double within, rest;
};

/* Aggregated callees of a method, direct and indirect; the cost of recording them. */
struct folded {
    uint64_t direct, below;
    double rest; /* part of the direct calls' recording cost within the method's own
                    time */
    double all;  /* cost of recording direct and indirect callees */
    size_t most; /* index of the method with most direct calls in one aggregate */
    uint64_t most_calls;
};

struct builder {
    struct mm_dual *dual;
    const struct mm_row_source *source;
    mm_joined_function function;
    mm_joined_aggregate_function aggregate;
    void *context;
    struct seen *seen; /* threads with rows, ascending by rank and thread */
    size_t seen_count;
    struct mm_pending_stack stack;
    struct folded *folded; /* [methods] aggregated callees of each method */
    double *owed; /* [methods] recording cost not subtracted yet from the calls of each
                     method, ns */
    int rank, thread;
    int64_t last_ns; /* latest known time of the current thread */
    struct cca_error *err;
};

static int out_of_memory(struct builder *b)
{
    return cca_no_memory(b->err);
}

static size_t edge_position(const struct mm_dual *dual, size_t caller, size_t callee)
{
    size_t at;

    CCA_FIND_FIRST(at, dual->edge_count,
                   dual->edges[at].caller < caller || (dual->edges[at].caller == caller &&
                                                       dual->edges[at].callee < callee));
    return at;
}

const struct mm_edge *mm_dual_edge(const struct mm_dual *dual, size_t caller,
                                   size_t callee)
{
    size_t at = edge_position(dual, caller, callee);

    if (at == dual->edge_count || dual->edges[at].caller != caller ||
        dual->edges[at].callee != callee)
        return NULL;
    return &dual->edges[at];
}

static int edge_add(struct mm_dual *dual, size_t caller, const struct mm_tally *tally)
{
    size_t at = edge_position(dual, caller, tally->method);
    struct mm_edge *edge;

    if (!tally->calls)
        return 0;
    if (at == dual->edge_count || dual->edges[at].caller != caller ||
        dual->edges[at].callee != tally->method) {
        if (cca_array_reserve(&dual->edges, dual->edge_count, sizeof *edge))
            return -ENOMEM;
        memmove(dual->edges + at + 1, dual->edges + at,
                (dual->edge_count - at) * sizeof *dual->edges);
        dual->edges[at] = (struct mm_edge){.caller = caller, .callee = tally->method};
        dual->edge_count++;
    }
    edge = &dual->edges[at];
    edge->calls += tally->calls;
    edge->inclusive_ns += tally->calls_ns;
    return 0;
}

/* Add the sums of `pending`, a caller whose row will not arrive, to the vertex `caller`,
 * which has no row. */
static int flush_root(struct builder *b, const struct mm_pending *pending, size_t caller)
{
    struct mm_vertex *root = &b->dual->vertices[caller];

    for (size_t i = 0; i < pending->tally_count; i++) {
        const struct mm_tally *tally = &pending->tallies[i];
        struct mm_vertex *vertex = &b->dual->vertices[tally->method];

        if (edge_add(b->dual, caller, tally) < 0)
            return out_of_memory(b);
        vertex->inclusive_ns += tally->outermost_ns;
        vertex->mpi_inclusive_ns += tally->outermost_mpi_ns;
        mm_off_core_add(&vertex->off_inclusive, &tally->outermost_off);
        root->inclusive_ns += tally->calls_ns;
        root->subrs += tally->calls;
        b->dual->total_ns += tally->calls_ns;
    }
    return 0;
}

/* Give up on the pending callers from position `from` upwards: their rows will not
 * arrive. A caller with number 0 is the thread itself. */
static int flush_from(struct builder *b, size_t from)
{
    for (size_t i = from; i < b->stack.count; i++) {
        const struct mm_pending *pending = &b->stack.items[i];
        int result = flush_root(
            b, pending, pending->caller ? b->dual->lost_vertex : b->dual->thread_vertex);

        if (result < 0)
            return result;
    }
    if (from < b->stack.count)
        b->stack.count = from;
    return 0;
}

static int open_frame_add(struct builder *b, const struct mm_row *row, int64_t elapsed_ns)
{
    struct mm_dual *dual = b->dual;

    if (cca_array_reserve(&dual->open, dual->open_count, sizeof *dual->open))
        return out_of_memory(b);
    dual->open[dual->open_count++] = (struct mm_open_frame){.rank = row->rank,
                                                            .thread = row->thread,
                                                            .method = row->method,
                                                            .start_ns = row->start_ns,
                                                            .elapsed_ns = elapsed_ns};
    return 0;
}

static void vertex_add(struct mm_vertex *vertex, const struct mm_row *row,
                       const struct mm_joined *joined, int64_t overhead_ns,
                       int64_t mpi_ns)
{
    double delta = (double)joined->wall_ns - vertex->mean_ns;

    if (!vertex->calls || joined->wall_ns < vertex->min_ns)
        vertex->min_ns = joined->wall_ns;
    if (!vertex->calls || joined->wall_ns > vertex->max_ns)
        vertex->max_ns = joined->wall_ns;
    vertex->calls++;
    vertex->subrs += joined->callees;
    vertex->open += row->status == MM_ROW_OPEN;
    vertex->broken += row->status == MM_ROW_UNWOUND || row->status == MM_ROW_LONGJMP;
    vertex->clock_back += (uint64_t)row->clock_back;
    vertex->missing += row->no_value && row->status != MM_ROW_OPEN;
    vertex->exclusive_ns += joined->exclusive_ns;
    vertex->overhead_ns += overhead_ns;
    vertex->mpi_ns += mpi_ns;
    vertex->mean_ns += delta / (double)vertex->calls;
    vertex->m2_ns2 += delta * ((double)joined->wall_ns - vertex->mean_ns);
}

/* Sum the time that the calls of a method were off the core, without their callees. */
static void off_core_add(struct mm_dual *dual, struct mm_vertex *vertex, int64_t host_ns,
                         int64_t wait_ns, uint64_t calls)
{
    struct mm_off_core off = {host_ns, wait_ns > 0 ? wait_ns : 0};

    if (host_ns < 0) {
        dual->off_unknown += calls;
        return;
    }
    mm_off_core_add(&vertex->off, &off);
    mm_off_core_add(&dual->off, &off);
}

/* Time that a call was off the core with its callees; of an open call only the callees'
 * time is known. */
static struct mm_off_core off_core_of(const struct mm_row *row,
                                      const struct mm_pending *own)
{
    if (row->status == MM_ROW_OPEN)
        return own ? own->off : (struct mm_off_core){0};
    return (struct mm_off_core){row->host_ns > 0 ? row->host_ns : 0,
                                row->wait_ns > 0 ? row->wait_ns : 0};
}

/* Add a finished row, with everything below it, to its caller. */
static int add_to_caller(struct builder *b, const struct mm_row *row, uint64_t caller,
                         const struct mm_joined *joined, const struct mm_pending *own,
                         int64_t wall_ns, int64_t overhead_ns, double rest_ns)
{
    struct mm_off_core off = off_core_of(row, own);
    size_t own_at = own ? (size_t)(own - b->stack.items) : 0;
    struct mm_pending below = own ? *own : (struct mm_pending){0};
    struct mm_pending *up;
    struct mm_tally *tally;

    up = mm_pending_of(&b->stack, caller);
    if (!up)
        return out_of_memory(b);
    if (own && b->stack.items[own_at].caller != row->invocation)
        own_at++; /* mm_pending_of inserted the caller's item before the item of the row
                   */
    tally = mm_pending_tally(up, row->method->index);
    if (!tally)
        return out_of_memory(b);
    tally->calls++;
    tally->calls_ns += joined->wall_ns;
    tally->outermost_ns += joined->wall_ns;
    tally->outermost_mpi_ns += row->mpi_ns;
    mm_off_core_add(&tally->outermost_off, &off);
    up->calls++;
    up->below += 1 + joined->below;
    up->wall_ns += wall_ns;
    if (row->status != MM_ROW_OPEN)
        up->raised_ns += (uint64_t)(wall_ns - row->wall_ns);
    up->mpi_ns += row->mpi_ns;
    mm_off_core_add(&up->off, &off);
    up->overhead_ns += overhead_ns;
    up->rest_ns += rest_ns;
    if (!own)
        return 0;
    if (mm_pending_merge(up, &below, row->method->index) < 0)
        return out_of_memory(b);
    mm_pending_drop(&b->stack, &b->stack.items[own_at]);
    return 0;
}

/* Count a thread, and its rank, when the first row of each arrives. */
static int see_thread(struct builder *b, int rank, int thread)
{
    int new_rank = 1;

    for (size_t i = b->seen_count; i-- > 0;) { /* the thread is nearly always the last
                                                  one of the list */
        new_rank = new_rank && b->seen[i].rank != rank;
        if (b->seen[i].rank == rank && b->seen[i].thread == thread)
            return 0;
    }
    if (cca_array_reserve(&b->seen, b->seen_count, sizeof *b->seen))
        return out_of_memory(b);
    b->seen[b->seen_count++] = (struct seen){rank, thread};
    b->dual->threads++;
    b->dual->ranks += new_rank;
    return 0;
}

static int thread_begins(struct builder *b, const struct mm_row *row)
{
    int result = flush_from(b, 0);

    if (result < 0)
        return result;
    b->rank = row->rank;
    b->thread = row->thread;
    b->last_ns = INT64_MIN;
    /* Recording costs are not carried over to the next thread, so a rank gets the same
     * costs alone as among others. */
    memset(b->owed, 0, b->source->method_count * sizeof *b->owed);
    return see_thread(b, row->rank, row->thread);
}

/* Subtract the recording cost from an invocation's own time: the part between its two
 * clock readings, and the part left by its callees. Fractions of a nanosecond, and any
 * cost that exceeds this time, are deferred to later calls of the method, each of which
 * takes at most as much again as its own cost. So sums are right, and no call loses much
 * more than its share. */
static int64_t take_cost(struct builder *b, size_t method, double cost, int64_t own_ns)
{
    double *owed = &b->owed[method];
    double wanted = cost + fmin(fmax(*owed, -cost), cost);
    int64_t taken = llround(wanted);

    if (taken > own_ns)
        taken = own_ns > 0 ? own_ns : 0;
    *owed += cost - (double)taken;
    b->dual->vertices[method].uncertain_ns += MM_COST_UNCERTAIN * cost;
    return taken;
}

/* If the recording cost of an invocation exceeds its time, charge the excess that its
 * callees caused to the called methods, less the part `keep` that later calls of its own
 * method may take. The cost between the clock readings is less certain than the total. */
static void hand_on(struct builder *b, size_t method, const struct mm_pending *own,
                    uint64_t folded, double keep)
{
    double *owed = &b->owed[method], debt = *owed - keep;
    double calls = (double)((own ? own->calls : 0) + folded);

    if (!(debt > 0) || !(calls > 0))
        return;
    *owed -= debt;
    for (size_t i = 0; own && i < own->tally_count; i++)
        b->owed[own->tallies[i].method] += debt * (double)own->tallies[i].calls / calls;
    b->owed[b->folded[method].most] += debt * (double)folded / calls;
}

/* Split the cost of recording one call of `wall_ns` into the part in the call's own time
 * and the part in its caller's time.
 */
static struct split split_cost(const struct mm_call_cost *cost, double wall_ns)
{
    struct split split;
    double all = mm_call_cost_at(cost, wall_ns, &split.within);

    split.rest = all - split.within;
    return split;
}

static void count_cost(struct mm_dual *dual, const struct mm_call_cost *cost,
                       const struct split *split, double calls)
{
    dual->recording_ns += calls * (split->within + split->rest);
    dual->recording_least_ns += calls * (1 - MM_COST_UNCERTAIN) * cost->loop_ns;
    dual->recording_most_ns += calls * (1 + MM_COST_UNCERTAIN) * cost->cold_ns;
}

static struct split row_cost(const struct builder *b, const struct mm_row *row)
{
    struct mm_call_cost cost;
    struct split split;

    if (!b->source->costs || row->status == MM_ROW_OPEN)
        return (struct split){0};
    cost = b->source->costs[row->method->index].row;
    if (row->wide)
        cost = b->source->costs[row->method->index].wide;
    if (row->pace > 0)
        mm_call_cost_scale(&cost, row->pace);
    split = split_cost(&cost, (double)row->wall_ns);
    count_cost(b->dual, &cost, &split, 1);
    return split;
}

/* Mean cost of recording one call of an aggregate (calls kept as sums). */
static struct split sum_cost(const struct builder *b, const struct mm_aggregate *a)
{
    return b->source->costs && a->calls
               ? split_cost(&b->source->costs[a->method->index].sum,
                            (double)a->wall.sum_ns / (double)a->calls)
               : (struct split){0};
}

static double mean_of(double sum, uint64_t count)
{
    return count ? sum / (double)count : 0;
}

/* Recording cost that `direct` aggregated callees left to their caller. In a `derived`
 * source (exclusive values are differences) the caller's own time contains the own time
 * of its `below` aggregated callees, direct and indirect, and all their recording cost.
 */
static double rest_of_folded(const struct builder *b, size_t method, uint64_t direct,
                             uint64_t below)
{
    const struct folded *f = &b->folded[method];

    return b->source->derived ? (double)below * mean_of(f->all, f->below)
                              : (double)direct * mean_of(f->rest, f->direct);
}

/* Recording cost inside the callees of an invocation with `below` aggregated callees, of
 * which `direct` are direct; at most the callees' time. */
static int64_t below_cost(const struct builder *b, size_t method, uint64_t direct,
                          uint64_t below, int64_t callees_ns)
{
    const struct folded *f = &b->folded[method];
    double cost = (double)below * mean_of(f->all, f->below) -
                  (double)direct * mean_of(f->rest, f->direct);

    if (!(cost > 0) || callees_ns <= 0)
        return 0;
    return cost < (double)callees_ns ? llround(cost) : callees_ns;
}

/* Rows count their aggregated callees, direct and indirect, and aggregates name the
 * methods of these: add the cost of these calls to all methods that called them. */
static int see_folded(const struct mm_aggregate *a, void *context)
{
    struct builder *b = context;
    struct split cost = sum_cost(b, a);
    double calls = (double)a->calls;

    if (a->context->caller) {
        struct folded *f = &b->folded[a->context->caller->index];

        f->direct += a->calls;
        f->rest += calls * cost.rest;
        if (f->most_calls < a->calls) {
            f->most_calls = a->calls;
            f->most = a->method->index;
        }
        if (!a->context->parent) {
            f->below += a->calls;
            f->all += calls * (cost.within + cost.rest);
        }
    }
    for (const struct mm_context *up = a->context->parent; up; up = up->parent) {
        b->folded[up->method->index].below += a->calls;
        b->folded[up->method->index].all += calls * (cost.within + cost.rest);
    }
    return 0;
}

/* Rows round ticks to nanoseconds one by one, so an exclusive value may be off by one
 * nanosecond per callee. If it is off by at most `slack`, return the call's time less its
 * callees', so that sums are exact; a call never takes less than its callees. */
static int64_t exact_exclusive(int64_t *all_ns, int64_t exclusive_ns, int64_t callees_ns,
                               uint64_t slack)
{
    int64_t exact = *all_ns - callees_ns;
    int64_t difference =
        exact < exclusive_ns ? exclusive_ns - exact : exact - exclusive_ns;

    if ((uint64_t)difference > slack)
        return exclusive_ns;
    if (exact >= 0)
        return exact;
    *all_ns = callees_ns;
    return 0;
}

/* Add the time that the call of a finished row was off the core, without its callees. */
static void add_off_core(struct builder *b, const struct mm_row *row,
                         const struct mm_pending *own)
{
    int64_t host_ns = row->host_exclusive_ns, wait_ns = row->wait_exclusive_ns;
    int64_t all_host_ns = row->host_ns, all_wait_ns = row->wait_ns;

    if (own && !row->folded && row->host_ns >= 0) {
        host_ns =
            exact_exclusive(&all_host_ns, host_ns, own->off.host_ns, own->calls + 1);
        wait_ns =
            exact_exclusive(&all_wait_ns, wait_ns, own->off.wait_ns, own->calls + 1);
    }
    off_core_add(b->dual, &b->dual->vertices[row->method->index], host_ns, wait_ns, 1);
}

static int on_row(const struct mm_row *row, void *context)
{
    struct builder *b = context;
    struct mm_pending *own;
    struct mm_joined joined = {0};
    int64_t wall_ns = row->wall_ns, exclusive_ns = row->exclusive_ns;
    int64_t mpi_ns = row->mpi_ns, below_ns = 0, own_ns;
    struct split cost;
    size_t method = row->method->index;
    int64_t end_ns = mm_row_end_ns(b->source, row);
    uint64_t roundings = b->source->less_host ? 2 : 1; /* subtracting the host's time
                                                          rounds once more */
    uint64_t caller = row->caller < row->invocation ? row->caller : 0;
    int result;

    if (row->counted) { /* the row is a sample, already counted by its aggregate */
        b->dual->sampled++;
        b->dual->vertices[row->method->index].sampled++;
        joined.wall_ns = wall_ns;
        joined.exclusive_ns = exclusive_ns;
        return b->function && b->source->rows_only ? b->function(row, &joined, b->context)
                                                   : 0;
    }
    if (row->rank != b->rank || row->thread != b->thread || !b->dual->threads) {
        result = thread_begins(b, row);
        if (result < 0)
            return result;
    }
    own = mm_pending_find(&b->stack, row->invocation);
    result =
        flush_from(b, mm_pending_position(&b->stack, row->invocation) + (own != NULL));
    if (result < 0)
        return result;
    if (row->status == MM_ROW_OPEN) {
        if (b->last_ns < end_ns)
            b->last_ns = end_ns;
        below_ns = (own ? own->wall_ns : 0) + row->folded_ns;
        wall_ns = b->last_ns - row->start_ns;
        if (own && b->source->less_host)
            wall_ns -= own->off.host_ns;
        if (wall_ns < below_ns)
            wall_ns = below_ns; /* the clock went backwards */
        exclusive_ns = wall_ns - below_ns;
        below_ns = 0;
        mpi_ns = own ? own->mpi_ns : 0;
    } else if (b->last_ns < end_ns) {
        b->last_ns = end_ns;
    }
    if (own) {
        if (!row->folded)
            exclusive_ns = exact_exclusive(&wall_ns, exclusive_ns, own->wall_ns,
                                           roundings * (own->calls + 1) + own->raised_ns);
        joined.callees = own->calls;
        joined.below = own->below;
        below_ns = own->overhead_ns;
        mpi_ns -= own->mpi_ns;
    }
    cost = row_cost(b, row);
    own_ns = take_cost(b, method,
                       cost.within + (own ? own->rest_ns : 0) +
                           rest_of_folded(b, method, row->folded, row->folded_below),
                       exclusive_ns);
    hand_on(b, method, own, row->folded, cost.within);
    below_ns +=
        below_cost(b, method, row->folded, row->folded_below, wall_ns - exclusive_ns);
    joined.callees += row->folded;
    joined.below += row->folded_below;
    joined.exclusive_ns = exclusive_ns - own_ns;
    joined.wall_ns = wall_ns - own_ns - below_ns;
    vertex_add(&b->dual->vertices[row->method->index], row, &joined, own_ns, mpi_ns);
    if (row->status != MM_ROW_OPEN)
        add_off_core(b, row, own);
    b->dual->rows++;
    b->dual->overhead_ns += own_ns;
    for (size_t i = 0; own && i < own->tally_count; i++) {
        if (edge_add(b->dual, row->method->index, &own->tallies[i]) < 0)
            return out_of_memory(b);
    }
    if (row->status == MM_ROW_OPEN) {
        result = open_frame_add(b, row, wall_ns);
        if (result < 0)
            return result;
    }
    if (b->function) {
        result = b->function(row, &joined, b->context);
        if (result)
            return result;
    }
    return add_to_caller(b, row, caller, &joined, own, wall_ns, own_ns + below_ns,
                         cost.rest);
}

/* Add the calls of an aggregate (calls kept as sums) to its method. */
static void vertex_merge(struct mm_vertex *vertex, const struct mm_aggregate *a,
                         const struct mm_joined *joined, int64_t overhead_ns)
{
    double n = (double)vertex->calls, m = (double)a->calls;
    double mean = (double)joined->wall_ns / m, delta = mean - vertex->mean_ns;
    int64_t less_ns = (int64_t)((double)(a->wall.sum_ns - joined->wall_ns) / m);
    int64_t min_ns = a->wall.min_ns > less_ns ? a->wall.min_ns - less_ns : 0;
    int64_t max_ns = a->wall.max_ns > less_ns ? a->wall.max_ns - less_ns : 0;

    if (!vertex->calls || min_ns < vertex->min_ns)
        vertex->min_ns = min_ns;
    if (!vertex->calls || max_ns > vertex->max_ns)
        vertex->max_ns = max_ns;
    vertex->mean_ns += delta * m / (n + m);
    vertex->m2_ns2 += a->wall.m2_ns2 + delta * delta * n * m / (n + m);
    vertex->calls += a->calls;
    vertex->folded += a->calls;
    vertex->other += a->values ? 0 : a->calls;
    vertex->broken += a->unfinished ? a->calls : 0;
    vertex->missing += a->no_value ? a->calls : 0;
    vertex->subrs += a->callees;
    vertex->exclusive_ns += joined->exclusive_ns;
    vertex->overhead_ns += overhead_ns;
    vertex->mpi_ns += a->mpi.sum_ns;
    if (!a->context->nested) {
        vertex->inclusive_ns += joined->wall_ns;
        vertex->mpi_inclusive_ns += a->mpi.sum_ns;
        if (a->host_ns >= 0)
            mm_off_core_add(&vertex->off_inclusive,
                            &(struct mm_off_core){a->host_ns, a->wait_ns});
    }
}

static int on_aggregate(const struct mm_aggregate *a, void *context)
{
    struct builder *b = context;
    struct mm_dual *dual = b->dual;
    size_t caller = a->context->caller         ? a->context->caller->index
                    : a->context->caller_known ? dual->thread_vertex
                                               : dual->lost_vertex;
    struct split cost = sum_cost(b, a);
    int64_t own_ns =
        take_cost(b, a->method->index,
                  (double)a->calls * cost.within +
                      rest_of_folded(b, a->method->index, a->callees, a->below),
                  a->exclusive.sum_ns);
    struct mm_joined joined = {.callees = a->callees, .below = a->below};
    struct mm_tally tally = {.method = a->method->index, .calls = a->calls};
    int result = see_thread(b, a->rank, a->thread);

    if (result < 0)
        return result;
    hand_on(b, a->method->index, NULL, a->callees, (double)a->calls * cost.within);
    if (b->source->costs)
        count_cost(dual, &b->source->costs[a->method->index].sum, &cost,
                   (double)a->calls);
    joined.exclusive_ns = a->exclusive.sum_ns - own_ns;
    joined.wall_ns = a->wall.sum_ns - own_ns -
                     below_cost(b, a->method->index, a->callees, a->below,
                                a->wall.sum_ns - a->exclusive.sum_ns);
    vertex_merge(&dual->vertices[a->method->index], a, &joined, own_ns);
    off_core_add(dual, &dual->vertices[a->method->index], a->host_exclusive_ns,
                 a->wait_exclusive_ns, a->calls);
    tally.calls_ns = joined.wall_ns;
    if (edge_add(dual, caller, &tally) < 0)
        return out_of_memory(b);
    if (a->context->caller) {
        dual->vertices[caller].mpi_ns -= a->mpi.sum_ns;
        if (b->source->derived)
            dual->vertices[caller].exclusive_ns -= joined.wall_ns;
    } else {
        dual->vertices[caller].subrs += a->calls;
        dual->vertices[caller].inclusive_ns += joined.wall_ns;
        dual->total_ns += joined.wall_ns;
    }
    dual->folded += a->calls;
    dual->other += a->values ? 0 : a->calls;
    dual->overhead_ns += own_ns;
    return b->aggregate ? b->aggregate(a, &joined, b->context) : 0;
}

/* Add the aggregated time below an open call to its times and to the times of the calls
 * around it. With a `derived` source (exclusive values are differences) no row contains
 * this time, so the exclusive value of the open call becomes negative by it. */
static void lift_open(struct mm_dual *dual, size_t at)
{
    struct mm_vertex *own = &dual->vertices[dual->open[at].method->index];
    int64_t lacking_ns = -own->exclusive_ns;

    if (lacking_ns <= 0)
        return;
    own->exclusive_ns = 0;
    dual->total_ns += lacking_ns;
    dual->vertices[dual->thread_vertex].inclusive_ns += lacking_ns;
    for (size_t i = at; i < dual->open_count; i++) {
        size_t outer = i + 1;

        if (dual->open[i].rank != dual->open[at].rank ||
            dual->open[i].thread != dual->open[at].thread)
            break;
        while (outer < dual->open_count &&
               (dual->open[outer].method != dual->open[i].method ||
                dual->open[outer].rank != dual->open[i].rank ||
                dual->open[outer].thread != dual->open[i].thread))
            outer++;
        if (outer == dual->open_count) /* the open call is the outermost activation of its
                                          method */
            dual->vertices[dual->open[i].method->index].inclusive_ns += lacking_ns;
    }
}

/* The exclusive time of an open call is unknown; its callees are known. */
static void settle_open(struct builder *b)
{
    struct mm_dual *dual = b->dual;

    for (size_t i = 0; i < dual->open_count; i++) {
        struct mm_vertex *vertex = &dual->vertices[dual->open[i].method->index];

        if (vertex->mpi_ns < 0)
            vertex->mpi_ns = 0;
        if (b->source->derived)
            lift_open(dual, i);
    }
}

/* Replace sums by the largest value of a call, for a metric that does not add up. Of
 * aggregated calls only the mean is known. */
static void settle_largest(struct mm_dual *dual)
{
    dual->total_ns = 0;
    for (size_t i = 0; i < dual->vertex_count; i++) {
        struct mm_vertex *vertex = &dual->vertices[i];

        vertex->inclusive_ns = vertex->exclusive_ns = vertex->max_ns;
        if (dual->total_ns < vertex->max_ns)
            dual->total_ns = vertex->max_ns;
    }
    dual->vertices[dual->thread_vertex].inclusive_ns = dual->total_ns;
    for (size_t i = 0; i < dual->edge_count; i++)
        dual->edges[i].inclusive_ns = dual->vertices[dual->edges[i].callee].inclusive_ns;
}

static int walk_all(struct builder *b, struct cca_error *err)
{
    const struct mm_row_source *source = b->source;
    int result = 0;

    if (source->costs && source->walk_aggregates)
        result = source->walk_aggregates(source->context, see_folded, b, err);
    if (!result)
        result = source->walk(source->context, on_row, b, err);
    if (!result)
        result = flush_from(b, 0);
    if (!result && source->walk_aggregates)
        result = source->walk_aggregates(source->context, on_aggregate, b, err);
    if (!result)
        settle_open(b);
    if (!result && source->largest)
        settle_largest(b->dual);
    return result;
}

struct mm_dual *mm_dual_new(const struct mm_row_source *source,
                            mm_joined_function function,
                            mm_joined_aggregate_function aggregate, void *context,
                            struct cca_error *err)
{
    struct mm_dual *dual = calloc(1, sizeof *dual);
    struct builder b = {.dual = dual,
                        .source = source,
                        .function = function,
                        .aggregate = aggregate,
                        .context = context,
                        .rank = -1,
                        .thread = -1,
                        .err = err};
    int result;

    b.folded = calloc(source->method_count + 1, sizeof *b.folded);
    b.owed = calloc(source->method_count + 1, sizeof *b.owed);
    if (!dual || !b.folded || !b.owed ||
        !(dual->vertices = calloc(source->method_count + 2, sizeof *dual->vertices))) {
        cca_no_memory(err);
        mm_dual_free(dual);
        dual = NULL;
        goto done;
    }
    dual->vertex_count = source->method_count + 2;
    dual->thread_vertex = source->method_count;
    dual->lost_vertex = source->method_count + 1;
    for (size_t i = 0; i < source->method_count; i++) {
        dual->vertices[i].method = source->methods[i];
        dual->vertices[i].name = source->methods[i]->name;
    }
    dual->vertices[dual->thread_vertex].name = "<thread>";
    dual->vertices[dual->lost_vertex].name = "<not recorded>";
    result = walk_all(&b, err);
    if (result) {
        cca_error_set(err, result < 0 ? result : -ECANCELED, "the walk was ended");
        mm_dual_free(dual);
        dual = NULL;
    }
done:
    mm_pending_done(&b.stack);
    free(b.folded);
    free(b.owed);
    free(b.seen);
    return dual;
}

void mm_dual_free(struct mm_dual *dual)
{
    if (!dual)
        return;
    free(dual->vertices);
    free(dual->edges);
    free(dual->open);
    free(dual);
}

double mm_vertex_sd(const struct mm_vertex *vertex)
{
    if (vertex->calls < 2 || vertex->m2_ns2 <= 0)
        return 0;
    return sqrt(vertex->m2_ns2 / (double)(vertex->calls - 1));
}

void mm_dual_core(const struct mm_dual *dual, double percent, unsigned char *keep)
{
    double least = percent / 100 * (double)dual->total_ns;

    for (size_t i = 0; i < dual->vertex_count; i++) {
        const struct mm_vertex *vertex = &dual->vertices[i];

        keep[i] =
            (vertex->calls || vertex->subrs) && (double)vertex->inclusive_ns >= least;
    }
}

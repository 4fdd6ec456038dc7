/* SPDX-License-Identifier: BSD-3-Clause */
/* phases.c: time outside MPI between the synchronisations of the ranks of a run. */
#include "mastermind/counts/dual/phases.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/find.h"
#include "mastermind/counts/dual/dual.h"
#include "mastermind/counts/dual/pending.h"

/* Calls of a method in the first threads of a rank. */
struct tally {
    uint64_t calls;
    int64_t mpi_ns; /* exclusive time inside MPI */
};

struct walk {
    struct mm_phases *phases;
    struct mm_pending_stack stack; /* time inside MPI of callees of open callers */
    struct tally *tallies;         /* [ranks][method_count] */
    size_t tally_room;
    int first_thread; /* thread whose calls end phases */
    int rank, thread;
    unsigned char *ends; /* [method_count] true: calls of the method end a phase; NULL:
                            they are counted first */
    int64_t *boundaries; /* [boundary_count] ends of the phases of this rank */
    size_t boundary_count;
    uint64_t order, first_order; /* hash of the order of such calls; of the first rank */
    double *here;                /* [method_count] times in the current phase alone */
    int differ;                  /* true if ranks differ in order */
    int has_aggregates;
};

/* --- Walk --------------------------------------------------------------------------- */

static int add_cost(struct mm_phases *phases, size_t method, int rank, size_t first,
                    size_t last, double ns)
{
    struct mm_phase_cost *cost;

    if (!(ns != 0))
        return 0;
    cost = cca_array_add(&phases->costs, &phases->cost_count, sizeof *cost);
    if (!cost)
        return -ENOMEM;
    *cost = (struct mm_phase_cost){method, rank, (uint32_t)first, (uint32_t)last, ns};
    return 0;
}

/* Move the times of the current phase to the list. */
static int end_phase(struct walk *walk)
{
    int result = 0;

    for (size_t i = 0; i < walk->phases->method_count && !result; i++) {
        result = add_cost(walk->phases, i, walk->rank, walk->boundary_count,
                          walk->boundary_count, walk->here[i]);
        walk->here[i] = 0;
    }
    return result;
}

static int end_rank(struct walk *walk)
{
    int result = walk->ends && walk->rank >= 0 ? end_phase(walk) : 0;

    if (walk->ends && walk->rank == 0) {
        walk->phases->count = walk->boundary_count + 1;
        walk->first_order = walk->order;
    } else if (walk->ends && walk->rank > 0) {
        walk->differ |= walk->order != walk->first_order;
    }
    walk->boundary_count = 0;
    walk->order = 0;
    return result;
}

static int add_tally(struct walk *walk, const struct mm_row *row, int64_t mpi_ns)
{
    size_t count = walk->phases->method_count;
    struct tally *tally;

    if (cca_array_extend(&walk->tallies, &walk->tally_room, sizeof *walk->tallies,
                         ((size_t)row->rank + 1) * count))
        return -ENOMEM;
    tally = &walk->tallies[(size_t)row->rank * count + row->method->index];
    tally->calls++;
    tally->mpi_ns += mpi_ns;
    if (row->rank >= walk->phases->ranks)
        walk->phases->ranks = row->rank + 1;
    return 0;
}

/* Exclusive time inside MPI of a row. */
static int mpi_of(struct walk *walk, const struct mm_row *row, int64_t *exclusive)
{
    size_t at = mm_pending_position(&walk->stack, row->invocation);
    struct mm_pending *up;

    *exclusive = row->mpi_ns;
    if (at < walk->stack.count) {
        if (walk->stack.items[at].caller == row->invocation)
            *exclusive -= walk->stack.items[at].mpi_ns;
        mm_pending_drop(&walk->stack, &walk->stack.items[at]);
    }
    up = mm_pending_of(&walk->stack, row->caller < row->invocation ? row->caller : 0);
    if (!up)
        return -ENOMEM;
    up->mpi_ns += row->mpi_ns;
    return 0;
}

/* The phase in which a time of another thread is, or a start. */
static size_t phase_at(const struct walk *walk, int64_t ns)
{
    size_t at;

    CCA_FIND_FIRST(at, walk->boundary_count, walk->boundaries[at] < ns);
    return at;
}

static int add_boundary(struct walk *walk, size_t method, int64_t end_ns)
{
    int64_t *boundaries;

    if (walk->boundary_count == UINT32_MAX - 1)
        return -E2BIG;
    boundaries = cca_array_reserve(&walk->boundaries, walk->boundary_count,
                                   sizeof *walk->boundaries)
                     ? NULL
                     : walk->boundaries;
    if (!boundaries)
        return -ENOMEM;
    boundaries[walk->boundary_count++] = end_ns;
    walk->order = (walk->order ^ (method + 1)) * 0x9e3779b97f4a7c15u;
    return 0;
}

static int add_row(struct walk *walk, const struct mm_row *row,
                   const struct mm_joined *joined, int64_t mpi_ns)
{
    size_t method = row->method->index;
    int64_t taken = row->host_ns > 0 ? row->host_ns : 0;
    int64_t end_ns = row->start_ns + row->wall_ns + taken;
    double ns = (double)joined->exclusive_ns - (double)mpi_ns;
    size_t first = phase_at(walk, row->start_ns + 1), last = phase_at(walk, end_ns);
    int result = 0;

    if (row->thread == walk->first_thread && first == walk->boundary_count)
        walk->here[method] += ns;
    else
        result = add_cost(walk->phases, method, row->rank, first, last, ns);
    if (!result && row->thread == walk->first_thread && walk->ends[method]) {
        result = end_phase(walk);
        if (!result)
            result = add_boundary(walk, method, end_ns);
    }
    return result;
}

static int take_row(const struct mm_row *row, const struct mm_joined *joined,
                    void *context)
{
    struct walk *walk = context;
    int64_t mpi_ns;
    int result = 0;

    if (row->rank != walk->rank) {
        result = end_rank(walk);
        walk->first_thread = row->thread;
    }
    if (row->rank != walk->rank || row->thread != walk->thread)
        walk->stack.count = 0;
    walk->rank = row->rank;
    walk->thread = row->thread;
    if (!result)
        result = mpi_of(walk, row, &mpi_ns);
    if (result)
        return result;
    if (walk->ends)
        return add_row(walk, row, joined, mpi_ns);
    return row->thread == walk->first_thread ? add_tally(walk, row, mpi_ns) : 0;
}

static int take_aggregate(const struct mm_aggregate *aggregate,
                          const struct mm_joined *joined, void *context)
{
    struct walk *walk = context;

    walk->has_aggregates = 1;
    if (aggregate->rank >= walk->phases->ranks)
        walk->phases->ranks = aggregate->rank + 1;
    return walk->ends
               ? add_cost(walk->phases, aggregate->method->index, aggregate->rank, 0,
                          walk->phases->count - 1,
                          (double)joined->exclusive_ns - (double)aggregate->mpi.sum_ns)
               : 0;
}

static int walk_rows(struct walk *walk, const struct mm_row_source *source,
                     struct cca_error *err)
{
    struct mm_dual *dual;
    int result = 0;

    walk->rank = walk->thread = -1;
    walk->boundary_count = walk->stack.count = 0;
    walk->order = 0;
    walk->first_thread = 0;
    dual = mm_dual_new(source, take_row, take_aggregate, walk, err);
    if (!dual)
        return err->code;
    if (end_rank(walk))
        result = cca_no_memory(err);
    mm_dual_free(dual);
    return result;
}

/* --- Phases ------------------------------------------------------------------------- */

/* Mark methods that call MPI, and that all ranks call equally often. Returns their
 * number. */
static size_t mark_ends(const struct walk *walk, int ranks, unsigned char *ends)
{
    size_t count = walk->phases->method_count, marked = 0;

    for (size_t i = 0; i < count; i++) {
        ends[i] = walk->tallies[i].calls > 0;
        for (int r = 0; r < ranks; r++) {
            const struct tally *tally = &walk->tallies[(size_t)r * count + i];

            ends[i] &= tally->calls == walk->tallies[i].calls && tally->mpi_ns > 0;
        }
        marked += ends[i];
    }
    return marked;
}

/* Take the run as one phase. */
static void join_phases(struct mm_phases *phases, const char *why)
{
    phases->count = 1;
    phases->why = why;
    for (size_t i = 0; i < phases->cost_count; i++)
        phases->costs[i].first = phases->costs[i].last = 0;
}

int mm_phases_read(struct mm_phases *phases, const struct mm_row_source *source,
                   struct cca_error *err)
{
    struct walk walk = {.phases = phases};
    unsigned char *ends = calloc(source->method_count + 1, 1);
    size_t marked = 0;
    int result = 0;

    *phases = (struct mm_phases){.method_count = source->method_count, .count = 1};
    walk.here = calloc(source->method_count + 1, sizeof *walk.here);
    if (!ends || !walk.here ||
        cca_array_extend(&walk.tallies, &walk.tally_room, sizeof *walk.tallies,
                         source->method_count + 1))
        result = cca_no_memory(err);
    if (!result)
        result = walk_rows(&walk, source, err);
    if (!result && (size_t)phases->ranks * phases->method_count > walk.tally_room)
        marked = 0; /* a rank has no rows */
    else if (!result)
        marked = mark_ends(&walk, phases->ranks, ends);
    if (!result) {
        walk.ends = ends;
        result = walk_rows(&walk, source, err);
    }
    if (!result && walk.has_aggregates)
        join_phases(phases, "calls without rows have no place in time");
    else if (!result && !marked)
        join_phases(phases, "no method with MPI is called equally often by all ranks");
    else if (!result && walk.differ)
        join_phases(phases, "the ranks call MPI in different order");
    mm_pending_done(&walk.stack);
    free(walk.boundaries);
    free(walk.tallies);
    free(walk.here);
    free(ends);
    return result;
}

/* --- Totals ------------------------------------------------------------------------- */

/* Add up the times of each rank in each phase in `sums` [ranks][count]. */
static void add_times(const struct mm_phases *phases, const double *factors, double *sums,
                      size_t count)
{
    for (size_t i = 0; i < phases->cost_count; i++) {
        const struct mm_phase_cost *cost = &phases->costs[i];
        double *of = sums + (size_t)cost->rank * count;
        size_t first = count > 1 ? cost->first : 0, last = count > 1 ? cost->last : 0;
        double each =
            cost->ns * (factors ? factors[cost->method] : 1) / (double)(last - first + 1);

        for (size_t k = first; k <= last; k++)
            of[k] += each;
    }
}

double mm_phases_total(const struct mm_phases *phases, const double *factors,
                       int together)
{
    size_t count = together ? 1 : phases->count;
    double *sums = calloc(count * (size_t)(phases->ranks + 1), sizeof *sums), total = 0;

    if (!sums)
        return NAN;
    add_times(phases, factors, sums, count);
    for (size_t k = 0; k < count; k++) {
        double most = 0;

        for (int r = 0; r < phases->ranks; r++)
            most = fmax(most, sums[(size_t)r * count + k]);
        total += most;
    }
    free(sums);
    return total;
}

int mm_phases_busiest(const struct mm_phases *phases, const double *factors)
{
    double *sums = calloc((size_t)phases->ranks + 1, sizeof *sums);
    int busiest = 0;

    if (!sums)
        return -1;
    add_times(phases, factors, sums, 1);
    for (int r = 1; r < phases->ranks; r++)
        if (sums[r] > sums[busiest])
            busiest = r;
    free(sums);
    return busiest;
}

void mm_phases_done(struct mm_phases *phases)
{
    free(phases->costs);
    *phases = (struct mm_phases){0};
}

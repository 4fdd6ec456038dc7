/* SPDX-License-Identifier: BSD-3-Clause */
/* order.c: the calls of a thread in the order of their start, and their callees. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "activity/trip/core.h"
#include "common/array.h"
#include "common/find.h"

/* Invocations are numbered in the order of their start. */
static int call_order(const void *left, const void *right)
{
    const struct trip_call *a = left, *b = right;

    return (a->invocation > b->invocation) - (a->invocation < b->invocation);
}

static uint32_t find_call(const struct trip_thread *t, uint64_t invocation)
{
    size_t at;

    CCA_FIND_FIRST(at, t->count, t->calls[at].invocation < invocation);
    return at < t->count && t->calls[at].invocation == invocation ? (uint32_t)at + 1 : 0;
}

static int link_callees(struct trip *trip, struct trip_thread *t)
{
    uint32_t *next;

    t->first = calloc(t->count + 3, sizeof *t->first);
    t->callees = calloc(t->count + 1, sizeof *t->callees);
    next = calloc(t->count + 2, sizeof *next);
    if (!t->first || !t->callees || !next) {
        free(next);
        return cca_no_memory(trip->err);
    }
    for (size_t i = 0; i < t->count; i++) {
        struct trip_call *call = &t->calls[i];

        call->parent = call->caller ? find_call(t, call->caller) : 0;
        if (call->parent > i) /* a caller begins before its callees */
            call->parent = 0;
        t->lost += call->caller && !call->parent;
        t->first[call->parent + 1]++;
    }
    for (size_t i = 0; i < t->count + 2; i++)
        t->first[i + 1] += t->first[i];
    memcpy(next, t->first, (t->count + 2) * sizeof *next);
    for (size_t i = 0; i < t->count; i++)
        t->callees[next[t->calls[i].parent]++] = (uint32_t)i;
    /* Callers come first, so callees' times are still inclusive when they are
     * subtracted. */
    for (size_t i = 0; i < t->count; i++)
        if (t->calls[i].parent)
            t->calls[t->calls[i].parent - 1].mpi_ns -= t->calls[i].mpi_ns;
    free(next);
    return 0;
}

const uint32_t *trip_callees(const struct trip_thread *t, uint32_t position,
                             size_t *count)
{
    size_t at = position == TRIP_NONE ? 0 : (size_t)position + 1;

    *count = t->first[at + 1] - t->first[at];
    return t->callees + t->first[at];
}

/* --- Recursion. --- */

/* The symbol of the same method and mode as symbol `of`, at another depth of recursion.
 */
static uint32_t symbol_at_depth(struct trip *trip, uint32_t of, uint32_t depth)
{
    struct trip_symbol copy = trip->symbols[of], *s;

    for (size_t i = 0; i < trip->symbol_count; i++)
        if (trip->symbols[i].depth == depth && trip->symbols[i].method == copy.method &&
            trip->symbols[i].modes == copy.modes)
            return (uint32_t)i;
    s = cca_array_add(&trip->symbols, &trip->symbol_count, sizeof *s);
    if (!s) {
        cca_no_memory(trip->err);
        return TRIP_NONE;
    }
    *s = copy;
    s->depth = depth;
    s->sizes = malloc((copy.size_count + 1) * sizeof *s->sizes);
    if (!s->sizes) {
        cca_no_memory(trip->err);
        return TRIP_NONE;
    }
    memcpy(s->sizes, copy.sizes, copy.size_count * sizeof *s->sizes);
    return (uint32_t)(trip->symbol_count - 1);
}

/* Transitive closure of "calls": reach[n][n]. */
static void close_calls(unsigned char *reach, size_t n)
{
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; reach[i * n + k] && j < n; j++)
                reach[i * n + j] |= reach[k * n + j];
}

/* Give recursive calls symbols by depth: the depth is the number of enclosing calls in
 * the same call cycle. Activities may not call themselves, nor each other in a cycle. */
static int thread_unroll(struct trip *trip, struct trip_thread *t,
                         const unsigned char *reach, size_t n, uint32_t *symbols)
{
    for (size_t i = 0; i < t->count; i++)
        symbols[i] = t->calls[i].symbol;
    for (size_t i = 0; i < t->count; i++) {
        struct trip_call *call = &t->calls[i];
        uint32_t depth = 0, own = symbols[i];

        for (uint32_t at = reach[own * n + own] ? call->parent : 0; at;
             at = t->calls[at - 1].parent) {
            uint32_t other = symbols[at - 1];

            depth += reach[own * n + other] && reach[other * n + own];
            if (depth > TRIP_DEEPEST)
                return cca_error_set(
                    trip->err, -E2BIG,
                    "found calls of %s within itself, with others in between, more than "
                    "%d deep, expected fewer",
                    trip->symbols[own].method->name, TRIP_DEEPEST);
        }
        if (depth)
            call->symbol = symbol_at_depth(trip, own, depth);
        if (call->symbol == TRIP_NONE)
            return -ENOMEM;
    }
    return 0;
}

static int unroll_recursion(struct trip *trip)
{
    size_t n = trip->symbol_count, most = 0;
    unsigned char *reach = calloc(n * n + 1, 1);
    uint32_t *symbols = NULL;
    int found = 0, rc = reach ? 0 : cca_no_memory(trip->err);

    for (size_t k = 0; k < trip->thread_count && !rc; k++) {
        const struct trip_thread *t = &trip->threads[k];

        most = t->count > most ? t->count : most;
        for (size_t i = 0; i < t->count; i++)
            if (t->calls[i].parent)
                reach[t->calls[t->calls[i].parent - 1].symbol * n + t->calls[i].symbol] =
                    1;
    }
    if (!rc)
        close_calls(reach, n);
    for (size_t i = 0; i < n && !rc; i++)
        found |= reach[i * n + i];
    symbols = found ? calloc(most + 1, sizeof *symbols) : NULL;
    if (found && !symbols)
        rc = cca_no_memory(trip->err);
    for (size_t k = 0; k < trip->thread_count && found && !rc; k++)
        rc = thread_unroll(trip, &trip->threads[k], reach, n, symbols);
    free(symbols);
    free(reach);
    return rc;
}

/* Subtract time in MPI from all costs of a method whose MPI time is unknown for single
 * calls (calls with aggregated callees). */
static void take_mpi(struct trip *trip, const struct trip_symbol *first)
{
    double own = 0, share;

    for (size_t i = 0; i < trip->symbol_count; i++)
        if (trip->symbols[i].method == first->method)
            own += trip->symbols[i].own_ns;
    share = own > first->all_mpi_ns ? 1 - first->all_mpi_ns / own : 0;
    for (size_t i = 0; i < trip->symbol_count; i++) {
        struct trip_symbol *s = &trip->symbols[i];

        if (s->method != first->method)
            continue;
        s->own_ns *= share;
        for (size_t k = 0; k < s->size_count; k++)
            s->sizes[k].own_ns *= share;
        for (size_t k = 0; k < trip->runs; k++)
            s->run_ns[k] *= share;
        for (int k = 0; k < trip->most_ranks; k++)
            s->rank_ns[k] *= share;
    }
}

/* Find the methods whose MPI time is unknown for single calls. */
static void find_mixed(struct trip *trip)
{
    for (size_t i = 0; i < trip->summed_count; i++)
        trip->symbols[trip->summed[i].callee].mpi_mixed = 1;
    for (size_t k = 0; k < trip->thread_count; k++)
        for (size_t i = 0; i < trip->threads[k].count; i++)
            if (trip->threads[k].calls[i].folded)
                trip->symbols[trip->threads[k].calls[i].symbol].mpi_mixed = 1;
    for (size_t i = 0; i < trip->symbol_count; i++)
        for (size_t k = 0; trip->symbols[i].mpi_mixed && k < trip->symbol_count; k++)
            if (trip->symbols[k].method == trip->symbols[i].method)
                trip->symbols[k].mpi_mixed = 1;
}

/* Add up the costs of the calls of each symbol and size. */
static int add_costs(struct trip *trip)
{
    for (size_t i = 0; i < trip->symbol_count; i++) {
        struct trip_symbol *s = &trip->symbols[i];

        s->run_ns = trip_take(trip, trip->runs * sizeof *s->run_ns);
        s->run_calls = trip_take(trip, trip->runs * sizeof *s->run_calls);
        s->rank_ns = trip_take(trip, (size_t)trip->most_ranks * sizeof *s->rank_ns);
        s->rank_calls = trip_take(trip, (size_t)trip->most_ranks * sizeof *s->rank_ns);
        if (!s->run_ns || !s->run_calls || !s->rank_ns || !s->rank_calls)
            return -ENOMEM;
    }
    find_mixed(trip);
    for (size_t k = 0; k < trip->thread_count; k++) {
        for (size_t i = 0; i < trip->threads[k].count; i++) {
            const struct trip_call *call = &trip->threads[k].calls[i];
            struct trip_symbol *s = &trip->symbols[call->symbol];
            double own = (double)call->own_ns;

            if (trip->mpi_apart && !s->mpi_mixed)
                own -= (double)call->mpi_ns;
            s->calls++;
            s->own_ns += own;
            s->run_ns[trip->threads[k].run] += fmax(0, own - (double)call->lost_ns);
            s->run_calls[trip->threads[k].run]++;
            trip->own_ns += own;
            if (trip->threads[k].run == 0) {
                s->rank_ns[trip->threads[k].rank] += own;
                s->rank_calls[trip->threads[k].rank]++;
            }
            s->mpi_ns += (double)call->mpi_ns;
            s->sizes[call->size].calls++;
            s->sizes[call->size].own_ns += own;
            if (call->parent)
                trip->symbols[trip->threads[k].calls[call->parent - 1].symbol]
                    .has_callees = 1;
        }
    }
    for (size_t i = 0; i < trip->summed_count; i++) {
        const struct trip_summed *summed = &trip->summed[i];
        struct trip_symbol *s = &trip->symbols[summed->callee];

        s->summed += summed->calls;
        s->own_ns += summed->own_ns;
        if (summed->caller != TRIP_NONE)
            trip->symbols[summed->caller].has_callees = 1;
    }
    for (size_t i = 0; trip->mpi_apart && trip->summed_count && i < trip->symbol_count;
         i++)
        if (trip->symbols[i].all_mpi_ns > 0)
            take_mpi(trip, &trip->symbols[i]);
    return 0;
}

int trip_order(struct trip *trip)
{
    int rc = 0;

    for (size_t k = 0; k < trip->thread_count && !rc; k++) {
        struct trip_thread *t = &trip->threads[k];

        if (t->count)
            qsort(t->calls, t->count, sizeof *t->calls, call_order);
        rc = link_callees(trip, t);
    }
    rc = rc ? rc : unroll_recursion(trip);
    return rc ? rc : add_costs(trip);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* read.c: rows of experiments become calls of threads; methods in their modes become
 * symbols. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "activity/trip/core.h"
#include "common/array.h"
#include "mastermind/counts/counts.h"

/* State while one experiment is read. */
struct reading {
    struct trip *trip;
    size_t run;
    struct trip_thread *thread; /* thread whose rows are being read */
};

void *trip_take(struct trip *trip, size_t size)
{
    void *memory = act_arena_take(trip->arena, size ? size : 1);

    if (!memory)
        cca_no_memory(trip->err);
    return memory;
}

/* --- Symbols and sizes. --- */

static int same_text(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

/* Whether methods of two experiments are the same method. */
static int same_method(const struct mm_method_info *a, const struct mm_method_info *b)
{
    if (a == b)
        return 1;
    if (strcmp(a->name, b->name) != 0 || !same_text(a->class_name, b->class_name) ||
        a->in_count != b->in_count)
        return 0;
    for (size_t i = 0; i < a->in_count; i++)
        if (strcmp(a->values[i].name, b->values[i].name) != 0 ||
            a->values[i].type != b->values[i].type)
            return 0;
    return 1;
}

static const union monitor_value *copy_values(struct trip *trip,
                                              const struct mm_method_info *method,
                                              const union monitor_value *in)
{
    union monitor_value *copy = trip_take(trip, method->in_count * sizeof *copy);

    if (copy && in)
        memcpy(copy, in, method->in_count * sizeof *copy);
    return copy;
}

/* The symbol of a method in the mode of `in`, added if new. If `in` is NULL, the
 * in-values are unknown: the first symbol of the method. TRIP_NONE: out of memory. */
static uint32_t symbol_of(struct trip *trip, const struct mm_method_info *method,
                          const union monitor_value *in)
{
    struct trip_symbol *s;

    for (size_t i = 0; i < trip->symbol_count; i++) {
        s = &trip->symbols[i];
        if (same_method(s->method, method) &&
            (!in || mm_same_modes(method, s->modes, in)))
            return (uint32_t)i;
    }
    s = cca_array_add(&trip->symbols, &trip->symbol_count, sizeof *s);
    if (!s) {
        cca_no_memory(trip->err);
        return TRIP_NONE;
    }
    s->method = method;
    s->modes = copy_values(trip, method, in);
    return s->modes ? (uint32_t)(trip->symbol_count - 1) : TRIP_NONE;
}

/* Find the entry of a symbol and in-values in the hash table, or the free entry for
 * them. An entry is the symbol's index, then 1 + the index of the size; 0: the entry
 * is free. */
static uint32_t *find_size(struct trip *trip, uint32_t symbol,
                           const union monitor_value *in, uint64_t hash)
{
    const struct trip_symbol *s = &trip->symbols[symbol];
    size_t at =
        (size_t)(hash ^ symbol * UINT64_C(0x9e3779b97f4a7c15)) & (trip->table_size - 1);

    for (;; at = (at + 1) & (trip->table_size - 1)) {
        uint32_t *entry = &trip->table[2 * at];

        if (!entry[1] ||
            (entry[0] == symbol && memcmp(s->sizes[entry[1] - 1].in, in,
                                          s->method->in_count * sizeof *in) == 0))
            return entry;
    }
}

static int grow_table(struct trip *trip)
{
    uint32_t *old = trip->table;
    size_t old_size = trip->table_size;

    trip->table_size = old_size ? 2 * old_size : 1024;
    trip->table = calloc(trip->table_size, 2 * sizeof *trip->table);
    if (!trip->table) {
        trip->table = old;
        trip->table_size = old_size;
        return cca_no_memory(trip->err);
    }
    for (size_t i = 0; i < old_size; i++) {
        const uint32_t *entry = &old[2 * i];

        if (entry[1]) {
            const struct trip_symbol *s = &trip->symbols[entry[0]];
            const union monitor_value *in = s->sizes[entry[1] - 1].in;

            memcpy(
                find_size(trip, entry[0], in, mm_in_values_hash(in, s->method->in_count)),
                entry, 2 * sizeof *entry);
        }
    }
    free(old);
    return 0;
}

/* The index in the symbol's `sizes` of a call's in-values, which are added if new.
 * TRIP_NONE: out of memory. */
static uint32_t size_of(struct trip *trip, uint32_t symbol, const union monitor_value *in)
{
    struct trip_symbol *s = &trip->symbols[symbol];
    struct trip_size *size;
    uint32_t *entry;

    if (2 * trip->table_used >= trip->table_size && grow_table(trip))
        return TRIP_NONE;
    entry = find_size(trip, symbol, in, mm_in_values_hash(in, s->method->in_count));
    if (entry[1])
        return entry[1] - 1;
    size = cca_array_add(&s->sizes, &s->size_count, sizeof *size);
    if (size)
        size->in = copy_values(trip, s->method, in);
    if (!size || !size->in) {
        cca_no_memory(trip->err);
        return TRIP_NONE;
    }
    entry[0] = symbol;
    entry[1] = (uint32_t)s->size_count;
    trip->table_used++;
    return (uint32_t)(s->size_count - 1);
}

/* --- Rows. --- */

static struct trip_thread *thread_of(struct reading *r, int rank, int thread)
{
    struct trip *trip = r->trip;
    struct trip_thread *t = r->thread;

    if (t && t->rank == rank && t->thread == thread)
        return t;
    for (size_t i = 0; i < trip->thread_count; i++) {
        t = &trip->threads[i];
        if (t->run == r->run && t->rank == rank && t->thread == thread)
            return r->thread = t;
    }
    t = cca_array_add(&trip->threads, &trip->thread_count, sizeof *t);
    if (!t) {
        cca_no_memory(trip->err);
        return NULL;
    }
    t->run = r->run;
    t->rank = rank;
    t->thread = thread;
    trip->most_ranks = rank >= trip->most_ranks ? rank + 1 : trip->most_ranks;
    trip->most_threads = thread >= trip->most_threads ? thread + 1 : trip->most_threads;
    return r->thread = t;
}

static int take_row(const struct mm_row *row, const struct mm_joined *joined,
                    void *context)
{
    struct reading *r = context;
    struct trip_thread *thread = thread_of(r, row->rank, row->thread);
    uint32_t symbol = thread ? symbol_of(r->trip, row->method, row->values) : TRIP_NONE;
    uint32_t size =
        symbol != TRIP_NONE ? size_of(r->trip, symbol, row->values) : TRIP_NONE;
    struct trip_call *call;

    if (size == TRIP_NONE)
        return -ENOMEM;
    if (thread->count >= UINT32_MAX - 1)
        return cca_error_set(r->trip->err, -E2BIG,
                             "found more than 4e9 rows of a thread, expected fewer");
    call = cca_array_add(&thread->calls, &thread->count, sizeof *call);
    if (!call)
        return cca_no_memory(r->trip->err);
    *call =
        (struct trip_call){.invocation = row->invocation,
                           .caller = row->caller,
                           .own_ns = joined->exclusive_ns,
                           .mpi_ns = row->mpi_ns,
                           .lost_ns = row->lost_exclusive_ns > 0 && !row->waited_exclusive
                                          ? row->lost_exclusive_ns
                                          : 0,
                           .symbol = symbol,
                           .folded = row->folded > 0,
                           .size = size};
    return 0;
}

static int take_aggregate(const struct mm_aggregate *aggregate,
                          const struct mm_joined *joined, void *context)
{
    struct reading *r = context;
    struct trip *trip = r->trip;
    uint32_t callee = symbol_of(trip, aggregate->method, aggregate->values);
    uint32_t caller = TRIP_NONE;
    struct trip_summed *summed;

    if (callee != TRIP_NONE && aggregate->context && aggregate->context->caller) {
        caller = symbol_of(trip, aggregate->context->caller, NULL);
        if (caller == TRIP_NONE)
            return -ENOMEM;
    }
    if (callee == TRIP_NONE || !thread_of(r, aggregate->rank, aggregate->thread))
        return -ENOMEM;
    summed = cca_array_add(&trip->summed, &trip->summed_count, sizeof *summed);
    if (!summed)
        return cca_no_memory(trip->err);
    *summed = (struct trip_summed){.run = r->run,
                                   .rank = aggregate->rank,
                                   .caller = caller,
                                   .callee = callee,
                                   .calls = aggregate->calls,
                                   .own_ns = (double)joined->exclusive_ns};
    return 0;
}

static int thread_order(const void *left, const void *right)
{
    const struct trip_thread *a = left, *b = right;

    if (a->run != b->run)
        return a->run < b->run ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return (a->thread > b->thread) - (a->thread < b->thread);
}

/* Add each method's exclusive time in MPI. It is taken from the vertices of the dual
 * (weighted call graph), because aggregates have only the inclusive time in MPI. */
static void add_mpi(struct trip *trip, const struct mm_dual *dual)
{
    for (size_t i = 0; i < dual->vertex_count; i++) {
        const struct mm_vertex *vertex = &dual->vertices[i];

        for (size_t k = 0; vertex->method && k < trip->symbol_count; k++) {
            if (same_method(trip->symbols[k].method, vertex->method)) {
                trip->symbols[k].all_mpi_ns += (double)vertex->mpi_ns;
                break;
            }
        }
    }
}

int trip_read(struct trip *trip)
{
    for (size_t i = 0; i < trip->runs; i++) {
        struct mm_row_source source = mm_row_source_of(trip->experiments[i]);
        struct reading reading = {.trip = trip, .run = i};
        struct mm_dual *dual =
            mm_dual_new(&source, take_row, take_aggregate, &reading, trip->err);

        if (!dual)
            return trip->err->code ? trip->err->code : cca_no_memory(trip->err);
        add_mpi(trip, dual);
        mm_dual_free(dual);
    }
    if (trip->thread_count)
        qsort(trip->threads, trip->thread_count, sizeof *trip->threads, thread_order);
    return 0;
}

void trip_read_done(struct trip *trip)
{
    for (size_t i = 0; i < trip->thread_count; i++) {
        free(trip->threads[i].calls);
        free(trip->threads[i].callees);
        free(trip->threads[i].first);
    }
    for (size_t i = 0; i < trip->symbol_count; i++)
        free(trip->symbols[i].sizes);
    free(trip->threads);
    free(trip->symbols);
    free(trip->summed);
    free(trip->table);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* counts.c: numbers of calls by caller and callee, each with its in-values. */
#include "mastermind/counts/profile/counts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

/* Calls made by a caller whose row has not arrived: a table with open addressing. */
struct mm_made {
    uint64_t caller; /* number of the caller's invocation */
    struct mm_call_count {
        struct mm_call_node callee;
        uint64_t calls; /* number of calls; 0: the slot is empty */
    } * places;
    size_t room, used;
};

static uint64_t node_hash(const struct mm_call_node *node)
{
    uint64_t hash = (node->key ^ (node->vertex + 1) * 0x9e3779b97f4a7c15u);

    hash ^= hash >> 29;
    hash *= 0xbf58476d1ce4e5b9u;
    return hash ^ hash >> 32;
}

int mm_node_order(const struct mm_call_node *a, const struct mm_call_node *b)
{
    if (a->vertex != b->vertex)
        return a->vertex < b->vertex ? -1 : 1;
    return (a->key > b->key) - (a->key < b->key);
}

static int same_node(const struct mm_call_node *a, const struct mm_call_node *b)
{
    return a->vertex == b->vertex && a->key == b->key;
}

/* --- The table of pairs ---------------------------------------------------- */

static size_t pair_slot(const struct mm_counts *counts, const struct mm_call_node *caller,
                        const struct mm_call_node *callee)
{
    size_t mask = counts->table_size - 1;
    size_t slot = (size_t)(node_hash(caller) * 31 + node_hash(callee)) & mask;

    while (counts->table[slot]) {
        const struct mm_count *item = &counts->items[counts->table[slot] - 1];

        if (same_node(&item->caller, caller) && same_node(&item->callee, callee))
            break;
        slot = (slot + 1) & mask;
    }
    return slot;
}

static int table_grow(struct mm_counts *counts)
{
    size_t size = counts->table_size ? 2 * counts->table_size : 64;
    uint32_t *table = calloc(size, sizeof *table);

    if (!table)
        return -ENOMEM;
    free(counts->table);
    counts->table = table;
    counts->table_size = size;
    for (size_t i = 0; i < counts->count; i++)
        table[pair_slot(counts, &counts->items[i].caller, &counts->items[i].callee)] =
            (uint32_t)i + 1;
    return 0;
}

static int pair_add(struct mm_counts *counts, const struct mm_call_node *caller,
                    const struct mm_call_node *callee, uint64_t calls)
{
    struct mm_count *item;
    size_t slot;

    if (2 * (counts->count + 1) > counts->table_size && table_grow(counts) < 0)
        return -ENOMEM;
    slot = pair_slot(counts, caller, callee);
    if (!counts->table[slot]) {
        item = cca_array_add(&counts->items, &counts->count, sizeof *item);
        if (!item)
            return -ENOMEM;
        item->caller = *caller;
        item->callee = *callee;
        counts->table[slot] = (uint32_t)counts->count;
    }
    counts->items[counts->table[slot] - 1].calls += calls;
    return 0;
}

/* --- Callers whose rows have not arrived ------------------------------------ */

static struct mm_call_count *made_place(const struct mm_made *made,
                                        const struct mm_call_node *callee)
{
    size_t mask = made->room - 1, at = (size_t)node_hash(callee) & mask;

    while (made->places[at].calls && !same_node(&made->places[at].callee, callee))
        at = (at + 1) & mask;
    return &made->places[at];
}

static int made_grow(struct mm_made *made)
{
    struct mm_made grown = {.room = made->room ? 2 * made->room : 8};

    grown.places = calloc(grown.room, sizeof *grown.places);
    if (!grown.places)
        return -ENOMEM;
    for (size_t i = 0; i < made->room; i++)
        if (made->places[i].calls)
            *made_place(&grown, &made->places[i].callee) = made->places[i];
    free(made->places);
    made->places = grown.places;
    made->room = grown.room;
    return 0;
}

static int made_add(struct mm_made *made, const struct mm_call_node *callee)
{
    struct mm_call_count *place;

    if (2 * (made->used + 1) > made->room && made_grow(made) < 0)
        return -ENOMEM;
    place = made_place(made, callee);
    made->used += place->calls == 0;
    place->callee = *callee;
    place->calls++;
    return 0;
}

/* Find or make the calls made by invocation `caller`, nearly always the last one of the
 * list; NULL: out of memory. */
static struct mm_made *made_of(struct mm_counts *counts, uint64_t caller)
{
    size_t at = counts->made_count;
    struct mm_made spare;

    while (at && counts->made[at - 1].caller > caller)
        at--;
    if (at && counts->made[at - 1].caller == caller)
        return &counts->made[at - 1];
    if (cca_array_extend(&counts->made, &counts->made_room, sizeof *counts->made,
                         counts->made_count + 1))
        return NULL;
    spare = counts->made[counts->made_count];
    memmove(counts->made + at + 1, counts->made + at,
            (counts->made_count - at) * sizeof *counts->made);
    spare.caller = caller;
    counts->made[at] = spare;
    counts->made_count++;
    return &counts->made[at];
}

/* Count the calls made by the last caller of the list as made by `node`, and remove this
 * caller; its memory is kept for the next one. */
static int made_flush(struct mm_counts *counts, const struct mm_call_node *node)
{
    struct mm_made *made = &counts->made[--counts->made_count];
    int result = 0;

    for (size_t i = 0; i < made->room && made->used; i++) {
        struct mm_call_count *place = &made->places[i];

        if (!place->calls)
            continue;
        if (!result)
            result = pair_add(counts, node, &place->callee, place->calls);
        place->calls = 0;
        made->used--;
    }
    return result;
}

/* Give up on callers with numbers above `number`: their rows will not arrive. */
static int made_give_up(struct mm_counts *counts, uint64_t number)
{
    struct mm_call_node lost = {counts->method_count + 1, MM_NO_KEY};
    int result = 0;

    while (counts->made_count && !result &&
           counts->made[counts->made_count - 1].caller > number)
        result = made_flush(counts, &lost);
    return result;
}

/* --- The walk -------------------------------------------------------------- */

int mm_counts_row(struct mm_counts *counts, const struct mm_row *row)
{
    struct mm_call_node node = {row->method->index,
                                mm_in_values_hash(row->values, row->method->in_count)};
    struct mm_call_node thread = {counts->method_count, MM_NO_KEY};
    struct mm_made *made;
    int result = 0;

    if (row->rank != counts->rank || row->thread != counts->thread)
        result = made_give_up(counts, 0);
    counts->rank = row->rank;
    counts->thread = row->thread;
    if (!result)
        result = made_give_up(counts, row->invocation);
    if (!result && counts->made_count &&
        counts->made[counts->made_count - 1].caller == row->invocation)
        result = made_flush(counts, &node);
    if (result)
        return result;
    if (!row->caller || row->caller >= row->invocation)
        return pair_add(counts, &thread, &node, 1);
    made = made_of(counts, row->caller);
    return made ? made_add(made, &node) : -ENOMEM;
}

int mm_counts_aggregate(struct mm_counts *counts, const struct mm_aggregate *aggregate)
{
    const struct mm_context *context = aggregate->context;
    struct mm_call_node callee = {aggregate->method->index, MM_NO_KEY};
    struct mm_call_node caller = {counts->method_count + (context->caller_known ? 0 : 1),
                                  MM_NO_KEY};

    if (aggregate->values)
        callee.key = mm_in_values_hash(aggregate->values, aggregate->method->in_count);
    if (context->caller)
        caller = (struct mm_call_node){context->caller->index, aggregate->caller_values};
    return pair_add(counts, &caller, &callee, aggregate->calls);
}

static int count_order(const void *left, const void *right)
{
    const struct mm_count *a = left, *b = right;
    int order = mm_node_order(&a->caller, &b->caller);

    return order ? order : mm_node_order(&a->callee, &b->callee);
}

int mm_counts_end(struct mm_counts *counts)
{
    int result = made_give_up(counts, 0);

    if (counts->count)
        qsort(counts->items, counts->count, sizeof *counts->items, count_order);
    free(counts->table);
    counts->table = NULL;
    counts->table_size = 0;
    return result;
}

void mm_counts_done(struct mm_counts *counts)
{
    for (size_t i = 0; i < counts->made_room; i++)
        free(counts->made[i].places);
    free(counts->made);
    free(counts->items);
    free(counts->table);
    *counts = (struct mm_counts){0};
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* modes.c: give ids to the modes (in-values that select behaviour) of a method's calls.
 */
#include "mastermind/counts/contexts/modes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

static const union monitor_value *tuple_of(const struct mm_modes *modes, uint32_t number)
{
    return modes->tuples + (size_t)number * modes->method->in_count;
}

/* Find the slot of a call's modes in the hash table: the slot that holds them, or a free
 * one. */
static uint32_t find_place(const struct mm_modes *modes, const union monitor_value *in)
{
    size_t count = modes->method->in_count;
    uint32_t mask = modes->room - 1, at = (uint32_t)mm_in_values_hash(in, count) & mask;

    while (modes->table[at] &&
           memcmp(tuple_of(modes, modes->table[at] - 1), in, count * sizeof *in) != 0)
        at = (at + 1) & mask;
    return at;
}

static int table_grow(struct mm_modes *modes)
{
    uint32_t room = modes->room ? 2 * modes->room : 16;
    uint32_t *table = calloc(room, sizeof *table);

    if (!table)
        return -ENOMEM;
    free(modes->table);
    modes->table = table;
    modes->room = room;
    for (uint32_t i = 0; i < modes->count; i++)
        table[find_place(modes, tuple_of(modes, i))] = i + 1;
    return 0;
}

/* Return the id of a call's modes that differ from the modes of the call before, a new id
 * for new modes; or -ENOMEM. */
static int search_number(struct mm_modes *modes, const union monitor_value *in)
{
    union monitor_value own[MONITOR_MAX_IN];
    size_t count = modes->method->in_count;
    uint32_t place;

    for (size_t i = 0; i < count; i++) {
        own[i].i = 0;
        if (modes->method->values[i].kind == MONITOR_MODE)
            own[i] = in[i];
    }
    if (2 * modes->count >= modes->room && table_grow(modes))
        return -ENOMEM;
    place = find_place(modes, own);
    if (modes->table[place])
        return (int)(modes->last = modes->table[place] - 1);
    if (modes->count == MM_MODES_MOST)
        return MM_MODE_OTHER;
    if (cca_array_extend(&modes->tuples, &modes->tuple_room, sizeof *modes->tuples,
                         (modes->count + 1) * count))
        return -ENOMEM;
    memcpy(modes->tuples + modes->count * count, own, count * sizeof *own);
    modes->table[place] = ++modes->count;
    return (int)(modes->last = modes->count - 1);
}

int mm_modes_number(struct mm_modes *modes, const union monitor_value *in)
{
    const struct mm_method_info *method = modes->method;

    if (!modes->known) {
        modes->none = 1;
        modes->known = 1;
        for (size_t i = 0; i < method->in_count; i++)
            modes->none &= method->values[i].kind != MONITOR_MODE;
    }
    if (modes->none)
        return 0;
    if (!in)
        return MM_MODE_OTHER;
    if (modes->count && mm_same_modes(method, tuple_of(modes, modes->last), in))
        return (int)modes->last;
    return search_number(modes, in);
}

const union monitor_value *mm_modes_of(const struct mm_modes *modes, uint32_t number)
{
    return number < modes->count ? tuple_of(modes, number) : NULL;
}

/* The modes of a call (in-values that select behaviour), to be sorted. */
struct tuple {
    const union monitor_value *values;
    size_t count;
    uint32_t number;
};

static int tuple_order(const void *left, const void *right)
{
    const struct tuple *a = left, *b = right;

    for (size_t i = 0; i < a->count; i++)
        if (a->values[i].i != b->values[i].i)
            return a->values[i].i < b->values[i].i ? -1 : 1;
    return 0;
}

int mm_modes_sort(struct mm_modes *modes)
{
    size_t count = modes->method->in_count;
    struct tuple *order = calloc(modes->count + 1, sizeof *order);
    union monitor_value *tuples = calloc(modes->count * count + 1, sizeof *tuples);

    modes->renumbered = calloc(modes->count + 1, sizeof *modes->renumbered);
    if (!order || !tuples || !modes->renumbered) {
        free(order);
        free(tuples);
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < modes->count; i++)
        order[i] = (struct tuple){tuple_of(modes, i), count, i};
    qsort(order, modes->count, sizeof *order, tuple_order);
    for (uint32_t i = 0; i < modes->count; i++) {
        memcpy(tuples + i * count, order[i].values, count * sizeof *tuples);
        modes->renumbered[order[i].number] = i;
    }
    free(modes->tuples);
    modes->tuples = tuples;
    free(order);
    return 0;
}

void mm_modes_done(struct mm_modes *modes)
{
    free(modes->tuples);
    free(modes->table);
    free(modes->renumbered);
    *modes = (struct mm_modes){.method = modes->method};
}

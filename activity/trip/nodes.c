/* SPDX-License-Identifier: BSD-3-Clause */
/* nodes.c: patterns (sequences, choices and repeats of letters), and matching of words.
 *
 * A letter occurs once in a pattern, so the next letter of a word determines the
 * branch. */
#include <errno.h>
#include <stdlib.h>

#include "activity/trip/core.h"
#include "common/array.h"

static size_t words_of(uint32_t letters)
{
    return letters / 64 + 1;
}

static struct trip_node *node_new(struct trip *trip, enum trip_kind kind, int room,
                                  uint32_t letters)
{
    struct trip_node *node = trip_take(trip, sizeof *node);

    if (!node)
        return NULL;
    node->kind = kind;
    node->starts = trip_take(trip, words_of(letters) * sizeof *node->starts);
    node->items = trip_take(trip, (size_t)room * sizeof(struct trip_node *));
    return node->starts && node->items ? node : NULL;
}

static void add_starts(struct trip_node *node, const struct trip_node *from,
                       uint32_t letters)
{
    for (size_t i = 0; i < words_of(letters); i++)
        node->starts[i] |= from->starts[i];
}

struct trip_node *trip_call_node(struct trip *trip, uint32_t letter, uint32_t letters)
{
    struct trip_node *node = node_new(trip, TRIP_CALL, 0, letters);

    if (node) {
        node->letter = letter;
        node->starts[letter / 64] |= UINT64_C(1) << (letter % 64);
    }
    return node;
}

/* Append `from` to the items of `node`; if both are of the same kind, append its
 * items. */
static void node_append(struct trip_node *node, struct trip_node *from)
{
    if (from->kind != node->kind) {
        node->items[node->count++] = from;
        return;
    }
    for (int i = 0; i < from->count; i++)
        node->items[node->count++] = from->items[i];
}

static int node_items(const struct trip_node *node, enum trip_kind kind)
{
    return node->kind == kind ? node->count : 1;
}

struct trip_node *trip_sequence(struct trip *trip, struct trip_node *a,
                                struct trip_node *b, uint32_t letters)
{
    struct trip_node *node =
        node_new(trip, TRIP_SEQUENCE,
                 node_items(a, TRIP_SEQUENCE) + node_items(b, TRIP_SEQUENCE), letters);

    if (!node)
        return NULL;
    node_append(node, a);
    node_append(node, b);
    add_starts(node, a, letters);
    if (a->nullable)
        add_starts(node, b, letters);
    node->nullable = a->nullable && b->nullable;
    return node;
}

struct trip_node *trip_times(struct trip *trip, struct trip_node *a, int none, int many,
                             uint32_t letters)
{
    struct trip_node *node = node_new(trip, TRIP_TIMES, 1, letters);

    if (!node)
        return NULL;
    if (a->kind == TRIP_TIMES) {
        none |= a->none;
        many |= a->many;
        a = a->items[0];
    }
    node->items[node->count++] = a;
    node->none = none || a->nullable;
    node->many = many;
    node->nullable = node->none;
    add_starts(node, a, letters);
    return node;
}

/* The item inside an optional item, for a choice that may be empty as a whole. */
static struct trip_node *without_none(struct trip *trip, struct trip_node *node,
                                      uint32_t letters)
{
    if (node->kind != TRIP_TIMES || !node->none)
        return node;
    return node->many && !node->items[0]->nullable
               ? trip_times(trip, node->items[0], 0, 1, letters)
               : node->items[0];
}

struct trip_node *trip_choice(struct trip *trip, struct trip_node *a, struct trip_node *b,
                              uint32_t letters)
{
    int nullable = a->nullable || b->nullable;
    struct trip_node *node;

    a = without_none(trip, a, letters);
    b = a ? without_none(trip, b, letters) : NULL;
    node = b ? node_new(trip, TRIP_CHOICE,
                        node_items(a, TRIP_CHOICE) + node_items(b, TRIP_CHOICE), letters)
             : NULL;
    if (!node)
        return NULL;
    node_append(node, a);
    node_append(node, b);
    add_starts(node, a, letters);
    add_starts(node, b, letters);
    return nullable ? trip_times(trip, node, 1, 0, letters) : node;
}

/* --- Values of places. --- */

int trip_node_reset(struct trip *trip, struct trip_node *node, size_t units)
{
    if (node->values)
        trip_node_done(node, units);
    node->values = trip_take(trip, units * sizeof *node->values);
    if (!node->values)
        return -ENOMEM;
    for (int i = 0; i < node->count; i++)
        if (trip_node_reset(trip, node->items[i], units))
            return -ENOMEM;
    return 0;
}

void trip_node_done(struct trip_node *node, size_t units)
{
    for (size_t i = 0; node->values && i < units; i++) {
        free(node->values[i].items);
        free(node->values[i].turns);
    }
    node->values = NULL;
    for (int i = 0; i < node->count; i++)
        trip_node_done(node->items[i], units);
}

int trip_values_add(struct trip_values *values, int64_t value, uint32_t turn)
{
    if (cca_array_reserve(&values->items, values->count, sizeof *values->items) ||
        cca_array_reserve(&values->turns, values->count, sizeof *values->turns))
        return -ENOMEM;
    values->items[values->count] = value;
    values->turns[values->count++] = turn;
    return 0;
}

void trip_values_free(struct trip_values *values, size_t units)
{
    for (size_t u = 0; values && u < units; u++) {
        free(values[u].items);
        free(values[u].turns);
    }
    free(values);
}

/* --- Matching a word. --- */

struct reader {
    const struct trip_word *word;
    size_t at, unit;
};

static int reader_may_begin(const struct trip_node *node, const struct reader *r)
{
    uint32_t letter;

    if (r->at >= r->word->count)
        return 0;
    letter = r->word->letters[r->at];
    return (node->starts[letter / 64] >> (letter % 64) & 1) != 0;
}

static int read_node(struct trip_node *node, struct reader *r, uint32_t turn);

static int read_times(struct trip_node *node, struct reader *r, uint32_t turn)
{
    int64_t times = 0;
    int rc = 0;

    while (!rc && reader_may_begin(node->items[0], r) && (node->many || !times))
        rc = read_node(node->items[0], r, (uint32_t)++times);
    if (!rc && !times && !node->none)
        rc = -EINVAL;
    return rc ? rc : trip_values_add(&node->values[r->unit], times, turn);
}

static int read_choice(struct trip_node *node, struct reader *r, uint32_t turn)
{
    for (int i = 0; i < node->count; i++) {
        int rc;

        if (!reader_may_begin(node->items[i], r))
            continue;
        rc = read_node(node->items[i], r, turn);
        return rc ? rc : trip_values_add(&node->values[r->unit], i, turn);
    }
    return -EINVAL;
}

static int read_node(struct trip_node *node, struct reader *r, uint32_t turn)
{
    int rc = 0;

    switch (node->kind) {
    case TRIP_CALL:
        if (!reader_may_begin(node, r))
            return -EINVAL;
        return trip_values_add(&node->values[r->unit], r->word->sizes[r->at++], turn);
    case TRIP_SEQUENCE:
        for (int i = 0; i < node->count && !rc; i++)
            rc = read_node(node->items[i], r, turn);
        return rc;
    case TRIP_CHOICE:
        return read_choice(node, r, turn);
    case TRIP_TIMES:
        return read_times(node, r, turn);
    }
    return -EINVAL;
}

int trip_node_read(struct trip_node *node, const struct trip_word *word, size_t unit)
{
    struct reader r = {.word = word, .unit = unit};
    int rc = read_node(node, &r, 0);

    return rc ? rc : r.at == word->count ? 0 : -EINVAL;
}

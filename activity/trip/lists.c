/* SPDX-License-Identifier: BSD-3-Clause */
/* lists.c: Values of a place, call by call, are written as a number, a condition on pid
 * or a table. */
#include <stdlib.h>
#include <string.h>

#include "activity/trip/text.h"
#include "common/array.h"

double text_double(int64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

int64_t text_bits(double value)
{
    int64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

const char *text_number(struct text *text, int64_t value, int is_double)
{
    if (is_double)
        return text_print(text, "%.6g", text_double(value));
    return text_print(text, "%lld", (long long)value);
}

const char *text_cursor(struct text *text, struct text_block *block)
{
    if (block->is_turn)
        return block->cursor;
    if (!block->used) {
        block->used = 1;
        if (cca_array_reserve(&text->cursors, text->cursor_count, sizeof *text->cursors))
            text->failed = cca_no_memory(text->trip->err);
        else
            text->cursors[text->cursor_count++] = block->cursor;
    }
    return block->cursor;
}

/* --- Tables. --- */

/* The name of a table with these values; equal tables are written once. `items` is
 * stolen. */
const char *text_add_table(struct text *text, const char *name, int is_double,
                           int64_t *items, size_t count)
{
    struct text_table *table;

    for (size_t i = 0; i < text->table_count; i++) {
        table = &text->tables[i];
        if (table->is_double == is_double && table->count == count &&
            memcmp(table->items, items, count * sizeof *items) == 0) {
            free(items);
            return table->name;
        }
    }
    table = cca_array_add(&text->tables, &text->table_count, sizeof *table);
    if (!table) {
        free(items);
        text->failed = cca_no_memory(text->trip->err);
        return "";
    }
    *table = (struct text_table){text_name(text, name), is_double, items, count};
    return table->name;
}

static int64_t *new_items(struct text *text, size_t count)
{
    int64_t *items = calloc(count + 1, sizeof *items);

    if (!items)
        text->failed = cca_no_memory(text->trip->err);
    return items;
}

/* --- Units. --- */

/* Number of threads (units) of the base run, which is the first run. */
static size_t units_of(const struct trip *trip)
{
    size_t count = 0;

    while (count < trip->thread_count && trip->threads[count].run == 0)
        count++;
    return count;
}

static const char *unit_text(struct text *text)
{
    if (text->trip->most_threads > 1)
        return text_print(text, "pid*%d + tid", text->trip->most_threads);
    return "pid";
}

static size_t unit_number(const struct trip *trip, size_t unit)
{
    return (size_t)trip->threads[unit].rank * (size_t)trip->most_threads +
           (size_t)trip->threads[unit].thread;
}

static size_t unit_room(const struct trip *trip)
{
    return (size_t)trip->most_ranks * (size_t)trip->most_threads;
}

static int values_are_same(const struct trip_values *v)
{
    for (size_t i = 1; i < v->count; i++)
        if (v->items[i] != v->items[0])
            return 0;
    return 1;
}

static int equal_values(const struct trip_values *a, const struct trip_values *b)
{
    return a->count == b->count &&
           (!a->count || (memcmp(a->items, b->items, a->count * sizeof *a->items) == 0 &&
                          memcmp(a->turns, b->turns, a->count * sizeof *a->turns) == 0));
}

/* --- One value per unit, different between units. --- */

/* Values 0 and 1 by rank as a condition on pid; NULL: no usual condition. `by_rank` is -1
 * for ranks that never reached the place. */
static const char *guard_of(const int64_t *by_rank, int ranks)
{
    static const struct {
        const char *text;
        /* value on rank 0, on the ranks between the first and the last, on the last
         * rank */
        int first, others, last;
    } guards[] = {{"pid == 0", 1, 0, 0},
                  {"pid > 0", 0, 1, 1},
                  {"pid == nproc - 1", 0, 0, 1},
                  {"pid < nproc - 1", 1, 1, 0},
                  {"pid > 0 && pid < nproc - 1", 0, 1, 0},
                  {"pid == 0 || pid == nproc - 1", 1, 0, 1}};

    for (size_t g = 0; g < sizeof guards / sizeof *guards; g++) {
        int fits = 1;

        for (int i = 0; i < ranks && fits; i++) {
            int wanted = i == 0           ? guards[g].first
                         : i == ranks - 1 ? guards[g].last
                                          : guards[g].others;

            fits = by_rank[i] == -1 || by_rank[i] == wanted;
        }
        if (fits)
            return guards[g].text;
    }
    return NULL;
}

static struct text_answer list_by_unit(struct text *text, const struct text_list *list,
                                       size_t units)
{
    const struct trip *trip = text->trip;
    size_t room = unit_room(trip);
    int64_t *items = new_items(text, room);
    const char *guard = NULL;
    int is_bit = !list->is_double && trip->most_threads == 1;

    if (!items)
        return (struct text_answer){.said = TEXT_NEVER};
    for (size_t i = 0; i < room && is_bit; i++)
        items[i] = -1;
    for (size_t u = 0; u < units; u++) {
        if (!list->values[u].count)
            continue;
        items[unit_number(trip, u)] = list->values[u].items[0];
        is_bit &= list->values[u].items[0] == 0 || list->values[u].items[0] == 1;
    }
    if (is_bit)
        guard = guard_of(items, trip->most_ranks);
    if (guard) {
        free(items);
        return (struct text_answer){.said = TEXT_GUARD, .text = guard};
    }
    for (size_t i = 0; i < room && !list->is_double; i++)
        items[i] = items[i] < 0 ? 0 : items[i];
    return (struct text_answer){
        .said = TEXT_VALUE,
        .text = text_print(text, "%s[%s]",
                           text_add_table(text, list->name, list->is_double, items, room),
                           unit_text(text))};
}

/* --- Values that differ within a unit. --- */

/* Fill by_turn[most] if the loop's iteration determines the value. Returns 0 if it does
 * not. */
static int by_turns(const struct trip_values *v, int64_t *by_turn, unsigned char *known)
{
    for (size_t i = 0; i < v->count; i++) {
        uint32_t turn = v->turns[i];

        if (turn == 0 || (known[turn - 1] && by_turn[turn - 1] != v->items[i]))
            return 0;
        known[turn - 1] = 1;
        by_turn[turn - 1] = v->items[i];
    }
    return 1;
}

static struct text_answer answer_too_long(void)
{
    return (struct text_answer){.said = TEXT_TOO_LONG};
}

/* Expression such as "(k == 92 ? 2 : 6)" for a list whose values are equal but for one or
 * two; NULL: more values differ. */
static const char *list_nearly_same(struct text *text, struct text_block *block,
                                    const struct text_list *list,
                                    const struct trip_values *v)
{
    size_t others, at[2], first = 0;
    const char *cursor, *said;

    if (!trip_nearly_same(v->items, v->count, &others, at))
        return NULL;
    while (first < others && at[first] == first)
        first++;
    cursor = text_cursor(text, block);
    said = text_number(text, v->items[first], list->is_double);
    for (size_t i = others; i-- > 0;)
        said = text_print(text, "(%s == %zu ? %s : %s)", cursor, at[i] + 1,
                          text_number(text, v->items[at[i]], list->is_double), said);
    return said;
}

/* Expression for a place whose list of values `v` is the same in all threads (units). */
static struct text_answer list_of_one(struct text *text, struct text_block *block,
                                      const struct text_list *list,
                                      const struct trip_values *v)
{
    size_t period = trip_period(v->items, v->count), most = 0;
    int64_t *items;
    unsigned char *known;
    const char *table =
        2 * period > v->count ? list_nearly_same(text, block, list, v) : NULL;

    if (table)
        return (struct text_answer){.said = TEXT_VALUE, .text = table};
    for (size_t i = 0; i < v->count; i++)
        most = v->turns[i] > most ? v->turns[i] : most;
    items = new_items(text, most > v->count ? most : v->count);
    known = calloc(most + 1, 1);
    if (!items || !known) {
        text->failed = cca_no_memory(text->trip->err);
        free(items);
        free(known);
        return (struct text_answer){.said = TEXT_NEVER};
    }
    if (most && block->turn && 2 * period > most && by_turns(v, items, known)) {
        free(known);
        if (list->most && most > list->most) {
            free(items);
            return answer_too_long();
        }
        table = text_add_table(text, list->name, list->is_double, items, most);
        return (struct text_answer){
            .said = TEXT_VALUE,
            .text = text_print(text, "%s[%s - 1]", table, block->turn)};
    }
    free(known);
    period = 2 * period <= v->count ? period : v->count;
    if (list->most && period > list->most) {
        free(items);
        return answer_too_long();
    }
    memcpy(items, v->items, period * sizeof *items);
    table = text_add_table(text, list->name, list->is_double, items, period);
    if (period == v->count)
        return (struct text_answer){
            .said = TEXT_VALUE,
            .text = text_print(text, "%s[%s - 1]", table, text_cursor(text, block))};
    return (struct text_answer){.said = TEXT_VALUE,
                                .text = text_print(text, "%s[(%s - 1)%%%zu]", table,
                                                   text_cursor(text, block), period)};
}

/* Expression for a place whose list of values differs between threads (units). */
static struct text_answer list_of_many(struct text *text, struct text_block *block,
                                       const struct text_list *list, size_t units)
{
    const struct trip *trip = text->trip;
    size_t total = 0, at = 0, room = unit_room(trip);
    int64_t *items, *first;
    const char *table, *starts;

    for (size_t u = 0; u < units; u++)
        total += list->values[u].count;
    if (list->most && total > list->most)
        return answer_too_long();
    items = new_items(text, total);
    first = new_items(text, room);
    if (!items || !first) {
        free(items);
        free(first);
        return (struct text_answer){.said = TEXT_NEVER};
    }
    for (size_t u = 0; u < units; u++) {
        first[unit_number(trip, u)] = (int64_t)at;
        if (list->values[u].count)
            memcpy(items + at, list->values[u].items,
                   list->values[u].count * sizeof *items);
        at += list->values[u].count;
    }
    table = text_add_table(text, list->name, list->is_double, items, total);
    starts = text_add_table(text, text_print(text, "%s_first", table), 0, first, room);
    return (struct text_answer){.said = TEXT_VALUE,
                                .text = text_print(text, "%s[%s[%s] + %s - 1]", table,
                                                   starts, unit_text(text),
                                                   text_cursor(text, block))};
}

struct text_answer text_of_list(struct text *text, struct text_block *block,
                                const struct text_list *list)
{
    size_t units = units_of(text->trip), first = units;
    int each_same = 1, all_same = 1, all_equal = 1;

    for (size_t u = 0; u < units; u++) {
        const struct trip_values *v = &list->values[u];

        if (!v->count)
            continue;
        if (first == units)
            first = u;
        each_same &= values_are_same(v);
        all_same &= each_same && v->items[0] == list->values[first].items[0];
        all_equal &= equal_values(v, &list->values[first]);
    }
    if (first == units)
        return (struct text_answer){.said = TEXT_NEVER};
    if (all_same)
        return (struct text_answer){.said = TEXT_CONSTANT,
                                    .value = list->values[first].items[0]};
    if (each_same)
        return list_by_unit(text, list, units);
    if (all_equal)
        return list_of_one(text, block, list, &list->values[first]);
    return list_of_many(text, block, list, units);
}

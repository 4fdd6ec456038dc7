/* SPDX-License-Identifier: BSD-3-Clause */
/* summed.c: aggregated calls: their number is known, their order is not. */
#include <stdlib.h>

#include "activity/trip/text.h"

/* Make a list of values for each thread (unit) of each run; each list has one value,
 * 0. */
static struct trip_values *values_by_unit(struct text *text)
{
    struct trip_values *values = calloc(text->trip->thread_count + 1, sizeof *values);
    int rc = values ? 0 : -1;

    for (size_t u = 0; u < text->trip->thread_count && !rc; u++)
        rc = trip_values_add(&values[u], 0, 0);
    if (rc)
        text->failed = cca_no_memory(text->trip->err);
    return rc ? NULL : values;
}

/* The value of the first thread (unit) of a rank in a run. */
static int64_t *values_of_rank(const struct trip *trip, struct trip_values *values,
                               size_t run, int rank)
{
    for (size_t u = 0; u < trip->thread_count; u++)
        if (trip->threads[u].run == run && trip->threads[u].rank == rank)
            return values[u].items;
    return values[0].items;
}

/* Number of calls of a symbol by rank: only calls with rows, or all calls. NULL: out of
 * memory. */
static struct trip_values *symbol_calls(struct text *text, uint32_t symbol,
                                        int with_summed)
{
    const struct trip *trip = text->trip;
    struct trip_values *values = values_by_unit(text);

    for (size_t u = 0; u < trip->thread_count && values; u++) {
        const struct trip_thread *t = &trip->threads[u];

        for (size_t i = 0; i < t->count; i++)
            if (t->calls[i].symbol == symbol)
                ++*values_of_rank(trip, values, t->run, t->rank);
    }
    for (size_t i = 0; i < trip->summed_count && values && with_summed; i++)
        if (trip->summed[i].callee == symbol)
            *values_of_rank(trip, values, trip->summed[i].run, trip->summed[i].rank) +=
                (int64_t)trip->summed[i].calls;
    return values;
}

static const char *values_number(struct text *text, struct text_block *block,
                                 struct trip_values *values, const char *name)
{
    struct text_list list = {0, values, name, 0};
    struct text_answer answer;

    if (!values)
        return "0";
    answer = text_of_list(text, block, &list);
    trip_values_free(values, text->trip->thread_count);
    if (answer.said == TEXT_CONSTANT)
        return text_number(text, answer.value, 0);
    if (answer.said == TEXT_GUARD)
        return text_print(text, "(%s ? 1 : 0)", answer.text);
    return answer.said == TEXT_VALUE ? answer.text : "0";
}

const char *text_rows_guard(struct text *text, uint32_t symbol, struct text_block *block)
{
    struct trip_symbol *s = &text->trip->symbols[symbol];

    if (!s->summed)
        return NULL;
    return text_print(text, "%s <= %s", text_cursor(text, block),
                      values_number(text, block, symbol_calls(text, symbol, 0),
                                    text_print(text, "%s_in_order", s->name)));
}

static void write_callee(struct text *text, FILE *out, uint32_t caller, uint32_t callee,
                         struct text_block *block)
{
    struct trip *trip = text->trip;
    struct trip_symbol *s = &trip->symbols[callee];
    struct trip_values *values = values_by_unit(text);
    const char *calls, *all, *k;
    struct trip_node *place;
    struct trip_pattern one = {.symbols = &callee};

    for (size_t i = 0; i < trip->summed_count && values; i++)
        if (trip->summed[i].caller == caller && trip->summed[i].callee == callee)
            *values_of_rank(trip, values, trip->summed[i].run, trip->summed[i].rank) +=
                (int64_t)trip->summed[i].calls;
    calls = values_number(text, block, values, text_print(text, "%s_summed", s->name));
    if (caller == TRIP_NONE) {
        fprintf(out, "loop i1 = 1..%s {\n", calls);
    } else {
        all = values_number(text, block, symbol_calls(text, caller, 1),
                            text_print(text, "%s_all", trip->symbols[caller].name));
        k = text_cursor(text, block);
        fprintf(out, "loop i1 = 1..%s*%s/%s - (%s - 1)*%s/%s {\n", k, calls, all, k,
                calls, all);
    }
    place = trip_call_node(trip, 0, 1);
    if (!place || trip_node_reset(trip, place, trip->thread_count)) {
        text->failed = -1;
        return;
    }
    for (size_t i = 0; i < s->size_count && i < 1; i++)
        for (size_t u = 0; u < trip->thread_count; u++)
            if (trip_values_add(&place->values[u], (int64_t)i, 0))
                text->failed = cca_no_memory(trip->err);
    text_of_node(text, out, &one, place, block, 1);
    trip_node_done(place, trip->thread_count);
    fprintf(out, "}\n");
}

void text_of_summed(struct text *text, FILE *out, uint32_t caller,
                    struct text_block *block)
{
    const struct trip *trip = text->trip;

    for (uint32_t callee = 0; callee < trip->symbol_count; callee++) {
        int found = 0;

        for (size_t i = 0; i < trip->summed_count && !found; i++)
            found = trip->summed[i].caller == caller && trip->summed[i].callee == callee;
        if (found)
            write_callee(text, out, caller, callee, block);
    }
}

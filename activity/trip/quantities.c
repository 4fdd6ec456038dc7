/* SPDX-License-Identifier: BSD-3-Clause */
/* quantities.c: Quantities of the runs at each place, for which scaling functions are
 * sought.
 *
 * A few mean iterations (2 3 4 12) determine less than the sums over all time steps (72
 * 162 288 1296). So each place with a rate keeps its sum and number of visits, too. */
#include <errno.h>
#include <math.h>

#include "activity/trip/text.h"
#include "common/array.h"

int text_quantity_init(struct text *text, struct text_quantity *quantity)
{
    size_t size = text->trip->runs * sizeof *quantity->sum;

    quantity->sum = trip_take(text->trip, size);
    quantity->visits = trip_take(text->trip, size);
    quantity->rate = trip_take(text->trip, size);
    if (quantity->sum && quantity->visits && quantity->rate)
        return 0;
    return text->failed = -ENOMEM;
}

int text_rates(const struct trip *trip, const struct trip_node *node, int64_t bit,
               const double *numbers, struct text_quantity *quantity)
{
    int same = 1;

    for (size_t run = 0; run < trip->runs; run++) {
        double sum = 0, count = 0, first = NAN;
        double ranks =
            trip->experiments[run]->ranks > 0 ? (double)trip->experiments[run]->ranks : 1;

        for (size_t u = 0; u < trip->thread_count; u++) {
            const struct trip_values *v = &node->values[u];

            for (size_t i = 0; trip->threads[u].run == run && i < v->count; i++) {
                double value = numbers    ? numbers[v->items[i]]
                               : bit >= 0 ? v->items[i] == bit
                                          : (double)v->items[i];

                first = count == 0 ? value : first;
                same &= value == first;
                sum += value;
                count++;
            }
        }
        quantity->sum[run] = count > 0 ? sum / ranks : NAN;
        quantity->visits[run] = count > 0 ? count / ranks : NAN;
        quantity->rate[run] = count > 0 ? same ? first : sum / count : NAN;
    }
    return same;
}

static void quantity_keep(struct text *text, const struct text_quantity *quantity)
{
    struct text_quantity *kept =
        cca_array_add(&text->quantities, &text->quantity_count, sizeof *kept);

    if (kept)
        *kept = *quantity;
    else
        text->failed = cca_no_memory(text->trip->err);
}

/* Gather the numeric in-values of a call. */
static void gather_sizes(struct text *text, const struct trip_symbol *s,
                         const struct trip_node *place)
{
    for (size_t k = 0; k < s->method->in_count; k++) {
        const struct mm_value_info *value = &s->method->values[k];
        double *numbers;
        struct text_quantity quantity;

        if (value->kind == MONITOR_MODE)
            continue;
        numbers = trip_take(text->trip, s->size_count * sizeof *numbers);
        if (!numbers || text_quantity_init(text, &quantity)) {
            text->failed = -ENOMEM;
            return;
        }
        for (size_t i = 0; i < s->size_count; i++)
            numbers[i] = value->type == MONITOR_DOUBLE ? s->sizes[i].in[k].d
                                                       : (double)s->sizes[i].in[k].i;
        text_rates(text->trip, place, -1, numbers, &quantity);
        quantity_keep(text, &quantity);
    }
}

/* Number of calls in the subtree of a node that have callees themselves; the iterations
 * of the loop with most of them are the exogenous count. */
static double calls_below(const struct trip *trip, const struct trip_pattern *pattern,
                          const struct trip_node *node)
{
    const struct trip_symbol *s;
    double calls = 0;

    if (node->kind == TRIP_CALL) {
        s = &trip->symbols[pattern->symbols[node->letter]];
        return s->pattern ? 1 + calls_below(trip, s->pattern, s->pattern->root) : 0;
    }
    for (int i = 0; i < node->count; i++)
        calls += calls_below(trip, pattern, node->items[i]);
    return calls;
}

/* Whether a loop's iterations may be the exogenous count: it is reached once in each run,
 * and its iterations differ between runs. */
static int may_drive(const struct trip *trip, const struct text_quantity *quantity)
{
    int differs = 0;

    for (size_t run = 0; run < trip->runs; run++) {
        if (!(quantity->visits[run] == 1))
            return 0;
        differs |= quantity->sum[run] != quantity->sum[0];
    }
    return differs;
}

static void gather_node(struct text *text, const struct trip_pattern *pattern,
                        const struct trip_node *node, double *most)
{
    struct text_quantity quantity;
    const struct trip_symbol *s;

    if (node->kind == TRIP_CALL) {
        s = &text->trip->symbols[pattern->symbols[node->letter]];
        if (!s->has_callees)
            gather_sizes(text, s, node);
        return;
    }
    for (int i = 0; node->kind == TRIP_CHOICE && i < node->count; i++) {
        if (text_quantity_init(text, &quantity))
            return;
        text_rates(text->trip, node, i, NULL, &quantity);
        quantity_keep(text, &quantity);
    }
    if (node->kind == TRIP_TIMES) {
        double calls = calls_below(text->trip, pattern, node);

        if (text_quantity_init(text, &quantity))
            return;
        text_rates(text->trip, node, -1, NULL, &quantity);
        quantity_keep(text, &quantity);
        if (calls > *most && may_drive(text->trip, &quantity)) {
            *most = calls;
            text->driver = quantity.rate;
        }
    }
    for (int i = 0; i < node->count; i++)
        gather_node(text, pattern, node->items[i], most);
}

void text_gather(struct text *text)
{
    const struct trip *trip = text->trip;
    double most = 0;

    for (int i = 0; i < trip->most_threads; i++)
        if (trip->roots[i].root)
            gather_node(text, &trip->roots[i], trip->roots[i].root, &most);
    for (size_t i = 0; i < trip->symbol_count; i++) {
        const struct trip_symbol *s = &trip->symbols[i];

        if (s->pattern)
            gather_node(text, s->pattern, s->pattern->root, &most);
        if (s->own)
            gather_sizes(text, s, s->own);
    }
}

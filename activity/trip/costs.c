/* SPDX-License-Identifier: BSD-3-Clause */
/* costs.c: the cost expression of a call at its place in the text. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "activity/trip/text.h"

/* A number for each size of a symbol. */
struct numbers {
    int is_double;
    int64_t *of_size; /* by size: the number; if is_double, the bits of a double */
};

/* Mean seconds of the symbol's calls with size index `size`, rounded as the text prints
 * them. */
static double size_seconds(const struct trip_symbol *s, size_t size)
{
    double mean_ns =
        s->sizes[size].calls ? s->sizes[size].own_ns / (double)s->sizes[size].calls : 0;
    char printed[40];

    snprintf(printed, sizeof printed, "%.6g", mean_ns > 0 ? mean_ns * 1e-9 : 0);
    return strtod(printed, NULL);
}

/* Copy the values of a place with a number in place of each size index; free the copy by
 * free_values. */
static struct trip_values *map_values(struct text *text, const struct trip_node *place,
                                      const struct numbers *numbers)
{
    size_t units = text->trip->thread_count;
    struct trip_values *mapped = calloc(units + 1, sizeof *mapped);

    for (size_t u = 0; mapped && u < units; u++) {
        const struct trip_values *v = &place->values[u];

        mapped[u] = *v;
        mapped[u].items = malloc((v->count + 1) * sizeof *mapped[u].items);
        if (!mapped[u].items) {
            while (u-- > 0)
                free(mapped[u].items);
            free(mapped);
            mapped = NULL;
            break;
        }
        for (size_t i = 0; i < v->count; i++)
            mapped[u].items[i] = numbers->of_size[v->items[i]];
    }
    if (!mapped)
        text->failed = cca_no_memory(text->trip->err);
    return mapped;
}

static void free_values(const struct text *text, struct trip_values *values)
{
    for (size_t u = 0; values && u < text->trip->thread_count; u++)
        free(values[u].items);
    free(values);
}

static double numbers_value(const struct numbers *numbers, int64_t value)
{
    return numbers->is_double ? text_double(value) : (double)value;
}

/* Mean of the numbers of all calls at a place in run `run` (-1: in all runs); NaN: there
 * are no calls. */
static double values_mean(const struct text *text, const struct trip_values *values,
                          const struct numbers *numbers, int run)
{
    double sum = 0, count = 0;

    for (size_t u = 0; u < text->trip->thread_count; u++) {
        if (run >= 0 && text->trip->threads[u].run != (size_t)run)
            continue;
        for (size_t i = 0; i < values[u].count; i++)
            sum += numbers_value(numbers, values[u].items[i]);
        count += (double)values[u].count;
    }
    return count > 0 ? sum / count : NAN;
}

/* Write an expression whose value is, at each visit of a place, the number of that
 * visit's size. `whole`: as a long. */
static const char *text_of_numbers(struct text *text, struct text_block *block,
                                   const struct trip_symbol *s,
                                   const struct trip_node *place,
                                   const struct numbers *numbers, const char *name,
                                   int whole)
{
    struct trip_values *values = map_values(text, place, numbers);
    struct text_list list = {numbers->is_double, values, name, TEXT_TABLE_MOST};
    struct text_answer answer;
    const char *result;
    double mean;

    if (!values)
        return "0";
    answer = s->summed ? (struct text_answer){.said = TEXT_TOO_LONG}
                       : text_of_list(text, block, &list);
    mean = values_mean(text, values, numbers, 0);
    free_values(text, values);
    switch (answer.said) {
    case TEXT_NEVER:
        return whole ? "0" : "0.0";
    case TEXT_CONSTANT:
        return text_number(text, answer.value, numbers->is_double);
    case TEXT_GUARD:
        return text_print(text, "(%s ? 1 : 0)", answer.text);
    case TEXT_VALUE:
        return answer.text;
    case TEXT_TOO_LONG:
        break;
    }
    text_note(text, "Where sizes differ from call to call without a short order, a cost "
                    "is the mean of them.");
    result =
        whole ? text_print(text, "%lld", llround(mean)) : text_print(text, "%.6g", mean);
    return result;
}

/* --- Means. --- */

/* An expression with one mean cost per rank. NULL: all ranks have the same mean. */
static const char *means_of_ranks(struct text *text, struct text_block *block,
                                  const struct trip_symbol *s)
{
    const struct trip *trip = text->trip;
    struct trip_values *values;
    struct text_list list = {1, NULL, text_print(text, "%s_s", s->name), 0};
    struct text_answer answer = {.said = TEXT_NEVER};
    int rc = 0;

    values = calloc(trip->thread_count + 1, sizeof *values);
    for (size_t u = 0; values && u < trip->thread_count && !rc; u++) {
        int rank = trip->threads[u].rank;
        double seconds = s->rank_calls[rank] > 0
                             ? fmax(0, s->rank_ns[rank] / s->rank_calls[rank]) * 1e-9
                             : 0;

        rc = trip_values_add(&values[u], text_bits(seconds), 0);
    }
    list.values = values;
    if (values && !rc)
        answer = text_of_list(text, block, &list);
    else
        text->failed = cca_no_memory(trip->err);
    trip_values_free(values, trip->thread_count);
    return answer.said == TEXT_VALUE ? answer.text : NULL;
}

static const char *text_of_means(struct text *text, struct text_block *block,
                                 const struct trip_symbol *s,
                                 const struct trip_node *place)
{
    struct numbers seconds = {1, NULL};
    const char *result;
    struct trip_values *values;

    result = s->by_rank ? means_of_ranks(text, block, s) : NULL;
    if (result)
        return result;
    if (s->summed) { /* calls in aggregates have no sizes */
        double mean_ns = s->own_ns / (double)(s->calls + s->summed);

        return text_print(text, "%.6g", mean_ns > 0 ? mean_ns * 1e-9 : 0);
    }
    seconds.of_size = calloc(s->size_count + 1, sizeof *seconds.of_size);
    if (!seconds.of_size) {
        text->failed = cca_no_memory(text->trip->err);
        return "0";
    }
    for (size_t i = 0; i < s->size_count; i++)
        seconds.of_size[i] = text_bits(size_seconds(s, i));
    if (text->trip->by_laws) {
        values = map_values(text, place, &seconds);
        result = text_print(text, "%.6g",
                            values ? values_mean(text, values, &seconds, -1) : 0.0);
        free_values(text, values);
    } else {
        result = text_of_numbers(text, block, s, place, &seconds,
                                 text_print(text, "%s_s", s->name), 0);
    }
    free(seconds.of_size);
    return result;
}

/* --- Models. --- */

/* An expression for a parameter that differs between runs: a scaling function. */
static const char *law_of_parameter(struct text *text, const struct text_block *block,
                                    const struct trip_node *place,
                                    const struct numbers *numbers, size_t count,
                                    const char *name)
{
    double *values = trip_take(text->trip, count * sizeof *values);
    struct text_quantity quantity;

    if (!values || text_quantity_init(text, &quantity)) {
        text->failed = -ENOMEM;
        return "0.0";
    }
    for (size_t i = 0; i < count; i++)
        values[i] = numbers_value(numbers, numbers->of_size[i]);
    text_rates(text->trip, place, -1, values, &quantity);
    return text_of_rate(text, block, name, &quantity, TEXT_MEAN, NULL);
}

/* In-value `k` of the calls at a place, as an expression; NULL: it is absent. */
static const char *text_of_parameter(struct text *text, struct text_block *block,
                                     const struct trip_symbol *s,
                                     const struct trip_node *place, size_t k)
{
    const struct mm_value_info *value = &s->method->values[k];
    struct numbers numbers = {value->type == MONITOR_DOUBLE, NULL};
    const char *name = text_print(text, "%s_%s", s->name, value->name), *result;

    if (value->kind == MONITOR_MODE)
        return monitor_value_absent(s->modes[k], value->type)
                   ? NULL
                   : text_print(text, "%lld", (long long)s->modes[k].i);
    numbers.of_size = calloc(s->size_count + 1, sizeof *numbers.of_size);
    if (!numbers.of_size) {
        text->failed = cca_no_memory(text->trip->err);
        return NULL;
    }
    for (size_t i = 0; i < s->size_count; i++) {
        if (monitor_value_absent(s->sizes[i].in[k], value->type)) {
            free(numbers.of_size);
            return NULL;
        }
        numbers.of_size[i] =
            numbers.is_double ? text_bits(s->sizes[i].in[k].d) : s->sizes[i].in[k].i;
    }
    result =
        text->trip->by_laws
            ? law_of_parameter(text, block, place, &numbers, s->size_count, name)
            : text_of_numbers(text, block, s, place, &numbers, name, !numbers.is_double);
    free(numbers.of_size);
    return result;
}

static const char *text_of_model(struct text *text, struct text_block *block,
                                 const struct trip_symbol *s,
                                 const struct trip_node *place)
{
    const char *result =
        text_print(text, "model(\"%s\"", text_quoted(text, s->method->name));

    for (size_t k = 0; k < s->method->in_count; k++) {
        const char *value = text_of_parameter(text, block, s, place, k);

        if (value)
            result =
                text_print(text, "%s, %s = %s", result, s->method->values[k].name, value);
    }
    return text_print(text, "%s)", result);
}

/* The mean cost of the calls in each run as a scaling function of the run's parameters. A
 * method without numeric in-values can cost more in larger runs, too; with --means, any
 * method can. NULL: a model predicts the cost, or it is the same in all runs. */
static const char *law_of_means(struct text *text, const struct trip_symbol *s)
{
    const struct trip *trip = text->trip;
    double *rate = trip_take(text->trip, trip->runs * sizeof *rate);
    double least = INFINITY, largest = 0;

    for (size_t k = 0; k < s->method->in_count; k++)
        if (s->method->values[k].kind != MONITOR_MODE &&
            trip->options->costs == ACT_TRIP_MODELS)
            return NULL;
    for (size_t i = 0; i < trip->runs && rate; i++) {
        rate[i] = s->run_calls[i] > 0 && s->run_ns[i] > 0
                      ? s->run_ns[i] / s->run_calls[i] * 1e-9
                      : NAN;
        least = fmin(least, rate[i]);
        largest = fmax(largest, rate[i]);
    }
    if (!rate || !(largest > 1.25 * least))
        return NULL;
    return text_of_trend(text, text_print(text, "%s_s", s->name), rate, TEXT_TIME);
}

const char *text_of_cost(struct text *text, struct text_block *block,
                         const struct trip_symbol *s, const struct trip_node *place)
{
    const char *law = text->trip->by_laws ? law_of_means(text, s) : NULL;

    if (law)
        return law;
    return text->trip->options->costs == ACT_TRIP_MODELS
               ? text_of_model(text, block, s, place)
               : text_of_means(text, block, s, place);
}

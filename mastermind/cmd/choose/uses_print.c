/* SPDX-License-Identifier: BSD-3-Clause */
/* uses_print.c: set-up, cost of each use and break-even, for people, scripts and as a
 * document. */
#include <math.h>
#include <string.h>

#include "common/statistics.h"
#include "mastermind/cmd/choose/over.h"
#include "mastermind/cmd/line.h"

#define MISFIT .01 /* a line that fits worse by chance with this probability is noted */

static const struct mm_over_value *value_of(const struct mm_over *over,
                                            const struct mm_over_way *way)
{
    return &over->values[way->value];
}

static const char *uses_name(const struct mm_over *over)
{
    return over->sweep.axes[over->axes[over->axis_count - 1]].name;
}

/* Half-width of the interval of an estimate with this variance. */
static double half(const struct mm_use_line *line, double variance)
{
    return cca_student_quantile((1 + MM_FORECAST_LEVEL) / 2, line->freedom) *
           sqrt(variance);
}

/* Index of the way in line `place` of the table: known lines first, ascending by
 * set-up. */
static size_t way_in(const struct mm_over_uses *uses, size_t place)
{
    for (size_t at = 0; at < uses->count; at++) {
        size_t before = 0;
        double own = *uses->ways[at].why ? INFINITY : uses->ways[at].line.setup;

        for (size_t k = 0; k < uses->count; k++) {
            double other = *uses->ways[k].why ? INFINITY : uses->ways[k].line.setup;

            before += other < own || (other == own && k < at);
        }
        if (before == place)
            return at;
    }
    return 0;
}

/* --- Text --------------------------------------------------------------------------- */

struct shown {
    const struct mm_over *over;
    const struct mm_over_uses *uses;
};

static void set_estimate(char (*cells)[MM_CELL], const struct mm_metric *metric,
                         const struct mm_use_line *line, double value, double variance)
{
    double apart = half(line, variance);
    char text[80];

    mm_cell_set(cells[0], mm_cost(metric, fmax(value, 0)));
    mm_choose_interval(text, sizeof text, metric, fmax(value - apart, 0),
                       fmax(value + apart, 0));
    mm_cell_set(cells[1], text);
}

static void add_rows(const void *context, struct mm_table *table)
{
    const struct shown *shown = context;
    const struct mm_over *over = shown->over;
    char cells[5][MM_CELL] = {"set-up", "90 %", "each use", "90 %", "failed"}, text[80];

    mm_table_row(table, cells, "value");
    for (size_t place = 0; place < shown->uses->count; place++) {
        const struct mm_over_way *way = &shown->uses->ways[way_in(shown->uses, place)];
        const struct mm_over_value *value = value_of(over, way);

        for (int i = 0; i < 5; i++)
            mm_cell_set(cells[i], "-");
        if (!*way->why) {
            set_estimate(cells, over->metric, &way->line, way->line.setup,
                         way->line.setup_var);
            set_estimate(cells + 2, over->metric, &way->line, way->line.use,
                         way->line.use_var);
        }
        snprintf(text, sizeof text, "%zu of %zu", value->failed, value->tried);
        mm_cell_set(cells[4], text);
        mm_table_row(table, cells, mm_safe(way->text));
    }
}

static void print_ranges(const struct mm_over *over, const struct mm_over_uses *uses)
{
    const char *name = mm_safe(uses_name(over));

    for (size_t i = 0; i < uses->range_count; i++) {
        const struct mm_over_range *range = &uses->ranges[i];

        if (!i)
            printf("least from %s=1 on: %s\n", name,
                   mm_safe(uses->ways[range->way].text));
        else if (isinf(range->even.high))
            printf("least from %s=%.3g on (90 %%: %.3g or more, or never): %s\n", name,
                   range->even.uses, range->even.low,
                   mm_safe(uses->ways[range->way].text));
        else
            printf("least from %s=%.3g on (90 %%: %.3g to %.3g): %s\n", name,
                   range->even.uses, range->even.low, range->even.high,
                   mm_safe(uses->ways[range->way].text));
    }
    if (!uses->range_count)
        puts("choice: none");
}

/* True if the costs are not on a line, or only on one with a negative cost. */
static int is_no_line(const struct mm_use_line *line)
{
    return line->misfit < MISFIT || line->setup < -half(line, line->setup_var) ||
           line->use < -half(line, line->use_var);
}

static void print_reasons(const struct mm_over *over, const struct mm_over_uses *uses)
{
    for (size_t i = 0; i < uses->count; i++) {
        const struct mm_over_way *way = &uses->ways[i];
        const struct mm_over_value *value = value_of(over, way);

        if (*way->why || !value->may_be_chosen)
            printf("not chosen: %s: %s\n", mm_safe(way->text),
                   *way->why          ? mm_safe(way->why)
                   : value->is_beyond ? "failures come with the size, and it ran at much "
                                        "smaller sizes only"
                   : value->error     ? mm_safe(value->error)
                                      : "its runs failed");
        if (!*way->why && is_no_line(&way->line))
            printf("no line: %s: runs are up to %.2g %% from set-up + %s x each use\n",
                   mm_safe(way->text), 100 * way->line.largest, mm_safe(uses_name(over)));
    }
}

/* Print "1 how=iterative": from how many uses on which values cost least. */
static void print_quiet(const struct mm_over_uses *uses)
{
    for (size_t i = 0; i < uses->range_count; i++)
        printf("%.6g %s\n", i ? uses->ranges[i].even.uses : 1,
               uses->ways[uses->ranges[i].way].text);
}

int mm_over_uses_print(const struct mm_over *over, const struct mm_over_uses *uses)
{
    const struct shown shown = {over, uses};

    if (over->asked->quiet) {
        print_quiet(uses);
        return mm_finish_output(MM_EXIT_DONE);
    }
    mm_over_print_asked(over);
    printf("%s of a run = set-up + %s x each use, by %s\n", mm_safe(over->metric->name),
           mm_safe(uses_name(over)),
           uses->is_measured ? "runs of this size" : "predictions for this size");
    mm_table_print(5, add_rows, &shown);
    print_ranges(over, uses);
    print_reasons(over, uses);
    return mm_finish_output(MM_EXIT_DONE);
}

/* --- The document ------------------------------------------------------------------- */

static json_t *point_json(const struct mm_over *over, const struct mm_over_way *way)
{
    json_t *object = json_object();

    for (size_t i = 0; i + 1 < over->axis_count; i++) {
        const struct sweep_axis *axis = &over->sweep.axes[over->axes[i]];
        size_t at =
            mm_plan_value(over->sweep.plan, value_of(over, way)->point, over->axes[i]);

        mm_json_put(object, axis->name, mm_json_escaped(axis->texts[at]));
    }
    return object;
}

static json_t *way_json(const struct mm_over *over, const struct mm_over_way *way)
{
    const struct mm_use_line *line = &way->line;
    const struct mm_over_value *value = value_of(over, way);
    json_t *object = json_object();
    double setup, use;

    mm_json_set(object, "values runs failures may_be_chosen", point_json(over, way),
                (json_int_t)value->tried, (json_int_t)value->failed,
                json_boolean(!*way->why && value->may_be_chosen));
    if (*way->why) {
        mm_json_put(object, "why", mm_json_escaped(way->why));
        return object;
    }
    setup = half(line, line->setup_var);
    use = half(line, line->use_var);
    mm_json_set_seconds(object, over->metric, "setup setup_low setup_high", line->setup,
                        line->setup - setup, line->setup + setup);
    mm_json_set_seconds(object, over->metric, "use use_low use_high", line->use,
                        line->use - use, line->use + use);
    mm_json_put(object, "misfit", mm_json_finite(line->misfit));
    mm_json_put(object, "largest_error", mm_json_finite(line->largest));
    return object;
}

int mm_over_uses_print_json(const struct mm_over *over, const struct mm_over_uses *uses)
{
    json_t *document = mm_json_metric_document("choose-uses", over->metric);
    json_t *values = json_array(), *ranges = json_array();

    for (size_t place = 0; place < uses->count; place++)
        json_array_append_new(values, way_json(over, &uses->ways[way_in(uses, place)]));
    for (size_t i = 0; i < uses->range_count; i++) {
        const struct mm_over_range *range = &uses->ranges[i];
        json_t *item = json_object();

        mm_json_set(item, "values from", point_json(over, &uses->ways[range->way]),
                    i ? range->even.uses : 1);
        if (i) {
            mm_json_put(item, "low", mm_json_finite(range->even.low));
            mm_json_put(item, "high", mm_json_finite(range->even.high));
        }
        json_array_append_new(ranges, item);
    }
    mm_json_set(document, "directory level uses is_measured values ranges",
                over->sweep.dir, MM_FORECAST_LEVEL, uses_name(over),
                json_boolean(uses->is_measured), values, ranges);
    return mm_json_print(document);
}

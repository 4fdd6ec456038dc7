/* SPDX-License-Identifier: BSD-3-Clause */
/* over_print.c: chosen values for people, for scripts and as a document. */
#include <math.h>
#include <string.h>

#include "mastermind/cmd/choose/over.h"
#include "mastermind/cmd/line.h"

/* --- Values ------------------------------------------------------------------------- */

/* The item of a value; NULL: it may not be chosen, or its cost is unknown. */
static const struct mm_open_assembly *item_of(const struct mm_over *over, size_t value)
{
    for (size_t i = 0; i < over->choice.count; i++)
        if (over->choice.items[i].at[0] == value)
            return &over->choice.items[i];
    return NULL;
}

/* True if value `a` stands before `b` in the table: known costs first, ascending. */
static int is_before(const struct mm_over *over, size_t a, size_t b)
{
    const struct mm_over_value *x = &over->values[a], *y = &over->values[b];
    double cost = *x->why ? INFINITY : x->forecast->total_ns;
    double other = *y->why ? INFINITY : y->forecast->total_ns;

    return cost != other ? cost < other : a < b;
}

/* Index of the value in line `place` of the table. */
static size_t value_in(const struct mm_over *over, size_t place)
{
    size_t at = 0, before;

    do {
        before = 0;
        for (size_t k = 0; k < over->count; k++)
            before += k != at && is_before(over, k, at);
    } while (before != place && ++at < over->count);
    return at;
}

/* --- The table ---------------------------------------------------------------------- */

void mm_over_print_asked(const struct mm_over *over)
{
    const struct mm_question_options *options = &over->asked->question;
    const struct cca_given *given[] = {options->set, options->variable, options->class_of,
                                       options->ranks};
    int printed = 0;

    for (size_t k = 0; k < sizeof given / sizeof *given; k++)
        for (int i = 0; i < given[k]->given; i++)
            printf("%s%s%s", printed++ ? " " : "at ",
                   given[k] == options->ranks ? "ranks=" : "",
                   mm_safe(given[k]->values[i]));
    fputs(printed ? ": " : "", stdout);
}

static void add_rows(const void *context, struct mm_table *table)
{
    const struct mm_over *over = context;
    char cells[5][MM_CELL] = {"predicted", "90 %", "best", "failed", "90 %"}, text[80];

    mm_table_row(table, cells, "value");
    for (size_t place = 0; place < over->count; place++) {
        size_t at = value_in(over, place);
        const struct mm_over_value *value = &over->values[at];
        const struct mm_open_assembly *item = item_of(over, at);

        for (int i = 0; i < 5; i++)
            mm_cell_set(cells[i], "-");
        if (!*value->why) {
            mm_cell_set(cells[0], mm_cost(over->metric, value->forecast->total_ns));
            mm_choose_interval(text, sizeof text, over->metric, value->forecast->low_ns,
                               value->forecast->high_ns);
            mm_cell_set(cells[1], text);
        }
        if (item && isfinite(item->best)) {
            snprintf(text, sizeof text, "%.2f", item->best);
            mm_cell_set(cells[2], text);
        }
        snprintf(text, sizeof text, "%zu of %zu", value->failed, value->tried);
        mm_cell_set(cells[3], text);
        snprintf(text, sizeof text, "%.2f to %.2f", value->fails.low, value->fails.high);
        mm_cell_set(cells[4], text);
        mm_table_row(table, cells, mm_safe(value->text));
    }
}

/* --- The lines ---------------------------------------------------------------------- */

static void print_choice(const struct mm_over *over)
{
    const struct mm_open_assembly *item = &over->choice.items[0];
    char interval[80];

    mm_choose_interval(interval, sizeof interval, over->metric, item->forecast->low_ns,
                       item->forecast->high_ns);
    printf("choice: %s\n", mm_safe(mm_over_of(over, item)->text));
    printf("  predicted %s of %s (%s%s)", mm_cost(over->metric, item->forecast->total_ns),
           mm_safe(over->metric->name), isfinite(item->forecast->low_ns) ? "90 %: " : "",
           interval);
    if (isfinite(item->best))
        printf(", the best with probability %.2f", item->best);
    putchar('\n');
    if (item->forecast->why && !isfinite(item->forecast->low_ns))
        printf("  no interval, so ties are not known: %s\n",
               mm_safe(item->forecast->why));
}

/* The strongest rival of the choice: a tie, or a value that may well be the best; NULL:
 * the choice is decided. */
static const struct mm_open_assembly *find_rival(const struct mm_over *over)
{
    const struct mm_open_assembly *rival = NULL;

    for (size_t i = 1; i < over->choice.count; i++) {
        const struct mm_open_assembly *item = &over->choice.items[i];

        if ((item->is_tie || item->best > MM_OVER_RIVAL) &&
            (!rival || item->best > rival->best))
            rival = item;
    }
    return rival;
}

/* The value that a run would teach most about: the less certain of the choice and its
 * rival. */
static const struct mm_over_value *less_certain(const struct mm_over *over,
                                                const struct mm_open_assembly *rival)
{
    const struct mm_forecast *a = over->choice.items[0].forecast, *b = rival->forecast;
    int is_rival = log(b->high_ns / b->low_ns) > log(a->high_ns / a->low_ns);

    return mm_over_of(over, is_rival ? rival : &over->choice.items[0]);
}

/* Print the run that would decide between the choice and its rival. */
static void print_next(const struct mm_over *over, const struct mm_open_assembly *rival)
{
    const struct mm_over_value *value = less_certain(over, rival);
    const struct mm_axes *axes = mm_forecaster_axes(value->forecaster);
    struct mm_line line;
    char text[200];

    mm_line_begin_plain(&line);
    mm_line_add(&line, "  to decide: a run with %s", mm_safe(value->text));
    for (size_t i = 0; i < axes->count; i++)
        if (axes->items[i].varies && mm_axis_counts(axes, i))
            mm_line_join(&line, "%s=%s", mm_safe(axes->items[i].name),
                         mm_safe(mm_choose_next(
                             axes, i, mm_question_text(&value->question, axes, i), text,
                             sizeof text)));
    mm_line_end(&line);
}

static void print_rivals(const struct mm_over *over)
{
    const struct mm_open_assembly *rival = find_rival(over);
    double total = over->choice.items[0].forecast->total_ns;

    for (size_t i = 1; i < over->choice.count; i++) {
        const struct mm_open_assembly *item = &over->choice.items[i];
        const char *text = mm_over_of(over, item)->text;

        if (item->is_tie)
            mm_choose_print_tie(text, 100 * item->apart_ns / total,
                                100 * item->apart_low_ns / total,
                                100 * item->apart_high_ns / total);
        else if (item->best > MM_OVER_RIVAL)
            printf("not decided against %s, the best with probability %.2f\n",
                   mm_safe(text), item->best);
    }
    if (rival)
        print_next(over, rival);
}

/* Add the sizes at which a value fails, if failures depend on the size. */
static void print_edge(const struct mm_over *over, struct mm_line *line,
                       const struct mm_over_value *value)
{
    if (value->fails.direction)
        mm_line_join(line, "%s %s=%.6g%s", value->fails.direction > 0 ? "from" : "up to",
                     mm_safe(over->sweep.axes[value->fails_axis].name), value->fails.edge,
                     value->fails.direction > 0 ? " on" : "");
}

/* Name the values that may be chosen although runs of other sizes failed. */
static void print_failing_elsewhere(const struct mm_over *over)
{
    for (size_t i = 0; i < over->count; i++) {
        const struct mm_over_value *value = &over->values[i];
        struct mm_line line;

        if (!value->may_be_chosen || !value->fails.direction)
            continue;
        mm_line_begin_plain(&line);
        mm_line_add(&line, "fails elsewhere: %s: %zu of %s", mm_safe(value->text),
                    value->failed, mm_counted(value->tried, "run"));
        print_edge(over, &line, value);
        if (value->error)
            mm_line_join(&line, "(%s)", mm_safe(value->error));
        mm_line_end(&line);
    }
}

/* Name the values that are not chosen from, with the reason. */
static void print_excluded(const struct mm_over *over)
{
    for (size_t i = 0; i < over->count; i++) {
        const struct mm_over_value *value = &over->values[i];
        struct mm_line line;

        if (value->may_be_chosen && !*value->why)
            continue;
        mm_line_begin_plain(&line);
        mm_line_add(&line, "not chosen: %s:", mm_safe(value->text));
        if (value->is_beyond)
            mm_line_join(&line,
                         "failures come with the size, and its largest run is %.2g "
                         "times smaller",
                         value->fails.factor);
        if (value->failed)
            mm_line_join(&line, "%zu of %s failed", value->failed,
                         mm_counted(value->tried, "run"));
        print_edge(over, &line, value);
        if (value->wrong && value->wrong < value->failures)
            mm_line_join(&line, "(%zu with a wrong result)", value->wrong);
        if (value->failed && value->error)
            mm_line_join(&line, "(%s)", mm_safe(value->error));
        if (*value->why && (value->done || !value->failures))
            mm_line_join(&line, "%s", mm_safe(value->why));
        mm_line_end(&line);
    }
}

/* Print the front, if failures make it longer than the choice. */
static void print_front(const struct mm_over *over)
{
    size_t count = 0;

    for (size_t i = 0; i < over->count; i++)
        count += (size_t)over->values[i].is_on_front;
    if (count < 2)
        return;
    puts("front of cost and failures:");
    for (size_t place = 0; place < over->count; place++) {
        const struct mm_over_value *value = &over->values[value_in(over, place)];

        if (value->is_on_front)
            printf("  %s: %s, fails in %.2f of the runs (90 %%: %.2f to %.2f)\n",
                   mm_safe(value->text), mm_cost(over->metric, value->forecast->total_ns),
                   value->fails.share, value->fails.low, value->fails.high);
    }
}

/* Print the notes of the choice's forecast and of its first tie. */
static void print_notes(const struct mm_over *over)
{
    for (size_t i = 0; i < over->choice.count && i < 2; i++) {
        mm_print_notes(&mm_over_of(over, &over->choice.items[i])->library->notes);
        mm_print_notes(&over->choice.items[i].forecast->notes);
    }
}

int mm_over_print(const struct mm_over *over)
{
    mm_over_print_asked(over);
    printf("%s of runs with each value\n", mm_safe(over->metric->name));
    mm_table_print(5, add_rows, over);
    if (over->choice.count) {
        print_choice(over);
        print_rivals(over);
    } else {
        puts("choice: none");
    }
    print_excluded(over);
    print_failing_elsewhere(over);
    print_front(over);
    print_notes(over);
    return mm_finish_output(MM_EXIT_DONE);
}

int mm_over_print_quiet(const struct mm_over *over)
{
    if (find_rival(over))
        fputs("mastermind: note: not decided: another value may be the best\n", stderr);
    for (size_t i = 0; i < over->axis_count && over->choice.count; i++) {
        const struct sweep_axis *axis = &over->sweep.axes[over->axes[i]];
        size_t point = mm_over_of(over, &over->choice.items[0])->point;

        printf("%s=%s\n", axis->name,
               axis->texts[mm_plan_value(over->sweep.plan, point, over->axes[i])]);
    }
    return mm_finish_output(MM_EXIT_DONE);
}

/* --- The document ------------------------------------------------------------------- */

static json_t *point_json(const struct mm_over *over, const struct mm_over_value *value)
{
    json_t *object = json_object();

    for (size_t i = 0; i < over->axis_count; i++) {
        const struct sweep_axis *axis = &over->sweep.axes[over->axes[i]];

        mm_json_put(object, axis->name,
                    mm_json_escaped(axis->texts[mm_plan_value(
                        over->sweep.plan, value->point, over->axes[i])]));
    }
    return object;
}

static json_t *value_json(const struct mm_over *over, size_t at)
{
    const struct mm_over_value *value = &over->values[at];
    const struct mm_open_assembly *item = item_of(over, at);
    json_t *object = json_object();

    mm_json_set(object, "values runs failures wrong fails fails_low fails_high",
                point_json(over, value), (json_int_t)value->done,
                (json_int_t)value->failures, (json_int_t)value->wrong, value->fails.share,
                value->fails.low, value->fails.high);
    if (value->fails.direction)
        mm_json_set(object, "fails_with fails_edge fails_chance",
                    over->sweep.axes[value->fails_axis].name, value->fails.edge,
                    value->fails.p);
    mm_json_set(object, "error has_cost on_front", value->error,
                json_boolean(!*value->why), json_boolean(value->is_on_front));
    if (*value->why)
        mm_json_put(object, "why", mm_json_escaped(value->why));
    else
        mm_json_set_seconds(object, over->metric, "total low high",
                            value->forecast->total_ns, value->forecast->low_ns,
                            value->forecast->high_ns);
    mm_json_put(object, "may_be_chosen", json_boolean(item != NULL));
    if (!item)
        return object;
    mm_json_put(object, "best", mm_json_finite(item->best));
    if (item != over->choice.items) {
        mm_json_set_seconds(object, over->metric, "apart apart_low apart_high",
                            item->apart_ns, item->apart_low_ns, item->apart_high_ns);
        mm_json_put(object, "tie", json_boolean(item->is_tie));
    }
    return object;
}

static json_t *next_json(const struct mm_over *over, const struct mm_open_assembly *rival)
{
    const struct mm_over_value *value = less_certain(over, rival);
    const struct mm_axes *axes = mm_forecaster_axes(value->forecaster);
    json_t *object = point_json(over, value);
    char text[200];

    for (size_t i = 0; i < axes->count; i++)
        if (axes->items[i].varies && mm_axis_counts(axes, i))
            mm_json_put(object, axes->items[i].name,
                        mm_json_escaped(mm_choose_next(
                            axes, i, mm_question_text(&value->question, axes, i), text,
                            sizeof text)));
    return object;
}

int mm_over_print_json(const struct mm_over *over)
{
    const struct mm_open_choice *choice = &over->choice;
    const struct mm_open_assembly *rival = find_rival(over);
    json_t *document = mm_json_metric_document("choose-over", over->metric);
    json_t *values = json_array();

    for (size_t place = 0; place < over->count; place++)
        json_array_append_new(values, value_json(over, value_in(over, place)));
    mm_json_set(document, "directory level values", over->sweep.dir, MM_FORECAST_LEVEL,
                values);
    if (choice->count)
        mm_json_set(document, "choice decided",
                    point_json(over, mm_over_of(over, &choice->items[0])),
                    json_boolean(!rival && isfinite(choice->items[0].forecast->low_ns)));
    if (rival)
        mm_json_put(document, "to_decide", next_json(over, rival));
    return mm_json_print(document);
}

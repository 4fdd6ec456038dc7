/* SPDX-License-Identifier: BSD-3-Clause */
/* model_text.c: models for people. */
#include <math.h>
#include <string.h>

#include "mastermind/cmd/model_verb.h"

#define FORMULA_WIDTH 38 /* ranges are aligned behind formulas up to here */
#define FAR 10.          /* times the largest size: where rivals are looked for */

int mm_model_wanted(const struct mm_model_view *view, const struct mm_model_set *set)
{
    for (int i = 0; i < view->only->given; i++)
        if (strcmp(view->only->values[i], set->method->class_name) == 0)
            return 1;
    return !view->only->given;
}

/* Show the parameter of a term; of a constant the parameters that the port's author wrote
 * as expressions, or all. */
static int is_shown(const struct mm_model *model, size_t i)
{
    const struct mm_value_info *values = model->method->values;

    if (values[i].kind != MONITOR_PARAM || model->lacks)
        return 0;
    if (!mm_form_is_constant(&model->forms.form[0]))
        return mm_form_uses(&model->forms.form[0], i);
    for (size_t k = 0; k < model->method->in_count; k++)
        if (mm_value_is_derived(&values[k]))
            return mm_value_is_derived(&values[i]);
    return 1;
}

/* The ranges of the parameters, "72 <= Q <= 2080, nx = 8". Returns how many. */
static int print_ranges(const struct mm_model *model, char *text, size_t size)
{
    size_t used = 0;
    int printed = 0;

    *text = '\0';
    for (size_t i = 0; i < model->method->in_count && used < size - 300; i++) {
        const char *name = mm_safe(model->method->values[i].name);
        const char *join = printed ? ", " : "";

        if (!is_shown(model, i))
            continue;
        if (model->low[i] < model->high[i])
            used += (size_t)snprintf(text + used, size - used, "%s%s <= %.200s <= %s",
                                     join, mm_range_number(model->low[i]), name,
                                     mm_range_number(model->high[i]));
        else
            used += (size_t)snprintf(text + used, size - used, "%s%.200s = %s", join,
                                     name, mm_range_number(model->low[i]));
        printed++;
    }
    return printed;
}

/* What calls cost beside the typical cost, and what the host did to them. */
static void add_others(struct mm_line *line, const struct mm_model *model,
                       const struct mm_metric *metric)
{
    const struct mm_populations *p = &model->populations;
    double mean = p->sum / model->typical_sum_ns;
    char text[300];

    for (size_t i = 0; i < p->count; i++) {
        mm_population_print(&p->item[i], model->method, model->counts, text, sizeof text);
        mm_line_add(line, "%s", text);
    }
    if (p->host_calls > 0)
        mm_line_add(line, "%s taken by the host from %s left out",
                    mm_cost(metric, p->host_ns),
                    mm_counted((uint64_t)llround(p->host_calls), "call"));
    if (isfinite(mean) && fabs(mean - 1) >= .005)
        mm_line_add(line, "mean %.3g x", mean);
}

/* Flags that hold for every call inside the sizes seen, and rivals beyond them. */
static void add_doubts(struct mm_line *line, const struct mm_model *model,
                       const struct mm_metric *metric)
{
    struct mm_method_info method = *model->method;
    struct mm_value_info values[MONITOR_MAX_IN + MONITOR_MAX_OUT];
    struct mm_model middle = *model;
    union monitor_value in[MONITOR_MAX_IN] = {{0}};
    struct mm_estimate e;
    double x[MONITOR_MAX_IN];
    struct mm_sizes sizes = mm_model_sizes(model);
    size_t leading = mm_forms_leading(&model->forms, &sizes);

    mm_sizes_middle(&sizes, x);
    memcpy(values, method.values, method.in_count * sizeof *values);
    for (size_t i = 0; i < method.in_count; i++) {
        if (values[i].kind != MONITOR_PARAM) {
            in[i] = model->modes[i];
            continue;
        }
        values[i].type = MONITOR_DOUBLE;
        in[i].d = model->lacks ? MONITOR_ABSENT_DOUBLE : x[i];
    }
    method.values = values;
    middle.method = &method;
    mm_model_estimate(&middle, in, &e);
    mm_line_add_reasons(line, e.flags & ~(unsigned)MM_LACKING, metric);
    if (leading == method.in_count)
        return;
    x[leading] = FAR * model->high[leading];
    mm_line_add_rival(line, model, x, metric);
}

static void print_model(const struct mm_model *model, const struct mm_metric *metric)
{
    char mode[256], formula[1024], spread[128], range[1200];
    double error = mm_model_error(model);
    struct mm_line line;
    int width, ranges;

    mm_mode_print(model->method, model->modes, mode, sizeof mode);
    mm_model_print(model, formula, sizeof formula);
    mm_spread_print(model, spread, sizeof spread);
    mm_line_begin(&line, mm_safe(mode));
    width = FORMULA_WIDTH - line.indent;
    ranges = print_ranges(model, range, sizeof range);
    mm_line_add(&line, "%-*s", ranges && width > 0 ? width : 0, mm_safe(formula));
    if (ranges)
        mm_line_add(&line, "%s", range);
    if (isfinite(error))
        mm_line_add(&line, "%s out of sample",
                    error > 10 ? "> 1,000 %" : mm_percent(error));
    else if (ranges && model->sizes == 1)
        mm_line_add(&line, "one size only");
    mm_line_break(&line);
    mm_line_add(&line, "sd %s", spread);
    mm_line_add(&line, "%s of %s", mm_counted(model->n, "invocation"),
                mm_counted(model->sizes, "size"));
    add_others(&line, model, metric);
    if (!isnan(model->lacking_ns)) {
        mm_line_break(&line);
        mm_line_add(&line, "calls that lack a parameter: %s on average",
                    mm_cost(metric, model->lacking_ns));
    }
    if (error >= MM_MODEL_POOR) {
        mm_line_break(&line);
        mm_line_add(&line, "its parameters explain little of the cost of a call");
    } else if (model->narrow && model->sizes > 1) {
        mm_line_break(&line);
        mm_line_add(&line, "sizes too near each other to predict others");
    }
    add_doubts(&line, model, metric);
    mm_line_end(&line);
}

static void print_set(const struct mm_model_set *set, const struct mm_metric *metric)
{
    int used =
        printf("%s   %s   %s", mm_safe(set->method->name),
               mm_safe(set->method->class_name), mm_counted(set->calls, "invocation"));

    if (set->experiments > 1)
        printf("%spooled from %zu", used + 20 > 100 ? "\n  " : "   ", set->experiments);
    putchar('\n');
    if (set->model_count && !set->method->in_count)
        puts("  no parameter is marked: one cost for all calls");
    for (size_t i = 0; i < set->model_count; i++)
        print_model(&set->models[i], metric);
    if (!set->model_count)
        puts(metric->kind == MM_METRIC_TIME
                 ? "  no invocation has finished: no model"
                 : "  its value is not known for any single invocation: no model");
}

void mm_model_print_text(const struct mm_model_view *view)
{
    size_t printed = 0;

    for (size_t i = 0; i < view->library->count; i++) {
        const struct mm_model_set *set = &view->library->sets[i];

        if (!mm_model_wanted(view, set))
            continue;
        if (!printed++ && view->metric->kind != MM_METRIC_TIME)
            printf("exclusive %s instead of wall time\n", mm_safe(view->metric->name));
        print_set(set, view->metric);
    }
    if (!printed && !view->only->given)
        puts("nothing was measured: no models");
}

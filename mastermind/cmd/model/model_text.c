/* SPDX-License-Identifier: BSD-3-Clause */
/* model_text.c: print models for people. */
#include <math.h>
#include <string.h>

#include "mastermind/cmd/model/model_verb.h"

#define FORMULA_WIDTH 38 /* ranges are aligned after formulas up to this width */
#define RARE .2          /* largest share of calls that is called rare */
/* share of all time that text omits; JSON has all populations */
#define NEGLIGIBLE .005
#define FAR 10. /* competing models are compared at FAR x the largest size */

int mm_model_wanted(const struct mm_model_view *view, const struct mm_model_set *set)
{
    if (view->method && strcmp(view->method, set->method->method) != 0)
        return 0;
    for (int i = 0; view->only && i < view->only->given; i++)
        if (strcmp(view->only->values[i], set->method->class_name) == 0)
            return 1;
    return !view->only || !view->only->given;
}

/* True if the range of parameter `i` is printed: if the formula has it; for a constant
 * formula, the parameters marked as expressions by the port's author, or else all. */
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

/* Print the ranges of the parameters, "72 <= Q <= 2080, nx = 8". Returns their number. */
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

/* True if a population is too small a share of all time to be printed. */
static int is_negligible(const struct mm_populations *p, const struct mm_population *item)
{
    return fabs(item->calls * item->excess) < NEGLIGIBLE * p->sum;
}

/* Print a line for each population with its own cost: "rare: 10 % of calls, every 10th
 * call, cost 22 us more", or with a rule on a parameter, "where Q > 1000, ...". */
static void add_populations(struct mm_line *line, const struct mm_model *model,
                            const struct mm_metric *metric)
{
    const struct mm_populations *p = &model->populations;

    for (size_t i = 0; i < p->count; i++) {
        const struct mm_population *item = &p->item[i];
        int where = item->rule.kind == MM_RULE_PARAMETER;
        char rule[160];

        if (is_negligible(p, item))
            continue;
        mm_rule_print(&item->rule, model->method, rule, sizeof rule);
        mm_line_break(line);
        mm_line_add(line, "%s%s%s%s%s of calls%s%s%s %s %s %s%s",
                    item->share <= RARE ? "rare: " : "", where ? "where " : "",
                    where ? mm_safe(rule) : "", where ? ", " : "",
                    mm_percent(item->share), *rule && !where ? ", " : "",
                    where ? "" : mm_safe(rule), *rule && !where ? "," : "",
                    item->waits ? "wait" : "cost", mm_cost(metric, fabs(item->excess)),
                    item->excess < 0 ? "less" : "more",
                    item->waits ? ": sleep, lock or I/O" : "");
    }
}

/* Print the time that is attributed to the host. */
static void add_host(struct mm_line *line, const struct mm_model *model,
                     const struct mm_metric *metric)
{
    const struct mm_populations *p = &model->populations;

    if (!(p->host_calls > 0))
        return;
    mm_line_break(line);
    mm_line_add(line, "attributed to the host: %s in %s", mm_cost(metric, p->host_ns),
                mm_counted((uint64_t)llround(p->host_calls), "call"));
}

/* Print by how much equal calls got slower or faster during the run. */
static void add_drift(struct mm_line *line, const struct mm_model *model)
{
    double change = model->drift.change;

    if (!model->drift.significant)
        return;
    mm_line_break(line);
    mm_line_add(line, "drift: equal calls cost %s %s at the end of the run",
                mm_percent(fabs(change)), change > 0 ? "more" : "less");
}

unsigned mm_model_flags_inside(const struct mm_model *model)
{
    struct mm_sizes sizes = mm_model_sizes(model);
    double x[MONITOR_MAX_IN] = {0};
    struct mm_estimate e;

    mm_sizes_middle(&sizes, x);
    mm_model_estimate_tuple(model, x, &e);
    return e.flags;
}

/* Flags that all models have: these are printed once, below the models. */
static unsigned common_flags(const struct mm_model_view *view)
{
    unsigned common = MM_ONE_RUN | MM_NO_EVIDENCE | MM_IN_TURN;

    for (size_t i = 0; i < view->library->count; i++) {
        const struct mm_model_set *set = &view->library->sets[i];

        for (size_t k = 0; mm_model_wanted(view, set) && k < set->model_count; k++)
            common &= mm_model_flags_inside(&set->models[k]);
    }
    return common;
}

/* Print why the model may be less certain than its interval, and which competing model
 * differs far beyond the measured sizes. */
static void add_doubts(struct mm_line *line, const struct mm_model *model,
                       const struct mm_metric *metric, unsigned common)
{
    struct mm_sizes sizes = mm_model_sizes(model);
    size_t leading = mm_forms_leading(&model->forms, &sizes);
    /* The drift has a line of its own. */
    unsigned flags = mm_model_flags_inside(model) & ~common & ~(unsigned)MM_DRIFT;
    double x[MONITOR_MAX_IN] = {0};

    if (!model->method->in_count || model->sizes == 1) /* printed above */
        flags &=
            ~(unsigned)(MM_NO_PARAMETER | MM_POOR | MM_SINGLE | MM_NARROW | MM_FEW_SIZES);
    mm_line_add_reasons(line, flags);
    if (leading == sizes.count)
        return;
    mm_sizes_at(&sizes, mm_sizes_place(&sizes, leading, FAR * model->high[leading]), x);
    mm_line_add_rival(line, model, x, metric);
}

/* Print the local exponent of a formula with several terms, which the terms do not
 * show. */
static void add_growth(struct mm_line *line, const struct mm_model *model)
{
    const struct mm_form *form = &model->forms.form[0];
    struct mm_sizes sizes = mm_model_sizes(model);
    size_t leading = mm_forms_leading(&model->forms, &sizes), terms = 0;
    double growth;

    for (size_t i = 0; i < form->count; i++) {
        /* an exponential term grows like no power */
        if (form->basis[i].kind == MM_BASIS_EXPONENTIAL)
            return;
        terms += form->basis[i].kind != MM_BASIS_ONE;
    }
    growth = terms > 1 && leading < sizes.count ? mm_model_growth(model, leading) : NAN;
    if (isfinite(growth))
        mm_line_add(line, "grows like %s^%.2f here",
                    mm_safe(model->method->values[leading].name), growth);
}

static void print_model(const struct mm_model *model, const struct mm_metric *metric,
                        unsigned common, int stated)
{
    const struct mm_populations *p = &model->populations;
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
    mm_line_add_formula(&line, mm_safe(formula), ranges && width > 0 ? width : 0);
    if (ranges)
        mm_line_add(&line, "%s", range);
    if (isfinite(error))
        mm_line_add(&line, "%s out of sample",
                    error > 10 ? "> 1,000 %" : mm_percent(error));
    else if (ranges && model->sizes == 1)
        mm_line_add(&line, "one size only");
    add_growth(&line, model);
    mm_line_break(&line);
    mm_line_add(&line, "sd %s", spread);
    if (!stated)
        mm_line_add(&line, "%s of %s", mm_counted(model->n, "invocation"),
                    mm_counted(model->sizes, "size"));
    if (model->typical_sum_ns > 0 && fabs(p->sum / model->typical_sum_ns - 1) >= .005)
        mm_line_add(&line, "mean %.3g x", p->sum / model->typical_sum_ns);
    add_populations(&line, model, metric);
    add_host(&line, model, metric);
    add_drift(&line, model);
    if (!isnan(model->lacking_ns)) {
        mm_line_break(&line);
        mm_line_add(&line, "calls that lack a parameter: %s on average",
                    mm_cost(metric, model->lacking_ns));
    }
    add_doubts(&line, model, metric, common);
    mm_line_end(&line);
}

/* True if the library has another build of the class. */
static int has_other_build(const struct mm_library *library,
                           const struct mm_model_set *set)
{
    for (size_t i = 0; i < library->count; i++)
        if (strcmp(library->sets[i].method->class_name, set->method->class_name) == 0 &&
            *library->sets[i].method->build_id &&
            strcmp(library->sets[i].method->build_id, set->method->build_id) != 0)
            return 1;
    return 0;
}

static void print_set(const struct mm_model_view *view, const struct mm_model_set *set,
                      unsigned common)
{
    const struct mm_metric *metric = view->metric;
    struct mm_line line;

    mm_line_begin_plain(&line);
    mm_line_add(&line, "%s", mm_safe(set->method->name));
    mm_line_add(&line, "%s", mm_safe(set->method->class_name));
    if (set->calls)
        mm_line_add(&line, "%s", mm_counted(set->calls, "invocation"));
    if (set->beside && *set->beside)
        mm_line_add(&line, "beside %s", mm_safe(set->beside));
    if (set->experiments > 1)
        mm_line_add(&line, "pooled from %zu", set->experiments);
    if (set->unlike > 0)
        mm_line_add(&line, "neighbours: %s apart", mm_percent(set->unlike));
    if (set->given)
        mm_line_add(&line, "kept in %s", mm_safe(set->given));
    if (*set->method->build_id && has_other_build(view->library, set))
        mm_line_add(&line, "build %.8s", mm_safe(set->method->build_id));
    mm_line_end(&line);
    if (set->model_count && !set->method->in_count)
        puts("  no parameter is marked: one cost for all calls");
    for (size_t i = 0; i < set->model_count; i++)
        print_model(&set->models[i], metric, common, set->given && !set->calls);
    if (!set->model_count)
        puts(metric->kind == MM_METRIC_TIME
                 ? "  no invocation has finished: no model"
                 : "  its value is not known for any single invocation: no model");
}

/* Print the last line: time of all calls with a model as measured and as modelled, and
 * calls that were left out. Returns 0 if no calls are known. */
static int add_sums(struct mm_line *line, const struct mm_model_view *view)
{
    double measured = 0, modelled = 0, host = 0;
    uint64_t calls = 0;

    for (size_t i = 0; i < view->library->count; i++) {
        const struct mm_model_set *set = &view->library->sets[i];

        if (!mm_model_wanted(view, set) || !(set->measured_ns > 0))
            continue;
        measured += set->measured_ns;
        modelled += set->modelled_ns;
        host += set->host_ns;
        calls += set->calls;
    }
    /* callees would count twice, and peaks do not add up */
    if (!(measured > 0) || view->inclusive || mm_metric_is_peak(view->metric))
        return 0;
    mm_line_begin(line, "all");
    mm_line_add(line, "%s in %s", mm_cost(view->metric, measured),
                mm_counted(calls, "invocation"));
    mm_line_add(line, "by their models %s", mm_cost(view->metric, modelled));
    if (host > 0)
        mm_line_add(line, "attributed to the host %s", mm_cost(view->metric, host));
    return 1;
}

void mm_model_print_metric(const struct mm_model_view *view)
{
    if (view->inclusive)
        puts("inclusive: each call with all that it calls");
    if (view->metric->kind == MM_METRIC_TIME)
        return;
    if (mm_metric_is_peak(view->metric))
        printf("%s of each outermost call instead of own time\n",
               mm_safe(view->metric->name));
    else if (view->metric->kind != MM_METRIC_WALL_TIME && !view->inclusive)
        printf("exclusive %s instead of own time\n", mm_safe(view->metric->name));
    else if (!view->stretch)
        puts("these runs have no record of the time taken by the host: times are wall "
             "time");
    mm_stretch_print(view->stretch);
}

void mm_model_print_text(const struct mm_model_view *view)
{
    unsigned common = common_flags(view);
    struct mm_line line;
    size_t printed = 0;

    for (size_t i = 0; i < view->library->count; i++) {
        const struct mm_model_set *set = &view->library->sets[i];

        if (!mm_model_wanted(view, set))
            continue;
        if (!printed++)
            mm_model_print_metric(view);
        print_set(view, set, common);
    }
    if (!printed && !view->only->given)
        puts("nothing was measured: no models");
    if (!printed)
        return;
    if (!add_sums(&line, view)) {
        if (!common)
            return;
        mm_line_begin(&line, "all methods:");
        line.fresh = 1;
    }
    mm_line_add_reasons(&line, common);
    mm_line_end(&line);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_model.c: what methods cost as functions of their parameters. */
#include <math.h>
#include <string.h>

#include "mastermind/cmd/kept.h"

#define COLUMNS 100  /* columns of a line for people */
#define LONG_MODE 34 /* a mode this long takes a line of its own */

static const char usage[] =
    "mastermind model shock-1.mm\n"
    "mastermind model run-1.mm run-2.mm --class EFMFlux\n"
    "\n"
    "Print what a call costs as a function of its parameters: a formula for the\n"
    "exclusive time of each method, class and mode. All experiments are pooled.\n"
    "\n"
    "  --class CLASS   models of this class only\n"
    "  --metric NAME   model this instead of wall time: CPU_TIME, MPI_TIME,\n"
    "                  COMPUTE_TIME, a counter or an out-parameter (o.NAME)\n"
    "  --json          print one document, mastermind/model/1\n"
    "\n"
    "A formula is the typical cost of a call. Sums over many calls use the mean,\n"
    "without pauses of the host: more than ten times the typical cost.\n";

/* Print the range of one parameter; with `parted` a comma comes first. */
static void print_range(const struct mm_model *model, size_t i, int parted)
{
    const char *name = mm_safe(model->method->values[i].name);

    if (model->low[i] < model->high[i])
        printf("%s%s <= %s <= %s", parted ? ", " : "", mm_range_number(model->low[i]),
               name, mm_range_number(model->high[i]));
    else
        printf("%s%s = %s", parted ? ", " : "", name, mm_range_number(model->low[i]));
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
    for (size_t k = 0; k < model->method->in_count; k++) {
        if (mm_value_is_derived(&values[k]))
            return mm_value_is_derived(&values[i]);
    }
    return 1;
}

/* Print the share of calls above the typical cost, on the line that has `used` columns if
 * it fits. */
static void print_disturbed(const struct mm_model *model, const struct mm_metric *metric,
                            int indent, int used)
{
    char above[80] = "", mean[40] = "";

    if (model->disturbed > 0)
        snprintf(above, sizeof above, "%s above it, by %s each",
                 mm_percent(model->disturbed), mm_cost(metric, model->excess_ns));
    if (model->inflation >= 1.005)
        snprintf(mean, sizeof mean, "%smean %.3g x", *above ? ", " : "",
                 model->inflation);
    if (!*above && !*mean)
        return;
    if (used + 3 + (int)strlen(above) + (int)strlen(mean) > COLUMNS)
        printf("\n  %*s%s%s", indent, "", above, mean);
    else
        printf("   %s%s", above, mean);
}

static void print_model(const struct mm_model *model, const struct mm_metric *metric)
{
    char mode[256], formula[1024], spread[128];
    double error = mm_model_error(model);
    int printed = 0, indent, used, width;

    mm_mode_print(model->method, model->modes, mode, sizeof mode);
    mm_model_print(model, formula, sizeof formula);
    mm_spread_print(model, spread, sizeof spread);
    indent = *mode ? (int)strlen(mode) + 3 : 0;
    printf("  %s%s", mm_safe(mode), indent > LONG_MODE ? "\n    " : *mode ? "   " : "");
    if (indent > LONG_MODE)
        indent = 2;
    width = 38 - indent - printf("%s", mm_safe(formula));
    for (size_t i = 0; i < model->method->in_count; i++) {
        if (is_shown(model, i)) {
            printf("%*s", printed ? 0 : (width > 0 ? width : 0) + 2, "");
            print_range(model, i, printed);
            printed = 1;
        }
    }
    if (isfinite(error))
        printf("   %s out of sample", error > 10 ? "> 1,000 %" : mm_percent(error));
    else if (printed && model->sizes == 1)
        fputs("   one size only", stdout);
    used = printf("\n  %*ssd %s   %s invocation%s of %zu size%s", indent, "", spread,
                  mm_thousands(model->n), model->n == 1 ? "" : "s", model->sizes,
                  model->sizes == 1 ? "" : "s");
    print_disturbed(model, metric, indent, used);
    putchar('\n');
    if (!isnan(model->lacking_ns))
        printf("  %*scalls that lack a parameter: %s on average\n", indent, "",
               mm_cost(metric, model->lacking_ns));
    if (error >= MM_MODEL_POOR)
        printf("  %*sits parameters explain little of the cost of a call\n", indent, "");
    else if (model->narrow && model->sizes > 1)
        printf("  %*ssizes too near each other to predict others\n", indent, "");
}

static void print_set(const struct mm_model_set *set, const struct mm_metric *metric)
{
    int used = printf("%s   %s   %s invocation%s", mm_safe(set->method->name),
                      mm_safe(set->method->class_name), mm_thousands(set->calls),
                      set->calls == 1 ? "" : "s");

    if (set->experiments > 1)
        printf("%spooled from %zu", used + 20 > COLUMNS ? "\n  " : "   ",
               set->experiments);
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

static json_t *modes_json(const struct mm_model *model)
{
    json_t *modes = json_object();

    for (size_t i = 0; i < model->method->in_count; i++) {
        if (model->method->values[i].kind == MONITOR_MODE)
            mm_json_put(modes, model->method->values[i].name,
                        json_integer(model->modes[i].i));
    }
    return modes;
}

static json_t *range_json(const struct mm_model *model)
{
    json_t *ranges = json_object();

    for (size_t i = 0; i < model->method->in_count; i++) {
        json_t *range;

        if (model->method->values[i].kind != MONITOR_PARAM || model->lacks)
            continue;
        range = json_object();
        mm_json_put(range, "low", mm_json_finite(model->low[i]));
        mm_json_put(range, "high", mm_json_finite(model->high[i]));
        mm_json_put(ranges, model->method->values[i].name, range);
    }
    return ranges;
}

/* The terms of the formula but the constant. */
static json_t *terms_json(const struct mm_model *model, const struct mm_metric *metric)
{
    static const char *const kinds[] = {"one", "product", "hinge", "jump"};
    const struct mm_form *form = &model->forms.form[0];
    json_t *terms = json_array();

    for (size_t i = 0; i < form->count; i++) {
        const struct mm_basis *basis = &form->basis[i];
        json_t *term, *factors;

        if (basis->kind == MM_BASIS_ONE)
            continue;
        term = json_object();
        factors = json_array();
        mm_json_put(term, "kind", json_string(kinds[basis->kind]));
        mm_json_put_ns(term, "factor", metric, form->a[i]);
        for (size_t k = 0; k < basis->factors; k++) {
            const struct mm_factor *factor = &basis->factor[k];
            json_t *object = json_object();

            mm_json_put(object, "parameter",
                        mm_json_escaped(model->method->values[factor->parameter].name));
            mm_json_put(object, "exponent", mm_json_finite(factor->power));
            mm_json_put(object, "logs", json_integer(factor->logs));
            json_array_append_new(factors, object);
        }
        mm_json_put(term, "factors", factors);
        if (basis->kind == MM_BASIS_HINGE || basis->kind == MM_BASIS_JUMP)
            mm_json_put(term, "at", mm_json_finite(basis->at));
        json_array_append_new(terms, term);
    }
    return terms;
}

static json_t *model_json(const struct mm_model *model, const struct mm_metric *metric)
{
    json_t *object = json_object(), *spread = json_object();
    char text[1024];

    mm_mode_print(model->method, model->modes, text, sizeof text);
    mm_json_put(object, "mode", mm_json_escaped(text));
    mm_json_put(object, "modes", modes_json(model));
    mm_model_print(model, text, sizeof text);
    mm_json_put(object, "formula", mm_json_escaped(text));
    mm_json_put_ns(object, "constant", metric, mm_form_constant(&model->forms.form[0]));
    mm_json_put(object, "terms", terms_json(model, metric));
    mm_json_put(object, "range", range_json(model));
    if (model->spread.known) {
        mm_json_put(spread, "factor", mm_json_finite(model->spread.factor));
        mm_json_put(spread, "power", mm_json_finite(model->spread.power));
        mm_json_put(object, metric->kind == MM_METRIC_TIME ? "sd_ns" : "sd", spread);
    } else {
        json_decref(spread);
    }
    mm_json_put(object, "narrow", json_boolean(model->narrow));
    mm_json_put(object, "error", mm_json_finite(mm_model_error(model)));
    mm_json_put(object, "invocations", json_integer((json_int_t)model->n));
    mm_json_put(object, "sizes", json_integer((json_int_t)model->sizes));
    mm_json_put(object, "mean_over_typical", mm_json_finite(model->inflation));
    mm_json_put(object, "disturbed", mm_json_finite(model->disturbed));
    mm_json_put_ns(object, "excess", metric, model->excess_ns);
    mm_json_put_ns(object, "lacking", metric, model->lacking_ns);
    return object;
}

static int wanted(const struct mm_model_set *set, const struct mm_option *only)
{
    for (int i = 0; i < only->given; i++) {
        if (strcmp(only->values[i], set->method->class_name) == 0)
            return 1;
    }
    return !only->given;
}

static int print_json(const struct mm_library *library, const struct mm_metric *metric,
                      const struct mm_option *only)
{
    json_t *document = mm_json_metric_document("model", metric), *methods = json_array();

    for (size_t i = 0; i < library->count; i++) {
        const struct mm_model_set *set = &library->sets[i];
        json_t *method, *models;

        if (!wanted(set, only))
            continue;
        method = json_object();
        models = json_array();
        mm_json_put_method(method, set->method);
        if (metric->kind == MM_METRIC_TIME)
            mm_json_put(method, "metric", json_string("exclusive wall time"));
        mm_json_put(method, "invocations", json_integer((json_int_t)set->calls));
        for (size_t k = 0; k < set->model_count; k++)
            json_array_append_new(models, model_json(&set->models[k], metric));
        mm_json_put(method, "models", models);
        json_array_append_new(methods, method);
    }
    mm_json_put(document, "methods", methods);
    mm_json_put(document, "notes", mm_json_notes(&library->notes, NULL));
    return mm_json_print(document);
}

static int run_model(const struct mm_input *input, const struct mm_option *only, int json)
{
    struct cca_error err = {0};
    struct mm_library *library = mm_library_new(input->profiles, input->count, &err);
    size_t printed = 0;
    int result;

    if (!library || mm_kept_note_input(&library->notes, input, &err)) {
        mm_library_free(library);
        return mm_complain(&err);
    }
    for (size_t i = 0; i < library->count; i++)
        printed += (size_t)wanted(&library->sets[i], only);
    if (json) {
        result = print_json(library, &input->metric, only);
    } else {
        if (printed && input->metric.kind != MM_METRIC_TIME)
            printf("exclusive %s instead of wall time\n", mm_safe(input->metric.name));
        for (size_t i = 0; i < library->count; i++) {
            if (wanted(&library->sets[i], only))
                print_set(&library->sets[i], &input->metric);
        }
        if (!printed && !only->given)
            puts("nothing was measured: no models");
        mm_print_notes(&library->notes);
        result = mm_finish_output(MM_EXIT_DONE);
    }
    if (!printed && only->given) {
        result = mm_input_check_class(input, only->values[0]);
        if (result < 0)
            result = mm_refuse(MM_EXIT_INPUT, "no invocation of a class '%s'",
                               mm_safe(only->values[0]));
    }
    mm_library_free(library);
    return result;
}

int cmd_model(int argc, char **argv)
{
    struct mm_option options[] = {{.name = "--json"},
                                  {.name = "--class", .takes_value = 1},
                                  {.name = "--metric", .takes_value = 1}};
    struct mm_input input;
    int count, result;

    result = mm_options_read(options, 3, usage, argc, argv, &count);
    if (result >= 0)
        return result;
    result = mm_input_open(&input, argv, count, &options[2]);
    if (result < 0)
        result = run_model(&input, &options[1], options[0].given);
    mm_input_done(&input);
    return result;
}

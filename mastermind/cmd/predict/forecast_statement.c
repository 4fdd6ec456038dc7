/* SPDX-License-Identifier: BSD-3-Clause */
/* forecast_statement.c: append a forecast to the ledger as a statement. */
#include <math.h>
#include <string.h>

#include "mastermind/cmd/predict/forecast_verb.h"

/* Set the parameters of the predicted run: the base's, and the values that the request
 * gives. */
static void set_asked(const struct mm_forecast_report *r, struct mm_statement *s)
{
    const struct mm_axes *axes = mm_forecaster_axes(r->forecaster);
    struct mm_run *run = &s->entry.run;
    struct mm_run_values *values[] = {[MM_AXIS_VARIABLE] = &run->variables,
                                      [MM_AXIS_PARAMETER] = &run->set,
                                      [MM_AXIS_CLASS] = &run->classes};

    for (size_t i = 0; i < axes->count; i++) {
        const struct mm_axis *axis = &axes->items[i];
        const char *text = mm_question_text(r->question, axes, i);

        if (axis->is_name_of_run)
            mm_statement_name(s, axis->name);
        else if (axis->kind == MM_AXIS_RANKS)
            run->ranks = text ? (int)mm_axis_number(text) : run->ranks;
        else if (text)
            mm_statement_set(s, values[axis->kind], axis->name, text);
    }
}

static double beyond_of(const struct mm_forecast_report *r)
{
    const struct mm_axes *axes = mm_forecaster_axes(r->forecaster);
    double beyond = 1;

    for (size_t i = 0; i < r->forecast->part_count; i++)
        beyond = fmax(beyond, r->forecast->parts[i].beyond);
    for (size_t i = 0; i < axes->count; i++) {
        const struct mm_axis *axis = &axes->items[i];
        double most = 0;

        if (!mm_axis_counts(axes, i) || !axis->varies || !axis->is_number)
            continue;
        for (size_t k = 0; k < axes->runs; k++)
            most = fmax(most, axis->number[k]);
        if (most > 0)
            beyond = fmax(beyond,
                          mm_axis_number(mm_question_text(r->question, axes, i)) / most);
    }
    return beyond;
}

static void add_amount(struct mm_statement *s, const char *kind,
                       const struct mm_amount *amount)
{
    mm_statement_add(s, kind, NULL, amount->number.value, amount->number.low,
                     amount->number.high);
}

/* Add the sum of a parameter over all calls of a method, if it is known. */
static void add_sum(const struct mm_forecast_report *r, struct mm_statement *s,
                    const struct mm_forecast_part *part, size_t parameter)
{
    const struct mm_basis basis = {.kind = MM_BASIS_PRODUCT,
                                   .factor = {{.parameter = parameter, .power = 1}},
                                   .factors = 1};
    struct mm_structure *structure = mm_forecaster_structure(r->forecaster);
    const struct mm_method_info *method = structure->cells.vertices[part->vertex].method;
    double value = 0, low = 0, high = 0;
    struct cca_error err = {0};

    for (size_t i = 0; i < part->cell_count; i++) {
        struct mm_quantity *sum = mm_structure_quantity(structure, MM_QUANTITY_SUM,
                                                        part->cells[i].cell, &basis);
        struct mm_amount amount;

        if (!sum ||
            mm_structure_amount(structure, sum, &r->forecast->asked, &amount, &err))
            return;
        value += amount.number.value;
        low += amount.number.low;
        high += amount.number.high;
    }
    mm_statement_add(s, method->values[parameter].name, method->name, value, low, high);
}

static void add_numbers(const struct mm_forecast_report *r, struct mm_statement *s)
{
    const struct mm_forecast *f = r->forecast;
    const struct mm_cells *cells = &mm_forecaster_structure(r->forecaster)->cells;
    double compute = 0;

    for (size_t i = 0; i < f->part_count; i++) {
        const struct mm_forecast_part *part = &f->parts[i];
        const struct mm_method_info *method = cells->vertices[part->vertex].method;

        mm_statement_add(s, "calls", cells->vertices[part->vertex].name, part->calls,
                         part->calls_low, part->calls_high);
        for (size_t k = 0; k < method->in_count; k++)
            if (method->values[k].kind == MONITOR_PARAM &&
                strcmp(method->values[k].name, "level"))
                add_sum(r, s, part, k);
        compute += part->cost_ns;
    }
    if (!f->has_mpi)
        return;
    mm_statement_add(s, "compute", NULL, compute, NAN, NAN);
    add_amount(s, "transfer", &f->transfer);
    add_amount(s, "waiting", &f->waiting);
}

void mm_forecast_keep(const struct mm_forecast_report *r, const char *verb,
                      struct mm_forecast *forecast)
{
    struct mm_statement s;
    int result;

    if (!r->keeper->path)
        return;
    mm_keeper_recalibrate(r->keeper, MM_FORECAST_LEVEL, forecast->total_ns,
                          &forecast->low_ns, &forecast->high_ns);
    result = mm_statement_begin(&s, verb, r->input);
    if (result < 0) {
        set_asked(r, &s);
        add_numbers(r, &s);
        s.entry.metric = r->metric->name;
        s.entry.total = r->metric == &r->input->metric ? "all ranks" : "longest rank";
        s.entry.beyond = beyond_of(r);
        mm_statement_total(&s, r->keeper, MM_FORECAST_LEVEL,
                           forecast->unknown ? NAN : forecast->total_ns, forecast->why);
        mm_keeper_keep(r->keeper, &s);
    } else {
        r->keeper->failed = result;
    }
    mm_statement_done(&s);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* cost.c: the cost of a cell, by the first applicable method of this list.
 * bench/composite/README.md has the errors of each.
 *
 *   a count       its sum has a scaling function; no model
 *   no calls      0
 *   no model      unknown
 *   by run        the mean cost of a call in each run, if that is better than a model
 *   one size      number of calls times the model at their size, predicted like counts
 *   exact sums    coefficients times sums of basis functions with closed forms
 *   a trend       of coefficients times sums, taken as one quantity */
#include "mastermind/forecast/cost.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/forecast/models/sum.h"
#include "mastermind/cost/cost.h"

/* largest number of tuples of in-values of a cell over which errors are summed; evenly
 * chosen */
#define MOST_TUPLES 4000
/* sum of relative differences up to which mean sizes count as equal */
#define SAME_SIZES .02
/* Ratio of the 90 % quantile of errors to their median, for few sizes. */
#define MEDIAN_90 4.
#define LEAST_HALF .01
/* A single size does not show the growth of the cost: assume this power. */
#define ONE_SIZE_POWER 2
#define LEAST .01 /* least cost of a call, relative to the least measured cost */

/* --- Sums over the calls of a run -------------------------------------------------- */

struct run_sums {
    double typ, mean; /* costs of the calls; `typ`: by the best form; `mean`: over all
                         populations */
    double relative;  /* half-width of the 90 % interval of the mean's sum,
                         from model errors */
    double x[MONITOR_MAX_IN]; /* mean parameters of the calls, weighted by the cost */
};

/* Add up the calls of a run in a cell. With `direct`, sizes at which the class was
 * measured often count with their measured mean, because the requested run has the same
 * sizes. */
static int sum_run(const struct mm_cells *cells, size_t cell, size_t run,
                   const struct mm_cell_source *source, int direct, struct run_sums *sums)
{
    const struct mm_method_info *method = mm_cell_method(cells, cell);
    const struct mm_model *model = source->model;
    const struct mm_cell_run *of = &cells->items[cell].runs[run];
    size_t step = of->count / MOST_TUPLES + 1;
    struct mm_cost_sum cost = {.own = 0};
    int result = 0;

    *sums = (struct run_sums){.relative = NAN};
    for (size_t i = 0; i < of->count && !result; i += step) {
        union monitor_value mapped[MONITOR_MAX_IN];
        const struct mm_point *point;
        double x[MONITOR_MAX_IN], calls = of->tuples[i].calls, work;

        if (mm_values_map(model->method, method, of->tuples[i].in, mapped))
            continue;
        mm_model_tuple(model, mapped, x);
        work = calls * fmax(mm_form_value(&model->forms.form[0], x), 0);
        sums->typ += work;
        for (size_t k = 0; k < model->method->in_count; k++)
            sums->x[k] += work * x[k];
        point = direct ? mm_points_find(&source->set->points, mapped) : NULL;
        if (point && !mm_same_in_values(source->set->method, model->method))
            point = NULL;
        result = point ? mm_cost_sum_direct(&cost, model, point, calls) : 0;
        if (!result)
            result = mm_cost_sum_add(&cost, model, mapped, calls);
        else if (result == 1)
            result = 0;
    }
    for (size_t k = 0; k < model->method->in_count && sums->typ > 0; k++)
        sums->x[k] /= sums->typ;
    sums->mean = cost.cost_ns;
    if (!result && cost.cost_ns > 0)
        sums->relative =
            mm_90_of_95(source->model) * mm_cost_sum_half(&cost) / cost.cost_ns;
    mm_cost_sum_done(&cost);
    return result;
}

static double basis_value(const void *context, const double *x)
{
    return mm_basis_value(context, x);
}

/* Distance of the sizes of a run from the requested ones, by the mean of each basis
 * function over the calls; 0: equal. */
static double distance_of(const struct mm_structure *s, const struct mm_forecast_cell *of,
                          size_t run)
{
    const struct mm_form *form = &of->model->forms.form[0];
    double calls = s->cells.items[of->cell].runs[run].calls, distance = 0;

    for (size_t k = 0; k < of->sum_count; k++) {
        double asked = of->sums[k].number.value / of->calls.number.value, far;
        struct mm_basis basis;

        if (mm_cell_basis(&form->basis[k], of->model->method,
                          mm_cell_method(&s->cells, of->cell), &basis))
            continue;
        far = fabs(log(mm_cells_sum(&s->cells, of->cell, run, basis_value, &basis) /
                       calls / asked));
        distance += isfinite(far) ? far : 100;
    }
    return distance;
}

/* The run whose call sizes are nearest to the requested ones; among equal ones, the run
 * with most calls; structure->runs: no run called it. */
static size_t nearest_run(const struct mm_structure *s, const struct mm_forecast_cell *of,
                          double *distance)
{
    size_t best = s->runs;

    *distance = INFINITY;
    for (size_t r = 0; r < s->runs; r++) {
        const struct mm_cell_run *runs = s->cells.items[of->cell].runs;
        double far = runs[r].count ? distance_of(s, of, r) : INFINITY;

        if (far < *distance - SAME_SIZES ||
            (far < *distance + SAME_SIZES && best < s->runs &&
             runs[r].calls > runs[best].calls)) {
            *distance = fmin(far, *distance);
            best = r;
        }
    }
    return best;
}

/* --- By sums over sizes ------------------------------------------------------------ */

/* A form in terms of the in-values of the cell's method. */
struct mapped_form {
    struct mm_basis basis[MM_FORM_TERMS];
    double a[MM_FORM_TERMS];
    size_t count;
};

static int add_sum(struct mm_forecaster *f, const struct mm_asked *asked,
                   const struct mm_model *model, size_t term, struct mm_forecast_cell *of,
                   char *why, struct cca_error *err)
{
    const struct mm_form *form = &model->forms.form[0];
    const struct mm_method_info *method = mm_cell_method(&f->structure.cells, of->cell);
    struct mm_amount *amount = &of->sums[of->sum_count++];
    struct mm_quantity *quantity;
    struct mm_basis basis;

    if (mm_cell_basis(&form->basis[term], model->method, method, &basis)) {
        snprintf(why, MM_LAW_TEXT, "the calls lack a parameter of the model");
        return 0;
    }
    if (basis.kind == MM_BASIS_ONE) {
        *amount = of->calls;
        return 0;
    }
    quantity = mm_structure_quantity(&f->structure, MM_QUANTITY_SUM, of->cell, &basis);
    if (!quantity)
        return cca_no_memory(err);
    if (mm_structure_amount(&f->structure, quantity, asked, amount, err))
        return err->code;
    if (!isfinite(amount->number.value))
        snprintf(why, MM_LAW_TEXT, "sums of sizes: %.200s", amount->why);
    return 0;
}

/* True if each sum over the calls has a closed form in the parameters and exogenous
 * counts, or the calls' sizes are known. */
static int sums_are_exact(const struct mm_forecast_cell *of)
{
    for (size_t k = 0; k < of->sum_count; k++)
        if (of->sums[k].own > 0 && !of->sums[k].is_by_sizes)
            return 0;
    return 1;
}

/* Set the cost from the sums of basis functions: r a_k Phi_k (forecast.h). */
static void add_costs(struct mm_forecast_cell *of)
{
    const struct mm_form *form = &of->model->forms.form[0];

    for (size_t k = 0; k < of->sum_count; k++) {
        double a = of->ratio * form->a[k];

        of->cost_ns += a * of->sums[k].number.value;
        of->own_ns += fabs(a) * of->sums[k].own;
        for (size_t d = 0; d < MM_DRIVERS; d++)
            of->driver_ns[d] += a * of->sums[k].driver[d];
    }
    of->cost_ns = fmax(of->cost_ns, of->calls.number.value * LEAST * of->model->least_ns);
}

static double form_value(const void *context, const double *x)
{
    const struct mapped_form *form = context;
    double value = 0;

    for (size_t k = 0; k < form->count; k++)
        value += form->a[k] * mm_basis_value(&form->basis[k], x);
    return value;
}

/* If sums are trends, predict the sum of all terms by a scaling function of its own,
 * because errors of related terms do not simply add up. */
static int add_cost_trend(struct mm_forecaster *f, const struct mm_asked *asked,
                          struct mm_forecast_cell *of, struct cca_error *err)
{
    const struct mm_form *form = &of->model->forms.form[0];
    const struct mm_method_info *method = mm_cell_method(&f->structure.cells, of->cell);
    struct mapped_form mapped = {.count = form->count};
    struct mm_quantity *quantity = NULL;
    double *y = calloc(f->count + 1, sizeof *y);

    for (size_t k = 0; k < form->count; k++) {
        mapped.a[k] = form->a[k];
        mm_cell_basis(&form->basis[k], of->model->method, method, &mapped.basis[k]);
    }
    for (size_t r = 0; r < f->count && y; r++)
        y[r] = mm_cells_sum(&f->structure.cells, of->cell, r, form_value, &mapped);
    if (y)
        quantity =
            mm_structure_numbers(&f->structure, MM_QUANTITY_COST, of->model, of->cell, y);
    free(y);
    if (!quantity)
        return cca_no_memory(err);
    if (mm_structure_amount(&f->structure, quantity, asked, &of->typical, err))
        return err->code;
    add_costs(of);
    if (!(of->typical.number.value > 0) ||
        of->typical.own * of->cost_ns > of->own_ns * of->typical.number.value)
        return 0; /* the sum of the terms is more certain than the scaling function of all
                     terms */
    of->cost_ns = of->ratio * of->typical.number.value;
    of->own_ns = of->ratio * of->typical.own;
    for (size_t d = 0; d < MM_DRIVERS; d++)
        of->driver_ns[d] = of->ratio * of->typical.driver[d];
    return 0;
}

static int forecast_by_size(struct mm_forecaster *f, const struct mm_asked *asked,
                            const struct mm_cell_source *source,
                            struct mm_forecast_cell *of, char *why, struct cca_error *err)
{
    const struct mm_model *model = source->model;
    const struct mm_form *form = &model->forms.form[0];
    struct run_sums sums = {.relative = NAN};
    double distance, beyond = 0, error;
    int one_size;
    size_t run;

    of->model = model;
    of->ratio = 1;
    one_size = mm_cell_one_size(f, asked, of, err);
    if (one_size < 0)
        return one_size;
    for (size_t k = 0; k < form->count && !*why && !one_size; k++)
        if (add_sum(f, asked, model, k, of, why, err))
            return err->code;
    if (*why || !(of->calls.number.value > 0))
        return 0;
    run = nearest_run(&f->structure, of, &distance);
    if (run < f->count &&
        sum_run(&f->structure.cells, of->cell, run, source, distance < SAME_SIZES, &sums))
        return cca_no_memory(err);
    if (sums.typ > 0 && sums.mean > 0)
        of->ratio = sums.mean / sums.typ;
    if (one_size || sums_are_exact(of))
        add_costs(of);
    else if (add_cost_trend(f, asked, of, err))
        return err->code;
    error = MEDIAN_90 * mm_model_error(model);
    if (isfinite(error)) /* the error at left-out sizes limits the variance from
                            alternative forms */
        sums.relative = fmin(sums.relative, fmax(error, LEAST_HALF));
    if (run < f->count && mm_cell_beyond(f, asked, source, of, run, sums.x, &beyond, err))
        return err->code;
    if (model->narrow && of->beyond > MM_NARROW_NEAR)
        beyond = fmax(beyond, pow(of->beyond, ONE_SIZE_POWER) - 1);
    of->model_ns = fmax(sums.relative, beyond) * of->cost_ns;
    return 0;
}

/* True for the first cell of a method in the list. */
static int is_first_of_method(const struct mm_cells *cells, size_t cell)
{
    for (size_t i = 0; i < cell; i++)
        if (cells->items[i].vertex == cells->items[cell].vertex)
            return 0;
    return 1;
}

/* Forecast a count, such as sent bytes. It needs no model of a call: its sum over a
 * method's calls is a quantity, which the method's first cell gets. */
static int forecast_count(struct mm_forecaster *f, const struct mm_asked *asked,
                          struct mm_forecast_cell *of, char *why, struct cca_error *err)
{
    const char *name = mm_cell_method(&f->structure.cells, of->cell)->name;
    struct mm_quantity *quantity = NULL;
    double *y = calloc(f->count + 1, sizeof *y);

    if (!is_first_of_method(&f->structure.cells, of->cell)) {
        free(y);
        return 0;
    }
    for (size_t r = 0; r < f->count && y; r++)
        for (size_t i = 0; i < f->profiles[r]->source.method_count; i++)
            if (strcmp(f->profiles[r]->source.methods[i]->name, name) == 0)
                y[r] += (double)f->profiles[r]->dual->vertices[i].exclusive_ns;
    if (y)
        quantity = mm_structure_numbers(&f->structure, MM_QUANTITY_MADE,
                                        f->structure.cells.vertices, of->cell, y);
    free(y);
    if (!quantity)
        return cca_no_memory(err);
    if (mm_structure_amount(&f->structure, quantity, asked, &of->typical, err))
        return err->code;
    of->cost_ns = of->typical.number.value;
    of->own_ns = of->typical.own;
    memcpy(of->driver_ns, of->typical.driver, sizeof of->driver_ns);
    if (!isfinite(of->cost_ns))
        snprintf(why, MM_LAW_TEXT, "%.230s", of->typical.why);
    return 0;
}

int mm_cell_forecast(struct mm_forecaster *forecaster, const struct mm_asked *asked,
                     const struct mm_cell_source *source, const char *class_name,
                     struct mm_forecast_cell *of, char *why, struct cca_error *err)
{
    int by_run;

    of->beyond = 1;
    if (forecaster->profiles[0]->source.counts)
        return forecast_count(forecaster, asked, of, why, err);
    if (!isfinite(of->calls.number.value)) {
        snprintf(why, MM_LAW_TEXT, "number of calls: %.200s", of->calls.why);
        of->cost_ns = NAN;
        return 0;
    }
    if (of->calls.number.value == 0 && of->calls.exact)
        return 0;
    if (!source->set) {
        snprintf(why, MM_LAW_TEXT, "%.100s: no model of it",
                 class_name ? class_name : "no class");
        of->cost_ns = NAN;
        return 0;
    }
    by_run = source->by_run;
    if (!by_run && mm_cell_has_one_size(&forecaster->structure.cells, of->cell)) {
        by_run =
            mm_cell_calls_explain(forecaster, asked, source, class_name, of->cell, err);
        if (by_run < 0)
            return by_run;
    }
    if (by_run ? mm_cell_by_run(forecaster, asked, source, class_name, of, why, err)
               : forecast_by_size(forecaster, asked, source, of, why, err))
        return err->code;
    if (*why)
        of->cost_ns = NAN;
    return 0;
}

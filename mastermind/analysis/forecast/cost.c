/* SPDX-License-Identifier: BSD-3-Clause */
/* cost.c: sums of basis functions times coefficients; mean costs of runs where parameters
 * explain nothing. */
#include "mastermind/analysis/forecast/cost.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/analysis/composite/flow/donor.h"
#include "mastermind/analysis/composite/sum.h"
#include "mastermind/analysis/models/estimate.h"

#define TO_90 (1.644854 / 1.959964) /* half of 90 % over half of 95 % */
#define MOST_TUPLES 4000 /* of a cell that errors are summed over; evenly chosen */
#define ONE_MEAN .5      /* relative half where a single mean cost is all that is known */
#define KEYS_OF_CELL 64  /* given quantities of a cell: one for each of these classes */

static const struct mm_method_info *method_of(const struct mm_cells *cells, size_t cell)
{
    return cells->vertices[cells->items[cell].vertex].method;
}

/* --- Sources ----------------------------------------------------------------------- */

/* A profile that has the vertex, the largest one: what its class was measured beside. */
static const struct mm_profile *base_of(const struct mm_forecaster *f, size_t vertex,
                                        const struct mm_method_info **method)
{
    const struct mm_method_info *wanted = f->structure.cells.vertices[vertex].method;
    const struct mm_profile *best = NULL;

    for (size_t r = 0; r < f->count; r++) {
        const struct mm_row_source *source = &f->profiles[r]->source;

        for (size_t i = 0; i < source->method_count; i++) {
            if (strcmp(source->methods[i]->name, wanted->name) != 0 ||
                !f->profiles[r]->dual->vertices[i].calls ||
                (best && best->dual->total_ns >= f->profiles[r]->dual->total_ns))
                continue;
            best = f->profiles[r];
            *method = source->methods[i];
        }
    }
    return best;
}

/* The build of a class in the runs, so that it is not mixed with another one. */
static const char *build_of(const struct mm_forecaster *f, const char *class_name)
{
    for (size_t r = 0; r < f->count; r++)
        for (size_t i = 0; i < f->profiles[r]->source.method_count; i++)
            if (strcmp(f->profiles[r]->source.methods[i]->class_name, class_name) == 0)
                return f->profiles[r]->source.methods[i]->build_id;
    return NULL;
}

void mm_cell_source_init(struct mm_cell_source *source,
                         const struct mm_forecaster *forecaster, size_t cell,
                         const char *class_name, struct mm_notes *notes)
{
    const struct mm_cells *cells = &forecaster->structure.cells;
    const struct mm_cell *c = &cells->items[cell];
    const struct mm_method_info *method = NULL;
    const struct mm_profile *base = base_of(forecaster, c->vertex, &method);
    union monitor_value mapped[MONITOR_MAX_IN];
    const char *missing;

    *source = (struct mm_cell_source){0};
    if (!base || !class_name)
        return;
    source->set = mm_library_match(forecaster->library, class_name,
                                   build_of(forecaster, class_name), method, base, notes);
    if (!source->set)
        return;
    if (c->mode)
        source->model = mm_model_set_find(source->set, method_of(cells, cell), c->mode,
                                          mapped, &missing);
    source->by_run = !source->model || !mm_has_parameter(source->model->method) ||
                     source->model->poor || source->model->lacks;
}

/* --- Sums over the calls of a run -------------------------------------------------- */

struct run_sums {
    double typ, mean; /* by the best form, and with all populations */
    double relative;  /* half of 90 % of the mean's sum, by the model's errors */
};

/* `form` makes sums of the form alone, without errors. */
static int sum_run(const struct mm_cells *cells, size_t cell, size_t run,
                   const struct mm_model *model, int errors, struct run_sums *sums)
{
    const struct mm_method_info *method = method_of(cells, cell);
    const struct mm_cell_run *of = &cells->items[cell].runs[run];
    size_t step = of->count / MOST_TUPLES + 1;
    struct mm_cost_sum cost = {.own = 0};
    int result = 0;

    *sums = (struct run_sums){.relative = NAN};
    for (size_t i = 0; i < of->count && !result; i++) {
        union monitor_value mapped[MONITOR_MAX_IN];
        double x[MONITOR_MAX_IN];

        if (mm_values_map(model->method, method, of->tuples[i].in, mapped))
            continue;
        mm_model_tuple(model, mapped, x);
        sums->typ += of->tuples[i].calls * mm_form_value(&model->forms.form[0], x);
        sums->mean += of->tuples[i].calls * mm_model_mean_ns(model, mapped);
        if (errors && i % step == 0)
            result = mm_cost_sum_add(&cost, model, mapped, of->tuples[i].calls);
    }
    if (errors && !result && cost.cost_ns > 0)
        sums->relative = TO_90 * mm_cost_sum_half(&cost) / cost.cost_ns;
    mm_cost_sum_done(&cost);
    return result;
}

/* The run that did most in a cell, by the model; structure.runs: none called it. */
static int largest_run(const struct mm_forecaster *f, size_t cell,
                       const struct mm_model *model, size_t *run, struct run_sums *sums)
{
    double most = 0;

    *run = f->count;
    for (size_t r = 0; r < f->count; r++) {
        struct run_sums of;
        double size;

        if (sum_run(&f->structure.cells, cell, r, model, 0, &of))
            return -ENOMEM;
        size = f->structure.cells.items[cell].runs[r].calls;
        size = of.typ > 0 ? of.typ : size * 1e-300;
        if (size > most) {
            most = size;
            *run = r;
        }
    }
    return *run < f->count ? sum_run(&f->structure.cells, cell, *run, model, 1, sums) : 0;
}

/* --- By size ----------------------------------------------------------------------- */

/* The basis of a model as a function of the in-values of the cell's method. */
static int map_basis(const struct mm_basis *basis, const struct mm_method_info *from,
                     const struct mm_method_info *to, struct mm_basis *mapped)
{
    *mapped = *basis;
    for (size_t i = 0; i < basis->factors; i++) {
        const char *name = from->values[basis->factor[i].parameter].name;
        size_t k = 0;

        while (k < to->in_count && strcmp(to->values[k].name, name) != 0)
            k++;
        if (k == to->in_count)
            return -ENOENT;
        mapped->factor[i].parameter = k;
    }
    return 0;
}

static int print_why(char *why, const char *what, const char *reason)
{
    return snprintf(why, MM_LAW_TEXT, "%.60s: %.170s", what, reason);
}

static int add_sum(struct mm_forecaster *f, const struct mm_asked *asked,
                   const struct mm_model *model, size_t term, double ratio,
                   struct mm_forecast_cell *of, char *why, struct cca_error *err)
{
    const struct mm_form *form = &model->forms.form[0];
    const struct mm_method_info *method = method_of(&f->structure.cells, of->cell);
    struct mm_amount *amount = &of->sums[of->sum_count++];
    enum mm_quantity_kind kind = MM_QUANTITY_SUM;
    struct mm_quantity *quantity;
    struct mm_basis basis;
    double a = ratio * form->a[term];

    if (map_basis(&form->basis[term], model->method, method, &basis)) {
        print_why(why, "a parameter of the model", "the calls do not have it");
        return 0;
    }
    if (basis.kind == MM_BASIS_ONE) {
        *amount = of->calls;
    } else {
        quantity = mm_structure_quantity(&f->structure, kind, of->cell, &basis);
        if (!quantity)
            return cca_no_memory(err);
        if (mm_structure_amount(&f->structure, quantity, asked, amount, err))
            return err->code;
    }
    if (!isfinite(amount->number.value)) {
        print_why(why, "sums of sizes", amount->why);
        return 0;
    }
    of->cost_ns += a * amount->number.value;
    of->own_ns += fabs(a) * amount->own;
    for (size_t d = 0; d < MM_DRIVERS; d++)
        of->driver_ns[d] += a * amount->driver[d];
    return 0;
}

/* How far the sizes of the run asked for are beyond those of the model, and the model's
 * error there. */
static int look_beyond(struct mm_forecaster *f, const struct mm_asked *asked,
                       const struct mm_model *model, struct mm_forecast_cell *of,
                       double *relative, struct cca_error *err)
{
    const struct mm_method_info *method = method_of(&f->structure.cells, of->cell);
    double x[MONITOR_MAX_IN] = {0};
    struct mm_estimate e;

    of->beyond = 1;
    of->largest = NAN;
    for (size_t k = 0; k < model->method->in_count; k++) {
        struct mm_basis basis = {.factor[0] = {.power = 1}, .factors = 1};
        struct mm_quantity *quantity;
        struct mm_amount most;
        size_t at = 0;

        if (model->method->values[k].kind != MONITOR_PARAM)
            continue;
        while (at < method->in_count &&
               strcmp(method->values[at].name, model->method->values[k].name) != 0)
            at++;
        basis.factor[0].parameter = at;
        quantity =
            at < method->in_count
                ? mm_structure_quantity(&f->structure, MM_QUANTITY_MOST, of->cell, &basis)
                : NULL;
        if (!quantity)
            return at < method->in_count ? cca_no_memory(err) : 0;
        if (mm_structure_amount(&f->structure, quantity, asked, &most, err))
            return err->code;
        if (!isfinite(most.number.value)) /* sizes that are not known: as they were */
            most.number.value = model->high[k];
        x[k] = fmax(most.number.value, model->low[k]);
        if (most.exact && model->high[k] > 0 && x[k] <= model->high[k] * 1.0000001)
            x[k] = fmin(x[k], model->high[k]);
        if (most.number.value > model->high[k] && model->high[k] > 0 &&
            mm_form_uses(&model->forms.form[0], k) &&
            most.number.value / model->high[k] > of->beyond) {
            of->beyond = most.number.value / model->high[k];
            of->beyond_name = model->method->values[k].name;
            of->largest = most.number.value;
        }
    }
    if (of->beyond <= 1)
        return 0;
    mm_model_estimate_tuple(model, x, &e);
    if (isfinite(e.mean_half) && e.mean > 0)
        *relative = fmax(*relative, TO_90 * e.mean_half / e.mean);
    return 0;
}

static int forecast_by_size(struct mm_forecaster *f, const struct mm_asked *asked,
                            const struct mm_cell_source *source,
                            struct mm_forecast_cell *of, char *why, struct cca_error *err)
{
    const struct mm_model *model = source->model;
    const struct mm_form *form = &model->forms.form[0];
    struct run_sums sums = {.relative = NAN};
    double ratio = 1;
    size_t run;

    if (largest_run(f, of->cell, model, &run, &sums))
        return cca_no_memory(err);
    if (run < f->count && sums.typ > 0 && sums.mean > 0)
        ratio = sums.mean / sums.typ;
    of->model = model;
    for (size_t k = 0; k < form->count && !*why; k++)
        if (add_sum(f, asked, model, k, ratio, of, why, err))
            return err->code;
    if (*why)
        return 0;
    of->cost_ns = fmax(of->cost_ns, of->calls.number.value * model->least_ns * 1e-3);
    if (look_beyond(f, asked, model, of, &sums.relative, err))
        return err->code;
    of->model_ns = sums.relative * of->cost_ns;
    return 0;
}

/* --- By run ------------------------------------------------------------------------ */

/* Mean exclusive cost of the calls of a cell's method and mode in a run that had the
 * class; NaN: none. */
static double mean_in_run(const struct mm_forecaster *f, size_t cell, size_t run,
                          const char *class_name)
{
    const struct mm_cells *cells = &f->structure.cells;
    const struct mm_cell *c = &cells->items[cell];
    const struct mm_method_info *method = method_of(cells, cell);
    const struct mm_profile *profile = f->profiles[run];
    double sum = 0, calls = 0;

    for (size_t i = 0; i < profile->source.method_count; i++) {
        const struct mm_method_info *own = profile->source.methods[i];
        const struct mm_points *points = &profile->points[i];

        if (strcmp(own->name, method->name) != 0 ||
            strcmp(own->class_name, class_name) != 0)
            continue;
        for (size_t k = 0; k < points->count; k++) {
            union monitor_value mapped[MONITOR_MAX_IN];

            if (c->mode && (mm_values_map(method, own, points->points[k].in, mapped) ||
                            !mm_same_modes(method, c->mode, mapped)))
                continue;
            sum += (double)points->points[k].n * mm_point_own_ns(&points->points[k]);
            calls += (double)points->points[k].n;
        }
    }
    return calls > 0 ? sum / calls : NAN;
}

/* A number of the class, so that each class has means of its own. */
static size_t key_of(const struct mm_forecaster *f, size_t cell, const char *class_name)
{
    size_t hash = 5381;

    for (const char *at = class_name; *at; at++)
        hash = hash * 33 + (unsigned char)*at;
    return (f->structure.cells.items[cell].vertex * 1000003 + cell) * KEYS_OF_CELL +
           hash % KEYS_OF_CELL;
}

/* The mean of a class that only other assemblies ran, or ran at too few sizes. */
static void mean_of_all(const struct mm_cell_source *source, const double *y,
                        size_t count, struct mm_amount *mean)
{
    double sum = 0, n = 0, low = INFINITY, high = 0;

    for (size_t r = 0; r < count; r++) {
        if (!(y[r] >= 0))
            continue;
        sum += y[r];
        n++;
        low = fmin(low, y[r]);
        high = fmax(high, y[r]);
    }
    if (!n && source->set && source->set->calls) {
        sum = source->set->measured_ns / (double)source->set->calls;
        n = 1;
        low = 0;
        high = 2 * sum;
    }
    if (!n)
        return;
    *mean = (struct mm_amount){.number = {sum / n, low, high}};
    mean->own = fmax((high - low) / 2, n < 2 ? ONE_MEAN * sum : 0);
    snprintf(mean->law, sizeof mean->law, "mean of its runs");
}

static int forecast_by_run(struct mm_forecaster *f, const struct mm_asked *asked,
                           const struct mm_cell_source *source, const char *class_name,
                           struct mm_forecast_cell *of, char *why, struct cca_error *err)
{
    double *y = calloc(f->count + 1, sizeof *y), calls = of->calls.number.value;
    struct mm_amount *mean = &of->sums[0];
    struct mm_quantity *quantity = NULL;

    for (size_t r = 0; r < f->count && y; r++)
        y[r] = mean_in_run(f, of->cell, r, class_name);
    if (y)
        quantity = mm_structure_given(&f->structure, key_of(f, of->cell, class_name), y);
    free(y);
    if (!quantity)
        return cca_no_memory(err);
    if (mm_structure_amount(&f->structure, quantity, asked, mean, err))
        return err->code;
    if (!isfinite(mean->number.value))
        mean_of_all(source, quantity->y, f->count, mean);
    if (!isfinite(mean->number.value)) {
        print_why(why, "no cost of a call is known", class_name);
        return 0;
    }
    of->sum_count = 1;
    of->cost_ns = calls * mean->number.value;
    of->own_ns = of->calls.own * mean->number.value;
    for (size_t d = 0; d < MM_DRIVERS; d++)
        of->driver_ns[d] = of->calls.driver[d] * mean->number.value;
    of->model_ns = calls * mean->own;
    of->beyond = 1;
    return 0;
}

int mm_cell_forecast(struct mm_forecaster *forecaster, const struct mm_asked *asked,
                     const struct mm_cell_source *source, const char *class_name,
                     struct mm_forecast_cell *of, char *why, struct cca_error *err)
{
    of->beyond = 1;
    if (!isfinite(of->calls.number.value)) {
        print_why(why, "number of calls", of->calls.why);
        of->cost_ns = NAN;
        return 0;
    }
    if (of->calls.number.value == 0 && of->calls.exact)
        return 0;
    if (!source->set) {
        print_why(why, class_name ? class_name : "no class", "no model");
        of->cost_ns = NAN;
        return 0;
    }
    if (source->by_run
            ? forecast_by_run(forecaster, asked, source, class_name, of, why, err)
            : forecast_by_size(forecaster, asked, source, of, why, err))
        return err->code;
    if (*why)
        of->cost_ns = NAN;
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* beyond.c: call sizes beyond the measured ones. */
#include <math.h>
#include <string.h>

#include "mastermind/forecast/left_out.h"
#include "mastermind/cost/cost.h"

#define EDGE 1.0001 /* factor up to which a size counts as inside the measured ones */
/* A trial (left_out.h) gives a single error; with 90 % probability another error is at
 * most SURE times as large. */
#define SURE 2.5
/* least relative error of a cost for each unit of log(factor beyond the measured sizes),
 * about the effect of caches */
#define LEAST_SLOPE .04

/* Ratio of the parameters of the requested run to the largest measured ones, multiplied
 * over all parameters. The size of a call is assumed to grow at most with the square of
 * this ratio. */
static double growth_of(const struct mm_structure *s, const struct mm_asked *asked)
{
    double growth = 1;

    for (size_t i = 0; i < s->axes.count; i++) {
        const struct mm_axis *axis = &s->axes.items[i];
        double value, high = 0;

        if (!mm_axis_counts(&s->axes, i) || !axis->varies || !axis->is_number)
            continue;
        value = mm_axis_number(asked->text[i]);
        for (size_t r = 0; r < s->runs; r++)
            high = fmax(high, axis->number[r]);
        growth *= high > 0 ? fmax(value / high, 1) : 1;
    }
    return growth;
}

/* Largest value of in-value `at` in the requested run; NaN: unknown. `*grown` gets its
 * ratio to the largest value in `run`. */
static int largest_value(struct mm_forecaster *f, const struct mm_asked *asked,
                         size_t cell, size_t run, size_t at, double *largest,
                         double *grown, struct cca_error *err)
{
    struct mm_basis basis = {.factor[0] = {.parameter = at, .power = 1}, .factors = 1};
    struct mm_quantity *quantity =
        mm_structure_quantity(&f->structure, MM_QUANTITY_MOST, cell, &basis);
    struct mm_amount most;
    double seen = 0, limit;

    if (!quantity)
        return cca_no_memory(err);
    if (mm_structure_amount(&f->structure, quantity, asked, &most, err))
        return err->code;
    for (size_t r = 0; r < f->count; r++)
        seen = fmax(seen, quantity->y[r]);
    limit = seen * pow(growth_of(&f->structure, asked), 2);
    *largest = most.number.value;
    if (*largest > limit)
        *largest = limit;
    *grown = quantity->y[run] > 0 ? *largest / quantity->y[run] : 1;
    return 0;
}

/* True if a form of the model contains the parameter. */
static int is_used(const struct mm_model *model, size_t parameter)
{
    for (size_t i = 0; i < model->forms.count; i++)
        if (mm_form_uses(&model->forms.form[i], parameter))
            return 1;
    return 0;
}

/* True if a parameter had one value only, so that the model cannot predict others. */
static int has_one_size(const struct mm_model *model, size_t parameter)
{
    return model->narrow && model->low[parameter] == model->high[parameter];
}

/* Limit the interval of a model at `at` to SURE times the error that a trial (left_out.h)
 * predicts so far beyond the measured sizes. */
static int limit_half(struct mm_forecaster *f, const struct mm_cell_source *source,
                      const double *at, double *half, struct cca_error *err)
{
    const struct mm_model *model = source->model;
    double far = 0, slope;
    size_t parameter = 0;

    for (size_t k = 0; k < model->method->in_count; k++)
        if (is_used(model, k) && model->high[k] > 0 && at[k] > model->high[k] &&
            log(at[k] / model->high[k]) > far) {
            far = log(at[k] / model->high[k]);
            parameter = k;
        }
    if (!(far > 0))
        return 0;
    if (mm_left_out_slope(f, source, parameter, &slope, err))
        return err->code;
    if (isfinite(slope))
        *half = fmin(*half, SURE * fmax(slope, LEAST_SLOPE) * far);
    return 0;
}

int mm_cell_beyond(struct mm_forecaster *forecaster, const struct mm_asked *asked,
                   const struct mm_cell_source *source, struct mm_forecast_cell *of,
                   size_t run, const double *x, double *half, struct cca_error *err)
{
    const struct mm_model *model = of->model;
    const struct mm_method_info *method =
        mm_cell_method(&forecaster->structure.cells, of->cell);
    double at[MONITOR_MAX_IN], cache;
    struct mm_estimate e;

    memcpy(at, x, sizeof at);
    *half = 0;
    of->beyond = 1;
    of->largest = NAN;
    for (size_t k = 0; k < model->method->in_count; k++) {
        double largest = NAN, grown = 1;
        size_t own = 0;

        if (model->method->values[k].kind != MONITOR_PARAM ||
            (!is_used(model, k) && !has_one_size(model, k)))
            continue;
        while (own < method->in_count &&
               strcmp(method->values[own].name, model->method->values[k].name) != 0)
            own++;
        if (own == method->in_count)
            continue;
        if (largest_value(forecaster, asked, of->cell, run, own, &largest, &grown, err))
            return err->code;
        if (!isfinite(largest))
            continue;
        at[k] *= fmax(grown, 1);
        if ((mm_form_uses(&model->forms.form[0], k) || has_one_size(model, k)) &&
            model->high[k] > 0 && largest > EDGE * of->beyond * model->high[k]) {
            of->beyond = largest / model->high[k];
            of->beyond_name = model->method->values[k].name;
            of->largest = largest;
        }
    }
    if (of->beyond <= 1)
        return 0;
    mm_model_estimate_tuple(model, at, &e);
    if (isfinite(e.mean_half) && e.mean > 0)
        *half = mm_90_of_95(model) * e.mean_half / e.mean;
    if (limit_half(forecaster, source, at, half, err))
        return err->code;
    /* Add the effect of caches that data exceed at `at` but not in the trial. */
    cache = mm_caches_factor(model, at, &of->cache);
    *half = hypot(*half, mm_90_of_95(model) * log(cache));
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* model.c: fit a model: forms, ranges, spread, means. */
#include "mastermind/cost/model.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/statistics.h"
#include "mastermind/cost/caches.h"
#include "mastermind/cost/calls/numbers.h"

/* A formula with a large error is kept if its error is below this share of a constant's.
 */
#define BETTER .75
/* Variance at a left-out size over variance at a fitted one, with few sizes for each
 * coefficient. */
#define LEFT_OUT 2.
/* a constant that differs from the mean by this factor gives wrong sums */
#define FAR 1.5

static int is_parameter(const struct mm_model *model, size_t index)
{
    return model->method->values[index].kind == MONITOR_PARAM;
}

/* True if parameter `k` varies enough in the calls for a cost to depend on it. */
static int is_wide(const struct mm_model *model, size_t k)
{
    return model->high[k] >= MM_WIDE * model->low[k] && model->high[k] > model->low[k];
}

static void set_ranges(struct mm_model *model, const struct mm_sample_table *t)
{
    size_t parameters = 0, wide = 0;

    model->least_ns = INFINITY;
    for (size_t i = 0; i < t->count; i++)
        model->least_ns = fmin(model->least_ns, t->typ[i]);
    for (size_t k = 0; k < model->method->in_count; k++) {
        if (!is_parameter(model, k) || model->lacks)
            continue;
        model->low[k] = t->low[k];
        model->high[k] = t->high[k];
        parameters++;
        wide += (size_t)is_wide(model, k);
    }
    model->narrow = parameters && !wide && !model->lacks;
}

/* Replace the form by the mean of all invocations, with its error at left-out sizes. */
static int adopt_mean(struct mm_model *model, const struct mm_sample_table *t)
{
    double *errors = malloc(t->count * sizeof *errors), sum = 0, n = 0, squares = 0;
    struct mm_form *form = &model->forms.form[0];

    if (!errors)
        return -ENOMEM;
    for (size_t i = 0; i < t->count; i++) {
        sum += t->n[i] * t->typ[i];
        n += t->n[i];
    }
    for (size_t i = 0; i < t->count; i++) {
        double others = (sum - t->n[i] * t->typ[i]) / (n - t->n[i]);

        errors[i] = fabs(t->typ[i] - others) / (t->typ[i] > 0 ? t->typ[i] : 1);
    }
    *form = (struct mm_form){.count = 1, .weight = 1, .a = {sum / n}};
    /* the standard error of the mean comes from the scatter of sizes about it */
    for (size_t i = 0; i < t->count; i++)
        squares += t->n[i] * (t->typ[i] - sum / n) * (t->typ[i] - sum / n);
    form->cov[0][0] = t->count > 1 ? squares / n / (double)(t->count - 1) : NAN;
    form->error = t->count > 1 ? cca_median(errors, t->count) : NAN;
    model->forms.count = 1;
    model->poor = 1;
    free(errors);
    return 0;
}

/* True for a constant far from the mean: most sizes are near it, but the costly ones are
 * not. Sizes with fewer than four calls, which may be pauses of the host, are ignored. */
static int misses_sum(const struct mm_model *model, const struct mm_sample_table *t)
{
    const struct mm_form *form = &model->forms.form[0];
    double sum = 0, n = 0, ratio = 1;

    for (size_t i = 0; i < t->count; i++) {
        if (t->n[i] < 4)
            continue;
        sum += t->n[i] * t->typ[i];
        n += t->n[i];
    }
    if (sum > 0)
        ratio = form->a[0] > 0 ? sum / n / form->a[0] : INFINITY;
    return mm_form_is_constant(form) && (ratio > FAR || ratio < 1 / FAR);
}

/* Median relative error of a constant at left-out sizes; the constant has the least
 * squared relative errors at the other sizes. */
static double constant_error(const struct mm_sample_table *t)
{
    double *errors = malloc(t->count * sizeof *errors), sum = 0, squares = 0, error;

    if (!errors)
        return NAN;
    for (size_t i = 0; i < t->count; i++) {
        sum += 1 / fmax(t->typ[i], 1);
        squares += 1 / (fmax(t->typ[i], 1) * fmax(t->typ[i], 1));
    }
    for (size_t i = 0; i < t->count; i++) {
        double typ = fmax(t->typ[i], 1);
        double others = (sum - 1 / typ) / (squares - 1 / (typ * typ));

        errors[i] = fabs(typ - others) / typ;
    }
    error = cca_median(errors, t->count);
    free(errors);
    return error;
}

/* Replace the formula by the mean where the parameters do not determine the cost: its
 * error at left-out sizes is large, and a constant is hardly worse. The mean at least
 * keeps sums right. */
static int doubt_formula(struct mm_model *model, const struct mm_sample_table *t)
{
    const struct mm_form *form = &model->forms.form[0];

    if (!(form->error >= MM_MODEL_POOR) && !misses_sum(model, t))
        return 0;
    if (!mm_form_is_constant(form) && form->error < BETTER * constant_error(t))
        return 0;
    return adopt_mean(model, t);
}

/* Write the values of the form at the sizes to `fitted`. */
static void set_fitted(const struct mm_model *model, const struct mm_sample_table *t,
                       double *fitted)
{
    for (size_t i = 0; i < t->count; i++) {
        double x[MONITOR_MAX_IN], value;

        mm_sample_table_tuple(t, i, x);
        value = mm_form_value(&model->forms.form[0], x);
        fitted[i] = value > 0 && isfinite(value) ? value : model->least_ns;
    }
}

/* Search for forms; if the result shows outliers at sizes with few calls, search again
 * without them. */
static int fit_forms(struct mm_model *model, struct mm_sample_table *t,
                     const struct mm_search_options *options, double *fitted)
{
    int changed, result = mm_search(t, options, &model->forms);

    if (result < 0)
        return result;
    set_fitted(model, t, fitted);
    changed = mm_sample_table_trim(t, fitted);
    if (changed > 0)
        result = mm_search(t, options, &model->forms);
    return changed < 0 ? changed : result < 0 ? result : doubt_formula(model, t);
}

/* Estimate how well the sizes determine the exponent of each parameter: the standard
 * error of an additional power that multiplies the form, from the relative residuals. */
static void set_exponent_errors(struct mm_model *model, const struct mm_sample_table *t,
                                const double *fitted)
{
    double freedom = (double)t->count - (double)model->forms.form[0].count;
    double squares = 0, weights = 0;

    for (size_t i = 0; i < t->count; i++) {
        double rest = fitted[i] > 0 ? t->typ[i] / fitted[i] - 1 : 0;

        squares += rest * rest;
    }
    for (size_t k = 0; k < MONITOR_MAX_IN; k++) {
        double mean = 0, spread = 0;

        model->exponent_error[k] = NAN;
        if (!t->x[k] || !(t->low[k] > 0) || !(freedom > 0))
            continue;
        weights = 0;
        for (size_t i = 0; i < t->count; i++) {
            mean += log(t->x[k][i]);
            weights += 1;
        }
        mean /= weights;
        for (size_t i = 0; i < t->count; i++)
            spread += (log(t->x[k][i]) - mean) * (log(t->x[k][i]) - mean);
        if (spread > 0)
            model->exponent_error[k] = sqrt(squares / freedom / spread);
    }
}

/* Fit the distribution of calls about the fitted form, the drift and the variation
 * between runs. */
static int fit_calls(struct mm_model *model, const struct mm_sample_table *t,
                     const double *fitted)
{
    size_t coefficients = model->forms.form[0].count;
    struct mm_distances distances = {0};
    int result =
        mm_populations_fit(&model->populations, t, fitted, coefficients, &distances);

    if (result == 0)
        model->quantiles = mm_quantiles_fit(&distances, coefficients);
    mm_distances_done(&distances);
    if (result == 0)
        result = mm_drift_fit(&model->drift, t);
    if (result == 0)
        result = mm_run_spread_fit(&model->runs, t);
    for (size_t i = 0; i < t->count; i++) {
        model->n += (uint64_t)t->n[i];
        model->typical_sum_ns += t->n[i] * fitted[i];
    }
    return result;
}

/* Set the mean cost of calls that lack a parameter, if other calls with the same modes
 * have all parameters. */
static int set_lacking(struct mm_model *model, const struct mm_points *points)
{
    struct mm_sample_table t;
    double sum = 0, n = 0;
    int result = mm_sample_table_init(&t, points, model->modes, 1);

    if (result < 0)
        return result;
    for (size_t i = 0; i < t.count; i++) {
        sum += t.n[i] * t.mean[i];
        n += t.n[i];
    }
    model->lacking_ns = n > 0 ? sum / n : NAN;
    mm_sample_table_done(&t);
    return 0;
}

/* Take the sizes to fit: sizes with all parameters or, if there are none, sizes that lack
 * one. */
static int gather_table(struct mm_model *model, const struct mm_points *points,
                        struct mm_sample_table *t, struct cca_error *err)
{
    if (mm_sample_table_init(t, points, model->modes, 0) < 0)
        return cca_no_memory(err);
    if (t->count)
        return set_lacking(model, points) < 0 ? cca_no_memory(err) : 0;
    mm_sample_table_done(t);
    if (mm_sample_table_init(t, points, model->modes, 1) < 0)
        return cca_no_memory(err);
    if (!t->count)
        return cca_error_set(err, -ENODATA, "no finished invocation");
    model->lacks = mm_missing_parameter(points->method, t->point[0]->in);
    return 0;
}

/* Set the relative scatter of sizes about the form. The form was chosen for its small
 * residuals, so the error at left-out sizes, less the noise of their calls, counts as
 * well. */
static int set_scatter(struct mm_model *model, const struct mm_sample_table *t)
{
    double *noise = malloc(t->count * sizeof *noise), left_out, known;

    if (!noise)
        return -ENOMEM;
    for (size_t i = 0; i < t->count; i++)
        noise[i] = t->typ[i] > 0 ? t->variance[i] / (t->typ[i] * t->typ[i]) : 0;
    known = cca_median(noise, t->count);
    left_out = CCA_NORMAL_SCALE * model->forms.form[0].error;
    left_out = isfinite(left_out) ? fmax(left_out * left_out - LEFT_OUT * known, 0) : 0;
    model->scatter = fmax(model->forms.tau, sqrt(left_out));
    free(noise);
    return 0;
}

/* Mean of out-value `at` of the kept calls of a size; NaN: unknown. */
static double mean_out(const struct mm_sample *sample, size_t outs, size_t at)
{
    double sum = 0;

    for (uint32_t i = 0; i < mm_sample_count(sample); i++)
        sum += sample->outs ? sample->outs[i * outs + at] : NAN;
    return sum / mm_sample_count(sample);
}

/* Set the growth of the peak of memory, where the calls have it. */
static void set_memory(struct mm_model *model, const struct mm_points *points,
                       const struct mm_sample_table *t)
{
    size_t outs = points->sampler.out_count, at = mm_method_peak(points->method);
    double units[2] = {INFINITY, 0}, bytes[2] = {NAN, NAN};

    for (size_t i = 0; i < t->count && at < outs && !model->lacks; i++) {
        double x[MONITOR_MAX_IN], own;

        mm_sample_table_tuple(t, i, x);
        own = mm_caches_units(model, x);
        for (int end = 0; end < 2; end++)
            if (end ? own > units[1] : own < units[0]) {
                units[end] = own;
                bytes[end] = mean_out(&t->point[i]->sample, outs, at);
            }
    }
    if (isfinite(bytes[1] - bytes[0]))
        mm_caches_set_growth(model, units[1] - units[0], bytes[1] - bytes[0]);
}

static int fit_table(struct mm_model *model, struct mm_sample_table *t,
                     const struct mm_search_options *options)
{
    double *fitted = malloc(t->count * sizeof *fitted);
    int result = 0;

    if (!fitted)
        return -ENOMEM;
    model->sizes = t->count;
    set_ranges(model, t);
    result = model->lacks ? adopt_mean(model, t) : fit_forms(model, t, options, fitted);
    if (result == 0) {
        set_fitted(model, t, fitted);
        set_exponent_errors(model, t, fitted);
        mm_doubts_fit(&model->doubts, t, &model->forms.form[0], fitted);
        result = set_scatter(model, t);
        if (result == 0)
            result = fit_calls(model, t, fitted);
    }
    free(fitted);
    return result;
}

int mm_model_fit(struct mm_model *model, const struct mm_points *points,
                 const union monitor_value *modes,
                 const struct mm_search_options *options, struct cca_error *err)
{
    struct mm_sample_table t = {0};
    int result;

    *model = (struct mm_model){.method = mm_method_copy(points->method),
                               .counts = points->counts};
    if (!model->method)
        return cca_no_memory(err);
    model->lacking_ns = NAN;
    if (!points->counts)
        memcpy(model->cache_bytes, points->cache_bytes, sizeof model->cache_bytes);
    for (size_t i = 0; i < model->method->in_count; i++)
        if (!is_parameter(model, i))
            model->modes[i] = modes[i];
    result = gather_table(model, points, &t, err);
    if (result == 0 && (result = fit_table(model, &t, options)) < 0)
        cca_no_memory(err);
    else if (result == 0)
        set_memory(model, points, &t);
    mm_sample_table_done(&t);
    if (result < 0)
        mm_model_done(model);
    return result;
}

void mm_model_done(struct mm_model *model)
{
    mm_method_free(model->method);
    *model = (struct mm_model){0};
}

void mm_model_tuple(const struct mm_model *model, const union monitor_value *in,
                    double *x)
{
    for (size_t k = 0; k < MONITOR_MAX_IN; k++)
        x[k] = k < model->method->in_count && is_parameter(model, k)
                   ? mm_in_value(model->method, in, k)
                   : 0;
}

double mm_model_error(const struct mm_model *model)
{
    return model->forms.form[0].error;
}

double mm_model_typical_ns(const struct mm_model *model, const union monitor_value *in)
{
    double x[MONITOR_MAX_IN], value;

    mm_model_tuple(model, in, x);
    value = mm_form_value(&model->forms.form[0], x) + mm_caches_memory_ns(model, x);
    return value > 0 && isfinite(value) ? value : model->least_ns;
}

int mm_model_is_lacking(const struct mm_model *model, const union monitor_value *in)
{
    return !model->lacks && mm_missing_parameter(model->method, in) != 0;
}

double mm_model_mean_ns(const struct mm_model *model, const union monitor_value *in)
{
    double x[MONITOR_MAX_IN];

    if (mm_model_is_lacking(model, in))
        return model->lacking_ns;
    mm_model_tuple(model, in, x);
    return mm_populations_mean(&model->populations, mm_model_typical_ns(model, in), x);
}

double mm_model_sd_ns(const struct mm_model *model, const union monitor_value *in)
{
    double x[MONITOR_MAX_IN];

    if (mm_model_is_lacking(model, in))
        return NAN;
    mm_model_tuple(model, in, x);
    return mm_populations_sd(&model->populations, mm_model_typical_ns(model, in), x);
}

double mm_model_beyond_tuple(const struct mm_model *model, const double *x,
                             size_t *parameter)
{
    double worst = 1;

    *parameter = 0;
    for (size_t k = 0; k < model->method->in_count && !model->lacks; k++) {
        double beyond = 1;

        if (!is_parameter(model, k))
            continue;
        if (x[k] > model->high[k])
            beyond = model->high[k] > 0 ? x[k] / model->high[k] : INFINITY;
        else if (x[k] < model->low[k])
            beyond = x[k] > 0 ? model->low[k] / x[k] : INFINITY;
        if (beyond > worst) {
            worst = beyond;
            *parameter = k;
        }
    }
    return worst;
}

double mm_model_beyond(const struct mm_model *model, const union monitor_value *in,
                       size_t *parameter)
{
    double x[MONITOR_MAX_IN];

    *parameter = 0;
    if (mm_model_is_lacking(model, in))
        return 1;
    mm_model_tuple(model, in, x);
    return mm_model_beyond_tuple(model, x, parameter);
}

int mm_model_knows(const struct mm_model *model, const union monitor_value *in)
{
    size_t parameter;

    if (model->lacks)
        return mm_missing_parameter(model->method, in) != 0;
    if (mm_model_is_lacking(model, in))
        return !isnan(model->lacking_ns);
    return !model->narrow || mm_model_beyond(model, in, &parameter) <= MM_NARROW_NEAR;
}

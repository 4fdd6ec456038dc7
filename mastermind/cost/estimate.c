/* SPDX-License-Identifier: BSD-3-Clause */
/* estimate.c: predictions of a model for one call. */
#include "mastermind/cost/estimate.h"
#include "common/statistics.h"
#include "mastermind/cost/caches.h"
#include "mastermind/cost/calls/numbers.h"

#include <math.h>
#include <string.h>

/* up to so many degrees of freedom, sizes do not show whether they scatter */
#define FEW 3.
#define APART 2. /* alternatives that differ by a larger factor are reported */

#define HALVINGS 60 /* number of halvings with which a parameter is taken towards 0 */
#define MOST 1e150  /* largest cost; its square does not overflow */

/* Lower `*least` to the smallest value, at least 0, of a form while the parameters [from,
 * to) go from their lowest measured value to 0. */
static void find_least(const struct mm_model *model, const struct mm_form *form,
                       size_t from, size_t to, double *least)
{
    for (int step = 0; step <= HALVINGS; step++) {
        double x[MONITOR_MAX_IN], value;

        memcpy(x, model->low, sizeof x);
        for (size_t k = from; k < to; k++)
            x[k] = step < HALVINGS ? ldexp(x[k], -step) : 0;
        value = mm_form_value(form, x);
        if (value < *least)
            *least = fmax(value, 0);
    }
}

double mm_model_floor_ns(const struct mm_model *model, const struct mm_form *form)
{
    size_t count = model->method->in_count;
    double least = mm_form_value(form, model->low);

    if (!(least > 0) || !isfinite(least))
        return model->least_ns;
    find_least(model, form, 0, count, &least);
    for (size_t k = 0; k < count; k++)
        if (mm_form_uses(form, k))
            find_least(model, form, k, k + 1, &least);
    return fmin(least, model->least_ns); /* a cost that falls with a parameter may be
                                            less than all measured ones */
}

/* The value of a form as a cost. An overflow at large parameters gives MOST, not the
 * least cost. */
static double cost_at(const struct mm_model *model, const struct mm_form *form,
                      const double *x)
{
    double value = mm_form_value(form, x);

    if (value > 0 && isfinite(value))
        return fmin(value, MOST);
    for (size_t k = 0; k < model->method->in_count && !(value <= 0); k++)
        if (mm_form_uses(form, k) && x[k] > model->high[k])
            return MOST;
    return mm_model_floor_ns(model, form);
}

/* Variance of the alternative forms' predictions about `typ`. `*apart` gets the best of
 * these predictions that differs by more than APART; NaN: none. */
static double rival_variance(const struct mm_model *model, const double *x, double typ,
                             double *apart)
{
    const struct mm_forms *forms = &model->forms;
    double variance = 0;

    *apart = NAN;
    for (size_t i = 1; i < forms->count; i++) {
        double value = cost_at(model, &forms->form[i], x);

        variance += forms->form[i].weight * (value - typ) * (value - typ);
        if (isnan(*apart) && (value > APART * typ || typ > APART * value))
            *apart = value;
    }
    return variance;
}

/* Logarithm of the factor by which `x` is outside the range of parameter `k`; 0 inside.
 */
static double log_beyond(const struct mm_model *model, const double *x, size_t k)
{
    if (x[k] > model->high[k] && model->high[k] > 0)
        return log(x[k] / model->high[k]);
    if (x[k] < model->low[k] && x[k] > 0)
        return log(model->low[k] / x[k]);
    return 0;
}

/* Relative standard error of the best form beyond the sizes, from uncertain exponents,
 * scatter and breaks. */
static double bend_error(const struct mm_model *model, const double *x)
{
    double scatter = MM_BEND_SCATTER * model->scatter, squares = 0;
    double broken = mm_form_has_break(&model->forms.form[0]) ? MM_BEND_BREAK : 0;

    for (size_t k = 0; k < model->method->in_count; k++) {
        double far, power = model->exponent_error[k];

        if (model->method->values[k].kind != MONITOR_PARAM || isnan(power))
            continue;
        far = log_beyond(model, x, k);
        squares += far * far * (power * power + scatter * scatter + broken * broken);
    }
    return sqrt(squares);
}

/* Relative variance due to the structure of the measured sizes (doubts.h). */
static double doubts_variance(const struct mm_model *model, const double *x)
{
    double far[MONITOR_MAX_IN];

    for (size_t k = 0; k < model->method->in_count; k++)
        far[k] = model->method->values[k].kind == MONITOR_PARAM && !model->lacks
                     ? exp(log_beyond(model, x, k))
                     : 1;
    return mm_doubts_variance(&model->doubts, x, far, model->method->in_count);
}

/* Variance of the typical cost `typ` at `x`: coefficients, alternative forms, exponents,
 * structure of the sizes. NaN where it is unknown. */
static double curve_variance(const struct mm_model *model, const double *x, double typ,
                             double *rival)
{
    const struct mm_forms *forms = &model->forms;
    double bend = bend_error(model, x) * typ;

    return rival_variance(model, x, typ, rival) + mm_form_variance(&forms->form[0], x) +
           bend * bend + doubts_variance(model, x) * typ * typ;
}

double mm_model_freedom(const struct mm_model *model)
{
    const struct mm_form *form = &model->forms.form[0];
    double sizes = (double)model->sizes - (double)form->count;

    if (!mm_form_is_constant(form))
        sizes--;
    return model->forms.tau > 0 || sizes <= FEW
               ? fmax(sizes, 1)
               : fmax((double)model->n - (double)model->sizes, 1);
}

/* Set the flags of an estimate for the structure of the measured sizes (doubts.h). */
static void set_doubts(const struct mm_model *model, const double *x,
                       struct mm_estimate *e)
{
    const struct mm_doubts *d = &model->doubts;

    for (size_t k = 0; k < model->method->in_count && !model->lacks; k++) {
        if (model->method->values[k].kind != MONITOR_PARAM)
            continue;
        if (d->few[k] && (model->sizes <= MM_DOUBTS_FEW || log_beyond(model, x, k) > 0))
            e->flags |= MM_FEW_SIZES;
        if (mm_doubts_other_step(d, k, x[k]))
            e->flags |= MM_OTHER_STEP;
    }
    e->flags |= d->category ? MM_CATEGORY : 0;
    e->flags |= d->end ? MM_ODD_END : 0;
    e->flags |= d->coarse ? MM_COARSE : 0;
}

static void set_flags(const struct mm_model *model, const double *x,
                      struct mm_estimate *e)
{
    const struct mm_populations *p = &model->populations;
    size_t parameters = 0;

    for (size_t k = 0; k < model->method->in_count; k++)
        parameters += model->method->values[k].kind == MONITOR_PARAM;
    e->flags |= e->beyond > 1 ? MM_BEYOND : 0;
    e->flags |= isfinite(e->rival) ? MM_RIVALS : 0;
    e->flags |= e->cache ? MM_CACHE : 0;
    if (model->n == model->sizes)
        e->flags |= model->sizes > 1 ? MM_ONE_CALL : MM_SINGLE;
    e->flags |= model->runs.runs < 2 ? MM_ONE_RUN : 0;
    e->flags |= model->narrow ? MM_NARROW : 0;
    e->flags |= !parameters                                   ? MM_NO_PARAMETER
                : model->poor && model->sizes > MM_DOUBTS_FEW ? MM_POOR
                                                              : 0;
    set_doubts(model, x, e);
    e->flags |= p->host_ns > .02 * p->sum ? MM_NOISY : 0;
    e->flags |= p->no_evidence > 0 ? MM_NO_EVIDENCE : 0;
    e->flags |= model->drift.significant ? MM_DRIFT : 0;
    e->flags |= model->drift.ascending ? MM_IN_TURN : 0;
}

/* Lower end of an interval `half` below a positive cost, as an interval of the logarithm:
 * a cost is not 0 because its error is large. */
static double lower_end(double cost, double half)
{
    return cost > 0 ? cost * exp(-half / cost) : 0;
}

/* Interval of one call: its quantiles, widened on both sides by the error of the curve.
 */
static void set_call_interval(const struct mm_model *model, const double *x,
                              struct mm_estimate *e, double error)
{
    const struct mm_quantiles *q = &model->quantiles;
    const struct mm_populations *p = &model->populations;
    double tail = (1 - MM_CALL_LEVEL) / 2, z = cca_normal_quantile(1 - tail);
    double low = mm_quantiles_at(q, p, e->typ, x, tail);
    double high = mm_quantiles_at(q, p, e->typ, x, 1 - tail);

    e->q50 = mm_quantiles_at(q, p, e->typ, x, .5);
    e->q90 = mm_quantiles_at(q, p, e->typ, x, .9);
    e->q99 = mm_quantiles_at(q, p, e->typ, x, .99);
    e->low = e->q50 > 0 && low > 0
                 ? e->q50 * exp(-hypot(log(e->q50 / low), z * error / e->q50))
                 : 0;
    e->high = e->q50 + hypot(high - e->q50, z * error);
}

static void estimate_lacking(const struct mm_model *model, struct mm_estimate *e)
{
    *e = (struct mm_estimate){.flags = MM_LACKING, .beyond = 1};
    e->typ = e->mean = model->lacking_ns;
    e->sd = e->sum_sd = e->q50 = e->q90 = e->q99 = e->rival = NAN;
    e->low = e->high = e->fit_low = e->fit_high = e->mean_half = NAN;
    e->mean_low = e->count_sd = NAN;
}

void mm_model_estimate_tuple(const struct mm_model *model, const double *x,
                             struct mm_estimate *estimate)
{
    struct mm_estimate *e = estimate;
    double curve, error, t, scatter, scale, cache;

    *e = (struct mm_estimate){.rival = NAN};
    e->beyond = mm_model_beyond_tuple(model, x, &e->parameter);
    e->typ = cost_at(model, &model->forms.form[0], x) + mm_caches_memory_ns(model, x);
    e->mean = mm_populations_mean(&model->populations, e->typ, x);
    e->sd = mm_populations_sd(&model->populations, e->typ, x);
    e->sum_sd = mm_populations_sum_sd(&model->populations, e->typ, x);
    cache = mm_caches_factor(model, x, &e->cache);
    scatter = MM_SIZES_SCATTER * model->scatter * e->typ;
    curve = curve_variance(model, x, e->typ, &e->rival);
    if (!(e->typ > 0)) /* the cost is positive, but likely below all measured ones */
        curve = fmax(curve, model->least_ns * model->least_ns / 4);
    error = sqrt(curve + scatter * scatter);
    t = cca_student_quantile(.5 + MM_FIT_LEVEL / 2, mm_model_freedom(model));
    e->fit_low = lower_end(e->typ, t * error);
    e->fit_high = e->typ + hypot(t * error, (cache - 1) * e->typ);
    scale = e->typ > 0 ? e->mean / e->typ : 1;
    e->count_sd = mm_populations_error(&model->populations, e->typ, x);
    e->mean_half =
        hypot(cca_student_quantile(.975, mm_model_freedom(model)) * scale * error,
              CCA_NORMAL_95 * e->count_sd);
    e->mean_half = hypot(e->mean_half, log(cache) * e->mean);
    e->mean_low = lower_end(e->mean, e->mean_half);
    /* Deviations of calls were measured from the curve and contain the scatter of sizes.
     */
    set_call_interval(model, x, e, sqrt(curve));
    e->high = e->q50 + hypot(e->high - e->q50, (cache - 1) * e->q50);
    set_flags(model, x, e);
}

void mm_model_estimate(const struct mm_model *model, const union monitor_value *in,
                       struct mm_estimate *estimate)
{
    double x[MONITOR_MAX_IN];

    if (mm_model_is_lacking(model, in)) {
        estimate_lacking(model, estimate);
        return;
    }
    mm_model_tuple(model, in, x);
    mm_model_estimate_tuple(model, x, estimate);
}

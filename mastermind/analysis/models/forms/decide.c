/* SPDX-License-Identifier: BSD-3-Clause */
/* decide.c: sizes at which a model and its rivals part. */
#include "mastermind/analysis/models/forms/decide.h"

#include <math.h>
#include <string.h>

#define STEPS 200
#define CALLS 10.  /* that a person is ready to measure at one size */
#define CLEAR 4.   /* standard deviations that tell two forms apart */
#define LEAST 1.25 /* ratio that tells them apart where there is no noise */

static int is_parameter(const struct mm_model *model, size_t k)
{
    return model->method->values[k].kind == MONITOR_PARAM;
}

void mm_model_middle(const struct mm_model *model, double *x)
{
    memset(x, 0, MONITOR_MAX_IN * sizeof *x);
    for (size_t k = 0; k < model->method->in_count; k++)
        if (is_parameter(model, k))
            x[k] = model->low[k] > 0 ? sqrt(model->low[k]) * sqrt(model->high[k])
                                     : (model->low[k] + model->high[k]) / 2;
}

size_t mm_model_leading(const struct mm_model *model)
{
    const struct mm_form *form = &model->forms.form[0];
    size_t leading = model->method->in_count;
    double most = 1 + 1e-9;

    for (size_t k = 0; k < model->method->in_count; k++) {
        double x[MONITOR_MAX_IN], low, high, ratio;

        if (!is_parameter(model, k) || !(model->high[k] > model->low[k]) ||
            !mm_form_uses(form, k))
            continue;
        mm_model_middle(model, x);
        x[k] = model->low[k];
        low = fmax(mm_form_value(form, x), model->least_ns);
        x[k] = model->high[k];
        high = fmax(mm_form_value(form, x), model->least_ns);
        ratio = low > 0 && high > 0 ? fmax(high / low, low / high) : INFINITY;
        if (ratio > most) {
            most = ratio;
            leading = k;
        }
    }
    return leading;
}

/* Cost of `form` at `x` as the model answers it: never below the least seen. */
static double form_cost(const struct mm_model *model, const struct mm_form *form,
                        const double *x)
{
    double value = mm_form_value(form, x);

    return isfinite(value) && value > 0 ? value : model->least_ns;
}

/* Factor by which `b` differs from `a`, at least 1. */
static double apart(double a, double b)
{
    if (!(a > 0) || !(b > 0))
        return a == b ? 1 : INFINITY;
    return a > b ? a / b : b / a;
}

/* One digit, rounded away from `from`. */
static double round_away(double size, double from)
{
    double unit = pow(10, floor(log10(size)));

    return (size > from ? ceil(size / unit - 1e-9) : floor(size / unit + 1e-9)) * unit;
}

/* The relative difference that a few calls at a size can show. */
static double visible(const struct mm_model *model)
{
    double noise = model->forms.tau > 0 ? model->forms.tau : 0;

    if (model->spread.known && model->spread.power == 1)
        noise = hypot(noise, model->spread.factor / sqrt(CALLS));
    return fmax(LEAST, 1 + CLEAR * noise);
}

/* The parameter that is farthest beyond its sizes, or the leading one. */
static size_t worst_parameter(const struct mm_model *model, const double *x)
{
    size_t worst = mm_model_leading(model);
    double most = 1;

    for (size_t k = 0; k < model->method->in_count; k++) {
        double beyond = 1;

        if (!is_parameter(model, k) || !(x[k] > 0))
            continue;
        if (x[k] > model->high[k])
            beyond = x[k] / model->high[k];
        else if (x[k] < model->low[k])
            beyond = model->low[k] / x[k];
        if (beyond > most) {
            most = beyond;
            worst = k;
        }
    }
    return worst;
}

static double deciding_size(const struct mm_model *model, const struct mm_form *rival,
                            const double *x, size_t k)
{
    double at[MONITOR_MAX_IN],
        edge = x[k] > model->high[k] ? model->high[k] : model->low[k];
    double enough = visible(model);

    if (x[k] >= model->low[k] && x[k] <= model->high[k])
        return x[k];
    if (!(edge > 0) || !(x[k] > 0))
        return x[k];
    memcpy(at, x, sizeof at);
    for (int i = 1; i <= STEPS; i++) {
        at[k] = edge * pow(x[k] / edge, i / (double)STEPS);
        if (apart(form_cost(model, &model->forms.form[0], at),
                  form_cost(model, rival, at)) < enough)
            continue;
        at[k] = round_away(at[k], edge);
        return x[k] > edge ? fmin(at[k], x[k]) : fmax(at[k], x[k]);
    }
    return x[k];
}

int mm_model_decide(const struct mm_model *model, const double *x, double least,
                    struct mm_decision *decision)
{
    double best = form_cost(model, &model->forms.form[0], x), most = least;

    *decision = (struct mm_decision){0};
    for (size_t i = 1; i < model->forms.count; i++) {
        const struct mm_form *rival = &model->forms.form[i];
        double value = form_cost(model, rival, x);

        if (!(apart(best, value) > most))
            continue;
        most = apart(best, value);
        decision->rival = rival;
        decision->value = value;
    }
    if (!decision->rival)
        return 0;
    decision->ratio = decision->value / best;
    decision->parameter = worst_parameter(model, x);
    if (decision->parameter == model->method->in_count)
        return 0;
    decision->size = deciding_size(model, decision->rival, x, decision->parameter);
    return 1;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* decide.c: sizes at which a model and its alternatives differ. */
#include "mastermind/cost/forms/decide.h"

#include <math.h>
#include <string.h>

#include "mastermind/reader/rows.h"

#define STEPS 200
/* difference of two forms' costs that distinguishes the forms, in standard deviations of
 * noise */
#define CLEAR 4.
/* least ratio of two forms' costs that distinguishes the forms if there is no noise */
#define LEAST 1.25

void mm_sizes_at(const struct mm_sizes *sizes, double place, double *x)
{
    for (size_t k = 0; k < sizes->count; k++) {
        double low = sizes->low[k], high = sizes->high[k];

        x[k] = low > 0 ? low * pow(high / low, place) : low + (high - low) * place;
    }
}

void mm_sizes_middle(const struct mm_sizes *sizes, double *x)
{
    mm_sizes_at(sizes, .5, x);
}

double mm_sizes_place(const struct mm_sizes *sizes, size_t k, double x)
{
    double low = sizes->low[k], high = sizes->high[k];

    if (!(high > low))
        return NAN;
    return low > 0 && x > 0 ? log(x / low) / log(high / low) : (x - low) / (high - low);
}

/* Cost of `form` at the in-values `x`, at least the least measured cost, as in the
 * model. */
static double form_cost(const struct mm_form *form, const struct mm_sizes *sizes,
                        const double *x)
{
    double value = mm_form_value(form, x);

    return isfinite(value) && value > 0 ? value : sizes->least;
}

/* Factor by which cost `b` differs from cost `a`, at least 1. */
static double apart(double a, double b)
{
    if (!(a > 0) || !(b > 0))
        return a == b ? 1 : INFINITY;
    return a > b ? a / b : b / a;
}

size_t mm_forms_leading(const struct mm_forms *forms, const struct mm_sizes *sizes)
{
    size_t leading = sizes->count;
    double most = 1 + 1e-9;

    for (size_t k = 0; k < sizes->count; k++) {
        double x[MONITOR_MAX_IN] = {0}, low, ratio;

        if (!(sizes->high[k] > sizes->low[k]) || !mm_form_uses(&forms->form[0], k))
            continue;
        mm_sizes_middle(sizes, x);
        x[k] = sizes->low[k];
        low = form_cost(&forms->form[0], sizes, x);
        x[k] = sizes->high[k];
        ratio = apart(low, form_cost(&forms->form[0], sizes, x));
        if (ratio > most) {
            most = ratio;
            leading = k;
        }
    }
    return leading;
}

/* The in-value that is farthest outside its range of measured sizes, by the ratio to that
 * range; if all are inside, the in-value that mm_forms_leading chooses. */
static size_t worst_size(const struct mm_forms *forms, const struct mm_sizes *sizes,
                         const double *x)
{
    size_t worst = mm_forms_leading(forms, sizes);
    double most = 1;

    for (size_t k = 0; k < sizes->count; k++) {
        double beyond = 1;

        if (x[k] > sizes->high[k] && sizes->high[k] > 0)
            beyond = x[k] / sizes->high[k];
        else if (x[k] > 0 && x[k] < sizes->low[k])
            beyond = sizes->low[k] / x[k];
        if (beyond > most) {
            most = beyond;
            worst = k;
        }
    }
    return worst;
}

/* Round `size` to one significant digit, up if it is above `from`, else down. */
static double round_away(double size, double from)
{
    double unit = pow(10, floor(log10(size)));

    return (size > from ? ceil(size / unit - 1e-9) : floor(size / unit + 1e-9)) * unit;
}

static double deciding_size(const struct mm_forms *forms, const struct mm_sizes *sizes,
                            const struct mm_form *rival, const double *x, size_t k)
{
    double edge = x[k] > sizes->high[k] ? sizes->high[k] : sizes->low[k];
    double enough = fmax(LEAST, 1 + CLEAR * sizes->noise), at[MONITOR_MAX_IN];

    if (x[k] >= sizes->low[k] && x[k] <= sizes->high[k])
        return x[k];
    if (!(edge > 0) || !(x[k] > 0))
        return x[k];
    memcpy(at, x, sizes->count * sizeof *at);
    for (int i = 1; i <= STEPS; i++) {
        at[k] = edge * pow(x[k] / edge, i / (double)STEPS);
        if (apart(form_cost(&forms->form[0], sizes, at), form_cost(rival, sizes, at)) <
            enough)
            continue;
        at[k] = round_away(at[k], edge);
        return x[k] > edge ? fmin(at[k], x[k]) : fmax(at[k], x[k]);
    }
    return x[k];
}

int mm_forms_decide(const struct mm_forms *forms, const struct mm_sizes *sizes,
                    const double *x, double least, struct mm_decision *decision)
{
    double best = form_cost(&forms->form[0], sizes, x), most = least;

    *decision = (struct mm_decision){0};
    for (size_t i = 1; i < forms->count; i++) {
        double value = form_cost(&forms->form[i], sizes, x);

        if (!(apart(best, value) > most))
            continue;
        most = apart(best, value);
        decision->rival = &forms->form[i];
        decision->value = value;
    }
    if (!decision->rival)
        return 0;
    decision->ratio = decision->value / best;
    decision->parameter = worst_size(forms, sizes, x);
    if (decision->parameter == sizes->count)
        return 0;
    decision->size = deciding_size(forms, sizes, decision->rival, x, decision->parameter);
    return 1;
}

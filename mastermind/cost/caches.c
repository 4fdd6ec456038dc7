/* SPDX-License-Identifier: BSD-3-Clause */
/* caches.c: which caches the data of a call may leave, by its parameters. */
#include "mastermind/cost/caches.h"

#include <math.h>
#include <string.h>

#define LEAST_BYTES 8. /* of a unit of the parameters */
#define MOST_BYTES 64.
#define SURE 3. /* times the share of sizes of units: where all of the factor counts */
#define FLAT .4 /* a cost that grows with a lower power does not go through data */
#define SQUARE 1.75 /* with such a power n is the side of a matrix */
#define MOST_FACTOR 8.
#define CALM                                                                             \
    .6 /* of the logarithm, where the sizes left a smaller cache without a break */

/* What leaving a cache of a level costs, at most, as recorded kernels show: a sweep
 * through arrays 1.1, 2 and 1.7 to 3.6; a chain of pointers 2, 6 and 8. */
static const double factors[MM_CACHE_LEVELS] = {1.5, 3, 4, 4};

/* The power by which the cost grows with parameter `k` at the largest sizes seen. */
static double growth(const struct mm_model *model, size_t k)
{
    const struct mm_form *form = &model->forms.form[0];
    double x[MONITOR_MAX_IN], most = mm_form_value(form, model->high), less;

    memcpy(x, model->high, sizeof x);
    x[k] /= 2;
    less = mm_form_value(form, x);
    return most > 0 && less > 0 ? log2(most / less) : 0;
}

/* Units of data at `x`: the product of the parameters that the cost grows with. */
static double units_at(const struct mm_model *model, const double *x)
{
    double units = 1;

    for (size_t k = 0; k < model->method->in_count; k++) {
        double power;

        if (!mm_form_uses(&model->forms.form[0], k) || !(x[k] > 0) ||
            !(model->high[k] > 0))
            continue;
        power = growth(model, k);
        units *= power < FLAT ? 1 : power < SQUARE ? x[k] : x[k] * x[k];
    }
    return units;
}

/* True where the sizes seen left a cache for certain, and the form has no break. */
static int is_calm(const struct mm_model *model, double seen)
{
    double least = units_at(model, model->low);

    for (int i = 0; i < MM_CACHE_LEVELS; i++)
        if (MOST_BYTES * least < model->cache_bytes[i] &&
            LEAST_BYTES * seen > model->cache_bytes[i])
            return !mm_form_has_break(&model->forms.form[0]);
    return 0;
}

static int is_inside(const struct mm_model *model, const double *x)
{
    for (size_t k = 0; k < model->method->in_count; k++)
        if (x[k] > model->high[k])
            return 0;
    return 1;
}

double mm_caches_factor(const struct mm_model *model, const double *x, int *level)
{
    double seen, asked, all = 0;

    *level = 0;
    if (is_inside(model, x))
        return 1;
    seen = units_at(model, model->high);
    asked = units_at(model, x);
    for (int i = 0; i < MM_CACHE_LEVELS && asked > seen; i++) {
        double bytes = model->cache_bytes[i], most, least;

        if (!(bytes > 0))
            continue;
        /* Units of these sizes fit at the sizes seen, and do not at `x`. */
        most = fmin(bytes / seen, MOST_BYTES);
        least = fmax(bytes / asked, LEAST_BYTES);
        if (!(most > least))
            continue;
        all += log(factors[i]) *
               fmin(SURE * log(most / least) / log(MOST_BYTES / LEAST_BYTES), 1);
        if (!*level)
            *level = i + 1;
    }
    return fmin(exp(all * (is_calm(model, seen) ? CALM : 1)), MOST_FACTOR);
}

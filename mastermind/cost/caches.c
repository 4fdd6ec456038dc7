/* SPDX-License-Identifier: BSD-3-Clause */
/* caches.c: whether the data of a call may exceed a cache, from its parameters. */
#include "mastermind/cost/caches.h"

#include <math.h>
#include <string.h>

#define LEAST_BYTES 8. /* least bytes of data per unit of the parameters */
/* largest number of bytes of data per unit: 64, in a cache of which other data use half
 */
#define MOST_BYTES 128.
/* Where the growth of the peak of memory is measured, the data that the program uses
 * again are at least 1 / FEW_USED of it, and at most MANY_USED times as large. */
#define FEW_USED 4.
#define MANY_USED 1.2
#define NO_BYTES 1e-9 /* bytes per unit where the peak of memory does not grow */
/* The probability that data leave a cache is multiplied by this factor; the product is at
 * most 1. */
#define SURE 3.
/* a cost that grows with a lower power than this does not grow with the amount of data */
#define FLAT .5
/* from this power on, the parameter is taken for the side of a matrix */
#define SQUARE 1.75
#define MOST_FACTOR 12.
/* Extra cost in ns of a unit when data come from memory instead of caches, in a sweep
 * through arrays; measured: .2 in triad, .5 in Jacobi. */
#define MEMORY_NS .4

/* Largest slowdown when data leave a cache level, from recorded kernels: a sweep through
 * arrays got 1.1, 2 and 1.7 to 3.6 times slower, a chain of pointers 2, 6 and 8 times. */
static const double factors[MM_CACHE_LEVELS] = {1.5, 4, 4, 4};

/* The power of parameter `k` with which the cost grows at the largest sizes measured. */
static double growth(const struct mm_model *model, size_t k)
{
    const struct mm_form *form = &model->forms.form[0];
    double x[MONITOR_MAX_IN], most = mm_form_value(form, model->high), less;

    memcpy(x, model->high, sizeof x);
    x[k] /= 2;
    less = mm_form_value(form, x);
    return most > 0 && less > 0 ? log2(most / less) : 0;
}

double mm_caches_units(const struct mm_model *model, const double *x)
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

static int is_inside(const struct mm_model *model, const double *x)
{
    for (size_t k = 0; k < model->method->in_count; k++)
        if (x[k] > model->high[k])
            return 0;
    return 1;
}

void mm_caches_set_growth(struct mm_model *model, double units, double bytes)
{
    if (units > 0)
        model->unit_bytes = fmax(bytes / units, NO_BYTES);
}

/* Probability that `seen` units fit a cache of `bytes` and `asked` units do not, the
 * logarithm of the bytes per unit being uniformly distributed. */
static double share_left(const struct mm_model *model, double bytes, double seen,
                         double asked)
{
    double known = model->unit_bytes;
    double low = known > 0 ? known / FEW_USED : LEAST_BYTES;
    double high = known > 0 ? known * MANY_USED : MOST_BYTES;
    double most = fmin(bytes / seen, high), least = fmax(bytes / asked, low);

    return bytes > 0 && most > least ? log(most / least) / log(high / low) : 0;
}

double mm_caches_memory_ns(const struct mm_model *model, const double *x)
{
    double last = 0, asked, ns;

    if (is_inside(model, x))
        return 0;
    for (int i = 0; i < MM_CACHE_LEVELS; i++)
        last = fmax(last, model->cache_bytes[i]);
    asked = mm_caches_units(model, x);
    ns = MEMORY_NS * asked *
         share_left(model, last, mm_caches_units(model, model->high), asked);
    return ns > 0 ? fmax(fmin(ns, mm_form_value(&model->forms.form[0], x)), 0) : 0;
}

double mm_caches_factor(const struct mm_model *model, const double *x, int *level)
{
    double seen, asked, all = 0;

    *level = 0;
    if (is_inside(model, x))
        return 1;
    seen = mm_caches_units(model, model->high);
    asked = mm_caches_units(model, x);
    for (int i = 0; i < MM_CACHE_LEVELS && asked > seen; i++) {
        double share = share_left(model, model->cache_bytes[i], seen, asked);
        double factor =
            model->unit_bytes > 0 ? fmin(factors[i], MM_CACHES_WHOLE) : factors[i];

        all += log(factor) * fmin(SURE * share, 1);
        if (!*level && share > 0)
            *level = i + 1;
    }
    return fmin(exp(all), MOST_FACTOR);
}

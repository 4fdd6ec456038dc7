/* SPDX-License-Identifier: BSD-3-Clause */
/* pairs.c: compute an interval of a mean difference that remains valid if it is looked at
 * after each pair. */
#include "mastermind/compare/pairs.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/statistics.h"

/* Variances g of T (pairs.h), in ratios of 10: the small ones find small differences with
 * many pairs, the largest finds a large difference with three pairs. Stakes b of S. */
static const double variances[] = {.3, 3, 30, 300};
static const double stakes[] = {.3, .8, 2};
enum {
    VARIANCES = sizeof variances / sizeof *variances,
    STAKES = sizeof stakes / sizeof *stakes,
    STEPS = 30
};
/* largest difference of logarithms: no two programs differ by more than e^50 */
#define FAR 50.

struct pairs {
    const double *differences;
    /* [count] scale of each pair's difference, estimated from the pairs before it */
    double *scale;
    size_t count;
    double mean, variance;
};

static double evidence_normal(const struct pairs *pairs, double m)
{
    double n = (double)pairs->count, nu = n - 1, sum = 0;
    double square = n * (pairs->mean - m) * (pairs->mean - m) / pairs->variance;

    for (int i = 0; i < VARIANCES; i++) {
        double wide = 1 + n * variances[i];
        double ratio = (1 + square / nu) / (1 + square / (nu * wide));

        sum += exp(n / 2 * log(ratio) - log(wide) / 2) / VARIANCES;
    }
    return sum;
}

static double evidence_symmetric(const struct pairs *pairs, double m)
{
    double sum = 0;

    for (int k = 0; k < 2 * STAKES; k++) {
        double stake = k < STAKES ? stakes[k] : -stakes[k - STAKES], product = 1;

        for (size_t i = 0; i < pairs->count; i++) {
            double u = (pairs->differences[i] - m) / pairs->scale[i];

            product *= 1 + tanh(stake * fmax(-1, fmin(1, u)));
        }
        sum += product / (2 * STAKES);
    }
    return sum;
}

static double evidence(const struct pairs *pairs, double m)
{
    return (evidence_normal(pairs, m) + evidence_symmetric(pairs, m)) / 2;
}

/* Return the end of the interval on one side of `middle`: `sign` is -1 or 1. */
static double find_end(const struct pairs *pairs, double middle, double sign,
                       double error)
{
    double inside = 0, outside = MM_PAIRS_LEAST_SD;

    while (outside < FAR && evidence(pairs, middle + sign * outside) < 1 / error) {
        inside = outside;
        outside *= 2;
    }
    if (outside >= FAR)
        return sign * INFINITY;
    for (int i = 0; i < STEPS; i++) {
        double at = (inside + outside) / 2;

        if (evidence(pairs, middle + sign * at) < 1 / error)
            inside = at;
        else
            outside = at;
    }
    return middle + sign * outside;
}

/* Return the spread of the first `count` differences: the median absolute deviation,
 * converted to a standard deviation. */
static double scale_of(const double *differences, size_t count, double *work)
{
    double middle;

    if (!count)
        return MM_PAIRS_LEAST_SD;
    memcpy(work, differences, count * sizeof *work);
    middle = cca_median(work, count);
    for (size_t i = 0; i < count; i++)
        work[i] = fabs(differences[i] - middle);
    return fmax(CCA_NORMAL_SCALE * cca_median(work, count), MM_PAIRS_LEAST_SD);
}

int mm_pairs_mean(struct mm_pairs_mean *result, const double *differences, size_t count,
                  double error)
{
    double *work = calloc(2 * count, sizeof *work);
    struct pairs pairs = {
        .differences = differences, .scale = work + count, .count = count};

    *result = (struct mm_pairs_mean){0, -INFINITY, INFINITY};
    if (!work)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        pairs.scale[i] = scale_of(differences, i, work);
        pairs.mean += differences[i] / (double)count;
    }
    for (size_t i = 0; i < count && count > 1; i++)
        pairs.variance += pow(differences[i] - pairs.mean, 2) / (double)(count - 1);
    pairs.variance = fmax(pairs.variance, MM_PAIRS_LEAST_SD * MM_PAIRS_LEAST_SD);
    memcpy(work, differences, count * sizeof *work);
    result->middle = cca_median(work, count);
    if (count > 1) {
        result->low = find_end(&pairs, result->middle, -1, error);
        result->high = find_end(&pairs, result->middle, 1, error);
    }
    free(work);
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* pairs.c: an interval of a mean difference that may be looked at after each pair. */
#include "mastermind/compare/pairs.h"

#include <math.h>

/* Variances g of the mixture, in ratios of 10: small ones find small differences with
 * many pairs, the largest finds a large difference with three. */
static const double variances[] = {.3, 3, 30, 300};
enum { VARIANCES = sizeof variances / sizeof *variances, STEPS = 50 };

/* The mean of E_n (pairs.h) over several g at t^2 = `square`, which may be INFINITY. */
static double evidence(double square, double n)
{
    double sum = 0, nu = n - 1;

    for (int i = 0; i < VARIANCES; i++) {
        double wide = 1 + n * variances[i];
        double ratio =
            isinf(square) ? wide : (1 + square / nu) / (1 + square / (nu * wide));

        sum += exp(n / 2 * log(ratio) - log(wide) / 2) / VARIANCES;
    }
    return sum;
}

double mm_pairs_bound(size_t count, double error)
{
    double low = 0, high = 1, n = (double)count;

    if (count < 2 || evidence(INFINITY, n) <= 1 / error)
        return INFINITY;
    while (evidence(high, n) < 1 / error)
        high *= 2;
    for (int i = 0; i < STEPS; i++) {
        double middle = (low + high) / 2;

        if (evidence(middle, n) < 1 / error)
            low = middle;
        else
            high = middle;
    }
    return sqrt(high);
}

struct mm_pairs_mean mm_pairs_mean(const double *differences, size_t count, double error)
{
    struct mm_pairs_mean result = {0, -INFINITY, INFINITY};
    double squares = 0, sd, half;

    for (size_t i = 0; i < count; i++)
        result.mean += differences[i] / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += pow(differences[i] - result.mean, 2);
    if (count < 2)
        return result;
    sd = fmax(sqrt(squares / (double)(count - 1)), MM_PAIRS_LEAST_SD);
    half = mm_pairs_bound(count, error) * sd / sqrt((double)count);
    result.low = result.mean - half;
    result.high = result.mean + half;
    return result;
}

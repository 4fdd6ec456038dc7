/* SPDX-License-Identifier: BSD-3-Clause */
/* binomial.c: the exact confidence interval of a share. */
#include <math.h>

#include "mastermind/ledger/score.h"

/* Probability of at most `held` successes in `count` trials with success probability p, 0
 * < p < 1. */
static double at_most(size_t held, size_t count, double p)
{
    double n = (double)count, sum = 0;

    for (size_t i = 0; i <= held; i++) {
        double k = (double)i;

        sum += exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) +
                   (n - k) * log1p(-p));
    }
    return sum;
}

/* The p with which at most `held` successes have `probability`; at_most decreases with p.
 */
static double find_share(size_t held, size_t count, double probability)
{
    double low = 0, high = 1;

    for (int i = 0; i < 60; i++) {
        double p = (low + high) / 2;

        if (at_most(held, count, p) > probability)
            low = p;
        else
            high = p;
    }
    return (low + high) / 2;
}

void mm_binomial_interval(size_t held, size_t count, double level, double *low,
                          double *high)
{
    double tail = (1 - level) / 2;

    *low = held ? find_share(held - 1, count, 1 - tail) : 0;
    *high = held < count ? find_share(held, count, tail) : 1;
}

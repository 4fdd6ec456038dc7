/* SPDX-License-Identifier: BSD-3-Clause */
/* pairs.h: the mean difference of two programs that ran in pairs, with an interval that
 * may be looked at after each pair.
 *
 * The difference of a pair is log(cost of B / cost of A). Differences are taken as
 * independent, normal, with unknown mean and variance. For a hypothetical mean m, with
 * t = sqrt(n) (mean - m) / s, the mixture of likelihood ratios over effects of normal
 * distribution with mean 0 and variance g (in units of the variance of a difference),
 *
 *   E_n(m) = (1 + n g)^(-1/2) [ (1 + t^2 / (n-1)) / (1 + t^2 / ((n-1)(1 + n g))) ]^(n/2),
 *
 * is a nonnegative martingale with mean 1 if m is the mean (right-Haar prior of the
 * variance; Lai 1976; Wang and Ramdas, Anytime-valid t-tests, 2025), and so is its mean
 * over several g. By Ville's inequality it ever reaches 1/error with probability at most
 * `error`; the interval holds all m whose E_n is below that. */
#ifndef MASTERMIND_COMPARE_PAIRS_H
#define MASTERMIND_COMPARE_PAIRS_H

#include <stddef.h>

/* Standard deviation assumed of equal runs at least: cost depends on where a run's memory
 * happens to lie. */
#define MM_PAIRS_LEAST_SD .002

struct mm_pairs_mean {
    double mean;
    double low, high; /* -INFINITY, INFINITY: there are too few pairs */
};

/* The mean of [count] differences, count > 0, with its interval.
 *
 *   error  in  probability that any of the intervals of a race fails to hold the true
 *              mean, 0 < error < 1 */
struct mm_pairs_mean mm_pairs_mean(const double *differences, size_t count, double error);

/* Half-width of the interval in standard errors of the mean; INFINITY: too few pairs. */
double mm_pairs_bound(size_t count, double error);

#endif

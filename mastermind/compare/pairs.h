/* SPDX-License-Identifier: BSD-3-Clause */
/* pairs.h: the mean difference of two programs that ran in pairs, with an interval that
 * remains valid if it is looked at after each pair.
 *
 * The difference of a pair is log(cost of B / cost of A). For a hypothetical difference m
 * the evidence against it is E_n(m) = (T_n(m) + S_n(m)) / 2, both nonnegative with mean 1
 * at most if m is true, however long the race:
 *
 *   T  for normal differences of unknown variance, with t = sqrt(n) (mean - m) / s:
 *      (1 + n g)^(-1/2) [ (1 + t^2 / (n-1)) / (1 + t^2 / ((n-1)(1 + n g))) ]^(n/2),
 *      the ratio of likelihoods for effects of N(0, g) in units of the variance, averaged
 *      over several g (Lai 1976; Wang and Ramdas, Anytime-valid t-tests, 2025). It finds
 *      a large difference with three pairs.
 *   S  for differences of any distribution that is symmetric about m, as it is for equal
 *      programs in random order: the product over pairs of 1 + tanh(b u), u = (d - m) /
 *      scale, limited to -1 .. 1, the scale taken from the pairs before; averaged over
 *      several b and both signs (a bet on the sign: Shafer and Vovk, Game-Theoretic
 *      Foundations for Probability and Finance, 2019). Single runs that another guest of
 *      the host disturbed count little.
 *
 * By Ville's inequality E_n ever reaches 1/error with probability at most `error`; the
 * interval holds all m whose E_n is below that. */
#ifndef MASTERMIND_COMPARE_PAIRS_H
#define MASTERMIND_COMPARE_PAIRS_H

#include <stddef.h>

/* Equal runs are assumed to have at least this standard deviation, because the cost
 * depends on where a run's memory happens to lie. */
#define MM_PAIRS_LEAST_SD .002

struct mm_pairs_mean {
    double middle; /* median of the differences */
    /* ends of the interval; -INFINITY, INFINITY: there are too few pairs */
    double low, high;
};

/* Compute the median of `count` > 0 differences, which are in the order of the pairs, and
 * its interval.
 *
 *   error  in  probability that any of the intervals of a race fails to hold the true
 *              difference, 0 < error < 1
 *
 * Returns 0 or -ENOMEM. */
int mm_pairs_mean(struct mm_pairs_mean *result, const double *differences, size_t count,
                  double error);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Intervals of a race, against the ratio of likelihoods integrated numerically, and by
 * made-up races whose truth is known. */
#include <math.h>

#include "mastermind/compare/pairs.h"
#include "tests/lib/test.h"

static uint64_t seed = 1;

static double uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return ((double)(seed >> 11) + .5) / 9007199254740992.;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(2 * 3.14159265358979 * uniform());
}

/* --- The ratio of likelihoods, by quadrature ---------------------------------------- */

/* log of the likelihood of [n] values with this mean and standard deviation, without
 * constants */
static double log_likelihood(const double *values, size_t n, double mean, double sd)
{
    double squares = 0;

    for (size_t i = 0; i < n; i++)
        squares += (values[i] - mean) * (values[i] - mean);
    return -(double)n * log(sd) - squares / (2 * sd * sd);
}

/* Likelihood for effects (mean / sd) of N(0, variance), over that for the mean 0; both
 * with the prior d sd / sd. */
static double ratio(const double *values, size_t n, double variance)
{
    double with = 0, without = 0, scale = 0, wide = sqrt(variance);

    for (size_t i = 0; i < n; i++)
        scale += fabs(values[i]) / (double)n;
    for (double u = -9; u < 9; u += .05) { /* u = log(sd / scale) */
        double sd = scale * exp(u), sum = 0, step = .05 * fmin(1, wide), most;

        without += exp(log_likelihood(values, n, 0, sd) + (double)n * log(scale));
        most = 9 * wide;
        for (double effect = -most; effect < most; effect += step) {
            double prior = exp(-effect * effect / (2 * variance)) /
                           (wide * sqrt(2 * 3.14159265358979));

            sum +=
                step * prior *
                exp(log_likelihood(values, n, effect * sd, sd) + (double)n * log(scale));
        }
        with += sum;
    }
    return with / without;
}

TEST(the_interval_ends_where_the_mixture_of_likelihood_ratios_is_one_over_the_error)
{
    static const double variances[] = {.3, 3, 30, 300};
    static const size_t counts[] = {3, 4, 9};
    double values[9], shifted[9];

    (void)test_state;
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        size_t n = counts[k];
        struct mm_pairs_mean mean;
        double ends[2];

        for (size_t i = 0; i < n; i++)
            values[i] = .05 + .03 * normal();
        mean = mm_pairs_mean(values, n, .05);
        ends[0] = mean.low;
        ends[1] = mean.high;
        for (int end = 0; end < 2; end++) {
            double sum = 0;

            for (size_t i = 0; i < n; i++)
                shifted[i] = values[i] - ends[end];
            for (size_t g = 0; g < 4; g++)
                sum += ratio(shifted, n, variances[g]) / 4;
            assert_true(fabs(sum - 20) < .02);
        }
    }
}

TEST(two_pairs_decide_nothing_and_no_difference_at_all_is_still_uncertain)
{
    const double values[] = {.5, .5, .5, .5};
    struct mm_pairs_mean mean = mm_pairs_mean(values, 2, .05);

    (void)test_state;
    assert_true(isinf(mean.low) && isinf(mean.high) && mean.mean == .5);
    mean = mm_pairs_mean(values, 4, .05);
    assert_true(mean.low < .5 && mean.low > .48 &&
                fabs(mean.low + mean.high - 1) < 1e-12);
    assert_true(isinf(mm_pairs_bound(1, .05)));
    assert_true(mm_pairs_bound(5, .01) > mm_pairs_bound(5, .05));
}

/* --- Races -------------------------------------------------------------------------- */

enum { RACES = 1500, PAIRS = 30 };

/* Noise of a pair: 0 normal; 1 with one bad run in twelve; 2 of heavy tails. */
static double noise(int kind)
{
    double z = normal();

    if (kind == 1)
        return .015 * z + (uniform() < .08 ? .15 * normal() : 0);
    if (kind == 2)
        return .02 * z /
               sqrt((pow(normal(), 2) + pow(normal(), 2) + pow(normal(), 2)) / 3);
    return .02 * z;
}

/* Share of races in which some interval failed to hold the mean, and the median number of
 * pairs until 0 was outside, PAIRS + 1: never. */
static double miss(double mean, int kind, size_t *median)
{
    size_t misses = 0, found[PAIRS + 2] = {0}, sum = 0;

    for (int race = 0; race < RACES; race++) {
        double values[PAIRS];
        size_t first = PAIRS + 1;
        int missed = 0;

        for (size_t n = 1; n <= PAIRS; n++) {
            struct mm_pairs_mean at;

            values[n - 1] = mean + noise(kind);
            at = mm_pairs_mean(values, n, .05);
            missed |= mean < at.low || mean > at.high;
            if (first > PAIRS && (at.low > 0 || at.high < 0))
                first = n;
        }
        misses += (size_t)missed;
        found[first]++;
    }
    for (*median = 0; 2 * sum < RACES; (*median)++)
        sum += found[*median];
    (*median)--;
    return (double)misses / RACES;
}

TEST(all_intervals_of_a_race_together_hold_in_95_of_100)
{
    size_t median;

    (void)test_state;
    for (int kind = 0; kind < 3; kind++) {
        double share = miss(.03, kind, &median);

        assert_true(share <= .05);
        if (kind == 0)
            assert_true(share >= .005); /* nor are they needlessly wide */
    }
}

TEST(a_factor_is_found_in_three_pairs_and_five_percent_in_six)
{
    size_t median;

    (void)test_state;
    miss(log(5), 0, &median);
    assert_int_equal(median, 3);
    miss(.05, 0, &median);
    assert_in_range(median, 3, 6);
}

TESTS(NULL, NULL)

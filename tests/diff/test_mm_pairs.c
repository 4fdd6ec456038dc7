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

/* The bets on signs: for each stake the product of 1 + tanh(stake * u). */
static double bets(const double *values, size_t n)
{
    static const double stakes[] = {.3, .8, 2, -.3, -.8, -2};
    double sum = 0;

    for (size_t k = 0; k < 6; k++) {
        double product = 1;

        for (size_t i = 0; i < n; i++) {
            double sorted[9], middle = 0, scale = 0, u;

            /* median of the values before, and that of their distances from it */
            for (int pass = 0; pass < 2; pass++) {
                for (size_t a = 0; a < i; a++) {
                    double value = pass ? fabs(values[a] - middle) : values[a];
                    size_t at = a;

                    for (; at > 0 && sorted[at - 1] > value; at--)
                        sorted[at] = sorted[at - 1];
                    sorted[at] = value;
                }
                if (i)
                    *(pass ? &scale : &middle) =
                        (sorted[(i - 1) / 2] + sorted[i / 2]) / 2;
            }
            u = values[i] / fmax(1.4826022185056018 * scale, .002);
            product *= 1 + tanh(stakes[k] * fmax(-1, fmin(1, u)));
        }
        sum += product / 6;
    }
    return sum;
}

static struct mm_pairs_mean mean_of(const double *values, size_t n)
{
    struct mm_pairs_mean mean;

    assert_int_equal(mm_pairs_mean(&mean, values, n, .05), 0);
    return mean;
}

TEST(the_interval_ends_where_the_evidence_is_one_over_the_error)
{
    static const double variances[] = {.3, 3, 30, 300};
    static const size_t counts[] = {4, 5, 9};
    double values[9], shifted[9];

    (void)test_state;
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        size_t n = counts[k];
        struct mm_pairs_mean mean;
        double ends[2];

        for (size_t i = 0; i < n; i++)
            values[i] = .05 + .03 * normal();
        mean = mean_of(values, n);
        ends[0] = mean.low;
        ends[1] = mean.high;
        for (int end = 0; end < 2; end++) {
            double sum = 0;

            for (size_t i = 0; i < n; i++)
                shifted[i] = values[i] - ends[end];
            for (size_t g = 0; g < 4; g++)
                sum += ratio(shifted, n, variances[g]) / 4;
            assert_true(fabs((sum + bets(shifted, n)) / 2 - 20) < .05);
        }
    }
}

TEST(two_pairs_decide_nothing_and_no_difference_at_all_is_still_uncertain)
{
    const double values[] = {.5, .5, .5, .5};
    struct mm_pairs_mean mean = mean_of(values, 2);

    (void)test_state;
    assert_true(isinf(mean.low) && isinf(mean.high) && mean.middle == .5);
    mean = mean_of(values, 4);
    assert_true(mean.low < .5 && mean.low > .48 && fabs(mean.low + mean.high - 1) < 1e-9);
}

/* --- Races -------------------------------------------------------------------------- */

enum { PAIRS = 30 };

/* Noise of a pair: 0 normal; 1 with one bad run in twelve; 2 of heavy tails; 3 of a host
 * whose other hyperthread is busy now and then: a quarter of the pairs is off by half. */
static double noise(int kind)
{
    double z = normal();

    if (kind == 1)
        return .015 * z + (uniform() < .08 ? .15 * normal() : 0);
    if (kind == 3)
        return .015 * z + (uniform() < .25 ? uniform() < .5 ? .5 : -.5 : 0);
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
    int races = test_count("RACES", 40, 400);

    for (int race = 0; race < races; race++) {
        double values[PAIRS];
        size_t first = PAIRS + 1;
        int missed = 0;

        for (size_t n = 1; n <= PAIRS; n++) {
            struct mm_pairs_mean at;

            values[n - 1] = mean + noise(kind);
            at = mean_of(values, n);
            missed |= mean < at.low || mean > at.high;
            if (first > PAIRS && (at.low > 0 || at.high < 0))
                first = n;
        }
        misses += (size_t)missed;
        found[first]++;
    }
    for (*median = 0; 2 * sum < (size_t)races; (*median)++)
        sum += found[*median];
    (*median)--;
    return (double)misses / races;
}

TEST(all_intervals_of_a_race_together_hold_in_95_of_100)
{
    size_t median;

    (void)test_state;
    for (int kind = 0; kind < 4; kind++)
        assert_true(miss(.03, kind, &median) <= .05);
}

TEST(a_factor_is_found_in_four_pairs_five_percent_in_seven_or_on_a_shared_core_in_twenty)
{
    size_t median;

    (void)test_state;
    miss(log(5), 0, &median);
    assert_in_range(median, 3, 4);
    miss(.05, 0, &median);
    assert_in_range(median, 3, 7);
    miss(.05, 3, &median);
    assert_in_range(median, 3, 20);
}

TESTS(NULL, NULL)

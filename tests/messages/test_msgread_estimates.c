/* SPDX-License-Identifier: BSD-3-Clause */
/* Intervals of totals hold the truth as often as they claim: by simulation, with times
 * that are light, heavy-tailed, or mostly zero. */
#include <math.h>

#include "tests/lib/test.h"

#include "messages/keep/keep.h"
#include "messages/read/estimate.h"

static uint64_t state = 88172645463325252ULL;

static double uniform(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return ((double)(state >> 11) + .5) / 9007199254740992.0;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

static double exponential(void)
{
    return -log(uniform());
}
static double lognormal_1(void)
{
    return exp(normal());
}
static double lognormal_15(void)
{
    return exp(1.5 * normal());
}
static double lognormal_2(void)
{
    return exp(2 * normal());
}
static double mostly_zero(void)
{
    return uniform() < .8 ? 0 : exponential();
}
static double nine_zeros(void)
{
    return uniform() < .9 ? 0 : lognormal_1();
}
static double nearly_even(void)
{
    return 1 + .1 * uniform();
}
static double rare_and_large(void)
{
    return uniform() < .95 ? 1 : 100 * exponential();
}

/* Share of `rounds` runs whose interval holds the total of all messages; p varies by
 * message where `uneven`. `exact`: the number of messages is known. */
static double coverage(double (*draw)(void), int samples, int rounds, int exact,
                       int uneven)
{
    int held = 0, judged = 0;

    for (int round = 0; round < rounds; round++) {
        struct mm_message_sums sums = {0};
        double truth = 0, p = .1;
        long messages = (long)(samples / p);
        struct mm_message_estimate e;

        for (long i = 0; i < messages; i++) {
            double x = draw(), chance = uneven && i % 2 ? p / 2 : p;
            struct mm_messages_sum one = {
                x, x / chance, x * x * (1 - chance) / (chance * chance), x > 0};

            truth += x;
            if (uniform() >= chance)
                continue;
            mm_message_sums_add(&sums,
                                &(struct mm_message_sums){
                                    .count = 1,
                                    .weight = 1 / chance,
                                    .weight_variance = (1 - chance) / chance / chance,
                                    .late_sender = one});
        }
        e = exact ? mm_estimate_ratio(&sums, &sums.late_sender, (double)messages)
                  : mm_estimate_total(&sums, &sums.late_sender);
        if (!e.has_interval)
            continue;
        judged++;
        held += e.low <= truth && truth <= e.high;
    }
    return judged ? (double)held / judged : 0;
}

/* The claims of estimate.h: coverage at 30, 100 and 300 samples is from .92 to .98, but
 * for what it names. 1500 rounds tell it to 1.5 % (2.6 sd). */
TEST(intervals_hold_the_truth_in_92_to_98_percent)
{
    static const struct {
        const char *name;
        double (*draw)(void);
        double least[3]; /* at 30, 100, 300 samples */
    } cases[] = {{"exponential", exponential, {.92, .92, .92}},
                 {"lognormal 1", lognormal_1, {.92, .92, .92}},
                 {"80 % zeros", mostly_zero, {.92, .92, .92}},
                 {"90 % zeros", nine_zeros, {.92, .92, .92}},
                 {"nearly even", nearly_even, {.92, .92, .92}},
                 {"lognormal 1.5", lognormal_15, {.88, .91, .92}},
                 {"lognormal 2", lognormal_2, {.85, .89, .92}},
                 {"rare, large", rare_and_large, {.65, .92, .92}}};
    static const int counts[] = {30, 100, 300};
    const double slack = .018;
    int rounds = test_count("RUNS", 1200, 20000);

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        for (size_t n = 0; n < 3; n++) {
            double got =
                coverage(cases[c].draw, counts[n], n == 2 ? rounds / 2 : rounds, 0, 0);

            print_message("%-14s %3d samples: %.3f\n", cases[c].name, counts[n], got);
            assert_true(got >= cases[c].least[n] - slack);
            assert_true(got <= .985 + (n == 0 ? .005 : 0));
        }
    }
}

TEST(intervals_hold_where_messages_are_counted_or_p_varies)
{
    assert_true(coverage(exponential, 100, 1200, 1, 0) >= .92 - .018);
    assert_true(coverage(nearly_even, 100, 1200, 1, 0) >= .92 - .018);
    assert_true(coverage(mostly_zero, 100, 1200, 1, 0) >= .92 - .018);
    assert_true(coverage(exponential, 200, 800, 0, 1) >= .92 - .02);
    assert_true(coverage(lognormal_1, 200, 800, 0, 1) >= .92 - .02);
}

/* Of equal values the number alone is uncertain; where it is known, nothing is. */
TEST(the_ratio_form_is_tighter)
{
    struct mm_message_sums sums = {.count = 50,
                                   .weight = 500,
                                   .weight_variance = 50 * 90,
                                   .late_sender = {50 * 2, 500 * 2, 50 * 4 * 90, 50}};
    struct mm_message_estimate total = mm_estimate_total(&sums, &sums.late_sender);
    struct mm_message_estimate ratio = mm_estimate_ratio(&sums, &sums.late_sender, 480);

    assert_true(total.has_interval && ratio.has_interval);
    assert_true(total.value == 1000 && ratio.value == 960);
    assert_true(total.high - total.low > 400);
    assert_true(ratio.high - ratio.low < 1e-6);
}

TEST(no_interval_is_invented)
{
    struct mm_message_sums few = {
        .count = 4, .weight = 40, .weight_variance = 360, .late_sender = {4, 40, 360, 4}};
    struct mm_message_sums zeros = {.count = 50, .weight = 500, .weight_variance = 4500};
    struct mm_message_sums timer = {
        .count = 50, .weight = 500, .late_sender = {50, 500, 0, 50}, .no_p = 1};
    struct mm_message_sums all = {.count = 50, .weight = 50};

    assert_false(mm_estimate_total(&few, &few.late_sender).has_interval);
    assert_false(mm_estimate_total(&zeros, &zeros.late_sender).has_interval);
    assert_false(mm_estimate_total(&timer, &timer.late_sender).has_interval);
    assert_false(mm_estimate_ratio(&timer, &timer.late_sender, 500).has_interval);
    assert_true(mm_estimate_total(&all, &all.late_sender).has_interval);
    assert_true(mm_estimate_total(&all, &all.late_sender).high == 0);
}

TEST(quantiles_are_right_within_a_quarter_of_an_octave)
{
    double buckets[MM_MESSAGES_BUCKETS] = {0}, least = INFINITY, most = 0;
    enum { COUNT = 20000 };
    static double values[COUNT];

    for (int i = 0; i < COUNT; i++) {
        values[i] = 500 * exponential();
        buckets[mm_messages_bucket(values[i])]++;
        least = values[i] < least ? values[i] : least;
        most = values[i] > most ? values[i] : most;
    }
    for (int i = 1; i < 10; i++) {
        double q = i / 10., truth = -500 * log(1 - q);
        double found = mm_estimate_quantile(buckets, q, least, most);

        assert_true(found / truth < 1.19 && truth / found < 1.19);
        assert_true(fabs(found / truth - 1) < .05); /* and in fact much closer */
    }
    memset(buckets, 0, sizeof buckets);
    assert_true(isnan(mm_estimate_quantile(buckets, .5, 0, 0)));
    buckets[MM_MESSAGES_BUCKETS - 1] = 1;
    assert_true(mm_estimate_quantile(buckets, .5, 1e12, 1e12) == 1e12);
}

TESTS(NULL, NULL)

/* SPDX-License-Identifier: BSD-3-Clause */
/* The probability of a failure by size, against exact bounds and simulated programs. */
#include "tests/lib/test.h"

#include <math.h>

#include "common/random.h"
#include "common/statistics.h"
#include "mastermind/choice/failures.h"

#define LEVEL .9

static struct mm_failure failure_at(struct mm_trials *trials, size_t count, double size)
{
    struct mm_failure failure;

    count = mm_trials_order(trials, count);
    assert_int_equal(mm_failure_at(trials, count, size, LEVEL, &failure), 0);
    return failure;
}

static void equal_sizes_are_joined(void **state)
{
    struct mm_trials trials[] = {{4, 1, 1}, {2, 3, 0}, {4, 2, 0}, {2, 1, 1}};

    (void)state;
    assert_int_equal(mm_trials_order(trials, 4), 2);
    assert_true(trials[0].size == 2 && trials[0].runs == 4 && trials[0].failures == 1);
    assert_true(trials[1].size == 4 && trials[1].runs == 3 && trials[1].failures == 1);
}

static void no_dependence_is_one_share(void **state)
{
    struct mm_trials trials[] = {{1, 5, 1}, {2, 5, 0}, {4, 5, 1}, {8, 5, 1}};
    struct mm_failure failure = failure_at(trials, 4, 16);
    double low, high;

    (void)state;
    cca_share_interval(3, 20, LEVEL, &low, &high);
    assert_int_equal(failure.direction, 0);
    assert_true(failure.share == .15 && failure.low == low && failure.high == high);
    assert_true(failure.factor == 2);
    failure = failure_at(trials, 0, 1);
    assert_true(isnan(failure.share) && failure.low == 0 && failure.high == 1);
}

/* Divergence from size 400 on: sizes below have none, sizes above and between have it. */
static void a_step_is_found(void **state)
{
    struct mm_trials trials[] = {{100, 3, 0}, {200, 3, 0}, {400, 3, 3}, {800, 3, 3}};
    struct mm_failure failure = failure_at(trials, 4, 200);
    double low, high, unused;

    (void)state;
    assert_int_equal(failure.direction, 1);
    assert_true(failure.share == 0 && failure.low == 0 && failure.edge == 400);
    cca_share_interval(6, 9, LEVEL, &unused, &high); /* runs at 200, 400 and 800 */
    assert_true(failure.high == high);
    failure = failure_at(trials, 4, 300);
    assert_true(failure.share == 1 && failure.high == 1 && failure.factor == 1);
    failure = failure_at(trials, 4, 1600);
    cca_share_interval(6, 12, LEVEL, &low, &unused);
    assert_true(failure.share == 1 && failure.low == low && failure.factor == 2);
    assert_true(failure_at(trials, 4, 50).share == 0);
}

static void a_step_downwards_is_found(void **state)
{
    struct mm_trials trials[] = {{100, 4, 4}, {200, 4, 4}, {400, 4, 0}, {800, 4, 0}};
    struct mm_failure failure = failure_at(trials, 4, 1600);

    (void)state;
    assert_int_equal(failure.direction, -1);
    assert_true(failure.share == 0 && failure.edge == 200);
    assert_true(failure_at(trials, 4, 300).share == 1);
    assert_true(failure_at(trials, 4, 50).share == 1);
    assert_true(failure_at(trials, 4, 400).share == 0);
}

/* Isotone regression pools neighbours in the wrong order: of shares 0, .5, .25, 1 the two
 * in the middle. */
static void neighbours_are_pooled(void **state)
{
    struct mm_trials trials[] = {{1, 8, 0}, {2, 8, 4}, {4, 8, 2}, {8, 8, 8}};

    (void)state;
    assert_true(failure_at(trials, 4, 1).share == 0);
    assert_true(fabs(failure_at(trials, 4, 2).share - 6. / 16) < 1e-12);
    assert_true(fabs(failure_at(trials, 4, 4).share - 6. / 16) < 1e-12);
    assert_true(failure_at(trials, 4, 8).share == 1);
}

/* 600 simulated programs: intervals hold, a constant probability is seldom taken for a
 * dependence, and a steep rise is mostly found. */
static void intervals_hold(void **state)
{
    static const double sizes[] = {100, 200, 400, 800, 1600};
    uint64_t random = 7;
    int held[2] = {0}, found[2] = {0}, count = 300;

    (void)state;
    for (int rises = 0; rises < 2; rises++)
        for (int i = 0; i < count; i++) {
            struct mm_trials trials[5];
            struct mm_failure failure;
            double at = 1600, p[5];

            for (int k = 0; k < 5; k++) {
                p[k] = rises ? 1 / (1 + pow(600 / sizes[k], 3)) : .3;
                trials[k] = (struct mm_trials){sizes[k], 6, 0};
                for (int run = 0; run < 6; run++)
                    trials[k].failures +=
                        ldexp((double)(cca_random_next(&random) >> 11), -53) < p[k];
            }
            at = sizes[i % 5];
            failure = failure_at(trials, 5, at);
            found[rises] += failure.direction != 0;
            held[rises] += failure.low <= p[i % 5] && p[i % 5] <= failure.high;
        }
    print_message("held %d and %d of %d, dependence found in %d and %d\n", held[0],
                  held[1], count, found[0], found[1]);
    assert_true(held[0] >= .9 * count && found[0] <= .07 * count);
    assert_true(held[1] >= .9 * count && found[1] >= .95 * count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_sizes_are_joined),
        cmocka_unit_test(no_dependence_is_one_share),
        cmocka_unit_test(a_step_is_found),
        cmocka_unit_test(a_step_downwards_is_found),
        cmocka_unit_test(neighbours_are_pooled),
        cmocka_unit_test(intervals_hold),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

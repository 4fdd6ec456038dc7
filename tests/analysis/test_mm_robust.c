/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_robust.c: what a method does counts, what the host does to it does not. */
#include <math.h>

#include "mastermind/analysis/models/calls/robust.h"
#include "tests/lib/test.h"

/* Deterministic noise in [0, 1). */
static double noise(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 33) / 2147483648.;
}

TEST(few_disturbed_values_are_cut_and_told)
{
    double values[1000];
    uint64_t seed = 1;
    struct mm_robust robust;

    for (int i = 0; i < 1000; i++)
        values[i] = 100 + noise(&seed);
    for (int i = 0; i < 50; i++)
        values[20 * i] = 400;
    robust = mm_robust_of(values, 1000);
    assert_int_equal(robust.kept, 950);
    assert_true(fabs(robust.mean - 100.5) < .05);
    assert_true(fabs(robust.excess - 299.5) < .1);
    assert_true(fabs(robust.mean_all - (.95 * 100.5 + .05 * 400)) < .1);
}

TEST(two_populations_both_count_and_a_pause_does_not)
{
    double values[1000];
    uint64_t seed = 2;
    struct mm_robust robust;

    for (int i = 0; i < 1000; i++)
        values[i] = (i % 5 < 3 ? 40 : 70) + noise(&seed);
    values[17] = 39e3;
    values[18] = 36e3;
    robust = mm_robust_of(values, 1000);
    assert_int_equal(robust.kept, 998);
    assert_true(fabs(robust.mean - (.6 * 40 + .4 * 70 + .5)) < .1);
    assert_true(fabs(robust.mean_all - robust.mean) < 1e-9);
}

TEST(equal_values_and_single_values_are_themselves)
{
    double same[] = {3, 3, 3, 3, 3, 3}, one[] = {7};
    struct mm_robust robust = mm_robust_of(same, 6);

    assert_int_equal(robust.kept, 6);
    assert_true(robust.mean == 3 && robust.sd == 0 && robust.excess == 0);
    robust = mm_robust_of(one, 1);
    assert_true(robust.kept == 1 && robust.mean == 7 && robust.mean_all == 7);
    assert_int_equal(mm_robust_of(NULL, 0).kept, 0);
}

TESTS(NULL, NULL)

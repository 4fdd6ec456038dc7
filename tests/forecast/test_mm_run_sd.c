/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_run_sd.c: how equal runs differ, from a prior and from the runs at hand. */
#include <math.h>

#include "tests/lib/test.h"

#include "mastermind/counts/profile/runs.h"

static const struct mm_run_sd prior = {.04, 3};

TEST(without_equal_runs_the_prior_stands)
{
    struct mm_run_sd none = mm_run_sd_combine(prior, NAN, 0);

    assert_true(none.sd == .04 && none.freedom == 3);
    /* 2.353 is 95 % of Student's t with three degrees of freedom. */
    assert_true(fabs(mm_run_sd_half(none, 1, .90) - .04 * sqrt(2) * 2.353363) < 1e-6);
}

TEST(prior_and_sample_count_by_their_degrees_of_freedom)
{
    struct mm_run_sd two = mm_run_sd_combine(prior, .02, 1);
    struct mm_run_sd many = mm_run_sd_combine(prior, .02, 300);

    assert_true(two.freedom == 4);
    assert_true(fabs(two.sd - sqrt((3 * .0016 + .0004) / 4)) < 1e-12);
    assert_true(fabs(mm_run_sd_half(two, 2, .90) - two.sd * sqrt(1.5) * 2.131847) < 1e-6);
    assert_true(fabs(many.sd - .02) < .0005);
    assert_true(fabs(mm_run_sd_half(many, 300, .90) / (1.645 * .02) - 1) < .03);
}

TEST(equal_runs_that_are_all_the_same_narrow_the_prior)
{
    struct mm_run_sd same = mm_run_sd_combine(prior, 0, 9);

    assert_true(same.sd > 0 && fabs(same.sd - .02) < 1e-12);
}

TESTS(NULL, NULL)

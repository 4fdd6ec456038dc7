/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_stretch.c: wall time over own time of made-up runs. */
#include "tests/lib/test.h"

#include "mastermind/counts/profile/profile.h"
#include "tests/lib/mm_rows.h"

enum { MS = 1000000, RUNS = 400 };

/* Windows of a run whose stretch is exp(normal(mean, sd)) in each of `count` pieces. */
static struct mm_stretch_run made_run(struct mm_stretch_windows *w, double mean,
                                      double sd, int count)
{
    struct mm_stretch_run run = {.windows = w};

    *w = (struct mm_stretch_windows){0};
    for (int i = 0; i < count; i++) {
        double stretch = exp(fmax(0, mean + sd * rows_normal()));

        mm_stretch_windows_add(w, MS, llround((stretch - 1) * MS));
        run.own_ns += MS;
        run.host_ns += (double)llround((stretch - 1) * MS);
    }
    return run;
}

TEST(a_quiet_host_adds_nothing)
{
    struct mm_stretch_windows w;
    struct mm_stretch_run run = made_run(&w, 0, 0, 100);
    double mean = 5, low = 4, high = 7;
    struct mm_stretch s;

    mm_stretch_of(&s, &run, 1);
    assert_true(s.mean == 1 && s.low == 1 && s.high == 1);
    mm_stretch_apply(&s, &mean, &low, &high);
    assert_true(mean == 5 && fabs(low - 4) < 1e-12 && fabs(high - 7) < 1e-12);
    mm_stretch_of(&s, &run, 0);
    assert_true(s.mean == 1 && s.high == 1 && s.runs == 0);
}

TEST(one_loud_run_is_never_narrow)
{
    struct mm_stretch_windows w;
    struct mm_stretch_run run = made_run(&w, log(2.6), 0, 100);
    struct mm_stretch s;

    mm_stretch_of(&s, &run, 1);
    assert_true(fabs(s.mean - 2.6) < 1e-5);
    assert_true(s.low < 1.6 && s.low >= 1 && s.high > 4 && s.high < 7);
}

/* Of runs whose stretches differ, as many more hold as the level states: four runs, then
 * one more, many times. */
TEST(nine_of_ten_more_runs_are_inside)
{
    struct mm_stretch_windows w[4];
    struct mm_stretch_run runs[4];
    int inside = 0;

    rows_seed = 11;
    for (int k = 0; k < RUNS; k++) {
        struct mm_stretch s;
        double next;

        for (int i = 0; i < 4; i++)
            runs[i] = made_run(&w[i], 1.2 + .3 * rows_normal(), .1, 40);
        next = exp(fmax(0, 1.2 + .3 * rows_normal()));
        mm_stretch_of(&s, runs, 4);
        inside += next >= s.low && next <= s.high;
    }
    /* Binomial: 99 % of counts of 90 % of 400 are above 345. */
    assert_true(inside > 345);
    assert_true(inside < RUNS); /* nor is it all that can be */
}

TEST(equal_runs_narrow_it_and_unequal_windows_widen_it)
{
    struct mm_stretch_windows w[12];
    struct mm_stretch_run runs[12];
    struct mm_stretch one, many, uneven;

    rows_seed = 5;
    for (int i = 0; i < 12; i++)
        runs[i] = made_run(&w[i], log(2), 0, 50);
    mm_stretch_of(&one, runs, 1);
    mm_stretch_of(&many, runs, 12);
    assert_true(many.high - many.low < .7 * (one.high - one.low));
    runs[0] = made_run(&w[0], log(2), .8, 3200);
    mm_stretch_of(&uneven, runs, 1);
    assert_true(uneven.sd >= one.sd);
    w[1] = (struct mm_stretch_windows){0};
    for (int i = 0; i < 2000; i++) /* the second half of a run is four times as slow */
        mm_stretch_windows_add(&w[1], MS, i < 1000 ? 0 : 3 * MS);
    runs[1] = (struct mm_stretch_run){2000. * MS, 3000. * MS, &w[1]};
    mm_stretch_of(&uneven, runs + 1, 1);
    assert_true(uneven.sd > 1.3 * log(uneven.mean) / 4);
}

TEST(an_interval_of_wall_time_has_both_uncertainties)
{
    struct mm_stretch s = {.mean = 2, .low = 1, .high = 4, .runs = 1};
    double mean = 10, low = 5, high = 20;

    mm_stretch_apply(&s, &mean, &low, &high);
    assert_true(fabs(mean - 20) < 1e-9);
    assert_true(fabs(high - 20 * exp(sqrt(2) * log(2))) < 1e-9);
    assert_true(fabs(low - 20 * exp(-sqrt(2) * log(2))) < 1e-9);
    mean = 10, low = -3, high = 20;
    mm_stretch_apply(&s, &mean, &low, &high);
    assert_true(low == -12 && high > 40);
    mean = 10, low = NAN, high = NAN;
    mm_stretch_apply(&s, &mean, &low, &high);
    assert_true(isnan(low) && isnan(high) && mean == 20);
    /* Wall time is never less than the least own time. */
    s = (struct mm_stretch){.mean = 1.2, .low = 1, .high = 9, .runs = 1};
    mean = 10, low = 9, high = 11;
    mm_stretch_apply(&s, &mean, &low, &high);
    assert_true(low >= 9 && low <= 12);
}

TEST(windows_keep_all_time)
{
    struct mm_stretch_windows w = {0};
    double own = 0, host = 0, all_own = 0, all_host = 0;

    for (int i = 0; i < 100000; i++) {
        mm_stretch_windows_add(&w, 1000 + i % 7, i % 3);
        all_own += 1000 + i % 7;
        all_host += i % 3;
    }
    assert_true(w.count >= MM_STRETCH_WINDOWS / 2 && w.count <= MM_STRETCH_WINDOWS);
    for (size_t i = 0; i < w.count; i++) {
        own += w.items[i].own_ns;
        host += w.items[i].host_ns;
    }
    assert_true(own == all_own && host == all_host);
}

/* Rows of a run: 300 of 400 ns each are the host's. */
TEST(a_profile_of_own_time_tells_the_stretch)
{
    struct mm_profile *profile;
    struct cca_error err = {0};
    struct mm_row_source source;
    struct mm_stretch s;
    struct rows r = {0};

    rows_method(&r, "a", "run", "Class", "t/1");
    for (int i = 0; i < 1000; i++) {
        rows_call(&r, &r.methods[0], 100, NULL);
        r.rows[i].host_ns = r.rows[i].host_exclusive_ns = 300;
    }
    source = rows_source(&r, "made");
    source.less_host = 1;
    profile = mm_profile_new(&source, NULL, &err);
    assert_non_null(profile);
    mm_stretch_fit(&s, &profile, 1);
    assert_true(fabs(s.mean - 4) < 1e-12 && s.runs == 1);
    mm_profile_free(profile);
    for (int i = 0; i < 1000; i++)
        r.rows[i].host_ns = r.rows[i].host_exclusive_ns = -1;
    profile = mm_profile_new(&source, NULL, &err);
    assert_non_null(profile);
    mm_stretch_fit(&s, &profile, 1);
    assert_true(s.mean == 1 && s.runs == 0);
    mm_profile_free(profile);
    rows_done(&r);
}

TESTS(NULL, NULL)

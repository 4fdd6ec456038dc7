/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_caches.c: intervals beyond the sizes seen know the caches of the machine. */
#include "tests/lib/test.h"

#include "mastermind/cost/caches.h"
#include "mastermind/cost/estimate.h"
#include "tests/lib/mm_rows.h"

#define KB 1024.
#define MB (1024. * 1024.)

struct fixture {
    struct rows rows;
    struct mm_points points;
    struct mm_model model;
};

/* Twelve sizes from `low` to `high`, five calls each, of `ns` * n^power and 2 %. */
static void fixture_init(struct fixture *f, double low, double high, double ns,
                         double power, const double *caches)
{
    struct mm_method_info *m;

    rows_seed = 3;
    *f = (struct fixture){.points = {.count = 0}};
    m = rows_method(&f->rows, "flux", "compute", "Flux", "f/1");
    rows_value(m, "n", MONITOR_INT64, MONITOR_PARAM);
    mm_points_init(&f->points, m);
    for (size_t i = 0; caches && i < MM_CACHE_LEVELS; i++)
        f->points.cache_bytes[i] = caches[i];
    for (int i = 0; i < 12; i++)
        for (int call = 0; call < 5; call++) {
            union monitor_value in = {.i = (int64_t)(low * pow(high / low, i / 11.))};
            double cost = 200 + ns * pow((double)in.i, power);

            assert_int_equal(
                mm_points_add(&f->points, &in, 1, cost * (1 + .02 * rows_normal())), 0);
        }
    assert_int_equal(mm_model_fit(&f->model, &f->points, NULL, NULL, NULL), 0);
}

static void fixture_done(struct fixture *f)
{
    mm_model_done(&f->model);
    mm_points_done(&f->points);
    rows_done(&f->rows);
}

static struct mm_estimate ask(const struct fixture *f, double n)
{
    union monitor_value in = {.i = (int64_t)n};
    struct mm_estimate e;

    mm_model_estimate(&f->model, &in, &e);
    return e;
}

static const double caches[MM_CACHE_LEVELS] = {32 * KB, 1 * MB, 32 * MB, 0};

TEST(intervals_rise_where_the_data_may_leave_the_next_cache)
{
    struct fixture with, without;
    struct mm_estimate e, plain;

    /* 2e4 units of 8 to 64 bytes: 160 KB to 1.3 MB. Eight times as many leave L2. */
    fixture_init(&with, 500, 2e4, .5, 1, caches);
    fixture_init(&without, 500, 2e4, .5, 1, NULL);
    e = ask(&with, 1.6e5);
    plain = ask(&without, 1.6e5);
    assert_int_equal(e.cache, 2);
    assert_true(e.flags & MM_CACHE && !(plain.flags & MM_CACHE));
    assert_true(e.typ == plain.typ && e.fit_low == plain.fit_low);
    assert_true(e.fit_high > 1.6 * e.typ && plain.fit_high < 1.5 * plain.typ);
    assert_true(e.high > plain.high && e.mean_half > plain.mean_half);
    /* The nearer, the less. */
    assert_true(ask(&with, 2.2e4).fit_high / ask(&with, 2.2e4).typ <
                e.fit_high / e.typ - .3);
    fixture_done(&with);
    fixture_done(&without);
}

TEST(sweeps_that_leave_the_last_cache_cost_more_than_the_form_says)
{
    struct fixture f;
    struct mm_estimate e;

    /* 5e5 units of 64 bytes fit 32 MB, 8e6 of 8 bytes do not. */
    fixture_init(&f, 5e3, 5e5, .5, 1, caches);
    e = ask(&f, 8e6);
    assert_true(e.typ > 8e6 * .8 && e.typ < 8e6 * 1.);
    assert_true(
        fabs(mm_model_typical_ns(&f.model, &(union monitor_value){.i = 8000000}) / e.typ -
             1) < 1e-12);
    fixture_done(&f);
    /* Of a call that computes it is little. */
    fixture_init(&f, 5e3, 5e5, 50, 1, caches);
    assert_true(fabs(ask(&f, 8e6).typ / (50 * 8e6) - 1) < .03);
    fixture_done(&f);
}

TEST(no_cache_is_left_inside_the_sizes)
{
    struct fixture with, without;

    fixture_init(&with, 500, 2e4, .5, 1, caches);
    fixture_init(&without, 500, 2e4, .5, 1, NULL);
    for (double n = 500; n < 2e4; n *= 1.7) {
        struct mm_estimate e = ask(&with, n), plain = ask(&without, n);

        assert_true(e.cache == 0 && e.fit_high == plain.fit_high);
        assert_true(e.mean_half == plain.mean_half);
    }
    fixture_done(&with);
    fixture_done(&without);
}

TEST(sizes_beyond_the_last_cache_leave_none)
{
    struct fixture f;

    fixture_init(&f, 5e6, 2e7, .5, 1, caches); /* at least 160 MB at the largest */
    assert_int_equal(ask(&f, 8e7).cache, 0);
    fixture_done(&f);
}

TEST(small_data_stay_in_the_first_cache)
{
    struct fixture f;

    fixture_init(&f, 16, 64, 20, 1, caches); /* at most 64 bytes * 128 = 8 KB */
    assert_int_equal(ask(&f, 128).cache, 0);
    fixture_done(&f);
}

TEST(the_side_of_a_matrix_is_squared)
{
    struct fixture side, cells;

    fixture_init(&side, 16, 128, .5, 3, caches); /* 128 * 128 * 8 bytes: L2 */
    fixture_init(&cells, 16, 128, .5, 1, caches);
    assert_int_equal(ask(&side, 512).cache, 2);
    assert_int_equal(ask(&cells, 256).cache, 0);
    fixture_done(&side);
    fixture_done(&cells);
}

TESTS(NULL, NULL)

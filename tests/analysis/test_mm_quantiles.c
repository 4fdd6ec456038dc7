/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_quantiles.c: quantiles of one call hold as often as they say. */
#include "tests/lib/test.h"

#include "common/statistics.h"
#include "mastermind/cost/calls/quantiles.h"
#include "tests/lib/mm_rows.h"

#define FRESH 100

/* How calls vary about the typical cost. */
enum shape { NORMAL, LOGNORMAL, EXPONENTIAL, FIXED_SD, RARE, TWO, SHAPES };

static double draw(enum shape shape, double typ)
{
    switch (shape) {
    case NORMAL:
        return typ * (1 + .05 * rows_normal());
    case LOGNORMAL:
        return typ * exp(.3 * rows_normal());
    case EXPONENTIAL:
        return typ * (1 - .2 * log(1 - rows_random()));
    case FIXED_SD:
        return typ + 40 * rows_normal();
    case RARE:
        return typ * (rows_random() < .1 ? 8 + rows_normal() : 1 + .03 * rows_normal());
    default:
        return typ * (rows_random() < .3 ? 3 : 1) * (1 + .03 * rows_normal());
    }
}

struct fitted {
    struct mm_points points;
    struct mm_sample_table table;
    struct mm_populations p;
    struct mm_quantiles q;
};

/* Fit `calls` calls at each of `sizes` sizes; the curve is what the typical costs say of
 * proportional cost. Returns it as cost per unit. */
static double fit_calls(struct fitted *f, struct rows *rows, enum shape shape, int sizes,
                        int calls)
{
    struct mm_method_info *m = rows_method(rows, "flux", "compute", "Flux", "f/1");
    struct mm_distances main;
    double *typ, slope = 0, weights = 0;

    rows_value(m, "Q", MONITOR_INT64, MONITOR_PARAM);
    mm_points_init(&f->points, m);
    for (int i = 0; i < sizes; i++)
        for (int k = 0; k < calls; k++) {
            union monitor_value in = {.i = 100 + 60 * i};

            assert_int_equal(
                mm_points_add(&f->points, &in, 1, draw(shape, 10. * (double)in.i)), 0);
        }
    assert_int_equal(
        mm_sample_table_init(&f->table, &f->points, (union monitor_value[1]){{0}}, 0), 0);
    typ = malloc(f->table.count * sizeof *typ);
    assert_non_null(typ);
    for (size_t i = 0; i < f->table.count; i++)
        typ[i] = f->table.typ[i] / f->table.x[0][i];
    slope = cca_median(typ, f->table.count);
    for (int pass = 0; pass < 2; pass++) { /* proportional cost, rare sizes left out */
        double sum = 0;

        weights = 0;
        for (size_t i = 0; i < f->table.count; i++) {
            double ratio = f->table.typ[i] / f->table.x[0][i];

            if (ratio > 2 * slope)
                continue;
            sum += ratio;
            weights++;
        }
        slope = sum / weights;
    }
    for (size_t i = 0; i < f->table.count; i++)
        typ[i] = slope * f->table.x[0][i];
    assert_int_equal(mm_populations_fit(&f->p, &f->table, typ, 1, &main), 0);
    f->q = mm_quantiles_fit(&main, 1);
    mm_distances_done(&main);
    free(typ);
    return slope;
}

static void done(struct fitted *f, struct rows *rows)
{
    mm_sample_table_done(&f->table);
    mm_points_done(&f->points);
    rows_done(rows);
}

/* Share of fresh calls inside the 95 %, over `cases` fits. */
static double coverage(enum shape shape, int sizes, int calls, int cases)
{
    double inside = 0;

    for (int n = 0; n < cases; n++) {
        struct rows rows = {0};
        struct fitted f = {0};
        double slope = fit_calls(&f, &rows, shape, sizes, calls);

        for (int i = 0; i < FRESH; i++) {
            double x = 100 + rows_random() * 60 * (sizes - 1), typ = slope * x;
            double cost = draw(shape, 10 * x);

            inside += cost >= mm_quantiles_at(&f.q, &f.p, typ, NULL, .025) &&
                      cost <= mm_quantiles_at(&f.q, &f.p, typ, NULL, .975);
        }
        done(&f, &rows);
    }
    return inside / FRESH / cases;
}

TEST(intervals_hold_95_percent_of_fresh_calls)
{
    static const struct {
        int sizes, calls;
    } plans[] = {{40, 1}, {8, 5}, {10, 10}, {6, 100}};

    double all = 0;

    rows_seed = 1;
    for (int shape = 0; shape < SHAPES; shape++)
        for (size_t k = 0; k < sizeof plans / sizeof *plans; k++) {
            double share = coverage(shape, plans[k].sizes, plans[k].calls, 20);

            all += share / (SHAPES * sizeof plans / sizeof *plans);
            if (share < .92 || share > .98)
                fail_msg("shape %d, %d sizes of %d calls: %.3f", shape, plans[k].sizes,
                         plans[k].calls, share);
        }
    assert_true(all > .94 && all < .96);
}

TEST(quantiles_are_those_of_the_distribution)
{
    static const double levels[] = {.05, .5, .9, .95, .99};

    rows_seed = 2;
    for (int shape = 0; shape < SHAPES; shape++) {
        struct rows rows = {0};
        struct fitted f = {0};
        double slope = fit_calls(&f, &rows, shape, 10, 400), last = 0;
        double *fresh = malloc(20001 * sizeof *fresh), mean = 0, squares = 0;

        assert_non_null(fresh);
        for (int i = 0; i < 20001; i++) {
            fresh[i] = draw(shape, 3000);
            mean += fresh[i] / 20001;
        }
        for (int i = 0; i < 20001; i++)
            squares += (fresh[i] - mean) * (fresh[i] - mean) / 20000;
        cca_median(fresh, 20001); /* sorts */
        for (size_t k = 0; k < sizeof levels / sizeof *levels; k++) {
            double q = mm_quantiles_at(&f.q, &f.p, slope * 300, NULL, levels[k]);

            /* Where a population begins, a small error of its share is a large one. */
            if (shape != RARE || levels[k] != .9)
                assert_true(fabs(q / fresh[(int)(levels[k] * 20000)] - 1) < .03);
            assert_true(q >= last);
            last = q;
        }
        assert_true(fabs(mm_populations_mean(&f.p, slope * 300, NULL) / mean - 1) < .06);
        assert_true(fabs(mm_populations_sd(&f.p, slope * 300, NULL) / sqrt(squares) - 1) <
                    .06);
        free(fresh);
        done(&f, &rows);
    }
}

TESTS(NULL, NULL)

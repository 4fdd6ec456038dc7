/* SPDX-License-Identifier: BSD-3-Clause */
/* Set-up and cost of each use, against lines known by construction. */
#include "tests/lib/test.h"

#include <errno.h>
#include <math.h>

#include "common/random.h"
#include "common/statistics.h"
#include "mastermind/choice/uses.h"

static double normal(uint64_t *state)
{
    return cca_normal_quantile(ldexp((double)(cca_random_next(state) >> 11) + .5, -53));
}

static int is_near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b)) + 1e-12;
}

static void a_line_is_exact(void **state)
{
    const struct mm_use_point points[] = {{1, 7, 1}, {4, 13, 2}, {64, 133, 30}};
    struct mm_use_line line;
    double sd;

    (void)state;
    assert_int_equal(mm_use_line_fit(points, 3, INFINITY, &line), 0);
    assert_true(is_near(line.setup, 5) && is_near(line.use, 2) && line.largest < 1e-12);
    assert_true(is_near(mm_use_line_at(&line, 1000, &sd), 2005) && sd > 0);
}

/* With two points the variances are those of the difference quotient. */
static void variances_of_two_points(void **state)
{
    const struct mm_use_point points[] = {{1, 10, .3}, {11, 40, .4}};
    struct mm_use_line line;
    double sd;

    (void)state;
    assert_int_equal(mm_use_line_fit(points, 2, INFINITY, &line), 0);
    assert_true(is_near(line.use, 3) && is_near(line.use_var, (.09 + .16) / 100));
    assert_true(is_near(line.setup_var, (11 * 11 * .09 + .16) / 100));
    assert_true(isnan(line.misfit));
    mm_use_line_at(&line, 1, &sd);
    assert_true(is_near(sd, .3));
}

static void one_number_of_uses_is_refused(void **state)
{
    const struct mm_use_point points[] = {{4, 10, .3}, {4, 11, .4}};
    struct mm_use_line line;

    (void)state;
    assert_int_equal(mm_use_line_fit(points, 2, INFINITY, &line), -ENODATA);
    assert_int_equal(mm_use_line_fit(points, 0, INFINITY, &line), -ENODATA);
}

static void a_curve_is_seen(void **state)
{
    struct mm_use_point points[4];
    struct mm_use_line line;

    (void)state;
    for (int i = 0; i < 4; i++) {
        double k = pow(4, i);

        points[i] = (struct mm_use_point){k, 10 + k * k, .02 * (10 + k * k)};
    }
    assert_int_equal(mm_use_line_fit(points, 4, 8, &line), 0);
    assert_true(line.misfit < 1e-3 && line.largest > .1);
}

static void costs_that_never_cross(void **state)
{
    const struct mm_use_line cheap = {.setup = 1, .use = 1, .freedom = INFINITY};
    const struct mm_use_line dear = {.setup = 2, .use = 1.5, .freedom = INFINITY};
    const struct mm_use_line unsure = {
        .setup = 9, .use = .9, .use_var = .04, .setup_var = .01, .freedom = INFINITY};
    struct mm_break_even even;

    (void)state;
    assert_int_equal(mm_use_break_even(&cheap, &dear, .9, &even), -ENODATA);
    assert_int_equal(mm_use_break_even(&cheap, &unsure, .9, &even), 0);
    assert_true(is_near(even.uses, 80) && isinf(even.high) && even.low < 80);
    assert_true(even.low > 8 / (.1 + 3 * .2) && even.low < 8 / .1);
}

/* 2000 pairs of simulated programs with 5 % noise, three runs each of k = 1, 4, 16, 64.
 * Set-up, cost of each use and break-even are inside their 90 % intervals as often as
 * they should, and a line is seldom taken for a curve. */
static void intervals_hold(void **state)
{
    enum { PAIRS = 2000, RUNS = 3 };
    static const double uses[] = {1, 4, 16, 64};
    const double noise = .05, truth[2][2] = {{1, 1}, {20, .25}};
    int use_held = 0, setup_held = 0, even_held = 0, curves = 0;
    double t = cca_student_quantile(.95, 2 * 4 * (RUNS - 1));
    uint64_t random = 3;

    (void)state;
    for (int pair = 0; pair < PAIRS; pair++) {
        struct mm_use_point points[2][4];
        struct mm_use_line lines[2];
        struct mm_break_even even;
        double squares = 0;

        for (int side = 0; side < 2; side++)
            for (int i = 0; i < 4; i++) {
                double cost = truth[side][0] + uses[i] * truth[side][1], sum = 0, all = 0;

                for (int run = 0; run < RUNS; run++) {
                    double y = cost * (1 + noise * normal(&random));

                    sum += y;
                    all += y * y;
                }
                points[side][i] = (struct mm_use_point){uses[i], sum / RUNS, 0};
                squares += (all - sum * sum / RUNS) / (sum / RUNS * sum / RUNS);
            }
        for (int side = 0; side < 2; side++) {
            for (int i = 0; i < 4; i++)
                points[side][i].sd =
                    points[side][i].cost * sqrt(squares / (8 * (RUNS - 1)) / RUNS);
            assert_int_equal(
                mm_use_line_fit(points[side], 4, 8 * (RUNS - 1), &lines[side]), 0);
            curves += lines[side].misfit < .01;
        }
        setup_held += fabs(lines[1].setup - 20) <= t * sqrt(lines[1].setup_var);
        use_held += fabs(lines[1].use - .25) <= t * sqrt(lines[1].use_var);
        assert_int_equal(mm_use_break_even(&lines[0], &lines[1], .9, &even), 0);
        even_held += even.low <= 19 / .75 && 19 / .75 <= even.high;
    }
    print_message("of %d: set-up held %d, use %d, break-even %d; %d of %d curves\n",
                  PAIRS, setup_held, use_held, even_held, curves, 2 * PAIRS);
    assert_true(setup_held >= .88 * PAIRS && setup_held <= .97 * PAIRS);
    assert_true(use_held >= .88 * PAIRS && use_held <= .97 * PAIRS);
    assert_true(even_held >= .88 * PAIRS && even_held <= .97 * PAIRS);
    assert_true(curves <= .02 * 2 * PAIRS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_exact),
        cmocka_unit_test(variances_of_two_points),
        cmocka_unit_test(one_number_of_uses_is_refused),
        cmocka_unit_test(a_curve_is_seen),
        cmocka_unit_test(costs_that_never_cross),
        cmocka_unit_test(intervals_hold),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* test_statistics.c: medians, Student's t and the normal distribution by closed forms and
 * tables. */
#include "tests/lib/test.h"

#include "common/statistics.h"

static void is_near(double value, double expected, double error)
{
    if (!(fabs(value - expected) <= error * fmax(1, fabs(expected))))
        fail_msg("found %.15g, expected %.15g", value, expected);
}

TEST(students_t_is_its_closed_forms)
{
    static const double at[] = {-1e6, -40, -3, -.5, 0, .1, 1, 4.3, 200};

    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        double t = at[i], s = sqrt(2 + t * t);
        /* 1 - |t|/s without cancellation */
        double tail = .5 * 2 / (s * (s + fabs(t)));

        is_near(cca_student(t, 2), t < 0 ? tail : 1 - tail, 1e-12);
        is_near(cca_student(t, 1), t < -1 ? atan(-1 / t) / M_PI : .5 + atan(t) / M_PI,
                1e-12);
        is_near(cca_student(t, INFINITY), .5 * erfc(-t / sqrt(2)), 1e-12);
    }
    assert_true(isnan(cca_student(NAN, 3)) && isnan(cca_student(1, 0)));
    assert_true(cca_student(INFINITY, 3) == 1 && cca_student(-INFINITY, 3) == 0);
}

TEST(students_t_is_that_of_the_tables)
{
    static const struct {
        double p, freedom, t;
    } known[] = {{.975, 1, 12.70620473617},  {.975, 2, 4.30265272975},
                 {.975, 3, 3.18244630528},   {.975, 10, 2.22813885199},
                 {.95, 30, 1.69726088659},   {.995, 60, 2.66028302908},
                 {.025, 15, -2.13144954556}, {.9, 2.5, 1.73025107}};

    for (size_t i = 0; i + 1 < sizeof known / sizeof *known; i++)
        is_near(cca_student_quantile(known[i].p, known[i].freedom), known[i].t, 1e-10);
    for (double p = .001; p < 1; p += .037) /* and its own inverse, in fractions too */
        is_near(cca_student(cca_student_quantile(p, 2.5), 2.5), p, 1e-12);
    assert_true(isnan(cca_student_quantile(0, 3)) && isnan(cca_student_quantile(1, 3)));
}

TEST(quantiles_are_the_inverse_for_all_degrees_of_freedom)
{
    for (double freedom = .7; freedom < 1e6; freedom *= 2.3)
        for (double p = 1e-9; p < .5; p *= 3.1) {
            double t = cca_student_quantile(p, freedom);

            assert_true(fabs(cca_student(t, freedom) / p - 1) < 1e-9);
            is_near(cca_student_quantile(1 - p, freedom), -t, p < 1e-6 ? 1e-6 : 1e-8);
        }
    assert_true(cca_student_quantile(.5, 4) == 0);
}

TEST(normal_quantiles_are_those_of_the_tables)
{
    is_near(cca_normal_quantile(.975), 1.959963984540054, 1e-14);
    is_near(cca_normal_quantile(.95), 1.644853626951473, 1e-14);
    is_near(cca_normal_quantile(1e-9), -5.997807015008, 1e-11);
    is_near(cca_student_quantile(.975, INFINITY), 1.959963984540054, 1e-14);
    assert_true(isnan(cca_normal_quantile(0)) && isnan(cca_normal_quantile(1)));
}

TEST(intervals_of_shares_hold_of_few_and_of_millions)
{
    double low, high;

    cca_share_interval(0, 10, .9, &low, &high); /* (1 - high)^10 = .05 */
    assert_true(low == 0);
    is_near(high, 1 - pow(.05, .1), 1e-12);
    cca_share_interval(500000, 1000000, .9, &low, &high); /* nearly normal */
    is_near((high - low) / 2, 1.644853626951473 * sqrt(.25 / 1e6), 2e-3);
    cca_share_interval(3e6, 1e8, .9, &low, &high);
    is_near((high - low) / 2, 1.644853626951473 * sqrt(.03 * .97 / 1e8), 2e-3);
}

TEST(medians_and_quantiles_are_between_their_neighbours)
{
    double odd[] = {5, -1, 3}, even[] = {8, 2, 4, 1}, one[] = {7};

    assert_true(cca_median(odd, 3) == 3 && odd[0] == -1 && odd[2] == 5);
    assert_true(cca_median(even, 4) == 3 && cca_median(one, 1) == 7);
    assert_true(cca_quantile(even, 4, 0) == 1 && cca_quantile(even, 4, 1) == 8);
    is_near(cca_quantile(even, 4, .5), 3, 1e-15);
    is_near(cca_quantile(even, 4, .9), 4 + .7 * 4, 1e-15);
    assert_true(cca_quantile(one, 1, .3) == 7);
}

TESTS(NULL, NULL)

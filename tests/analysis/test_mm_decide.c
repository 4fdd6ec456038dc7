/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_decide.c: sizes whose measurement tells a form from its rivals. */
#include <math.h>

#include "tests/lib/test.h"
#include "mastermind/cost/forms/decide.h"
#include "mastermind/reader/rows.h"

static struct mm_form power_form(double a, size_t parameter, double power)
{
    return (struct mm_form){.basis = {{.kind = MM_BASIS_PRODUCT,
                                       .factor = {{parameter, power, 0}},
                                       .factors = 1}},
                            .a = {a},
                            .count = 1,
                            .weight = .5};
}

/* 10 n, and a rival that meets it at n = 1000. */
static struct mm_forms two_forms(double power)
{
    return (struct mm_forms){
        .form = {power_form(10, 0, 1), power_form(1e4 / pow(1000, power), 0, power)},
        .count = 2};
}

static double ratio_at(const struct mm_forms *forms, double n)
{
    double x[MONITOR_MAX_IN] = {n}, a = mm_form_value(&forms->form[0], x);
    double b = mm_form_value(&forms->form[1], x);

    return a > b ? a / b : b / a;
}

TEST(the_deciding_size_is_the_first_one_where_the_forms_are_clearly_apart)
{
    static const double noises[] = {0, .02, .1, .3};
    double low[MONITOR_MAX_IN] = {100}, high[MONITOR_MAX_IN] = {1000};
    struct mm_forms forms = two_forms(4 / 3.);

    for (size_t i = 0; i < 4; i++) {
        struct mm_sizes sizes = {low, high, 1, 1, noises[i]};
        double x[MONITOR_MAX_IN] = {1e6}, enough = fmax(1.25, 1 + 4 * noises[i]);
        struct mm_decision decision;

        assert_true(mm_forms_decide(&forms, &sizes, x, 2, &decision));
        assert_ptr_equal(decision.rival, &forms.form[1]);
        assert_true(fabs(decision.ratio - 10) < 1e-9);
        assert_int_equal(decision.parameter, 0);
        assert_true(decision.size > 1000 && decision.size <= 1e6);
        assert_true(ratio_at(&forms, decision.size) >= enough);
        assert_true(ratio_at(&forms, decision.size / 2.2) < enough);
    }
}

TEST(below_the_sizes_it_goes_down)
{
    double low[MONITOR_MAX_IN] = {1000}, high[MONITOR_MAX_IN] = {5000};
    struct mm_forms forms = two_forms(2);
    struct mm_sizes sizes = {low, high, 1, 1e-9, 0};
    double x[MONITOR_MAX_IN] = {10};
    struct mm_decision decision;

    assert_true(mm_forms_decide(&forms, &sizes, x, 2, &decision));
    assert_true(decision.ratio < 1);
    assert_true(decision.size < 1000 && decision.size >= 10);
    assert_true(ratio_at(&forms, decision.size) >= 1.25);
}

TEST(forms_that_agree_need_no_decision)
{
    double low[MONITOR_MAX_IN] = {100}, high[MONITOR_MAX_IN] = {1000};
    struct mm_forms forms = two_forms(4 / 3.);
    struct mm_sizes sizes = {low, high, 1, 1, 0};
    double x[MONITOR_MAX_IN] = {5000};
    struct mm_decision decision;

    assert_false(mm_forms_decide(&forms, &sizes, x, 2, &decision)); /* 1.7 x */
    forms.count = 1;
    x[0] = 1e9;
    assert_false(mm_forms_decide(&forms, &sizes, x, 2, &decision));
}

TEST(parameters_that_grow_together_keep_their_places)
{
    double low[MONITOR_MAX_IN] = {100, 10, 3}, high[MONITOR_MAX_IN] = {10000, 100, 3};
    struct mm_sizes sizes = {low, high, 3, 1, 0};
    double x[MONITOR_MAX_IN] = {0};

    mm_sizes_at(&sizes, mm_sizes_place(&sizes, 0, 1e6), x);
    assert_true(fabs(x[0] / 1e6 - 1) < 1e-12 && fabs(x[1] / 1000 - 1) < 1e-12);
    assert_true(x[2] == 3);
    assert_true(isnan(mm_sizes_place(&sizes, 2, 3)));
    mm_sizes_middle(&sizes, x);
    assert_true(fabs(x[0] / 1000 - 1) < 1e-12);
}

TEST(the_leading_parameter_moves_the_cost_most)
{
    double low[MONITOR_MAX_IN] = {100, 1}, high[MONITOR_MAX_IN] = {200, 50};
    struct mm_forms forms = {.form = {power_form(1, 0, 1)}, .count = 1};
    struct mm_sizes sizes = {low, high, 2, 1, 0};

    forms.form[0].basis[0].factor[1] = (struct mm_factor){1, 1, 0};
    forms.form[0].basis[0].factors = 2;
    assert_int_equal(mm_forms_leading(&forms, &sizes), 1);
    forms.form[0] = (struct mm_form){.count = 1, .a = {5}};
    assert_int_equal(mm_forms_leading(&forms, &sizes), 2);
}

TESTS(NULL, NULL)

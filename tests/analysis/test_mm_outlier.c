/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_outlier.c: a first size that was cold does not choose the formula, and what
 * truly falls stays. */
#include "tests/lib/test.h"

#include <math.h>

#include "mastermind/cost/search/search.h"
#include "tests/lib/mm_rows.h"

enum { ROWS = 8, TRIALS = 100 };

static struct mm_value_info values[1] = {{.name = "n", .type = MONITOR_DOUBLE}};
static struct mm_method_info method = {.values = values, .in_count = 1, .value_count = 1};

/* The best form of eight sizes of a law, each known to `noise`; the first costs `cold`
 * times as much. */
static void search_law(double (*law)(double), double cold, double noise,
                       struct mm_forms *forms)
{
    static const double sizes[ROWS] = {64, 105, 172, 283, 464, 761, 1248, 2048};
    double x[ROWS], typ[ROWS], variance[ROWS], calls[ROWS];
    struct mm_sample_table table = {.method = &method,
                                    .count = ROWS,
                                    .x = {x},
                                    .typ = typ,
                                    .variance = variance,
                                    .n = calls};

    for (size_t i = 0; i < ROWS; i++) {
        double cost = law(sizes[i]) * (i ? 1 : cold);

        x[i] = sizes[i];
        typ[i] = cost * (1 + noise * rows_normal());
        variance[i] = 9 * noise * cost * noise * cost;
        calls[i] = 10;
    }
    assert_int_equal(mm_search(&table, NULL, forms), 0);
}

static double law_cube(double n)
{
    return .00135 * n * n * n;
}

static double law_square(double n)
{
    return .1 * n * n;
}

/* A part of what there is, and an overhead for each part. */
static double law_parts(double n)
{
    return 2e6 / n + 20 * n;
}

/* How often the best form has exactly these powers, and perhaps a constant. */
static int count_found(double (*law)(double), double cold, double noise,
                       const double *powers, size_t count)
{
    int found = 0;

    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        struct mm_forms forms;
        const struct mm_form *form = &forms.form[0];
        size_t terms = 0, right = 0;

        rows_seed = trial * 7 + 3;
        search_law(law, cold, noise, &forms);
        for (size_t i = 0; i < form->count; i++) {
            terms += form->basis[i].kind != MM_BASIS_ONE;
            for (size_t k = 0; k < count; k++)
                right += form->basis[i].kind == MM_BASIS_PRODUCT &&
                         form->basis[i].factor[0].power == powers[k] &&
                         !form->basis[i].factor[0].logs;
        }
        found += terms == count && right == count;
    }
    return found;
}

/* Up to 2.4 times the cost at a first size that came after a long call; costs are known
 * to 0.1 to 1 %. */
TEST(cold_first_size_is_apart)
{
    static const double cold[] = {1, 1.3, 1.8, 2.4}, noise[] = {.001, .003, .01};
    static const double cube = 3, square = 2;

    for (size_t i = 0; i < sizeof cold / sizeof *cold; i++) {
        for (size_t k = 0; k < sizeof noise / sizeof *noise; k++) {
            int cubes = count_found(law_cube, cold[i], noise[k], &cube, 1);
            int squares = count_found(law_square, cold[i], noise[k], &square, 1);

            if (cubes < (i ? 80 : 95) || squares < (i ? 80 : 95))
                fail_msg("cold %g, noise %g: n^3 %d, n^2 %d of %d", cold[i], noise[k],
                         cubes, squares, TRIALS);
        }
    }
}

TEST(terms_that_fall_stay)
{
    static const double powers[] = {-1, 1};

    for (double noise = .001; noise < .02; noise *= 3)
        assert_true(count_found(law_parts, 1, noise, powers, 2) >= 95);
}

TESTS(NULL, NULL)

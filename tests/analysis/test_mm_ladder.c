/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_ladder.c: steps from a formula to a similar one, and the residuals by which
 * they are told before they are fitted. */
#include "tests/lib/test.h"

#include <math.h>

#include "mastermind/cost/forms/dot.h"
#include "mastermind/cost/search/ladder.h"
#include "mastermind/cost/search/lead.h"
#include "tests/lib/mm_rows.h"

enum { ROWS = 49 };

static struct mm_value_info values[2] = {{.name = "n", .type = MONITOR_DOUBLE},
                                         {.name = "m", .type = MONITOR_DOUBLE}};
static struct mm_method_info method = {.values = values, .in_count = 2, .value_count = 2};
static double n[ROWS], m[ROWS], typ[ROWS], variance[ROWS], calls[ROWS];

/* A sheet of 2 n^2 m + 50 n, known to 1 %. */
static void make_sheet(struct mm_sample_table *table, struct mm_sheet *sheet)
{
    *table = (struct mm_sample_table){.method = &method,
                                      .count = ROWS,
                                      .x = {n, m},
                                      .typ = typ,
                                      .variance = variance,
                                      .n = calls};
    rows_seed = 5;
    for (size_t i = 0; i < ROWS; i++) {
        n[i] = 8 << i % 7;
        m[i] = 3 << i / 7;
        typ[i] = (2 * n[i] * n[i] * m[i] + 50 * n[i]) * (1 + .01 * rows_normal());
        variance[i] = 1e-4 * typ[i] * typ[i];
        calls[i] = 5;
    }
    assert_int_equal(mm_sheet_init(sheet, table, NULL, 0), 0);
}

static struct mm_basis product(double p, double q)
{
    struct mm_basis basis = {
        .kind = MM_BASIS_PRODUCT, .factor = {{0, p, 0}, {1, q, 0}}, .factors = 2};

    if (q == 0)
        basis.factors = 1;
    return basis;
}

TEST(lead_leaves_what_a_fit_leaves)
{
    struct mm_candidate with = {.basis = {product(1, 0), {.kind = MM_BASIS_ONE}},
                                .count = 2},
                        lead = with;
    struct mm_sample_table table;
    struct mm_sheet sheet;
    struct mm_bench bench;
    struct mm_lead base;

    make_sheet(&table, &sheet);
    assert_int_equal(mm_bench_init(&bench, &sheet), 0);
    assert_int_equal(mm_lead_init(&base, &sheet), 0);
    assert_true(mm_lead_set(&base, &lead));
    with.count = 3;
    for (double p = -1; p <= 3; p += .5) {
        struct mm_fit fit;
        double slope, rest;

        with.basis[2] = product(p, 1);
        assert_int_equal(mm_judge_fit(&bench, &with, &fit), 0);
        assert_true(mm_sheet_evaluate(&sheet, &with.basis[2], base.column));
        for (size_t i = 0; i < ROWS; i++)
            base.column[i] *= sheet.root[i];
        rest = mm_lead_rest(&base, &slope);
        assert_true(fabs(rest / fit.chi2 - 1) < 1e-9);
        assert_true(fabs(slope / fit.coefficient[2] - 1) < 1e-9);
    }
    /* A column of the lead leaves nothing of itself. */
    assert_true(mm_sheet_evaluate(&sheet, &lead.basis[0], base.column));
    for (size_t i = 0; i < ROWS; i++)
        base.column[i] *= sheet.root[i];
    assert_true(isinf(mm_lead_rest(&base, &(double){0})));
    mm_lead_done(&base);
    mm_bench_done(&bench);
    mm_sheet_done(&sheet);
}

TEST(climb_ends_at_the_law)
{
    static const double from[][2] = {{1.5, 1}, {2, 1.5}, {2.5, .5}, {2, .75}};
    struct mm_sample_table table;
    struct mm_sheet sheet;

    make_sheet(&table, &sheet);
    for (size_t k = 0; k < sizeof from / sizeof *from; k++) {
        struct mm_candidate start = {
            .basis = {product(from[k][0], from[k][1]), product(1, 0)}, .count = 2};
        struct mm_basis law = product(2, 1), line = product(1, 0);
        struct mm_shortlist list;
        struct mm_bench bench;
        struct mm_fit fit;
        const struct mm_candidate *best = NULL;

        assert_int_equal(mm_bench_init(&bench, &sheet), 0);
        mm_shortlist_clear(&list, MM_SHORTLIST, INFINITY);
        start.score = INFINITY;
        if (mm_judge_fit(&bench, &start, &fit) == 0 && isfinite(start.score)) {
            mm_shortlist_add(&list, &start);
            assert_int_equal(mm_ladder_climb(&bench, 3, &list), 0);
            best = &list.item[list.best];
        }
        assert_non_null(best);
        assert_true(mm_basis_equal(&best->basis[0], &law));
        assert_true(mm_basis_equal(&best->basis[1], &line));
        mm_bench_done(&bench);
    }
    mm_sheet_done(&sheet);
}

TEST(four_products_are_those_of_one)
{
    double v[5][9], four[4];

    for (size_t k = 0; k < 5; k++)
        for (size_t i = 0; i < 9; i++)
            v[k][i] = rows_normal();
    for (size_t count = 0; count <= 9; count++) {
        mm_dot_four(v[0], (const double *[]){v[1], v[2], v[3], v[4]}, count, four);
        for (size_t k = 0; k < 4; k++)
            assert_true(fabs(four[k] - mm_dot(v[0], v[k + 1], count)) < 1e-12);
    }
}

TESTS(NULL, NULL)

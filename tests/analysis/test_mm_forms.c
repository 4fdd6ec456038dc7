/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_forms.c: the search finds the formula that tables of sizes were made from. */
#include "tests/lib/test.h"

#include <float.h>
#include <math.h>

#include "common/statistics.h"
#include "mastermind/cost/search/pool.h"
#include "mastermind/cost/search/price.h"
#include "mastermind/cost/search/screen.h"
#include "mastermind/cost/search/search.h"
#include "tests/lib/mm_rows.h"

enum { MOST = 400, AXES = 4 };

/* A table of sizes made by hand. */
struct made {
    struct mm_value_info values[MONITOR_MAX_IN];
    struct mm_method_info method;
    double x[MONITOR_MAX_IN][MOST], typ[MOST], variance[MOST], n[MOST];
    struct mm_sample_table table;
};

static void made_begin(struct made *m, size_t parameters)
{
    static const char *const names[] = {"n", "m", "k", "l"};

    memset(m, 0, sizeof *m);
    m->method = (struct mm_method_info){
        .values = m->values, .in_count = parameters, .value_count = parameters};
    m->table = (struct mm_sample_table){
        .method = &m->method, .typ = m->typ, .variance = m->variance, .n = m->n};
    for (size_t k = 0; k < parameters; k++) {
        m->values[k] = (struct mm_value_info){.name = k < AXES ? names[k] : "x",
                                              .type = MONITOR_DOUBLE};
        m->table.x[k] = m->x[k];
    }
}

/* Add a size of cost `typ`, known with a relative error of `noise`. */
static void made_add(struct made *m, const double *x, double typ, double noise)
{
    size_t row = m->table.count++;

    assert_true(row < MOST);
    for (size_t k = 0; k < m->method.in_count; k++)
        m->x[k][row] = x[k];
    m->typ[row] = typ * (1 + noise * (noise > 0 ? rows_normal() : 0));
    m->variance[row] = typ * noise * typ * noise;
    m->n[row] = 5;
}

static void made_search(struct made *m, struct mm_forms *forms)
{
    double total = 0;

    assert_int_equal(mm_search(&m->table, NULL, forms), 0);
    assert_true(forms->count >= 1 && forms->count <= MM_FORMS);
    for (size_t i = 0; i < forms->count; i++) {
        assert_true(forms->form[i].count >= 1 && forms->form[i].weight > 0);
        total += forms->form[i].weight;
    }
    assert_true(fabs(total - 1) < 1e-9);
}

static struct mm_basis term(size_t parameter, double power, int logs)
{
    return (struct mm_basis){
        .kind = MM_BASIS_PRODUCT, .factor = {{parameter, power, logs}}, .factors = 1};
}

static struct mm_basis product(struct mm_basis a, struct mm_basis b)
{
    a.factor[a.factors++] = b.factor[0];
    return a;
}

/* The form has this term with this coefficient. */
static int has_term(const struct mm_form *form, struct mm_basis basis, double coefficient)
{
    for (size_t i = 0; i < form->count; i++)
        if (mm_basis_equal(&form->basis[i], &basis))
            return fabs(form->a[i] / coefficient - 1) < 1e-6;
    return 0;
}

/* Costs that are exactly `count` terms, at these tuples; all are found, and no other. */
static void check_exact(const struct mm_basis *basis, const double *a, size_t count,
                        double (*x)[AXES], size_t sizes, size_t parameters)
{
    struct made m;
    struct mm_forms forms;

    made_begin(&m, parameters);
    for (size_t i = 0; i < sizes; i++) {
        double typ = 0;

        for (size_t k = 0; k < count; k++)
            typ += a[k] * mm_basis_value(&basis[k], x[i]);
        made_add(&m, x[i], typ, 0);
    }
    made_search(&m, &forms);
    for (size_t k = 0; k < count; k++)
        if (!has_term(&forms.form[0], basis[k], a[k]))
            fail_msg("term %zu of %zu is missing: power %g, logs %d", k, count,
                     basis[k].factor[0].power, basis[k].factor[0].logs);
    assert_int_equal(forms.form[0].count, count);
    assert_true(forms.form[0].error < 1e-6);
}

static size_t line_of_sizes(double (*x)[AXES], double low, double factor, size_t count)
{
    for (size_t i = 0; i < count; i++)
        x[i][0] = round(low * pow(factor, (double)i));
    return count;
}

static const struct mm_basis one = {.kind = MM_BASIS_ONE};

TEST(single_terms_are_found_exactly)
{
    static const double powers[] = {1,      2,      3,      .5,     1.5, 2.5, 1. / 3,
                                    2. / 3, 4. / 3, 5. / 3, 8. / 3, .25, .75, 1.25,
                                    1.75,   2.25,   2.75,   -1,     -.5, -2};
    static const double logs[][2] = {{0, 1}, {1, 1}, {.5, 1}, {2, 1}, {1, 2}, {0, 2}};
    double x[MOST][AXES], a[2];
    size_t sizes = line_of_sizes(x, 16, 2, 13);

    for (size_t i = 0; i < sizeof powers / sizeof *powers + 6; i++) {
        struct mm_basis basis[2] = {term(0, 0, 0), one};

        if (i < sizeof powers / sizeof *powers)
            basis[0].factor[0].power = powers[i];
        else
            basis[0] = term(0, logs[i - sizeof powers / sizeof *powers][0],
                            (int)logs[i - sizeof powers / sizeof *powers][1]);
        a[0] = 1e6 / mm_basis_value(&basis[0], x[basis[0].factor[0].power < 0 ? 0 : 8]);
        a[1] = 5000;
        check_exact(basis, a, 1, x, sizes, 1);
        check_exact(basis, a, 2, x, sizes, 1);
    }
}

TEST(sums_of_terms_are_found_exactly)
{
    double x[MOST][AXES];
    size_t sizes = line_of_sizes(x, 10, 2, 12);

    check_exact((struct mm_basis[]){term(0, 1, 0), term(0, 2, 0)}, (double[]){30, .02}, 2,
                x, sizes, 1);
    check_exact((struct mm_basis[]){term(0, 1, 0), term(0, 1, 1), one},
                (double[]){30, 4, 900}, 3, x, sizes, 1);
    check_exact((struct mm_basis[]){term(0, .5, 0), term(0, 1, 0), term(0, 2, 0)},
                (double[]){2000, 40, .01}, 3, x, sizes, 1);
    check_exact((struct mm_basis[]){term(0, 1, 0), term(0, 2, 0), term(0, 3, 0), one},
                (double[]){300, .5, 1e-4, 5000}, 4, x, sizes, 1);
}

/* Grids, crosses and scattered designs of two and three parameters. */
TEST(products_are_found_exactly)
{
    double x[MOST][AXES];
    size_t sizes = 0;

    for (double n = 8; n <= 512; n *= 2)
        for (double m = 5; m < 400; m *= 2.5, sizes++) {
            x[sizes][0] = n;
            x[sizes][1] = floor(m);
        }
    check_exact((struct mm_basis[]){product(term(0, 1, 0), term(1, 1, 0)), one},
                (double[]){3, 700}, 2, x, sizes, 2);
    check_exact((struct mm_basis[]){product(term(0, 1, 0), term(1, 1, 0)), term(0, 1, 0),
                                    term(1, 1, 0)},
                (double[]){3, 70, 50}, 3, x, sizes, 2);
    check_exact((struct mm_basis[]){product(term(0, 1.5, 0), term(1, .5, 0))},
                (double[]){7}, 1, x, sizes, 2);
    check_exact(
        (struct mm_basis[]){product(term(0, 1, 0), term(1, -1, 0)), term(1, .5, 0)},
        (double[]){300, 40}, 2, x, sizes, 2);
    check_exact((struct mm_basis[]){term(0, 1, 0), term(1, 2, 0), one},
                (double[]){30, 2, 400}, 3, x, sizes, 2);
    rows_seed = 3;
    for (sizes = 0; sizes < 40; sizes++)
        for (size_t k = 0; k < 3; k++)
            x[sizes][k] = floor(pow(2, 3 + 6 * rows_random()));
    check_exact(
        (struct mm_basis[]){product(product(term(0, 1, 0), term(1, 1, 0)), term(2, 1, 0)),
                            term(0, 1, 0)},
        (double[]){.2, 50}, 2, x, sizes, 3);
    for (sizes = 0; sizes < 15; sizes++) { /* a cross */
        x[sizes][0] = sizes < 8 ? pow(2, (double)sizes + 2) : 64;
        x[sizes][1] = sizes < 8 ? 100 : 10 * pow(1.9, (double)sizes - 8);
    }
    check_exact((struct mm_basis[]){product(term(0, 1, 0), term(1, 1, 0)), one},
                (double[]){3, 700}, 2, x, sizes, 2);
}

/* Costs by a law, with noise; median relative error of the form at `beyond` times the
 * largest size, over seeds. */
static double median_error(double (*law)(double), size_t sizes, double noise,
                           double beyond)
{
    enum { SEEDS = 21 };
    double error[SEEDS];

    for (int seed = 0; seed < SEEDS; seed++) {
        struct made m;
        struct mm_forms forms;
        double at[MONITOR_MAX_IN] = {0};

        rows_seed = (uint64_t)seed * 77 + 5;
        made_begin(&m, 1);
        for (size_t i = 0; i < sizes; i++) {
            at[0] = round(20 * pow(1.7, (double)i));
            made_add(&m, at, law(at[0]), noise);
        }
        made_search(&m, &forms);
        at[0] *= beyond;
        error[seed] = fabs(mm_form_value(&forms.form[0], at) / law(at[0]) - 1);
    }
    return cca_median(error, SEEDS);
}

static double law_hinge(double x)
{
    return 5 * x + 8 * fmax(x - 3000, 0);
}

static double law_two_hinges(double x)
{
    return 5 * x + 6 * fmax(x - 300, 0) + 20 * fmax(x - 8000, 0);
}

static double law_jump(double x)
{
    return 5 * x + (x > 3000 ? 20000 : 0);
}

static double law_odd(double x)
{
    return 2000 + 30 * pow(x, 1.37);
}

static double law_two_terms(double x)
{
    return 100 * x + .03 * x * x;
}

static double law_root(double x)
{
    return 20000 + 800 * sqrt(x);
}

static double law_constant(double x)
{
    (void)x;
    return 1234;
}

TEST(laws_are_found_through_noise)
{
    assert_true(median_error(law_hinge, 16, .005, 4) < .02);
    assert_true(median_error(law_two_hinges, 18, .005, 4) < .02);
    assert_true(median_error(law_jump, 16, .005, 4) < .02);
    assert_true(median_error(law_odd, 12, .005, 16) < .04);
    assert_true(median_error(law_two_terms, 12, .01, 16) < .04);
    assert_true(median_error(law_root, 10, .01, 16) < .05);
}

TEST(constants_stay_constants)
{
    static const size_t sizes[] = {4, 6, 8, 10, 14, 20};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int constant = 0;

        for (uint64_t trial = 0; trial < 150; trial++) {
            struct made m;
            struct mm_forms forms;

            rows_seed = trial * 31 + sizes[i];
            made_begin(&m, 1);
            for (size_t k = 0; k < sizes[i]; k++) {
                double x = round(20 * pow(1.7, (double)k));

                made_add(&m, &x, law_constant(x), .01);
            }
            made_search(&m, &forms);
            constant += mm_form_is_constant(&forms.form[0]);
        }
        if (constant < 147)
            fail_msg("%zu sizes: %d of 150", sizes[i], constant);
    }
}

/* The beam is as good as all subsets of up to two columns, and of
 * three. */
TEST(beam_finds_what_all_subsets_have)
{
    int compared = 0;

    for (uint64_t seed = 1; seed <= 6; seed++) {
        struct made m;
        struct mm_sheet sheet;
        struct mm_pool pool;
        struct mm_bench bench;
        struct mm_shortlist list, singles;
        double best[3] = {INFINITY, INFINITY, INFINITY};
        size_t n;

        rows_seed = seed;
        made_begin(&m, 1);
        for (size_t i = 0; i < 12; i++) {
            double x = round(20 * pow(1.7, (double)i));

            made_add(&m, &x, 900 + 30 * x + .002 * pow(x, 2.1) + 400 * sqrt(x), .002);
        }
        assert_int_equal(mm_sheet_init(&sheet, &m.table, NULL, 0), 0);
        assert_int_equal(mm_pool_init(&pool, &sheet, 3), 0);
        assert_int_equal(mm_bench_init(&bench, &sheet), 0);
        mm_shortlist_clear(&list, MM_SHORTLIST, MM_WINDOW);
        mm_shortlist_clear(&singles, 4, INFINITY);
        assert_int_equal(mm_screen(&pool, &list, &singles), 0);
        n = pool.count < 20 ? pool.count : 20; /* the cheapest */
        for (size_t subset = 0; subset < 2 * n * n * n; subset++) {
            size_t k[3] = {subset / 2 % n, subset / 2 / n % n, subset / 2 / n / n},
                   terms = 1;
            struct mm_candidate c = {.basis = {pool.column[k[0]].basis}, .count = 1};
            struct mm_fit fit;

            if (k[1] < k[0] || k[2] < k[1] || (k[1] == k[0] && k[2] != k[1]))
                continue;
            for (int i = 1; i < 3; i++)
                if (k[i] > k[i - 1]) {
                    c.basis[c.count++] = pool.column[k[i]].basis;
                    terms++;
                }
            if (subset % 2)
                c.basis[c.count++] = one;
            c.price = mm_price_sum(&sheet, c.basis, c.count, 3);
            if (mm_judge_fit(&bench, &c, &fit) == 0)
                best[terms - 1] = fmin(best[terms - 1], c.score);
        }
        assert_true(isfinite(best[0]) && isfinite(best[1]));
        assert_true(list.item[list.best].score < fmin(best[0], best[1]) + 1e-3);
        if (!mm_judge_hopeless(&sheet, &list, 4, mm_price_terms(3))) {
            assert_true(list.item[list.best].score < best[2] + 1e-3);
            compared++;
        }
        mm_bench_done(&bench);
        mm_pool_done(&pool);
        mm_sheet_done(&sheet);
    }
    assert_true(compared >= 3);
}

/* Time and sizes in other units change coefficients only; the order of parameters changes
 * nothing. */
TEST(units_and_order_do_not_matter)
{
    struct made m, scaled, turned;
    struct mm_forms a, b, c;

    made_begin(&m, 2);
    made_begin(&scaled, 2);
    made_begin(&turned, 2);
    rows_seed = 9;
    for (double n = 8; n <= 256; n *= 2)
        for (double k = 16; k <= 1024; k *= 4) {
            double typ = (40 * n * k + 900 * k) * (1 + .01 * rows_normal());

            made_add(&m, (double[]){n, k}, typ, 0);
            made_add(&scaled, (double[]){4 * n, k / 2}, 64 * typ, 0);
            made_add(&turned, (double[]){k, n}, typ, 0);
            m.variance[m.table.count - 1] = typ * typ * 1e-4;
            scaled.variance[m.table.count - 1] = typ * typ * 1e-4 * 4096;
            turned.variance[m.table.count - 1] = typ * typ * 1e-4;
        }
    made_search(&m, &a);
    made_search(&scaled, &b);
    made_search(&turned, &c);
    for (double n = 8; n < 1e4; n *= 5)
        for (double k = 16; k < 1e5; k *= 7) {
            double at = mm_form_value(&a.form[0], (double[MONITOR_MAX_IN]){n, k});

            assert_true(
                fabs(mm_form_value(&b.form[0], (double[MONITOR_MAX_IN]){4 * n, k / 2}) /
                         64 / at -
                     1) < 1e-6);
            assert_true(
                fabs(mm_form_value(&c.form[0], (double[MONITOR_MAX_IN]){k, n}) / at - 1) <
                1e-6);
        }
}

/* n, nnz = 5 n and N2 = n * n are one parameter: no form grows faster than n^3, or than
 * --max-power says. */
TEST(powers_of_a_parameter_count_as_its_powers)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        static const struct mm_search_options mild = {.max_power = 1};
        struct made m;
        struct mm_forms forms;
        double at[MONITOR_MAX_IN] = {0};

        rows_seed = seed;
        made_begin(&m, 3);
        for (size_t i = 0; i < 8; i++) {
            double n = round(300 * pow(1.8, (double)i));

            made_add(&m, (double[]){n, 5 * n, n * n},
                     (200 + 24 * n * .1 + (n > 5000 ? n * .8 + 9000 : 0)) *
                         (1 + .15 * rows_normal()),
                     0);
        }
        for (int which = 0; which < 2; which++) {
            if (which)
                assert_int_equal(mm_search(&m.table, &mild, &forms), 0);
            else
                made_search(&m, &forms);
            for (size_t i = 0; i < forms.count; i++) {
                double low, high;

                at[0] = 1e7;
                at[1] = 5 * at[0];
                at[2] = at[0] * at[0];
                low = mm_form_value(&forms.form[i], at);
                at[0] = 1e8;
                at[1] = 5 * at[0];
                at[2] = at[0] * at[0];
                high = mm_form_value(&forms.form[i], at);
                assert_true(high <= low * pow(10, which ? 2.01 : 3.01));
            }
        }
    }
}

/* Search, and look that all is finite and that rows are not far from negative. */
static void check_sane(struct made *m)
{
    struct mm_forms forms;

    assert_int_equal(mm_search(&m->table, NULL, &forms), 0);
    assert_true(forms.count >= 1);
    for (size_t k = 0; k < forms.count; k++) {
        assert_true(forms.form[k].count >= 1);
        for (size_t i = 0; i < forms.form[k].count; i++)
            assert_true(isfinite(forms.form[k].a[i]));
        for (size_t i = 0; i < m->table.count; i++) {
            double x[MONITOR_MAX_IN] = {0}, value;

            for (size_t j = 0; j < m->method.in_count; j++)
                x[j] = m->x[j][i];
            value = mm_form_value(&forms.form[k], x);
            if (isfinite(m->typ[i]) && m->typ[i] > 0)
                assert_true(value > 0 && isfinite(value));
        }
    }
}

TEST(strange_tables_have_a_form)
{
    static const double odd[] = {0,        -1,   1,  2,   1e-300, 1e300, NAN,
                                 INFINITY, -1e9, .5, 3,   1e9,    7,     1e-9,
                                 -1e-300,  4,    5,  100, 1e15,   12,    DBL_MAX};
    enum { ODD = sizeof odd / sizeof *odd };
    struct made m;

    made_begin(&m, 1);
    made_add(&m, (double[]){5}, 100, 0);
    check_sane(&m);
    made_add(&m, (double[]){5}, 100, 0);
    check_sane(&m);
    made_add(&m, (double[]){6}, 0, 0);
    check_sane(&m);
    for (uint64_t seed = 1; seed <= 400; seed++) {
        size_t parameters = seed % 4 + 1, rows;

        rows_seed = seed;
        rows = (size_t)(rows_random() * 30);
        made_begin(&m, parameters);
        for (size_t i = 0; i < rows; i++) {
            double x[AXES], typ = fabs(odd[(size_t)(rows_random() * ODD)]);

            for (size_t k = 0; k < parameters; k++)
                x[k] = seed % 3 ? odd[(size_t)(rows_random() * ODD)]
                                : floor(rows_random() * 5) - (double)(seed % 2);
            made_add(&m, x, seed % 5 ? typ : 1e300 * rows_random(), 0);
            m.variance[i] = seed % 7 ? 0 : odd[(size_t)(rows_random() * ODD)];
        }
        if (rows)
            check_sane(&m);
    }
}

TESTS(NULL, NULL)

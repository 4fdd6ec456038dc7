/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts that depend on classes: laws of each class, ratios, classes that never ran
 * together; classes that change nothing, and those that never ran. Costs and counts are
 * known functions. */
#include "tests/forecast/made_runs.h"

enum { GO, SOLVE, MULTIPLY, APPLY, METHODS };

/* A solver with a matrix and a preconditioner that both change how often it iterates. */
struct assembly {
    int n;
    const char *matrix, *pre;
};

static double apply_ns(const char *pre, double n)
{
    return strcmp(pre, "Jacobi") == 0 ? 2e9 + 1e7 * n : 5e9 + 4e7 * n;
}

static double multiply_ns(const char *matrix, double n)
{
    return strcmp(matrix, "Dense") == 0 ? 1e9 + 2e7 * n : 3e9 + 1e6 * n;
}

/* `iterations` for an assembly. */
static struct made_run *solver_run(const struct assembly *a, int iterations, int silent)
{
    struct made_run *r = made_run_new(1);
    struct mm_method_info *m;
    double n = a->n;

    rows_method(&r->rows, "driver", "go", "Driver", "go/1");
    rows_method(&r->rows, "solver", "solve", "CG", "solver/1");
    m = rows_method(&r->rows, "matrix", "multiply", a->matrix, "matrix/1");
    rows_value(m, "n", MONITOR_INT64, MONITOR_PARAM);
    m = rows_method(&r->rows, "pre", "apply", a->pre, "pre/1");
    rows_value(m, "n", MONITOR_INT64, MONITOR_PARAM);
    made_variable(r, "N", a->n);
    made_class(r, "driver", "Driver");
    made_class(r, "matrix", a->matrix);
    made_class(r, "pre", a->pre);
    made_class(r, "solver", "CG");
    r->silent = silent;
    made_call(r, GO, NULL);
    made_work(r, 1e9);
    made_call(r, SOLVE, NULL);
    made_work(r, 2e9);
    for (int i = 0; i < iterations; i++) {
        made_leaf(r, MULTIPLY, multiply_ns(a->matrix, n), &n);
        made_leaf(r, APPLY, apply_ns(a->pre, n), &n);
    }
    made_return(r);
    made_return(r);
    return r;
}

/* Forecast an assembly and hold the calls of pre.apply and the total against the truth.
 */
static struct mm_forecast *check(struct made *made, const struct assembly *a,
                                 int iterations, double most)
{
    struct made_run *truth = solver_run(a, iterations, 1);
    struct cca_error err = {0};
    struct mm_forecast *f = made_ask(made, truth, &err);
    double calls;

    assert_non_null(f);
    calls = made_calls(made, f, "pre.p.apply");
    if (!(fabs(calls / iterations - 1) <= most) ||
        !(fabs(f->total_ns / truth->total_ns - 1) <= most)) {
        print_message("N %d %s %s: expected %d, %.12g\n", a->n, a->matrix, a->pre,
                      iterations, truth->total_ns);
        made_print(made, f);
    }
    assert_true(fabs(calls / iterations - 1) <= most);
    assert_true(fabs(f->total_ns / truth->total_ns - 1) <= most);
    made_run_free(truth);
    return f;
}

static const int sizes[] = {64, 96, 160, 224, 320};
#define SIZES (sizeof sizes / sizeof *sizes)

TEST(a_class_with_sizes_of_its_own_has_a_law_of_its_own)
{
    struct made made = {0};

    for (size_t i = 0; i < SIZES; i++) {
        made_add(&made, solver_run(&(struct assembly){sizes[i], "Dense", "Jacobi"},
                                   3 * sizes[i], 0));
        made_add(&made, solver_run(&(struct assembly){sizes[i], "Dense", "SSOR"},
                                   sizes[i] + 40, 0));
    }
    made_learn(&made);
    mm_forecast_free(
        check(&made, &(struct assembly){640, "Dense", "Jacobi"}, 1920, 1e-9));
    mm_forecast_free(check(&made, &(struct assembly){640, "Dense", "SSOR"}, 680, 1e-9));
    made_done(&made);
}

TEST(a_class_with_few_sizes_has_the_law_of_another_one_times_a_ratio)
{
    for (size_t few = 1; few <= 2; few++) {
        struct made made = {0};
        struct mm_forecast *f;

        for (size_t i = 0; i < SIZES; i++)
            made_add(&made, solver_run(&(struct assembly){sizes[i], "Dense", "Jacobi"},
                                       3 * sizes[i], 0));
        for (size_t i = 0; i < few; i++)
            made_add(&made,
                     solver_run(&(struct assembly){sizes[1 + 2 * i], "Dense", "SSOR"},
                                3 * sizes[1 + 2 * i] / 4, 0));
        made_learn(&made);
        /* Two sizes tell no cost of a third one, so the total is in an interval alone. */
        f = check(&made, &(struct assembly){640, "Dense", "SSOR"}, 480, .6);
        assert_true(fabs(made_calls(&made, f, "pre.p.apply") / 480 - 1) < 1e-9);
        assert_true(isnan(f->low_ns) || f->high_ns > 2.1315e13);
        mm_forecast_free(f);
        made_done(&made);
    }
}

TEST(classes_that_never_ran_together_are_composed)
{
    struct made made = {0};

    for (size_t i = 0; i < SIZES; i++) {
        int n = sizes[i];

        made_add(&made, solver_run(&(struct assembly){n, "Dense", "Jacobi"}, n, 0));
        made_add(&made, solver_run(&(struct assembly){n, "Sparse", "Jacobi"}, 2 * n, 0));
        made_add(&made, solver_run(&(struct assembly){n, "Dense", "SSOR"}, n / 4, 0));
    }
    made_learn(&made);
    mm_forecast_free(check(&made, &(struct assembly){160, "Sparse", "SSOR"}, 80, 1e-9));
    mm_forecast_free(check(&made, &(struct assembly){640, "Sparse", "SSOR"}, 320, 1e-9));
    made_done(&made);
}

TEST(a_class_that_changes_no_count_shares_the_law_of_the_others)
{
    struct made made = {0};

    for (size_t i = 0; i < SIZES; i++)
        made_add(&made, solver_run(&(struct assembly){sizes[i], "Dense", "Jacobi"},
                                   3 * sizes[i], 0));
    for (size_t i = 0; i < 2; i++)
        made_add(&made, solver_run(&(struct assembly){sizes[i], "Sparse", "Jacobi"},
                                   3 * sizes[i], 0));
    made_learn(&made);
    {
        struct made_run *truth =
            solver_run(&(struct assembly){640, "Sparse", "Jacobi"}, 1920, 1);
        struct cca_error err = {0};
        struct mm_forecast *f = made_ask(&made, truth, &err);

        assert_non_null(f);
        assert_true(made_calls(&made, f, "matrix.p.multiply") == 1920);
        assert_true(made_calls(&made, f, "pre.p.apply") == 1920);
        mm_forecast_free(f);
        made_run_free(truth);
    }
    made_done(&made);
}

TEST(a_class_without_a_model_is_named_and_there_is_no_total)
{
    struct made made = {0};
    struct made_run *asked;
    struct cca_error err = {0};
    struct mm_forecast *f;

    for (size_t i = 0; i < SIZES; i++)
        made_add(&made, solver_run(&(struct assembly){sizes[i], "Dense", "Jacobi"},
                                   3 * sizes[i], 0));
    made_learn(&made);
    asked = solver_run(&(struct assembly){640, "Dense", "Ilu"}, 0, 1);
    f = made_ask(&made, asked, &err);
    assert_non_null(f);
    assert_int_equal(1, f->unknown);
    assert_true(isnan(f->total_ns) && isnan(f->low_ns) && isnan(f->high_ns));
    assert_true(isnan(f->parts[0].cost_ns));
    assert_non_null(strstr(f->parts[0].why, "Ilu"));
    assert_string_equal("Ilu", f->parts[0].class_name);
    mm_forecast_free(f);
    made_run_free(asked);
    made_done(&made);
}

/* --- Runs of classes that do no work ----------------------------------------------- */

enum { D_GO, D_ADVANCE, D_LIMIT, D_FLUX };

/* Steps that the solution decides; in each, `patches` calls of a method that costs
 * little, and as many of one whose class is exchanged. */
static struct made_run *dry_run(int nx, const char *flux, int silent)
{
    int steps = (int)(3 + .37 * nx), patches = nx / 16;
    int is_dry = strcmp(flux, "Dry") == 0;
    struct made_run *r = made_run_new(1);

    rows_method(&r->rows, "driver", "go", "Driver", "go/1");
    rows_method(&r->rows, "rk", "advance", "RK", "step/1");
    rows_method(&r->rows, "limit", "step", "Limit", "limit/1");
    rows_method(&r->rows, "flux", "compute", flux, "flux/1");
    made_variable(r, "NX", nx);
    made_class(r, "flux", flux);
    r->silent = silent;
    made_call(r, D_GO, NULL);
    for (int t = 0; t < steps; t++) {
        made_call(r, D_ADVANCE, NULL);
        made_work(r, 1e6);
        for (int i = 0; i < patches; i++)
            made_leaf(r, D_FLUX, is_dry ? 1e3 : 1e9, NULL);
        made_return(r);
        for (int i = 0; i < patches; i++)
            made_leaf(r, D_LIMIT, 2e6, NULL);
    }
    made_return(r);
    return r;
}

TEST(a_run_without_work_makes_no_driver_of_its_few_calls)
{
    static const int nx[] = {32, 48, 64, 96, 128};
    struct made made = {0};
    struct made_run *asked = dry_run(256, "Flux", 1);
    struct cca_error err = {0};
    const struct mm_structure *s;
    struct mm_forecast *f;
    char name[200];

    for (size_t i = 0; i < sizeof nx / sizeof *nx; i++)
        made_add(&made, dry_run(nx[i], "Flux", 0));
    made_add(&made, dry_run(256, "Dry", 0));
    made_learn(&made);
    s = mm_forecaster_structure(made.forecaster);
    assert_int_equal(1, s->driver_count);
    mm_driver_print(s, 0, name, sizeof name);
    assert_string_equal("calls of rk.p.advance", name);
    f = made_ask(&made, asked, &err);
    assert_non_null(f);
    assert_true(fabs(made_calls(&made, f, "flux.p.compute") / (16 * 97) - 1) < .05);
    mm_forecast_free(f);
    made_run_free(asked);
    made_done(&made);
}

/* A matrix that costs .63 as much beside SSOR, in a run whose costs are all times
 * `factor`. */
static struct made_run *neighbour_run(const char *pre, double factor, int silent)
{
    static const double lengths[] = {100, 200, 400, 800};
    struct made_run *r = made_run_new(1);
    struct mm_method_info *m;

    rows_method(&r->rows, "driver", "go", "Driver", "go/1");
    rows_method(&r->rows, "solver", "solve", "CG", "solver/1");
    m = rows_method(&r->rows, "matrix", "multiply", "Dense", "matrix/1");
    rows_value(m, "n", MONITOR_INT64, MONITOR_PARAM);
    m = rows_method(&r->rows, "pre", "apply", pre, "pre/1");
    rows_value(m, "n", MONITOR_INT64, MONITOR_PARAM);
    made_variable(r, "N", 100);
    made_class(r, "driver", "Driver");
    made_class(r, "matrix", "Dense");
    made_class(r, "pre", pre);
    made_class(r, "solver", "CG");
    r->silent = silent;
    r->factor = factor;
    made_call(r, GO, NULL);
    made_call(r, SOLVE, NULL);
    for (int i = 0; i < 80; i++) {
        const double *n = &lengths[i % 4];

        made_leaf(r, MULTIPLY, (strcmp(pre, "SSOR") == 0 ? .63 : 1) * 1e6 * *n, n);
        made_leaf(r, APPLY, 2e5 * *n, n);
    }
    made_return(r);
    made_return(r);
    return r;
}

/* Runs differ by 13 %, so that no two tell more than that costs are within 55 % of each
 * other; three beside each class do. */
TEST(several_runs_part_costs_that_single_ones_cannot)
{
    static const double factors[] = {.87, 1.02, 1.13, 1.01, .86, 1.14};
    struct made made = {0};
    struct made_run *truth = neighbour_run("SSOR", 1, 1);
    struct cca_error err = {0};
    const struct mm_cells *cells;
    struct mm_forecast *f;
    double predicted = 0, expected = 20 * .63e6 * 1500;

    for (size_t i = 0; i < 6; i++)
        made_add(&made, neighbour_run(i < 3 ? "Jacobi" : "SSOR", factors[i], 0));
    made_learn(&made);
    f = made_ask(&made, truth, &err);
    assert_non_null(f);
    cells = &mm_forecaster_structure(made.forecaster)->cells;
    for (size_t i = 0; i < f->part_count; i++)
        if (strcmp(cells->vertices[f->parts[i].vertex].name, "matrix.p.multiply") == 0)
            predicted += f->parts[i].cost_ns;
    if (!(fabs(predicted / expected - 1) < .05))
        made_print(&made, f);
    assert_true(fabs(predicted / expected - 1) < .05);
    /* What SSOR does to the matrix is no spread of runs. */
    if (!(f->run_sd > .05 && f->run_sd < .16))
        print_message("runs differ by %.3f\n", f->run_sd);
    assert_true(f->run_sd > .05 && f->run_sd < .16);
    mm_forecast_free(f);
    made_run_free(truth);
    made_done(&made);
}

/* A program whose calls all have the size `n`; every third costs 50 us more. */
static struct made_run *one_size_run(int n, int calls, int silent)
{
    struct made_run *r = made_run_new(1);
    struct mm_method_info *m;
    double size = n;

    rows_method(&r->rows, "driver", "go", "Driver", "go/1");
    m = rows_method(&r->rows, "matrix", "multiply", "Dense", "matrix/1");
    rows_value(m, "n", MONITOR_INT64, MONITOR_PARAM);
    made_variable(r, "N", n);
    made_class(r, "driver", "Driver");
    made_class(r, "matrix", "Dense");
    r->silent = silent;
    made_call(r, 0, NULL);
    for (int i = 0; i < calls; i++)
        made_leaf(r, 1, 1e3 * size + (i * 7 % 3 == 0 ? 5e4 : 0), &size);
    made_return(r);
    return r;
}

/* The many calls of the smallest run are not the mean call of the largest: there a third
 * of them cost half as much again, here one part in fifty. */
TEST(rare_costs_of_small_calls_are_no_share_of_large_ones)
{
    static const int n[] = {64, 128, 256, 512, 1024, 2048};
    struct made made = {0};
    struct made_run *truth = one_size_run(2304, 400, 1);
    struct cca_error err = {0};
    struct mm_forecast *f;

    for (size_t i = 0; i < sizeof n / sizeof *n; i++)
        made_add(&made, one_size_run(n[i], 400 * 2048 / n[i], 0));
    made_learn(&made);
    f = made_ask(&made, truth, &err);
    assert_non_null(f);
    for (size_t i = 0; i < f->part_count; i++)
        if (f->parts[i].calls > 1) {
            double mean_ns = f->parts[i].cost_ns / f->parts[i].calls;

            if (!(fabs(mean_ns / 2.3207e6 - 1) < .02))
                print_message("mean call %.4g ns, expected 2.3207e6\n", mean_ns);
            assert_true(fabs(mean_ns / 2.3207e6 - 1) < .02);
        }
    mm_forecast_free(f);
    made_run_free(truth);
    made_done(&made);
}

TESTS(NULL, NULL)

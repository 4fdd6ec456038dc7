/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of known functions compose exactly: costs that are exact functions of parameters,
 * counts that are exact functions of the run's parameters. No clock. */
#include "tests/forecast/made_runs.h"

#define EXACT 1e-9

enum { GO, ADVANCE, RHS, FLUX, FILL, SORT, TREE, METHODS };

static void add_methods(struct rows *r)
{
    struct mm_method_info *m;

    rows_method(r, "driver", "go", "Driver", "go/1");
    rows_method(r, "rk", "advance", "RK", "step/1");
    m = rows_method(r, "rhs", "evaluate", "Rhs", "rhs/1");
    rows_value(m, "q", MONITOR_INT64, MONITOR_PARAM);
    m = rows_method(r, "flux", "compute", "Flux", "flux/1");
    rows_value(m, "q", MONITOR_INT64, MONITOR_PARAM);
    rows_value(m, "axis", MONITOR_INT64, MONITOR_MODE);
    m = rows_method(r, "initial", "fill", "Fill", "fill/1");
    rows_value(m, "q", MONITOR_INT64, MONITOR_PARAM);
    m = rows_method(r, "sort", "sort", "Sort", "sort/1");
    rows_value(m, "n", MONITOR_INT64, MONITOR_PARAM);
    m = rows_method(r, "tree", "walk", "Tree", "tree/1");
    rows_value(m, "n", MONITOR_INT64, MONITOR_PARAM);
}

struct size {
    int nx, patch, steps, ranks;
};

/* Patches of a rank; all ranks have the same. */
static void mesh_program(struct made_run *r, const struct size *s)
{
    int patches = s->nx / s->patch;
    double q = 8. * s->patch;

    for (int rank = 0; rank < s->ranks; rank++) {
        made_rank(r, rank);
        made_call(r, GO, NULL);
        made_work(r, 5e9);
        for (int i = 0; i < patches; i++)
            made_leaf(r, FILL, 1e8 * q, &q);
        for (int t = 0; t < s->steps; t++) {
            made_call(r, ADVANCE, NULL);
            made_work(r, 1e9);
            for (int i = 0; i < 2 * patches; i++) {
                made_call(r, RHS, &q);
                made_work(r, 1e9 + 1e7 * q);
                for (int axis = 0; axis < 2; axis++) {
                    double in[] = {q + 8 * axis, axis};

                    made_leaf(r, FLUX, axis ? 3e9 + 6e7 * in[0] : 2e9 + 5e7 * in[0], in);
                }
                made_return(r);
            }
            made_return(r);
        }
        made_return(r);
    }
}

static struct made_run *mesh_run(const struct size *s, int silent)
{
    struct made_run *r = made_run_new(s->ranks);

    add_methods(&r->rows);
    made_variable(r, "NX", s->nx);
    made_variable(r, "PATCH", s->patch);
    made_variable(r, "STEPS", s->steps);
    r->silent = silent;
    mesh_program(r, s);
    return r;
}

static void check_mesh(struct made *made, const struct size *s)
{
    struct made_run *truth = mesh_run(s, 1);
    struct cca_error err = {0};
    struct mm_forecast *f = made_ask(made, truth, &err);

    assert_non_null(f);
    if (!(fabs(f->total_ns / truth->total_ns - 1) < EXACT)) {
        print_message("NX %d PATCH %d STEPS %d ranks %d: off by %g\n", s->nx, s->patch,
                      s->steps, s->ranks, f->total_ns / truth->total_ns - 1);
        made_print(made, f);
    }
    assert_true(fabs(f->total_ns / truth->total_ns - 1) < EXACT);
    mm_forecast_free(f);
    made_run_free(truth);
}

TEST(sums_of_costs_linear_in_a_size_compose_exactly)
{
    static const struct size sizes[] = {{16, 4, 3, 1},  {24, 4, 5, 1},  {32, 4, 4, 1},
                                        {32, 8, 7, 1},  {48, 8, 3, 1},  {64, 8, 6, 1},
                                        {64, 16, 5, 1}, {80, 16, 9, 1}, {96, 16, 4, 1}};
    static const struct size asked[] = {{128, 16, 20, 1}, {256, 8, 5, 1}, {40, 4, 50, 1}};
    struct made made = {0};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        made_add(&made, mesh_run(&sizes[i], 0));
    made_learn(&made);
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        check_mesh(&made, &asked[i]);
    made_done(&made);
}

/* --- Costs of several shapes, recursion -------------------------------------------- */

enum shape { N_LOG_N, HINGE, SQUARE };

static double shaped_cost(enum shape shape, double n)
{
    switch (shape) {
    case N_LOG_N:
        return 3e9 + 2e8 * n * log2(n);
    case HINGE:
        return 4e9 + 3e7 * n + 5e7 * fmax(n - 256, 0);
    default:
        return 2e9 + 1e5 * n * n;
    }
}

/* Sorts of three sizes (of one, where costs have a break), `repeat` times each; then a
 * walk that calls itself `depth` times.
 */
static void shaped_program(struct made_run *r, enum shape shape, int n, int repeat,
                           int depth)
{
    made_call(r, GO, NULL);
    made_work(r, 7e9);
    for (int i = 0; i < repeat; i++)
        for (int part = 1; part <= (shape == HINGE ? 1 : 4); part *= 2) {
            double size = (double)n / part;

            made_leaf(r, SORT, shaped_cost(shape, size), &size);
        }
    for (int i = 0; i < depth; i++) {
        double left = depth - i;

        made_call(r, TREE, &left);
        made_work(r, 1e9 + 1e8 * left);
    }
    for (int i = 0; i < depth; i++)
        made_return(r);
    made_return(r);
}

static struct made_run *shaped_run(enum shape shape, int n, int repeat, int depth,
                                   int silent)
{
    struct made_run *r = made_run_new(1);

    add_methods(&r->rows);
    made_variable(r, "DEPTH", depth);
    made_variable(r, "N", n);
    made_variable(r, "REPEAT", repeat);
    r->silent = silent;
    shaped_program(r, shape, n, repeat, depth);
    return r;
}

static void check_shape(enum shape shape, int n, int repeat, int depth)
{
    static const int sizes[][3] = {{64, 3, 4},   {128, 5, 9},  {256, 4, 6}, {512, 7, 12},
                                   {1024, 9, 5}, {2048, 5, 7}, {64, 6, 8},  {512, 2, 3},
                                   {96, 3, 4},   {192, 5, 9},  {384, 4, 6}, {768, 7, 12},
                                   {1536, 3, 4}, {32, 5, 9},   {48, 4, 6},  {24, 7, 12}};
    struct made made = {0};
    struct cca_error err = {0};
    struct made_run *truth = shaped_run(shape, n, repeat, depth, 1);
    struct mm_forecast *f;

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        made_add(&made, shaped_run(shape, sizes[i][0], sizes[i][1], sizes[i][2], 0));
    made_learn(&made);
    f = made_ask(&made, truth, &err);
    assert_non_null(f);
    if (!(fabs(f->total_ns / truth->total_ns - 1) < EXACT)) {
        print_message("shape %d: off by %g\n", (int)shape,
                      f->total_ns / truth->total_ns - 1);
        made_print(&made, f);
    }
    assert_true(fabs(f->total_ns / truth->total_ns - 1) < EXACT);
    assert_true(made_calls(&made, f, "tree.p.walk") == depth);
    mm_forecast_free(f);
    made_run_free(truth);
    made_done(&made);
}

TEST(costs_of_n_log_n_and_recursion_compose_exactly)
{
    check_shape(N_LOG_N, 1280, 20, 40);
}

TEST(costs_with_a_break_compose_exactly)
{
    check_shape(HINGE, 1280, 20, 40);
}

TEST(costs_of_squares_compose_exactly)
{
    check_shape(SQUARE, 1280, 20, 40);
}

TEST(runs_on_several_ranks_compose_exactly)
{
    static const struct size sizes[] = {{16, 4, 3, 1},  {24, 4, 5, 2},  {32, 4, 4, 3},
                                        {32, 8, 7, 2},  {48, 8, 3, 1},  {64, 8, 6, 3},
                                        {64, 16, 5, 2}, {80, 16, 9, 1}, {96, 16, 4, 3}};
    static const struct size asked[] = {{128, 16, 20, 4}, {256, 8, 5, 8}, {40, 4, 50, 1}};
    struct made made = {0};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        made_add(&made, mesh_run(&sizes[i], 0));
    made_learn(&made);
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        check_mesh(&made, &asked[i]);
    made_done(&made);
}

/* Transfer and waiting of a run on several ranks are laws beside its compute. */
TEST(transfer_and_waiting_are_added_to_the_compute_of_the_busiest_rank)
{
    static const struct size sizes[] = {{32, 4, 4, 2},  {48, 8, 3, 2},  {64, 8, 6, 2},
                                        {80, 16, 9, 2}, {96, 16, 4, 2}, {64, 8, 6, 1}};
    struct size asked = {128, 16, 20, 2};
    struct made_run *truth = mesh_run(&asked, 1);
    struct made made = {0};
    struct cca_error err = {0};
    struct mm_forecast *f;

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        made_add(&made, mesh_run(&sizes[i], 0));
        if (sizes[i].ranks == 1)
            continue;
        made.given[i].transfer_ns = 1e9 * sizes[i].nx;
        made.given[i].waiting_ns = 1e8 * sizes[i].nx;
        made.given[i].total_ns = made.runs[i]->total_ns + 1.1e9 * sizes[i].nx;
    }
    made_learn(&made);
    f = made_ask(&made, truth, &err);
    assert_non_null(f);
    assert_true(f->has_mpi);
    assert_true(fabs(f->transfer.number.value / 128e9 - 1) < .02);
    assert_true(fabs(f->waiting.number.value / 12.8e9 - 1) < .02);
    assert_true(fabs((f->total_ns - f->transfer.number.value - f->waiting.number.value) /
                         truth->total_ns -
                     1) < EXACT);
    mm_forecast_free(f);
    made_run_free(truth);
    asked.ranks = 1;
    truth = mesh_run(&asked, 1);
    f = made_ask(&made, truth, &err);
    assert_non_null(f);
    assert_false(f->has_mpi);
    mm_forecast_free(f);
    made_run_free(truth);
    made_done(&made);
}

TESTS(NULL, NULL)

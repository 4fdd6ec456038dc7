/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_means.c: calls of a cell and sums over them, of made-up runs with known truth,
 * agree and hold beyond the runs. */
#include "tests/lib/test.h"

#include <math.h>

#include "mastermind/counts/structure.h"

enum { MOST_RUNS = 8, MOST_SIZES = 8, GO, EVALUATE };

/* Runs at several NX of a program that calls one method with a size Q. */
struct made {
    struct mm_run run[MOST_RUNS];
    struct mm_run_value variable[MOST_RUNS];
    char text[MOST_RUNS][16];
    union monitor_value in[MOST_RUNS][MOST_SIZES];
    struct mm_cell_tuple tuple[MOST_RUNS][MOST_SIZES];
    struct mm_cell_run cell_run[MOST_RUNS];
    double nx[MOST_RUNS], calls[MOST_RUNS], work[MOST_RUNS];
    size_t runs;
    struct mm_structure structure;
};

static struct mm_value_info value_infos[] = {
    {.name = "Q", .type = MONITOR_DOUBLE, .kind = MONITOR_PARAM}};
static char names[][20] = {"driver.go.go", "rhs.rhs.evaluate"};
static struct mm_method_info methods[] = {
    {.instance = "driver", .port = "go", .method = "go", .name = names[0]},
    {.instance = "rhs",
     .port = "rhs",
     .method = "evaluate",
     .name = names[1],
     .values = value_infos,
     .value_count = 1,
     .in_count = 1}};

static unsigned long long state = 1;

static double uniform(void)
{
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(state >> 11) * 0x1p-53;
}

/* 1, but for at most `most`. */
static double noise(double most)
{
    return 1 + most * (2 * uniform() - 1);
}

static void made_run(struct made *made, double nx)
{
    size_t r = made->runs++;

    assert_true(r < MOST_RUNS);
    made->nx[r] = nx;
    made->calls[r] = made->work[r] = 0;
    snprintf(made->text[r], sizeof made->text[r], "%.0f", nx);
    made->variable[r] = (struct mm_run_value){"NX", made->text[r]};
    made->run[r] =
        (struct mm_run){.variables = {&made->variable[r], 1}, .ranks = 1, .is_known = 1};
    made->cell_run[r] = (struct mm_cell_run){.tuples = made->tuple[r]};
}

/* Add calls of a size to the latest run. */
static void made_calls(struct made *made, double calls, double q)
{
    size_t r = made->runs - 1;
    struct mm_cell_run *of = &made->cell_run[r];

    made->in[r][of->count].d = q;
    made->tuple[r][of->count] = (struct mm_cell_tuple){&made->in[r][of->count], calls};
    of->count++;
    of->calls += calls;
    made->calls[r] += calls;
    made->work[r] += calls * q;
}

/* A run whose calls have sizes 10 % about a mean. */
static void made_about(struct made *made, double nx, double calls, double mean)
{
    made_run(made, nx);
    made_calls(made, calls / 2, .9 * mean);
    made_calls(made, calls / 2, 1.1 * mean);
}

static void made_end(struct made *made)
{
    static struct mm_cell_vertex vertices[] = {{NULL, "<thread>"},
                                               {NULL, "<not recorded>"},
                                               {&methods[0], "driver.go.go"},
                                               {&methods[1], "rhs.rhs.evaluate"}};
    struct mm_structure *s = &made->structure;
    const struct mm_run *runs[MOST_RUNS];
    static struct mm_cell cell;

    for (size_t r = 0; r < made->runs; r++)
        runs[r] = &made->run[r];
    memset(s, 0, sizeof *s);
    assert_int_equal(mm_axes_init(&s->axes, runs, made->runs), 0);
    cell = (struct mm_cell){
        .vertex = 3, .caller = 2, .level = MM_NO_LEVEL, .runs = made->cell_run};
    s->runs = made->runs;
    s->cells = (struct mm_cells){.vertices = vertices,
                                 .vertex_count = 4,
                                 .items = &cell,
                                 .count = 1,
                                 .runs = made->runs};
}

static void made_done(struct made *made)
{
    struct mm_structure *s = &made->structure;

    memset(&s->cells, 0, sizeof s->cells); /* borrowed */
    mm_structure_done(s);
}

/* What the runs tell of calls (`basis` NULL) or a sum at NX. */
static struct mm_amount amount_at(struct made *made, const struct mm_basis *basis,
                                  double nx)
{
    struct mm_structure *s = &made->structure;
    const char *texts[8] = {NULL};
    struct mm_asked asked = {.text = texts};
    struct mm_amount amount;
    struct cca_error err = {0};
    char text[16];

    snprintf(text, sizeof text, "%.0f", nx);
    for (size_t i = 0; i < s->axes.count; i++)
        texts[i] = s->axes.items[i].kind == MM_AXIS_RANKS ? "1" : text;
    assert_int_equal(mm_structure_ask(s, &asked, &err), 0);
    assert_int_equal(
        mm_structure_amount(s,
                            mm_structure_quantity(
                                s, basis ? MM_QUANTITY_SUM : MM_QUANTITY_CALLS, 0, basis),
                            &asked, &amount, &err),
        0);
    return amount;
}

static const struct mm_basis work = {
    .kind = MM_BASIS_PRODUCT, .factor[0] = {.parameter = 0, .power = 1}, .factors = 1};

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

static double quantile_of(double *values, size_t count, double share)
{
    qsort(values, count, sizeof *values, compare_doubles);
    return values[(size_t)(share * (double)(count - 1))];
}

/* --- Errors beyond the runs -------------------------------------------------------- */

enum { TABLES = 120 };

/* A family of programs: calls and mean size at NX. */
struct family {
    const char *name;
    double (*calls)(double nx, double a);
    double (*mean)(double nx, double a);
    double calls_noise, mean_noise;
    int is_cut; /* work is smooth, and cut into patches of a mean size: calls follow */
    double most[2]; /* median error of calls and of work at twice the size, percent */
    size_t sizes;
};

static double area_over_patches(double nx, double a)
{
    return (.2 + a) * nx * nx * 16 / 140;
}

static double patches(double nx, double a)
{
    (void)nx;
    return 140 + 0 * a;
}

static double linear(double nx, double a)
{
    return (1 + 4 * a) * nx;
}

static double quadratic(double nx, double a)
{
    return (.1 + a) * nx * nx;
}

static double saturating(double nx, double a)
{
    return 2000 * (1 + a) * (1 - exp(-nx / 60));
}

static double growing(double nx, double a)
{
    return (4 + 8 * a) * nx;
}

/* Calls and mean of a run. */
static void draw_run(const struct family *f, double nx, double a, double *calls,
                     double *mean)
{
    double factor = noise(f->mean_noise);

    *calls = f->calls(nx, a) * noise(f->calls_noise) / (f->is_cut ? factor : 1);
    *mean = f->mean(nx, a) * factor;
}

static void check_family(const struct family *f)
{
    static const double nx[] = {32, 40, 48, 64, 96};
    double error[2][TABLES];
    size_t inside[2] = {0};

    state = 1;
    for (size_t t = 0; t < TABLES; t++) {
        struct made made = {.runs = 0};
        double a = uniform(), truth[2], calls, mean;
        const struct mm_basis *of[] = {NULL, &work};

        for (size_t i = 0; i < 5; i++) {
            draw_run(f, nx[i], a, &calls, &mean);
            if (f->sizes == 5 || nx[i] != 40)
                made_about(&made, nx[i], calls, mean);
        }
        made_end(&made);
        draw_run(f, 192, a, &truth[0], &mean);
        truth[1] = truth[0] * mean;
        for (size_t k = 0; k < 2; k++) {
            struct mm_amount amount = amount_at(&made, of[k], 192);

            error[k][t] = 100 * fabs(amount.number.value / truth[k] - 1);
            inside[k] += amount.number.low <= truth[k] && truth[k] <= amount.number.high;
        }
        made_done(&made);
    }
    for (size_t k = 0; k < 2; k++) {
        double median = quantile_of(error[k], TABLES, .5);

        print_message("%s, %zu sizes: %s off by %.1f %% in the median, %.1f %% at 90 %%; "
                      "%zu of %d inside\n",
                      f->name, f->sizes, k ? "work" : "calls", median,
                      quantile_of(error[k], TABLES, .9), inside[k], TABLES);
        assert_true(median <= f->most[k]);
        assert_true(inside[k] >= .85 * TABLES);
    }
}

TEST(errors_at_twice_the_size_are_bounded)
{
    static const struct family families[] = {
        {"area in patches", area_over_patches, patches, .03, .4, 1, {34, 10}, 4},
        {"area in patches", area_over_patches, patches, .03, .4, 1, {34, 10}, 5},
        {"patches of any size", area_over_patches, patches, .05, .4, 0, {12, 38}, 4},
        {"proportional", linear, patches, .1, .02, 0, {12, 12}, 4},
        {"proportional", linear, patches, .1, .02, 0, {12, 12}, 5},
        {"quadratic", quadratic, patches, .1, .02, 0, {12, 12}, 4},
        {"quadratic", quadratic, patches, .1, .02, 0, {12, 12}, 5},
        {"saturating", saturating, patches, .1, .02, 0, {40, 40}, 5},
        {"growing patches", linear, growing, .02, .02, 0, {4, 4}, 5},
    };

    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        check_family(&families[i]);
}
/* --- Mean sizes -------------------------------------------------------------------- */

/* Rms error, as a logarithm, of fits of the smaller runs at all larger ones: of a
 * constant
 * (`power` 0) or a power of NX. The definition of a proof, once more. */
static double ahead_of(const struct made *made, int power)
{
    double sum = 0;
    size_t tests = 0;

    for (size_t train = power ? 2 : 1; train < made->runs; train++, tests++) {
        double sx = 0, sy = 0, sxx = 0, sxy = 0, n = (double)train, slope = 0,
               squares = 0;

        for (size_t i = 0; i < train; i++) {
            double x = log(made->nx[i]), y = log(made->work[i] / made->calls[i]);

            sx += x;
            sy += y;
            sxx += x * x;
            sxy += x * y;
        }
        if (power)
            slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
        for (size_t i = train; i < made->runs; i++) {
            double at = sy / n + slope * (log(made->nx[i]) - sx / n);

            squares += pow(log(made->work[i] / made->calls[i]) - at, 2);
        }
        sum += squares / (double)(made->runs - train);
    }
    return sqrt(sum / (double)tests);
}

/* Any calls and any sizes: what a law makes of them alone may be anything. */
TEST(mean_sizes_stay_near_those_seen_unless_their_growth_is_proven)
{
    static const double nx[] = {32, 48, 64, 96, 128};
    size_t proven = 0, tables = 400;

    state = 7;
    for (size_t t = 0; t < tables; t++) {
        struct made made = {.runs = 0};
        double least = INFINITY, most = 0, calls = 50 + 200 * uniform();
        size_t count = 4 + t % 2;

        for (size_t i = 0; i < count; i++) {
            made_about(&made, nx[i], calls, 40 * exp(2 * uniform()));
            calls *= exp(1.5 * uniform() - .2);
            least = fmin(least, made.work[i] / made.calls[i]);
            most = fmax(most, made.work[i] / made.calls[i]);
        }
        made_end(&made);
        if (ahead_of(&made, 1) < .2 * ahead_of(&made, 0))
            proven++;
        else
            for (double at = 192; at <= 768; at *= 2) {
                double mean = amount_at(&made, &work, at).number.value /
                              amount_at(&made, NULL, at).number.value;

                if (!(mean >= .5 * least && mean <= 2 * most))
                    fail_msg("table %zu, NX = %.0f: mean %.4g, seen %.4g to %.4g", t, at,
                             mean, least, most);
            }
        made_done(&made);
    }
    print_message("%zu of %zu tables have a mean that grows\n", proven, tables);
    assert_true(proven < tables / 10);
}

/* --- Sizes ------------------------------------------------------------------------- */

/* Calls of a solver on coarser and coarser grids, in each run as many. */
static void made_grids(struct made *made, double nx)
{
    made_run(made, nx);
    for (int level = 0; level < 4; level++)
        made_calls(made, 2 << level, nx / (1 << level));
}

TEST(sums_of_a_kink_over_calls_of_known_sizes_are_exact)
{
    const struct mm_basis hinge = {.kind = MM_BASIS_HINGE,
                                   .factor[0] = {.parameter = 0, .power = 3, .logs = 1},
                                   .factors = 1,
                                   .at = 40};
    struct made made = {.runs = 0};
    struct mm_amount amount;
    double truth = 0;

    for (double nx = 32; nx <= 80; nx += 16)
        made_grids(&made, nx);
    made_end(&made);
    amount = amount_at(&made, &hinge, 224);
    for (int level = 0; level < 4; level++) {
        double x = 224. / (1 << level);

        if (x > 40)
            truth += (2 << level) * (x * x * x * log2(x) - 40. * 40 * 40 * log2(40));
    }
    assert_true(fabs(amount.number.value / truth - 1) < 1e-9);
    assert_true(amount.exact && amount.own == 0);
    made_done(&made);
}

TEST(sizes_that_runs_do_not_share_are_not_made_up)
{
    struct made made = {.runs = 0};
    struct mm_amount amount;

    for (double nx = 32; nx <= 96; nx += 16) {
        made_run(&made, nx);
        made_calls(&made, nx, 16);
        made_calls(&made, 10 + nx * nx / 64, 64 + fmod(nx, 7));
    }
    made_end(&made);
    amount = amount_at(&made, &work, 192);
    assert_false(amount.is_by_sizes);
    made_done(&made);
}
TESTS(NULL, NULL)

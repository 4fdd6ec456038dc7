/* SPDX-License-Identifier: BSD-3-Clause */
/* The planner against what can be counted: which values, pairs and repeats occur, in
 * which order, how positions and axes correlate; estimates against known laws. */
#include "tests/lib/test.h"

#include <math.h>

#include "mastermind/plan/plan.h"

static const double numbers[] = {8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096};

static struct mm_plan *plan_of(const struct mm_plan_axis *axes, size_t count,
                               size_t repeats, size_t grid, uint64_t seed)
{
    struct cca_error err = {0};
    struct mm_plan *plan = mm_plan_new(&(struct mm_plan_request){.axes = axes,
                                                                 .axis_count = count,
                                                                 .repeats = repeats,
                                                                 .grid_limit = grid,
                                                                 .seed = seed},
                                       &err);

    if (!plan)
        print_message("%s\n", err.text);
    assert_non_null(plan);
    return plan;
}

static uint64_t next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* Random axes; returns their number. */
static size_t make_axes(uint64_t *state, struct mm_plan_axis *axes)
{
    size_t count = 1 + next(state) % 7;

    for (size_t a = 0; a < count; a++) {
        axes[a].count = 1 + next(state) % 6;
        axes[a].numbers = next(state) % 2 ? numbers : NULL;
    }
    return count;
}

static int same_point(const struct mm_plan *plan, size_t a, size_t b)
{
    size_t same = 0;

    for (size_t i = 0; i < plan->axis_count; i++)
        same += mm_plan_value(plan, a, i) == mm_plan_value(plan, b, i);
    return same == plan->axis_count;
}

static int has_pair(const struct mm_plan *plan, size_t a, size_t va, size_t b, size_t vb)
{
    for (size_t p = 0; p < plan->point_count; p++)
        if (mm_plan_value(plan, p, a) == va && mm_plan_value(plan, p, b) == vb)
            return 1;
    return 0;
}

static void check_points(const struct mm_plan *plan)
{
    for (size_t p = 0; p < plan->point_count; p++)
        for (size_t q = 0; q < p; q++)
            assert_false(same_point(plan, p, q));
    for (size_t a = 0; a < plan->axis_count; a++)
        for (size_t va = 0; va < plan->axes[a].count; va++) {
            assert_true(has_pair(plan, a, va, a, va));
            for (size_t b = 0; b < a; b++)
                for (size_t vb = 0; vb < plan->axes[b].count; vb++)
                    if (plan->is_grid || (mm_plan_is_coarse(&plan->axes[a], va) &&
                                          mm_plan_is_coarse(&plan->axes[b], vb)))
                        assert_true(has_pair(plan, a, va, b, vb));
        }
    assert_true((double)plan->point_count <= plan->grid_points);
    if (plan->is_grid)
        assert_true((double)plan->point_count == plan->grid_points);
}

/* Each round has every point once. */
static void check_rounds(const struct mm_plan *plan)
{
    size_t *seen = calloc(plan->point_count, sizeof *seen);

    assert_int_equal(plan->run_count, plan->point_count * plan->repeats);
    for (size_t i = 0; i < plan->run_count; i++) {
        assert_int_equal(plan->runs[i].repeat, i / plan->point_count);
        assert_int_equal(seen[plan->runs[i].point]++, plan->runs[i].repeat);
    }
    free(seen);
}

TEST(random_plans_have_all_values_pairs_and_repeats_and_are_repeatable)
{
    int tries = test_count("PROBLEMS", 60, 3000);
    uint64_t state = 1;

    for (int i = 0; i < tries; i++) {
        struct mm_plan_axis axes[8];
        size_t count = make_axes(&state, axes), grid = next(&state) % 60;
        size_t repeats = 1 + next(&state) % 4;
        struct mm_plan *plan = plan_of(axes, count, repeats, grid, (uint64_t)i);
        struct mm_plan *same = plan_of(axes, count, repeats, grid, (uint64_t)i);

        assert_int_equal(plan->is_grid, plan->grid_points <= (double)grid);
        check_points(plan);
        check_rounds(plan);
        assert_int_equal(plan->run_count, same->run_count);
        assert_memory_equal(plan->runs, same->runs, plan->run_count * sizeof *plan->runs);
        assert_memory_equal(plan->values, same->values,
                            plan->point_count * count * sizeof *plan->values);
        mm_plan_free(plan);
        mm_plan_free(same);
    }
}

TEST(another_seed_is_another_order)
{
    const struct mm_plan_axis axes[] = {{4, numbers}, {3, NULL}};
    struct mm_plan *a = plan_of(axes, 2, 3, 32, 1), *b = plan_of(axes, 2, 3, 32, 2);

    assert_memory_not_equal(a->runs, b->runs, a->run_count * sizeof *a->runs);
    mm_plan_free(a);
    mm_plan_free(b);
}

TEST(a_design_is_far_smaller_than_the_grid)
{
    const struct mm_plan_axis axes[] = {{5, numbers}, {5, numbers}, {4, NULL},
                                        {3, NULL},    {4, numbers}, {2, NULL}};
    struct mm_plan *plan = plan_of(axes, 6, 1, 32, 1);

    assert_false(plan->is_grid);
    assert_int_equal(plan->main_points, 1 + 4 + 4 + 3 + 2 + 3 + 1);
    check_points(plan);
    assert_true(plan->point_count <= 40); /* of 2,400 */
    mm_plan_free(plan);
}

TEST(cut_short_a_plan_has_all_values_early)
{
    const struct mm_plan_axis axes[] = {{6, numbers}, {4, NULL}, {3, numbers}};
    struct mm_plan *plan = plan_of(axes, 3, 2, 100, 3);
    unsigned char seen[3][6] = {{0}};
    size_t values = 0, i;

    for (i = 0; values < 6 + 4 + 3; i++)
        for (size_t a = 0; a < 3; a++) {
            unsigned char *one = &seen[a][mm_plan_value(plan, plan->runs[i].point, a)];

            values += !*one;
            *one = 1;
        }
    assert_int_equal(i, 6); /* a grid shows a new value of each axis in every run */
    mm_plan_free(plan);
}

/* How many pairs of values the first `count` points of an order have. */
static size_t count_pairs(const struct mm_plan *plan, const size_t *order, size_t count)
{
    unsigned char seen[3][3][8][8] = {{{{0}}}};
    size_t pairs = 0;

    for (size_t i = 0; i < count; i++)
        for (size_t a = 0; a < 3; a++)
            for (size_t b = 0; b < a; b++) {
                unsigned char *pair = &seen[a][b][mm_plan_value(plan, order[i], a)]
                                           [mm_plan_value(plan, order[i], b)];

                pairs += !*pair;
                *pair = 1;
            }
    return pairs;
}

TEST(wherever_it_is_cut_a_plan_has_as_many_pairs_as_random_orders)
{
    const struct mm_plan_axis axes[] = {{3, numbers}, {4, NULL}, {3, numbers}};
    struct mm_plan *plan = plan_of(axes, 3, 1, 100, 5);
    double random_pairs[36] = {0};
    size_t order[36];
    uint64_t state = 7;

    for (int trial = 0; trial < 300; trial++) {
        for (size_t i = 0; i < 36; i++)
            order[i] = i;
        for (size_t i = 36; i > 1; i--) {
            size_t k = next(&state) % i, other = order[k];

            order[k] = order[i - 1];
            order[i - 1] = other;
        }
        for (size_t cut = 0; cut < 36; cut++)
            random_pairs[cut] += (double)count_pairs(plan, order, cut + 1) / 300;
    }
    for (size_t i = 0; i < 36; i++)
        order[i] = plan->runs[i].point;
    for (size_t cut = 0; cut < 36; cut++)
        assert_true((double)count_pairs(plan, order, cut + 1) >=
                    random_pairs[cut] - 1e-6);
    assert_true((double)count_pairs(plan, order, 12) > random_pairs[11] + 3);
    mm_plan_free(plan);
}

/* The mean of the product of place and value, as a correlation. */
static double correlation(const struct mm_plan *plan, size_t round, size_t axis)
{
    size_t n = plan->point_count;
    double sx = 0, sy = 0, sxx = 0, syy = 0, sxy = 0;

    for (size_t i = 0; i < n; i++) {
        double x = (double)i,
               y = (double)mm_plan_value(plan, plan->runs[round * n + i].point, axis);

        sx += x;
        sy += y;
        sxx += x * x;
        syy += y * y;
        sxy += x * y;
    }
    return (sxy - sx * sy / (double)n) /
           sqrt((sxx - sx * sx / (double)n) * (syy - sy * sy / (double)n));
}

TEST(a_drift_of_the_host_is_not_an_effect_of_an_axis)
{
    const struct mm_plan_axis axes[] = {{4, numbers}, {2, NULL}, {3, numbers}};

    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct mm_plan *plan = plan_of(axes, 3, 3, 32, seed);

        for (size_t round = 0; round < 3; round++)
            for (size_t a = 0; a < 3; a++)
                assert_true(fabs(correlation(plan, round, a)) < .25);
        mm_plan_free(plan);
    }
}

TEST(estimates_follow_a_known_law)
{
    const struct mm_plan_axis axes[] = {{5, numbers}, {2, NULL}};
    struct mm_plan *plan = plan_of(axes, 2, 2, 32, 1);
    double seconds[20], points[10], truth[10];

    for (size_t p = 0; p < 10; p++)
        truth[p] = 1e-3 * pow(numbers[mm_plan_value(plan, p, 0)], 1.5) *
                   (mm_plan_value(plan, p, 1) ? 2.5 : 1);
    for (size_t i = 0; i < 20; i++)
        seconds[i] = i < 6 ? truth[plan->runs[i].point] : NAN;
    assert_int_equal(mm_plan_estimate(plan, seconds, points), 0);
    for (size_t p = 0; p < 10; p++)
        assert_true(fabs(points[p] / truth[p] - 1) < .02);
    for (size_t i = 0; i < 20; i++)
        seconds[i] = NAN;
    assert_int_equal(mm_plan_estimate(plan, seconds, points), 0);
    assert_true(isnan(points[3]));
    mm_plan_free(plan);
}

TEST(the_next_run_is_the_first_that_fits)
{
    const struct mm_plan_axis axes[] = {{3, numbers}};
    struct mm_plan *plan = plan_of(axes, 1, 2, 32, 1);
    double points[3] = {1, 2, 4};
    unsigned char closed[6] = {0};
    size_t at = mm_plan_next(plan, closed, points, INFINITY);

    assert_int_equal(at, 0);
    closed[0] = 1;
    assert_int_equal(mm_plan_next(plan, closed, points, INFINITY), 1);
    at = mm_plan_next(plan, closed, points, 1.5);
    if (at < 6)
        assert_int_equal(plan->runs[at].point, 0);
    assert_int_equal(mm_plan_next(plan, closed, points, .5), 6);
    assert_int_equal(mm_plan_next(plan, closed, points, 0), 6);
    mm_plan_free(plan);
}

TEST(spread_and_advice_follow_the_runs)
{
    const struct mm_plan_axis axes[] = {{4, numbers}, {2, NULL}};
    struct mm_plan *plan = plan_of(axes, 2, 2, 32, 1);
    struct mm_plan_advice advice;
    double seconds[16];
    size_t freedom, missing = plan->runs[7].point;

    /* Every point twice, each time at +-1 %: sd sqrt(2) %. */
    for (size_t i = 0; i < 16; i++)
        seconds[i] = exp(i < 8 ? .01 : -.01) *
                     numbers[mm_plan_value(plan, plan->runs[i].point, 0)];
    assert_true(fabs(mm_plan_spread(plan, seconds, &freedom) - .01 * sqrt(2)) < 1e-9);
    assert_int_equal(freedom, 8);
    /* A point without a run tells more than any repeat. */
    for (size_t i = 0; i < 16; i++)
        if (plan->runs[i].point == missing)
            seconds[i] = NAN;
    assert_int_equal(mm_plan_advise(plan, seconds, &advice), 0);
    assert_int_equal(advice.made, 0);
    for (size_t a = 0; a < 2; a++)
        assert_int_equal(advice.values[a], mm_plan_value(plan, missing, a));
    assert_true(advice.gain > 0 && advice.gain < 1);
    for (size_t i = 1; i < 16; i++)
        seconds[i] = NAN;
    assert_int_equal(mm_plan_advise(plan, seconds, &advice), -ENODATA);
    mm_plan_free(plan);
}

TEST(wrong_and_too_large_requests_are_refused)
{
    static const double falling[] = {2, 1}, odd[] = {1, INFINITY};
    const struct mm_plan_axis wrong[] = {{0, NULL}, {2, falling}, {2, odd}};
    struct mm_plan_axis many[MM_PLAN_AXES + 1];
    struct cca_error err;

    for (size_t i = 0; i < 3; i++) {
        err = (struct cca_error){0};
        assert_null(mm_plan_new(
            &(struct mm_plan_request){.axes = &wrong[i], .axis_count = 1, .repeats = 1},
            &err));
        assert_int_equal(err.code, -EINVAL);
    }
    for (size_t a = 0; a <= MM_PLAN_AXES; a++)
        many[a] = (struct mm_plan_axis){.count = 2};
    err = (struct cca_error){0};
    assert_null(
        mm_plan_new(&(struct mm_plan_request){many, MM_PLAN_AXES + 1, 1, 0, 1}, &err));
    assert_int_equal(err.code, -E2BIG);
    err = (struct cca_error){0};
    assert_null(mm_plan_new(&(struct mm_plan_request){many, 20, 1, SIZE_MAX, 1}, &err));
    assert_int_equal(err.code, -E2BIG);
    /* Many axes make a design, not a grid. */
    mm_plan_free(plan_of(many, MM_PLAN_AXES, 1, 32, 1));
}

TEST(a_plan_without_axes_has_one_point)
{
    struct mm_plan *plan = plan_of(NULL, 0, 4, 32, 1);
    double seconds[4] = {1, 1.1, NAN, NAN}, points[1];

    assert_int_equal(plan->point_count, 1);
    assert_int_equal(plan->run_count, 4);
    assert_int_equal(mm_plan_estimate(plan, seconds, points), 0);
    assert_true(fabs(points[0] - sqrt(1.1)) < 1e-12);
    mm_plan_free(plan);
}
TESTS(NULL, NULL)

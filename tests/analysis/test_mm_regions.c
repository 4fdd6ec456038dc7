/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_regions.c: regions of calls with made-up costs, whose best classes are known.
 */
#include "tests/lib/test.h"

#include <math.h>

#include "mastermind/choice/regions.h"

enum { POINTS = 400, CLASSES = 3 };

/* Calls with a mode (0, 1, 2) and a size, and costs of three classes. */
struct calls {
    double numbers[POINTS][2 + 2 * CLASSES];
    struct mm_region_point points[POINTS];
    struct mm_regions_input input;
};

static double true_cost(int class_index, double mode, double size)
{
    if (class_index == 0)
        return 100 + size;
    if (class_index == 1)
        return mode == 1 ? 50 + size : 500 + .1 * size; /* crosses 0 at 444.4 */
    return 1e9;
}

static uint64_t state;

static double uniform(void)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53;
}

static void make(struct calls *calls, double noise, double error)
{
    static const int modes[2] = {1, 0}, whole[2] = {1, 1};

    for (size_t i = 0; i < POINTS; i++) {
        double *x = calls->numbers[i];

        x[0] = floor(3 * uniform());
        x[1] = floor(1 + 1000 * uniform());
        for (int c = 0; c < CLASSES; c++) {
            x[2 + c] = true_cost(c, x[0], x[1]) * (1 + noise * (2 * uniform() - 1));
            x[2 + CLASSES + c] = error * x[2 + c];
        }
        calls->points[i] = (struct mm_region_point){x, 1 + floor(10 * uniform()), x + 2,
                                                    x + 2 + CLASSES};
    }
    calls->input = (struct mm_regions_input){.points = calls->points,
                                             .count = POINTS,
                                             .value_count = 2,
                                             .class_count = CLASSES,
                                             .modes = modes,
                                             .whole = whole};
}

static size_t find(const struct mm_regions *regions, const double *x)
{
    const struct mm_region *node = regions->nodes;

    while (node->split)
        node = &regions->nodes[(node->equal ? x[node->value] == node->bound
                                            : x[node->value] <= node->bound)
                                   ? node->yes
                                   : node->no];
    return node->best;
}

static double least(const double *x, int *best)
{
    *best = 0;
    for (int c = 1; c < CLASSES; c++)
        if (true_cost(c, x[0], x[1]) < true_cost(*best, x[0], x[1]))
            *best = c;
    return true_cost(*best, x[0], x[1]);
}

/* With exact costs the sum is that of the brute force, but for splits that would have
 * gained less than 1 %, one at most for each leaf. */
TEST(exact_costs_give_the_best_class_of_each_call)
{
    static struct calls calls;
    struct mm_regions regions;

    for (state = 1; state < 20; state += 2) {
        double best = 0, single[CLASSES] = {0}, of_all;
        int other = 0;

        make(&calls, 0, 0);
        assert_int_equal(mm_regions_make(&regions, &calls.input), 0);
        for (size_t i = 0; i < POINTS; i++) {
            int at;

            best += calls.points[i].calls * least(calls.points[i].x, &at);
            for (int c = 0; c < CLASSES; c++)
                single[c] += calls.points[i].calls * calls.points[i].cost[c];
            other += find(&regions, calls.points[i].x) != (size_t)at;
        }
        of_all = fmin(single[0], single[1]);
        assert_true(regions.cost >= best - 1e-6 * best);
        assert_true(regions.cost <=
                    best + MM_REGIONS_GAIN * of_all * (double)(regions.count + 1) / 2);
        assert_true(fabs(regions.cost + regions.gain - of_all) < 1e-6 * of_all);
        assert_true(other < POINTS / 5);
        assert_true(regions.gain_error == 0);
        mm_regions_done(&regions);
    }
}

/* Classes whose costs differ by no more than their errors are not split. */
TEST(noise_alone_is_no_region)
{
    static struct calls calls;
    struct mm_regions regions;
    int split = 0;

    for (state = 1; state < 400; state += 2) {
        make(&calls, 0, 0);
        for (size_t i = 0; i < POINTS; i++)
            for (int c = 0; c < CLASSES; c++) {
                double *cost = &calls.numbers[i][2 + c];

                *cost = (100 + calls.numbers[i][1]) * (1 + .02 * (c == 1));
                calls.numbers[i][2 + CLASSES + c] = 0;
            }
        calls.input.run_error = .04;
        assert_int_equal(mm_regions_make(&regions, &calls.input), 0);
        split += regions.nodes[0].split;
        assert_int_equal(regions.nodes[0].best, 0);
        mm_regions_done(&regions);
    }
    assert_int_equal(split, 0);
}

/* A class whose cost is unknown for some calls is not chosen for these. */
TEST(unknown_costs_are_not_chosen)
{
    static struct calls calls;
    struct mm_regions regions;

    state = 1;
    make(&calls, 0, 0);
    for (size_t i = 0; i < POINTS; i++)
        if (calls.numbers[i][1] > 500)
            calls.numbers[i][2 + 1] = NAN;
    assert_int_equal(mm_regions_make(&regions, &calls.input), 0);
    for (size_t i = 0; i < POINTS; i++)
        assert_true(isfinite(calls.points[i].cost[find(&regions, calls.points[i].x)]));
    mm_regions_done(&regions);
    for (size_t i = 0; i < POINTS; i++)
        for (int c = 0; c < CLASSES; c++)
            calls.numbers[i][2 + c] = NAN;
    assert_int_equal(mm_regions_make(&regions, &calls.input), -ENODATA);
    mm_regions_done(&regions);
}

TESTS(NULL, NULL)

/* SPDX-License-Identifier: BSD-3-Clause */
/* The optimum against all schedules, the worked example, the paper's golden runs. */
#include "mesh/balance/policy.h"
#include "tests/lib/test.h"
#include "tests/balance/traces.h"

/* --- The worked example: 8 cells in a row, two parts. --- */

static const float example[64] = {
    4, 1, 1, 1, 1, 1, 1, 2, 3, 2, 1, 1, 1, 1, 1, 2, 2, 3, 2, 1, 1, 1,
    1, 1, 1, 2, 4, 2, 1, 1, 1, 1, 1, 1, 2, 4, 2, 1, 1, 1, 1, 1, 1, 2,
    4, 2, 1, 1, 1, 1, 1, 1, 2, 4, 2, 1, 1, 1, 1, 1, 1, 2, 4, 2,
};
static struct mesh_memory example_memory = {example, 8};
static const struct mesh_source example_source = {
    1, {8, 1, 1}, NULL, 8, NULL, mesh_source_memory, &example_memory};

static void make(struct mesh_loads *loads, const struct mesh_source *source, int parts)
{
    struct mesh_loads_wish wish = {.parts = parts};
    struct cca_error err = {0};

    if (mesh_loads_make(loads, source, &mesh_rcb, &wish, &err))
        fail_msg("%s", err.text);
}

TEST(test_loads_of_the_worked_example)
{
    static const int cuts[8] = {3, 3, 2, 3, 4, 4, 5, 6};
    static const int largest[8][8] = {
        {6, 6, 7, 7, 9, 10, 10, 10},   {0, 6, 7, 7, 9, 10, 10, 10},
        {0, 0, 7, 10, 11, 11, 11, 11}, {0, 0, 0, 7, 9, 10, 10, 10},
        {0, 0, 0, 0, 8, 8, 9, 9},      {0, 0, 0, 0, 0, 8, 9, 9},
        {0, 0, 0, 0, 0, 0, 7, 8},      {0, 0, 0, 0, 0, 0, 0, 7}};
    struct mesh_loads loads;
    uint16_t owners[8];

    make(&loads, &example_source, 2);
    for (int s = 0; s < 8; s++) {
        mesh_partition_owners(&example_source, &loads.partitions[s], owners);
        for (int c = 0; c < 8; c++)
            assert_int_equal(owners[c], c >= cuts[s]);
        for (int k = s; k < 8; k++)
            assert_int_equal((int)mesh_load(&loads, s, k), largest[s][k]);
    }
    mesh_loads_free(&loads);
}

static void expect_optimum(const struct mesh_loads *loads, double repartition,
                           double cell, double cost, const char *steps)
{
    struct mesh_price price = {.repartition = repartition, .cell = cell};
    unsigned char schedule[8];
    struct mesh_outcome outcome;
    char found[32] = "";

    assert_int_equal(mesh_oracle(loads, &price, schedule), 0);
    mesh_schedule_judge(loads, &price, schedule, &outcome);
    for (int k = 0; k < 8; k++)
        if (schedule[k])
            sprintf(found + strlen(found), "%d", k);
    assert_string_equal(found, steps);
    assert_true(outcome.cost == cost);
}

TEST(test_optima_of_the_worked_example)
{
    struct mesh_loads loads;
    struct mesh_bounds bounds;
    struct mesh_outcome outcome;
    static const unsigned char never[8];
    struct mesh_price none = {0};

    make(&loads, &example_source, 2);
    expect_optimum(&loads, .5, 0, 57.5, "467");
    expect_optimum(&loads, 1, 0, 59, "46");
    expect_optimum(&loads, 2, 0, 61, "46");
    expect_optimum(&loads, 1, .5, 60, "46");
    expect_optimum(&loads, 2, 1, 63, "4");
    expect_optimum(&loads, 4, 0, 64, "4");
    mesh_schedule_judge(&loads, &none, never, &outcome);
    assert_true(outcome.cost == 65);
    mesh_bounds_make(&loads, &bounds);
    assert_true(bounds.means == 50.5 && bounds.least == 56);
    mesh_loads_free(&loads);
}

/* --- Random traces: tables against cell by cell, the optimum against all schedules. ---
 */

static void random_trace(struct trace *trace, const int64_t n[3], int64_t steps,
                         uint64_t seed)
{
    uint64_t state = seed + 1;

    trace_make(trace, (enum trace_family)(seed % TRACE_FAMILIES), n, steps, seed);
    for (int64_t c = 0; c < n[0] * n[1] * n[2] * steps; c++)
        trace->weights[c] += (float)(int)(3 * trace_random(&state)) - 1;
}

TEST(test_tables_agree_with_cells)
{
    static const struct mesh_partitioner *const ways[] = {&mesh_rcb, &mesh_rcb_planes};
    static const int64_t shapes[][3] = {{9, 8, 7}, {30, 1, 1}, {12, 11, 1}, {2, 2, 2}};

    for (int i = 0; i < 16; i++) {
        struct trace trace;
        struct mesh_loads fast, slow;
        struct mesh_loads_wish wish = {.parts = 1 + i % 7}, direct = wish;

        random_trace(&trace, shapes[i % 4], 9, (uint64_t)i);
        direct.direct = 1;
        assert_int_equal(
            mesh_loads_make(&fast, &trace.source, ways[i / 4 % 2], &wish, NULL), 0);
        assert_int_equal(
            mesh_loads_make(&slow, &trace.source, ways[i / 4 % 2], &direct, NULL), 0);
        for (int64_t s = 0; s < 9; s++)
            for (int64_t k = s; k < 9; k++) {
                assert_true(mesh_load(&fast, s, k) == mesh_load(&slow, s, k));
                assert_int_equal(mesh_moved(&fast, s, k), mesh_moved(&slow, s, k));
                assert_true(mesh_load(&fast, s, k) >= fast.mean[k] - 1e-9);
            }
        mesh_loads_free(&fast);
        mesh_loads_free(&slow);
        trace_free(&trace);
    }
}

/* All schedules of `steps` steps, one bit a step. */
static double cheapest(const struct mesh_loads *loads, const struct mesh_price *price)
{
    double least = INFINITY;

    for (unsigned bits = 0; bits < 1u << (loads->steps - 1); bits++) {
        double cost = mesh_load(loads, 0, 0);
        int64_t s = 0;

        for (int64_t k = 1; k < loads->steps; k++) {
            if (bits >> (k - 1) & 1) {
                cost +=
                    price->repartition + price->cell * (double)mesh_moved(loads, s, k);
                s = k;
            }
            cost += mesh_load(loads, s, k);
        }
        least = fmin(least, cost);
    }
    return least;
}

TEST(test_oracle_is_the_least_of_all_schedules)
{
    static const int64_t n[3] = {6, 6, 1};
    int traces = test_count("ORACLE", 1000, 20000);

    for (int i = 0; i < traces; i++) {
        uint64_t state = (uint64_t)i * 77 + 5;
        struct mesh_price price = {0};
        struct mesh_outcome outcome;
        struct mesh_loads loads;
        struct trace trace;
        unsigned char schedule[16];

        random_trace(&trace, n, 4 + i % 8, (uint64_t)i);
        make(&loads, &trace.source, 2 + i % 4);
        trace_random(&state);
        price.repartition = 20 * trace_random(&state);
        price.cell = trace_random(&state);
        assert_int_equal(mesh_oracle(&loads, &price, schedule), 0);
        mesh_schedule_judge(&loads, &price, schedule, &outcome);
        assert_true(fabs(outcome.cost - cheapest(&loads, &price)) < 1e-9 * outcome.cost);
        mesh_loads_free(&loads);
        trace_free(&trace);
    }
}

/* --- The paper's pseudocode on an imbalance that grows evenly. --- */

struct growth {
    double first, then;
};

static double growing(const void *context, int64_t s, int64_t k)
{
    const struct growth *growth = context;

    return (s ? growth->then : growth->first) * (double)(k - s);
}

TEST(test_golden_runs_of_the_paper)
{
    static const struct {
        struct growth growth;
        int every, count, backtracks[2], probes[2]; /* first interval 20, 5 */
    } runs[] = {
        {{.0021, .0021}, 75, 3, {12, 11}, {37, 36}},
        {{.0041, .0041}, 40, 7, {16, 15}, {47, 46}},
        {{.0061, .0061}, 25, 11, {32, 33}, {77, 79}},
        {{.0076, .0076}, 20, 14, {30, 29}, {75, 74}},
        {{.0101, .0101}, 15, 19, {40, 39}, {99, 98}},
        {{.0151, .0151}, 10, 29, {31, 30}, {91, 90}},
        {{.0076, .0035}, 45, 7, {22, 21}, {57, 56}}, /* 20, 65, 110: Figure 9 */
    };

    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        for (int f = 0; f < 2; f++) {
            unsigned char schedule[301];
            int64_t probes, backtracks;
            int count = 0, begin = i == 6 ? 20 : runs[i].every;

            /* The pseudocode probes step 300, too. */
            mesh_paper(growing, &runs[i].growth, 301, .15, 5, 20, f ? 5 : 20, schedule,
                       &probes, &backtracks);
            for (int k = 0; k < 301; k++)
                if (schedule[k])
                    assert_int_equal(k, begin + runs[i].every * count++);
            assert_int_equal(count, runs[i].count);
            assert_int_equal(backtracks, runs[i].backtracks[f]);
            assert_int_equal(probes, runs[i].probes[f]);
        }
}

/* --- Words. --- */

TEST(test_words_of_policies)
{
    static const char *const right[] = {
        "never",         "each", "fixed:20", "paper:.15:5:20", "paper:.15:5:20:10",
        "threshold:.15", "loss", "expect",   "look:10",        "oracle"};
    static const char *const wrong[] = {"",
                                        "nevr",
                                        "fixed",
                                        "fixed:",
                                        "fixed:0",
                                        "fixed:1.5",
                                        "fixed:2:3",
                                        "paper:.15:20:5",
                                        "paper:.15:5",
                                        "paper:x:5:20",
                                        "look:-1",
                                        "threshold:nan",
                                        "expect:1",
                                        "paper:.15:5:20:50"};
    struct mesh_policy policy;

    for (size_t i = 0; i < sizeof right / sizeof *right; i++)
        assert_int_equal(mesh_policy_read(&policy, right[i], NULL), 0);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct cca_error err = {0};

        assert_int_equal(mesh_policy_read(&policy, wrong[i], &err), -EINVAL);
        assert_non_null(strstr(err.text, "expected"));
    }
}

TEST(test_wrong_weights_are_named)
{
    float weights[12] = {1, 1, 1, 1, 1, 1, 1, 1, 1, -2, 1, 1};
    struct mesh_memory memory = {weights, 6};
    static const int64_t numbers[2] = {0, 20};
    struct mesh_source source = {2,       {2, 3, 1},          NULL,   2,
                                 numbers, mesh_source_memory, &memory};
    struct cca_error err = {0};
    struct mesh_loads_wish wish = {.parts = 2};
    struct mesh_loads loads;

    assert_int_equal(mesh_loads_make(&loads, &source, &mesh_rcb, &wish, &err), -EDOM);
    assert_string_equal(err.text,
                        "step 20, cell 1,0: found weight -2, expected at least 0");
    mesh_loads_free(&loads);
}

TESTS(NULL, NULL)

/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulations: prices, bounds, what cannot be balanced, backwards, and the same policies
 * in a running program. */
#include "mesh/balance/simulate.h"

#include "mesh/balance/live.h"
#include "tests/lib/test.h"
#include "tests/balance/traces.h"

static const int64_t shape[3] = {10, 8, 6};
enum { STEPS = 60, CELLS = 480 };

static void make(struct mesh_loads *loads, const struct mesh_source *source,
                 const char *name, int parts, int lag)
{
    struct mesh_loads_wish wish = {.parts = parts, .lag = lag};
    struct mesh_partitioner partitioner;

    assert_int_equal(mesh_partitioner_open(&partitioner, name, source, NULL), 0);
    assert_int_equal(mesh_loads_make(loads, source, &partitioner, &wish, NULL), 0);
    mesh_partitioner_close(&partitioner);
}

TEST(prices_are_numbers_or_mean_part_loads)
{
    static const char *const wrong[] = {"", "x", "-1", "+1", "1y", "nan", "1e999", "1xx"};
    struct mesh_price_word a, b;
    struct mesh_price price;
    struct mesh_loads loads;
    struct trace trace;
    double mean = 0;

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(mesh_price_read(&a, wrong[i], NULL), -EINVAL);
    assert_int_equal(mesh_price_read(&a, "1.5x", NULL), 0);
    assert_int_equal(mesh_price_read(&b, ".25", NULL), 0);
    trace_make(&trace, TRACE_SHELL, shape, STEPS, 1);
    make(&loads, &trace.source, "rcb", 4, 0);
    for (int64_t i = 0; i < (int64_t)CELLS * STEPS; i++)
        mean += (double)trace.weights[i] / 4 / STEPS;
    mesh_price_make(&price, &loads, &a, &b);
    assert_true(fabs(price.repartition - 1.5 * mean) < 1e-9 * mean);
    assert_true(price.cell == .25);
    mesh_price_make(&price, &loads, &b, &a);
    assert_true(price.repartition == .25);
    assert_true(fabs(price.cell - 1.5 * mean / CELLS) < 1e-9 * mean);
    mesh_loads_free(&loads);
    trace_free(&trace);
}

TEST(no_policy_is_below_the_oracle_and_the_oracle_above_the_bounds)
{
    static const char *const texts[] = {
        "never", "each",   "fixed:7", "paper:.15:5:20", "threshold:.15",
        "loss",  "expect", "look:5",  "look:60",        "oracle"};
    enum { COUNT = sizeof texts / sizeof *texts };
    struct mesh_policy policies[COUNT];

    for (int i = 0; i < COUNT; i++)
        assert_int_equal(mesh_policy_read(&policies[i], texts[i], NULL), 0);
    for (int f = 0; f < TRACE_FAMILIES; f++) {
        struct mesh_simulation simulation;
        struct mesh_price price = {.repartition = 50, .cell = .4};
        struct mesh_loads loads;
        struct trace trace;

        trace_make(&trace, (enum trace_family)f, shape, STEPS, 3);
        make(&loads, &trace.source, "rcb", 5, f % 2);
        assert_int_equal(
            mesh_simulate(&simulation, &loads, &price, policies, COUNT, NULL), 0);
        assert_true(simulation.bounds.means <= simulation.bounds.least + 1e-9);
        assert_true(simulation.bounds.least <= simulation.oracle.outcome.cost + 1e-9);
        for (int i = 0; i < COUNT; i++) {
            assert_true(simulation.results[i].above_oracle >= -1e-12);
            assert_true(simulation.results[i].outcome.imbalance_max >=
                        simulation.results[i].outcome.loss_max);
        }
        assert_true(simulation.results[0].outcome.repartitions == 0);
        assert_true(simulation.results[1].outcome.repartitions == STEPS - 1);
        assert_true(simulation.results[2].outcome.repartitions == (STEPS - 1) / 7);
        assert_true(simulation.results[8].above_oracle < 1e-12); /* sees all */
        assert_true(simulation.results[9].above_oracle < 1e-12);
        mesh_simulation_free(&simulation);
        mesh_loads_free(&loads);
        trace_free(&trace);
    }
}

/* A cell of 8 among 39 others of 1, 4 parts: mean 11.75; at step 1, 40: 19.75. */
TEST(a_cell_that_is_heavier_than_a_part_is_named)
{
    float weights[2 * 40];
    struct mesh_memory memory = {weights, 40};
    struct mesh_source source = {2,    {8, 5, 1},          NULL,   2,
                                 NULL, mesh_source_memory, &memory};
    struct mesh_loads loads;
    struct mesh_heavy heavy;

    for (int c = 0; c < 80; c++)
        weights[c] = 1;
    weights[3] = 8;
    weights[40 + 17] = 40;
    make(&loads, &source, "rcb", 4, 0);
    mesh_heavy_find(&loads, &heavy);
    assert_int_equal(heavy.steps, 1);
    assert_int_equal(heavy.worst, 1);
    assert_int_equal(heavy.cell, 17);
    assert_true(fabs(heavy.factor - 40 / 19.75) < 1e-12);
    mesh_loads_free(&loads);
}

/* A partition of a step begins one step later, and pays for that. */
TEST(with_a_lag_a_partition_is_of_the_step_before)
{
    struct mesh_loads now, later;
    struct trace trace;

    trace_make(&trace, TRACE_FRONT, shape, STEPS, 2);
    make(&now, &trace.source, "rcb", 4, 0);
    make(&later, &trace.source, "rcb", 4, 1);
    for (int64_t s = 1; s < STEPS; s++)
        for (int64_t k = s; k < STEPS; k++) {
            assert_true(mesh_load(&later, s, k) == mesh_load(&now, s - 1, k));
            assert_int_equal(mesh_moved(&later, s, k), mesh_moved(&now, s - 1, k - 1));
        }
    mesh_loads_free(&now);
    mesh_loads_free(&later);
    trace_free(&trace);
}

static void expect_live_as_simulated(const struct trace *trace, const char *partitioner,
                                     const char *text, int parts, int every)
{
    struct mesh_live_wish wish = {.partitioner = partitioner,
                                  .policy = text,
                                  .parts = parts,
                                  .repartition = {60, 0},
                                  .move = {.3, 0},
                                  .steps = STEPS,
                                  .every = every};
    struct mesh_price price = {.repartition = 60, .cell = .3};
    unsigned char schedule[STEPS];
    uint16_t owners[CELLS];
    struct mesh_policy policy;
    struct mesh_loads loads;
    struct mesh_live *live = mesh_live_new(&trace->source, &wish, trace->weights, NULL);
    int64_t s = 0;

    assert_non_null(live);
    assert_int_equal(mesh_policy_read(&policy, text, NULL), 0);
    policy.every = every;
    make(&loads, &trace->source, partitioner, parts, 1);
    assert_int_equal(mesh_policy_schedule(&policy, &loads, &price, schedule), 0);
    for (int64_t k = every; k < STEPS; k += every) {
        const float *weights = trace->weights + (k - 1) * CELLS;

        assert_int_equal(mesh_live_step(live, weights, NULL), schedule[k]);
        s = schedule[k] ? k : s;
        mesh_partition_owners(&trace->source, mesh_partition_at(&loads, s), owners);
        assert_memory_equal(owners, mesh_live_owners(live), sizeof owners);
    }
    mesh_loads_free(&loads);
    mesh_live_free(live);
}

TEST(a_running_program_decides_as_the_simulation)
{
    static const char *const texts[] = {"fixed:9", "threshold:.2", "loss", "expect"};

    for (int f = 0; f < TRACE_FAMILIES; f++) {
        struct trace trace;

        trace_make(&trace, (enum trace_family)f, shape, STEPS, 7);
        for (int i = 0; i < 4; i++)
            for (int every = 1; every <= 5; every += 4)
                expect_live_as_simulated(&trace, i % 2 ? "rcb" : "rcb:planes", texts[i],
                                         2 + f, every);
        trace_free(&trace);
    }
}

TEST(what_cannot_run_live_is_refused)
{
    struct mesh_source source = {1, {8, 1, 1}, NULL, 1, NULL, NULL, NULL};
    struct mesh_live_wish wish = {.partitioner = "rcb", .policy = "oracle", .parts = 2};
    float weights[8] = {1, 1, 1, 1, 1, 1, 1, NAN};
    struct cca_error err = {0};
    struct mesh_live *live;

    assert_null(mesh_live_new(&source, &wish, NULL, &err));
    assert_non_null(strstr(err.text, "oracle"));
    wish.policy = "loss";
    wish.partitioner = "rcv";
    assert_null(mesh_live_new(&source, &wish, NULL, NULL));
    wish.partitioner = "rcb";
    wish.parts = 0;
    assert_null(mesh_live_new(&source, &wish, NULL, NULL));
    wish.parts = 2;
    live = mesh_live_new(&source, &wish, NULL, NULL);
    memset(&err, 0, sizeof err);
    assert_int_equal(mesh_live_step(live, weights, &err), -EDOM);
    assert_non_null(strstr(err.text, "step 0, cell 7"));
    weights[7] = 1;
    assert_int_equal(mesh_live_step(live, weights, NULL), 0);
    assert_int_equal(mesh_live_owners(live)[7], 1);
    mesh_live_free(live);
}

/* A policy from elsewhere: each third step, as far as it is asked. */
static int third(void *context, const struct mesh_seen *seen)
{
    ++*(int *)context;
    return seen->step % 3 == 0;
}

static double twice(void *context, const struct mesh_price *price, int64_t s, int64_t t,
                    int64_t moved)
{
    (void)context;
    (void)s;
    (void)t;
    return price->repartition + 2 * price->cell * (double)moved;
}

TEST(policies_and_prices_from_elsewhere_are_asked)
{
    int asked = 0;
    struct mesh_decider decider = {.decide = third, .context = &asked};
    struct mesh_price price = {.repartition = 10, .cell = 1, .function = twice};
    struct mesh_price plain = {.repartition = 10, .cell = 2};
    struct mesh_policy policies[2];
    struct mesh_simulation simulation, same;
    struct mesh_loads loads;
    struct trace trace;

    trace_make(&trace, TRACE_SPOT, shape, STEPS, 7);
    make(&loads, &trace.source, "rcb", 4, 0);
    mesh_policy_plug(&policies[0], "./third.so", &decider);
    assert_int_equal(mesh_policy_read(&policies[1], "fixed:3", NULL), 0);
    assert_int_equal(mesh_simulate(&simulation, &loads, &price, policies, 2, NULL), 0);
    assert_int_equal(mesh_simulate(&same, &loads, &plain, policies, 2, NULL), 0);
    assert_int_equal(asked, 2 * STEPS);
    assert_true(simulation.results[0].outcome.cost == simulation.results[1].outcome.cost);
    assert_true(fabs(simulation.oracle.outcome.cost - same.oracle.outcome.cost) < 1e-6);
    mesh_simulation_free(&simulation);
    mesh_simulation_free(&same);
    mesh_loads_free(&loads);
    trace_free(&trace);
}

TESTS(NULL, NULL)

/* SPDX-License-Identifier: BSD-3-Clause */
/* test_ccai_learn.c: rules that learn from costs which the test makes up. */
#include "tests/lib/test.h"

#include <math.h>

#include "common/random.h"
#include "proxies/proxy_learn.h"

enum { CALLS = 4000, SEEDS = 20 };

static const struct monitor_value_decl values[] = {{.name = "n", .type = MONITOR_INT64},
                                                   {.name = "done", .kind = MONITOR_OUT}};
static const struct proxy_table_method method = {
    .name = "work", .values = values, .in_count = 1, .out_count = 1};

static uint64_t state;

static double draw(void)
{
    return ((double)(cca_random_next(&state) >> 11) + .5) * 0x1p-53;
}

/* The cost of a call: 5 % of noise, a pace that jumps, and one call in 50 that another
 * guest holds up. */
static double noisy(double cost, int call)
{
    const double normal = sqrt(-2 * log(draw())) * cos(2 * M_PI * draw());

    return cost * exp(.05 * normal + (call / 300 % 2 ? .2 : 0)) +
           (draw() < .02 ? 20 * cost : 0);
}

/* A run of CALLS calls. */
struct run {
    double predicted[2];       /* of the slot's class and the rule's */
    double half;               /* of the predicted intervals */
    int is_half_known;         /* true: of the rule's class alone there is a prediction */
    double truth[2], later[2]; /* in the halves of the run */
    double rare; /* share of the rule's class's calls that take 100 times as long */
    double spent, with_slot; /* sums of expected costs */
    size_t count[2];         /* calls that went to each class */
    struct dispatch_change changes[PROXY_MOST_CHANGES];
    size_t change_count;
};

static struct proxy_learner *make(const struct run *run, double limit)
{
    const struct dispatch_rule rule = {.line = 3, .method = "work", .target = 1};
    const struct dispatch_cost costs[2] = {
        {.ns = run->predicted[0], .half = run->half, .value = "n", .at = 100, .power = 1},
        {.ns = run->predicted[1],
         .target = 1,
         .half = run->half,
         .value = "n",
         .at = 100,
         .power = 1}};
    const struct dispatch_learning learning = {limit, costs + run->is_half_known,
                                               run->half <= 0       ? 0
                                               : run->is_half_known ? 1
                                                                    : 2};
    struct cca_error err = {0};
    int line;
    struct proxy_learner *learner =
        proxy_learner_make(&method, &rule, 1, &learning, 2, &line, &err);

    assert_string_equal(err.text, "");
    return learner;
}

static void go(struct run *run, uint64_t seed)
{
    struct proxy_learner *learner = make(run, .01);

    state = seed;
    run->spent = run->with_slot = 0;
    run->count[0] = run->count[1] = 0;
    for (int call = 0; call < CALLS; call++) {
        const double *costs = call < CALLS / 2 ? run->truth : run->later;
        const union monitor_value in = {.i = 20 + (int64_t)(200 * draw())};
        struct proxy_timed timed = {.learner = NULL};
        const size_t target = proxy_learn_target(learner, 0, &in, &timed);
        const double cost = costs[target] * (double)in.i / 100;
        const int rare = target == 1 && draw() < run->rare;

        run->count[target]++;
        run->spent += cost * (target == 1 ? 1 + 99 * run->rare : 1);
        run->with_slot += costs[0] * (double)in.i / 100;
        if (timed.learner)
            proxy_learn_finish(&timed, noisy(cost, call) * (rare ? 100 : 1));
    }
    run->change_count = proxy_learn_changes(learner, run->changes, PROXY_MOST_CHANGES);
    proxy_learner_free(learner);
}

TEST(right_rules_stay)
{
    struct run run = {.predicted = {2e5, 1e5}, .half = .1, .truth = {2e5, 1e5}};

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        memcpy(run.later, run.truth, sizeof run.later);
        go(&run, seed);
        assert_int_equal(run.change_count, 0);
        assert_true(run.spent < .51 * run.with_slot);
    }
}

TEST(nothing_to_gain_loses_one_percent_at_most)
{
    static const double truth[] = {1, 1.03, 1.1, 1.3, 2, 4};

    for (size_t i = 0; i < sizeof truth / sizeof *truth; i++)
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            struct run run = {.predicted = {2e5, 1.9e5},
                              .half = .1,
                              .truth = {2e5, 2e5 * truth[i]},
                              .later = {2e5, 2e5 * truth[i]}};

            go(&run, seed);
            assert_true(run.spent <= 1.01 * run.with_slot);
            assert_true(run.change_count <= 1);
        }
}

TEST(wrong_rules_are_replaced)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct run run = {.predicted = {2e5, 1.5e5},
                          .half = .2,
                          .truth = {2e5, 3e5},
                          .later = {2e5, 3e5}};

        go(&run, seed);
        assert_int_equal(run.change_count, 1);
        assert_int_equal(run.changes[0].line, 3);
        assert_int_equal(run.changes[0].to, 0);
        assert_true(run.changes[0].call < 200);
        assert_true(run.changes[0].to_calls >= 1);
    }
}

/* Without predicted costs, the slot's class is tried until it is sure which is better. */
TEST(rules_of_a_person_are_judged_too)
{
    int replaced = 0;

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct run run = {.truth = {1e5, 2e5}, .later = {1e5, 2e5}};
        struct run right = {.truth = {4e5, 1e5}, .later = {4e5, 1e5}};

        go(&run, seed);
        replaced += run.change_count == 1 && run.changes[0].to == 0;
        go(&right, seed);
        assert_true(right.count[1] > .9 * CALLS);
    }
    assert_int_equal(replaced, SEEDS);
}

/* A class without a predicted cost is taken for as dear as one with it, not for free. */
TEST(one_predicted_cost_is_enough)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct run right = {.predicted = {0, 1e5},
                            .half = .1,
                            .is_half_known = 1,
                            .truth = {4e5, 1e5},
                            .later = {4e5, 1e5}};
        struct run wrong = {.predicted = {0, 2e5},
                            .half = .1,
                            .is_half_known = 1,
                            .truth = {1e5, 2e5},
                            .later = {1e5, 2e5}};

        go(&right, seed);
        assert_int_equal(right.change_count, 0);
        assert_true(right.count[1] > .9 * CALLS);
        go(&wrong, seed);
        assert_int_equal(wrong.changes[0].to, 0);
        assert_true(wrong.count[0] > .9 * CALLS);
    }
}

TEST(a_class_that_gets_slow_is_replaced)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct run run = {.predicted = {2e5, 1.5e5},
                          .half = .1,
                          .truth = {2e5, 1.5e5},
                          .later = {2e5, 4.5e5}};

        go(&run, seed);
        assert_int_equal(run.change_count, 1);
        assert_true(run.changes[0].call > CALLS / 2);
        assert_true(run.changes[0].call < CALLS / 2 + 300);
    }
}

/* Two threads may take the same turn; a call that meets another one is not timed. */
TEST(a_busy_learner_is_left_alone)
{
    const struct run run = {.predicted = {2e5, 1e5}, .half = .1};
    struct proxy_learner *learner = make(&run, .01);
    const union monitor_value in = {.i = 100};
    struct proxy_timed timed = {.learner = NULL};
    struct dispatch_change change;

    assert_true(proxy_learner_take(learner));
    assert_false(proxy_learner_take(learner));
    assert_int_equal(proxy_learn_target(learner, 0, &in, &timed), 1);
    assert_null(timed.learner);
    proxy_learner_give(learner);
    assert_int_equal(proxy_learn_target(learner, 0, &in, &timed), 1);
    assert_ptr_equal(timed.learner, learner);
    assert_true(proxy_learner_take(learner));
    proxy_learn_finish(&timed, 1e5);
    assert_int_equal(learner->regions[0].arms[1].calls, 0);
    assert_int_equal(proxy_learn_changes(learner, &change, 1), 0); /* never given back */
    proxy_learner_free(learner);
}

/* Calls of 100 ns are timed rarely, so that timing costs little of them. */
TEST(short_calls_are_timed_rarely)
{
    const struct run run = {.predicted = {200, 100}, .half = .1};
    struct proxy_learner *learner = make(&run, .01);
    const union monitor_value in = {.i = 100};
    int count = 0;

    for (int call = 0; call < 10000; call++) {
        struct proxy_timed timed = {.learner = NULL};

        proxy_learn_target(learner, 0, &in, &timed);
        if (timed.learner) {
            proxy_learn_finish(&timed, 100);
            count++;
        }
    }
    assert_in_range(count, 5, 20);
    assert_in_range(learner->calls, 8000, 11000);
    proxy_learner_free(learner);
}

/* Calls up to the next timed one have not been made when a rule changes. */
TEST(a_change_has_the_number_of_its_call)
{
    const struct run run = {.predicted = {200, 190}, .half = .3};
    struct proxy_learner *learner = make(&run, .01);
    const union monitor_value in = {.i = 100};
    struct dispatch_change change = {.call = 0};
    uint64_t call = 0;

    while (call < 100000 && !proxy_learn_changes(learner, &change, 1)) {
        struct proxy_timed timed = {.learner = NULL};
        const size_t target = proxy_learn_target(learner, 0, &in, &timed);

        call++;
        if (timed.learner)
            proxy_learn_finish(&timed, target ? 800 : 200);
    }
    assert_int_equal(change.to, 0);
    assert_int_equal(change.call, call);
    proxy_learner_free(learner);
}

TEST(logarithms_are_those_of_libm)
{
    for (double x = 1e-12; x < 1e15; x *= 1.37) {
        assert_true(fabs(proxy_log(x) - log(x)) < 1e-7);
        assert_true(fabs(proxy_exp(log(x)) / x - 1) < 1e-5);
        assert_true(fabs(proxy_learn_root(x) / sqrt(x) - 1) < 1e-5);
    }
    assert_true(proxy_exp(-1e4) >= 0 && proxy_exp(1e4) > 1e299);
    assert_true(proxy_learn_root(0) == 0 && proxy_log(0) < -600);
}

TEST(a_cost_needs_a_parameter)
{
    static const char *const wrong[] = {"m", "done"};
    const struct dispatch_rule rule = {.line = 3, .method = "work", .target = 1};

    for (int i = 0; i < 2; i++) {
        const struct dispatch_cost cost = {.line = 4,
                                           .target = 1,
                                           .ns = 1e3,
                                           .half = .1,
                                           .value = wrong[i],
                                           .at = 1,
                                           .power = 1};
        const struct dispatch_learning learning = {.01, &cost, 1};
        struct cca_error err = {0};
        char text[80];
        int line = 0;

        assert_null(proxy_learner_make(&method, &rule, 1, &learning, 2, &line, &err));
        assert_int_equal(line, 4);
        snprintf(text, sizeof text, "found '%s', expected a parameter of work", wrong[i]);
        assert_string_equal(err.text, text);
    }
}

TESTS(NULL, NULL)

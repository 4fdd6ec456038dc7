/* SPDX-License-Identifier: BSD-3-Clause */
/* Races between values against simulated programs, whose best values are known. */
#include "tests/lib/test.h"

#include <math.h>

#include "common/random.h"
#include "common/statistics.h"
#include "mastermind/plan/plan.h"

enum { FIRST = 6, SECOND = 5, REPEATS = 40 };

/* The outcome of a race. */
struct outcome {
    size_t runs;
    int is_decided;
    double regret; /* mean excess cost of the choices */
};

static double normal(uint64_t *state)
{
    return cca_normal_quantile(ldexp((double)(cca_random_next(state) >> 11) + .5, -53));
}

/* Race in a program whose logarithm of cost is a sum of effects of both axes, of `sizes`
 * contexts (0: none), and of an interaction. Points with a cost of 0 fail. */
static struct outcome race_of(uint64_t seed, size_t sizes, double interaction,
                              double noise, int fails)
{
    static const double numbers[] = {100, 200, 400, 800};
    struct mm_plan_axis axes[3] = {{FIRST, NULL}, {SECOND, NULL}, {sizes, numbers}};
    const size_t raced[] = {0, 1};
    const struct mm_plan_race race = {raced, 2, .02};
    struct mm_plan_decision decision;
    struct outcome outcome = {0};
    uint64_t random = seed;
    double *cost, *seconds, effect[FIRST + SECOND];
    unsigned char *closed, *failed;
    size_t *best;
    struct mm_plan *plan =
        mm_plan_new(&(struct mm_plan_request){.axes = axes,
                                              .axis_count = sizes ? 3 : 2,
                                              .repeats = REPEATS,
                                              .grid_limit = 1000,
                                              .seed = seed},
                    NULL);

    assert_non_null(plan);
    cost = calloc(plan->point_count, sizeof *cost);
    best = calloc(plan->point_count, sizeof *best);
    seconds = calloc(plan->run_count, sizeof *seconds);
    closed = calloc(plan->run_count, 1);
    failed = calloc(plan->run_count, 1);
    assert_true(cost && best && seconds && closed && failed);
    for (size_t i = 0; i < FIRST + SECOND; i++)
        effect[i] = .8 * normal(&random);
    for (size_t p = 0; p < plan->point_count; p++) {
        size_t a = mm_plan_value(plan, p, 0), b = mm_plan_value(plan, p, 1);

        cost[p] = exp(effect[a] + effect[FIRST + b] + interaction * normal(&random));
        if (sizes)
            cost[p] *= numbers[mm_plan_value(plan, p, 2)] / 100;
        if (fails && a == b)
            cost[p] = 0;
    }
    for (size_t i = 0; i < plan->run_count; i++)
        seconds[i] = NAN;
    for (;;) {
        size_t at;

        assert_int_equal(
            mm_plan_race_next(plan, &race, seconds, closed, failed, &decision, best), 0);
        at = decision.next;
        if (at == plan->run_count)
            break;
        assert_false(closed[at]);
        closed[at] = 1;
        outcome.runs++;
        if (cost[plan->runs[at].point] > 0)
            seconds[at] = cost[plan->runs[at].point] * exp(noise * normal(&random));
        else
            failed[at] = 1;
    }
    assert_int_equal(decision.contexts, sizes ? sizes : 1);
    outcome.is_decided = decision.decided == decision.contexts;
    for (size_t p = 0; p < plan->point_count; p++) {
        double least = INFINITY;

        for (size_t other = 0; other < plan->point_count; other++)
            if (cost[other] > 0 &&
                (!sizes || mm_plan_value(plan, p, 2) == mm_plan_value(plan, other, 2)))
                least = fmin(least, cost[other]);
        assert_true(best[p] < plan->point_count && cost[best[p]] > 0);
        outcome.regret += (cost[best[p]] / least - 1) / (double)plan->point_count;
    }
    mm_plan_free(plan);
    free(cost);
    free(best);
    free(seconds);
    free(closed);
    free(failed);
    return outcome;
}

/* Mean regret of 40 races, all of which are decided with at most `share` of all runs. */
static void check_races(size_t sizes, double interaction, double noise, int fails,
                        double share)
{
    enum { RACES = 40 };
    double regret = 0, runs = 0, all = (double)(FIRST * SECOND * REPEATS);

    all *= sizes ? (double)sizes : 1;
    for (uint64_t seed = 1; seed <= RACES; seed++) {
        struct outcome outcome = race_of(seed, sizes, interaction, noise, fails);

        assert_true(outcome.is_decided);
        regret += outcome.regret / RACES;
        runs += (double)outcome.runs / RACES;
    }
    print_message("interaction %g, noise %g, %zu sizes: %.1f runs (%.2g %% of all), "
                  "regret %.2g %%\n",
                  interaction, noise, sizes, runs, 100 * runs / all, 100 * regret);
    assert_true(regret <= .02);
    assert_true(runs <= share * all);
}

static void effects_that_add_up(void **state)
{
    (void)state;
    check_races(0, 0, .05, 0, .03);
}

static void effects_that_interact(void **state)
{
    (void)state;
    check_races(0, .3, .05, 0, .04);
    check_races(0, 1, .05, 0, .05);
}

static void loud_hosts(void **state)
{
    (void)state;
    check_races(0, .3, .2, 0, .06);
}

static void values_that_fail_are_not_chosen(void **state)
{
    (void)state;
    check_races(0, .3, .05, 1, .04);
}

static void sizes_are_decided_together(void **state)
{
    (void)state;
    check_races(4, .2, .05, 0, .04);
}

/* Equal values: any choice is right, and the race ends. */
static void equal_values_end(void **state)
{
    const struct mm_plan_axis axis = {2, NULL};
    const size_t raced = 0;
    struct mm_plan_decision decision;
    double seconds[2 * REPEATS];
    unsigned char closed[2 * REPEATS] = {0}, failed[2 * REPEATS] = {0};
    uint64_t random = 1;
    size_t runs = 0;
    struct mm_plan *plan = mm_plan_new(
        &(struct mm_plan_request){
            .axes = &axis, .axis_count = 1, .repeats = REPEATS, .grid_limit = 9},
        NULL);

    (void)state;
    assert_non_null(plan);
    for (size_t i = 0; i < plan->run_count; i++)
        seconds[i] = NAN;
    for (; runs < plan->run_count; runs++) {
        assert_int_equal(mm_plan_race_next(plan, &(struct mm_plan_race){&raced, 1, .02},
                                           seconds, closed, failed, &decision, NULL),
                         0);
        if (decision.next == plan->run_count)
            break;
        closed[decision.next] = 1;
        seconds[decision.next] = exp(.05 * normal(&random));
    }
    assert_true(decision.decided == 1 && runs < 30 && decision.regret <= .02);
    mm_plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(effects_that_add_up),
        cmocka_unit_test(effects_that_interact),
        cmocka_unit_test(loud_hosts),
        cmocka_unit_test(values_that_fail_are_not_chosen),
        cmocka_unit_test(sizes_are_decided_together),
        cmocka_unit_test(equal_values_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

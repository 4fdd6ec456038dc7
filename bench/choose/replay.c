/* SPDX-License-Identifier: BSD-3-Clause */
/* replay.c: a race (mastermind/plan/race.c) over recorded costs. Standard input has the
 * numbers of values of two axes, then for each pair of values the number of its costs and
 * these; a cost of 0 is a failed run. Arguments: repeats of each pair, within, seed.
 * Prints a line for each run: the pair that ran, its cost, the choice after it; then the
 * number of runs, and whether the race is decided. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/random.h"
#include "mastermind/plan/plan.h"

struct costs {
    size_t count;
    double *list;
};

static void read_number(double *number)
{
    if (scanf("%lf", number) != 1)
        exit(2);
}

static struct costs *read_costs(size_t counts[2])
{
    double number;
    struct costs *costs;

    for (int a = 0; a < 2; a++) {
        read_number(&number);
        counts[a] = (size_t)number;
    }
    costs = calloc(counts[0] * counts[1], sizeof *costs);
    for (size_t i = 0; costs && i < counts[0] * counts[1]; i++) {
        read_number(&number);
        costs[i].count = (size_t)number;
        costs[i].list = calloc(costs[i].count + 1, sizeof *costs[i].list);
        for (size_t k = 0; costs[i].list && k < costs[i].count; k++)
            read_number(&costs[i].list[k]);
    }
    return costs;
}

int main(int argc, char **argv)
{
    size_t counts[2], raced[] = {0, 1}, runs = 0;
    struct costs *costs = argc == 4 ? read_costs(counts) : NULL;
    struct mm_plan_axis axes[2] = {{.count = 0}};
    struct mm_plan_race race = {raced, 2, argc == 4 ? strtod(argv[2], NULL) : 0};
    struct mm_plan_decision decision;
    struct mm_plan *plan;
    uint64_t random;
    double *seconds;
    unsigned char *closed, *failed;
    size_t *best;

    if (!costs)
        return fprintf(stderr, "usage: replay REPEATS WITHIN SEED < COSTS\n"), 2;
    random = strtoull(argv[3], NULL, 10);
    axes[0].count = counts[0];
    axes[1].count = counts[1];
    plan = mm_plan_new(&(struct mm_plan_request){.axes = axes,
                                                 .axis_count = 2,
                                                 .repeats = strtoul(argv[1], NULL, 10),
                                                 .grid_limit = MM_PLAN_POINTS,
                                                 .seed = random},
                       NULL);
    if (!plan)
        return 2;
    seconds = malloc(plan->run_count * sizeof *seconds);
    closed = calloc(plan->run_count, 1);
    failed = calloc(plan->run_count, 1);
    best = calloc(plan->point_count, sizeof *best);
    if (!seconds || !closed || !failed || !best)
        return 2;
    for (size_t i = 0; i < plan->run_count; i++)
        seconds[i] = NAN;
    while (mm_plan_race_next(plan, &race, seconds, closed, failed, &decision, best) ==
               0 &&
           decision.next < plan->run_count) {
        size_t at = decision.next, point = plan->runs[at].point;
        size_t pair =
            mm_plan_value(plan, point, 0) * counts[1] + mm_plan_value(plan, point, 1);
        double cost = costs[pair].list[cca_random_next(&random) % costs[pair].count];

        closed[at] = 1;
        failed[at] = cost == 0;
        seconds[at] = cost > 0 ? cost : NAN;
        runs++;
        if (mm_plan_race_next(plan, &race, seconds, closed, failed, &decision, best))
            return 2;
        printf("%zu %.9g %zd\n", pair, cost,
               best[0] < plan->point_count
                   ? (ssize_t)(mm_plan_value(plan, best[0], 0) * counts[1] +
                               mm_plan_value(plan, best[0], 1))
                   : -1);
    }
    printf("%zu %d\n", runs, decision.decided == decision.contexts);
    return 0;
}

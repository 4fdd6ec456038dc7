/* SPDX-License-Identifier: BSD-3-Clause */
/* race_judge.c: verdicts on each cost from the runs so far, and changes of functions. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/statistics.h"
#include "mastermind/cmd/diff/race.h"

/* The probability of a false verdict, 5 %, shared by the costs. */
static const double errors[RACE_COSTS] = {[RACE_CPU] = .03, [RACE_MEMORY] = .02};
enum { LEAST_PAIRS = 3 };
#define LEAST_CPU_S 1e-6 /* resolution of the kernel's CPU times */

static double cost_of(const struct sweep_cost *run, int cost)
{
    return cost == RACE_CPU ? fmax(run->cpu_s, LEAST_CPU_S) : fmax(run->peak_bytes, 1);
}

static enum race_verdict judge(const struct race *race, const struct race_change *change)
{
    if (race->pairs < LEAST_PAIRS)
        return RACE_OPEN;
    if (change->low > race->least_change)
        return RACE_WORSE;
    if (1 / (1 + change->high) - 1 > race->least_change)
        return RACE_BETTER;
    return change->low > 1 / (1 + race->same_change) - 1 &&
                   change->high < race->same_change
               ? RACE_SAME
               : RACE_OPEN;
}

int race_judge(struct race *race)
{
    double *differences = calloc(race->pairs + 1, sizeof *differences);
    int status = differences ? 0 : -ENOMEM;

    for (int cost = 0; cost < RACE_COSTS && race->pairs && !status; cost++) {
        struct race_change *change = &race->change[cost];
        struct mm_pairs_mean mean;

        memset(change, 0, sizeof *change);
        for (size_t i = 0; i < race->pairs; i++) {
            double a = cost_of(&race->runs[RACE_A][i], cost);
            double b = cost_of(&race->runs[RACE_B][i], cost);

            differences[i] = log(b / a);
            change->cost[RACE_A] += a / (double)race->pairs;
            change->cost[RACE_B] += b / (double)race->pairs;
        }
        status = mm_pairs_mean(&mean, differences, race->pairs, errors[cost]);
        change->relative = expm1(mean.middle);
        change->low = expm1(mean.low);
        change->high = expm1(mean.high);
        change->verdict = judge(race, change);
    }
    free(differences);
    return status;
}

enum race_verdict race_verdict(const struct race *race)
{
    enum race_verdict cpu = race->change[RACE_CPU].verdict;
    enum race_verdict memory = race->change[RACE_MEMORY].verdict;

    if (race->is_of_experiments)
        return race->recorded;
    return cpu == RACE_WORSE || memory == RACE_WORSE ? RACE_WORSE : cpu;
}

int race_is_by_functions(const struct race *race)
{
    return race_verdict(race) == RACE_WORSE &&
           race->change[RACE_CPU].verdict != RACE_WORSE &&
           race->change[RACE_MEMORY].verdict != RACE_WORSE;
}

/* --- Functions ---------------------------------------------------------------------- */

static double part_of(const struct sweep_cost *run, const char *name)
{
    for (size_t i = 0; i < run->part_count; i++)
        if (run->parts[i].name == name)
            return run->parts[i].cpu_s;
    return 0;
}

static int order_functions(const void *left, const void *right)
{
    const struct race_function *a = left, *b = right;
    double x = fabs(a->change_s), y = fabs(b->change_s);

    return x != y ? (x < y ? 1 : -1) : strcmp(a->name, b->name);
}

int race_find_functions(struct race *race)
{
    double n = (double)race->pairs;

    for (size_t i = 0; i < race->names.count && race->pairs > 1; i++) {
        struct race_function *function =
            cca_array_add(&race->functions, &race->function_count, sizeof *function);
        double squares = 0;

        if (!function)
            return -ENOMEM;
        function->name = race->names.list[i];
        for (int side = 0; side < RACE_SIDES; side++)
            for (size_t k = 0; k < race->pairs; k++)
                function->cpu_s[side] +=
                    part_of(&race->runs[side][k], function->name) / n;
        function->change_s = function->cpu_s[RACE_B] - function->cpu_s[RACE_A];
        for (size_t k = 0; k < race->pairs; k++)
            squares += pow(part_of(&race->runs[RACE_B][k], function->name) -
                               part_of(&race->runs[RACE_A][k], function->name) -
                               function->change_s,
                           2);
        function->half_s =
            cca_student_quantile(.975, n - 1) * sqrt(squares / (n - 1) / n);
    }
    if (race->function_count)
        qsort(race->functions, race->function_count, sizeof *race->functions,
              order_functions);
    return 0;
}

int race_is_changed(const struct race *race, const struct race_function *function)
{
    return fabs(function->change_s) > function->half_s &&
           fabs(function->change_s) >=
               race->least_change * race->change[RACE_CPU].cost[RACE_A];
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* race.c: the runs that decide which values cost least.
 *
 *   runs ─▶ expected cost of each point ─▶ choice of each context, its rivals
 *                                             └─▶ expected regret ─▶ next run
 *
 * The expected regret of a choice is at most the sum, over its rivals, of the expected
 * excess of its logarithm of cost over the rival's. As an expectation over all unknown
 * costs it may be looked at after each run. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/plan/plan.h"
#include "mastermind/plan/parts.h"

enum { LEAST_RUNS = 3 }; /* least number of runs of a choice */

/* The points' expected costs, and their runs. */
struct known {
    const struct mm_plan *plan;
    const struct mm_plan_race *race;
    double *mean, *sd;   /* [points] logarithm of the time of a run */
    size_t *open;        /* [points] index of the first run that is not closed, or
                          * run_count */
    size_t *made;        /* [points] number of completed runs */
    unsigned char *lost; /* [points] true: a run failed */
};

static int is_raced(const struct mm_plan_race *race, size_t axis)
{
    for (size_t i = 0; i < race->axis_count; i++)
        if (race->axes[i] == axis)
            return 1;
    return 0;
}

/* True if two points differ on raced axes alone. */
static int is_same_context(const struct known *known, size_t a, size_t b)
{
    for (size_t axis = 0; axis < known->plan->axis_count; axis++)
        if (!is_raced(known->race, axis) &&
            mm_plan_value(known->plan, a, axis) != mm_plan_value(known->plan, b, axis))
            return 0;
    return 1;
}

static void known_done(struct known *known)
{
    free(known->mean);
    free(known->sd);
    free(known->open);
    free(known->made);
    free(known->lost);
}

static int known_init(struct known *known, const struct mm_plan *plan,
                      const struct mm_plan_race *race, const double *seconds,
                      const unsigned char *closed, const unsigned char *failed)
{
    size_t points = plan->point_count;

    *known = (struct known){.plan = plan,
                            .race = race,
                            .mean = calloc(points, sizeof *known->mean),
                            .sd = calloc(points, sizeof *known->sd),
                            .open = calloc(points, sizeof *known->open),
                            .made = calloc(points, sizeof *known->made),
                            .lost = calloc(points, 1)};
    if (!known->mean || !known->sd || !known->open || !known->made || !known->lost)
        return -ENOMEM;
    for (size_t p = 0; p < points; p++)
        known->open[p] = plan->run_count;
    for (size_t i = plan->run_count; i-- > 0;) {
        size_t p = plan->runs[i].point;

        if (!closed[i])
            known->open[p] = i;
        known->made[p] += seconds[i] > 0;
        known->lost[p] |= failed[i];
    }
    return mm_plan_know(plan, seconds, known->mean, known->sd);
}

/* The point with completed runs that is expected to cost least in a context, or
 * point_count. */
static size_t find_choice(const struct known *known, size_t context)
{
    size_t best = known->plan->point_count;

    for (size_t p = 0; p < known->plan->point_count; p++)
        if (known->made[p] && !known->lost[p] && is_same_context(known, p, context) &&
            (best == known->plan->point_count || known->mean[p] < known->mean[best]))
            best = p;
    return best;
}

/* Expected excess of the choice's logarithm of cost over a rival's. */
static double excess(const struct known *known, size_t choice, size_t rival)
{
    double sd = hypot(known->sd[choice], known->sd[rival]);
    double z = (known->mean[choice] - known->mean[rival]) / sd;

    return sd * (exp(-z * z / 2) * .3989422804014327 + z * .5 * erfc(-z * .70710678));
}

/* A candidate for the next run. */
struct candidate {
    size_t run;
    double worth; /* part in the regret for the time of the run */
};

static void offer(const struct known *known, struct candidate *best, size_t point,
                  double part)
{
    double worth = part * exp(-known->mean[point]);

    if (known->open[point] < known->plan->run_count && worth > best->worth)
        *best = (struct candidate){known->open[point], worth};
}

/* Judge one context. Returns its expected regret, and whether it is decided; if not, runs
 * that would lessen the regret are offered. */
static double judge(const struct known *known, size_t context, size_t choice,
                    struct candidate *best, int *is_decided)
{
    double regret = 0;
    struct candidate own = {known->plan->run_count, 0};
    /* a single run may have been lucky, and shows no noise */
    int is_sure = known->made[choice] >= LEAST_RUNS ||
                  known->open[choice] == known->plan->run_count;

    for (size_t p = 0; p < known->plan->point_count; p++) {
        double part, rival, variance;

        if (p == choice || known->lost[p] || !is_same_context(known, p, context))
            continue;
        part = excess(known, choice, p);
        regret += part;
        rival = known->sd[p] * known->sd[p];
        variance = rival + known->sd[choice] * known->sd[choice];
        offer(known, &own, p, part * rival / variance);
        offer(known, &own, choice, part * (1 - rival / variance));
    }
    *is_decided = regret <= known->race->within && is_sure;
    if (regret <= known->race->within && !is_sure)
        own = (struct candidate){known->open[choice], INFINITY};
    if (!*is_decided && own.worth > best->worth)
        *best = own;
    return regret;
}

/* The first open run with a value that no closed run has, so that each value is seen once
 * before any is judged; run_count: none. */
static size_t find_unseen(const struct known *known, const unsigned char *closed)
{
    const struct mm_plan *plan = known->plan;
    unsigned char seen[MM_PLAN_VALUES] = {0};

    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < plan->run_count; i++) {
            size_t first = 0;

            for (size_t axis = 0; axis < plan->axis_count; axis++) {
                size_t at = first + mm_plan_value(plan, plan->runs[i].point, axis);

                if (closed[i])
                    seen[at] = 1;
                else if (pass && !seen[at])
                    return i;
                first += plan->axes[axis].count;
            }
        }
    return plan->run_count;
}

/* The open run that is expected to take least time in a context without a choice;
 * run_count: none. */
static size_t find_opening(const struct known *known, size_t context)
{
    size_t best = known->plan->point_count;

    for (size_t p = 0; p < known->plan->point_count; p++)
        if (!known->lost[p] && known->open[p] < known->plan->run_count &&
            is_same_context(known, p, context) &&
            (best == known->plan->point_count || known->mean[p] < known->mean[best]))
            best = p;
    return best < known->plan->point_count ? known->open[best] : known->plan->run_count;
}

static void decide(const struct known *known, const unsigned char *closed,
                   struct mm_plan_decision *decision, size_t *chosen)
{
    const struct mm_plan *plan = known->plan;
    struct candidate best = {plan->run_count, 0};
    size_t opening = plan->run_count;

    for (size_t p = 0; p < plan->point_count; p++) {
        size_t first = 0, choice = find_choice(known, p);
        double regret;
        int is_decided;

        if (chosen)
            chosen[p] = choice;
        while (!is_same_context(known, first, p))
            first++;
        if (first < p) /* its context is judged */
            continue;
        decision->contexts++;
        if (choice == plan->point_count) {
            decision->regret = NAN;
            if (opening == plan->run_count)
                opening = find_opening(known, p);
            continue;
        }
        regret = judge(known, p, choice, &best, &is_decided);
        decision->decided += (size_t)is_decided;
        decision->regret =
            fmax(decision->regret, regret) + (isnan(decision->regret) ? NAN : 0);
    }
    decision->next = find_unseen(known, closed);
    if (decision->next == plan->run_count)
        decision->next = opening < plan->run_count ? opening : best.run;
}

int mm_plan_race_next(const struct mm_plan *plan, const struct mm_plan_race *race,
                      const double *seconds, const unsigned char *closed,
                      const unsigned char *failed, struct mm_plan_decision *decision,
                      size_t *best)
{
    struct known known;
    int result = known_init(&known, plan, race, seconds, closed, failed);

    *decision = (struct mm_plan_decision){.next = plan->run_count};
    if (!result)
        decide(&known, closed, decision, best);
    known_done(&known);
    return result;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* order.c: set the order of the runs of a plan. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/plan/parts.h"

enum {
    TRIES = 64, /* number of orders tried for a round, of which the best is used */
    /* number of orders tried for a round, if there are many points and axes */
    FEW_TRIES = 4,
    MANY = 512, /* with more points than this, CANDIDATES limits the search */
    /* number of points that are compared for a position in the first round */
    CANDIDATES = 128,
};

/* --- Correlation of an order with the axes ----------------------------------------- */

/* Return the correlation of the positions in an order of runs with the ranks of the
 * values on a numeric axis. */
static double number_trend(const struct mm_plan *plan, const size_t *order, size_t axis)
{
    double mean = 0, both = 0, squares = 0, places = 0;
    size_t count = plan->point_count;

    for (size_t i = 0; i < count; i++)
        mean += (double)mm_plan_value(plan, i, axis) / (double)count;
    for (size_t i = 0; i < count; i++) {
        double place = (double)i - (double)(count - 1) / 2;
        double value = (double)mm_plan_value(plan, order[i], axis) - mean;

        both += place * value;
        squares += value * value;
        places += place * place;
    }
    return squares > 0 && places > 0 ? fabs(both) / sqrt(squares * places) : 0;
}

/* Return the trend of an axis of names: how far the mean position of a name is from the
 * middle of the order, for the name with the largest distance. */
static double name_trend(const struct mm_plan *plan, const size_t *order, size_t axis)
{
    size_t count = plan->point_count;
    double worst = 0;

    for (size_t name = 0; name < plan->axes[axis].count; name++) {
        double sum = 0, of_name = 0, places = 0;

        for (size_t i = 0; i < count; i++) {
            double place = (double)i - (double)(count - 1) / 2;
            int is_name = mm_plan_value(plan, order[i], axis) == name;

            sum += is_name ? place : 0;
            of_name += is_name;
            places += place * place;
        }
        if (of_name > 0 && of_name < (double)count)
            worst = fmax(worst, fabs(sum) / sqrt(places * of_name *
                                                 (1 - of_name / (double)count)));
    }
    return worst;
}

static double worst_trend(const struct mm_plan *plan, const size_t *order)
{
    double worst = 0;

    for (size_t a = 0; a < plan->axis_count; a++)
        worst = fmax(worst, plan->axes[a].numbers ? number_trend(plan, order, a)
                                                  : name_trend(plan, order, a));
    return worst;
}

/* --- The first round ------------------------------------------------------------------
 */

/* Merits of a point as the next one of an order: its new values, its new pairs of values,
 * and its distance from the earlier points. */
struct worth {
    size_t values, pairs;
    double distance;
};

static int is_better(const struct worth *a, const struct worth *b)
{
    if (a->values != b->values)
        return a->values > b->values;
    if (a->pairs != b->pairs)
        return a->pairs > b->pairs;
    return a->distance > b->distance;
}

/* Move the point with the most new values, then pairs, to the position `at` of `order`.
 * The points after `at` are in random order, so that equal points are chosen at
 * random. */
static void take_best(const struct mm_plan *plan, const struct mm_cover *cover,
                      const double *distances, size_t *order, size_t at)
{
    size_t end = plan->point_count, best_at = at, taken;
    struct worth best = {0};

    if (end > MANY && end - at > CANDIDATES)
        end = at + CANDIDATES;
    for (size_t i = at; i < end; i++) {
        const size_t *point = &plan->values[order[i] * plan->axis_count];
        struct worth worth = {mm_cover_new_values(cover, point),
                              cover->pairs_left ? mm_cover_new_pairs(cover, point) : 0,
                              distances[order[i]]};

        if (i == at || is_better(&worth, &best)) {
            best = worth;
            best_at = i;
        }
    }
    taken = order[best_at];
    order[best_at] = order[at];
    order[at] = taken;
}

/* Order all points so that each adds as many new values and pairs as possible to the
 * points before it. */
static int order_by_worth(const struct mm_plan *plan, uint64_t *random, size_t *order)
{
    double *distances = malloc(plan->point_count * sizeof *distances);
    struct mm_cover cover;
    int result = mm_cover_init(&cover, plan);

    if (!result && !distances)
        result = -ENOMEM;
    for (size_t i = 0; !result && i < plan->point_count; i++)
        distances[i] = INFINITY;
    for (size_t at = 0; !result && at < plan->point_count; at++) {
        const size_t *taken;

        if (at == 0 || (plan->point_count > MANY && at % CANDIDATES == 0))
            mm_random_shuffle(random, order + at, plan->point_count - at);
        take_best(plan, &cover, distances, order, at);
        taken = &plan->values[order[at] * plan->axis_count];
        mm_cover_point(&cover, taken);
        for (size_t i = at + 1; i < plan->point_count; i++)
            distances[order[i]] =
                fmin(distances[order[i]],
                     mm_point_distance(plan, taken,
                                       &plan->values[order[i] * plan->axis_count]));
    }
    mm_cover_done(&cover);
    free(distances);
    return result;
}

/* --- Rounds ---------------------------------------------------------------------------
 */

/* Return the number of orders to try. It is limited, because an order of the first round
 * takes points^2 axes^2 steps. */
static int count_tries(const struct mm_plan *plan)
{
    double steps = pow((double)plan->point_count * (double)(plan->axis_count + 1), 2);

    return (int)fmax(FEW_TRIES, fmin(TRIES, 1e8 / steps));
}

/* Try several orders of all points for a round, and store the best one in `best`. */
static int order_round(const struct mm_plan *plan, size_t round, uint64_t *random,
                       size_t *order, size_t *best)
{
    int tries = count_tries(plan);
    double least = INFINITY;

    for (int i = 0; i < tries; i++) {
        double trend;

        for (size_t k = 0; k < plan->point_count; k++)
            order[k] = k;
        if (round > 0)
            mm_random_shuffle(random, order, plan->point_count);
        else if (order_by_worth(plan, random, order))
            return -ENOMEM;
        trend = worst_trend(plan, order);
        if (trend >= least)
            continue;
        least = trend;
        memcpy(best, order, plan->point_count * sizeof *best);
    }
    return 0;
}

int mm_plan_set_order(struct mm_plan *plan, uint64_t *random, struct cca_error *err)
{
    size_t count = plan->point_count, *orders = malloc(2 * count * sizeof *orders);
    int result = 0;

    plan->runs = malloc(count * plan->repeats * sizeof *plan->runs);
    if (!orders || !plan->runs)
        result = -ENOMEM;
    for (size_t round = 0; round < plan->repeats && !result; round++) {
        result = order_round(plan, round, random, orders, orders + count);
        for (size_t i = 0; i < count && !result; i++)
            plan->runs[plan->run_count++] =
                (struct mm_plan_run){.point = orders[count + i], .repeat = round};
    }
    free(orders);
    return result ? cca_no_memory(err) : 0;
}

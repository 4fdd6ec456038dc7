/* SPDX-License-Identifier: BSD-3-Clause */
/* expect.c: repartition where the loss of a step reaches the threshold that would have
 * been best so far.
 *
 * Why a threshold: with a price p and a loss g(a) of a partition of age a, the least cost
 * per step is r = min over n of (p + g(0) + ... + g(n - 1)) / n, and n is best where g(n)
 * reaches r (the marginal value theorem, Charnov 1976). For a loss that grows by m per
 * step the interval is sqrt(2 p / m); after a jump there is no wait. Where losses fall
 * again by themselves, the best threshold is above r.
 *
 * The policy tries several thresholds: in a trial, which begins at each step, it adds the
 * losses of that step's partition until one reaches the threshold, then the price of a
 * new partition. The threshold with the least cost per step wins. Trials use all
 * partitions so far, also unused ones. An unfinished trial pays the price as if it ended
 * now: otherwise waiting for ever would look cheap. Weights of old steps decay.
 * Independent of the trials, at most `patience` prices are lost, and no price is paid
 * that the remaining steps cannot earn back.
 *
 * A trial has at most MESH_PAST queries. Where the best interval is longer, as with
 * prices of tens of steps, query the policy every few steps only. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/balance/parts.h"

enum { TRIALS = 64 }; /* number of thresholds that are tried, four for each factor of 2 */

struct mesh_ages {
    double threshold[TRIALS];
    /* cost and number of steps, summed over the trials of all steps */
    double cost[TRIALS], steps[TRIALS];
    /* [i][a]: true if in the trial that began `a` queries ago no loss has reached
     * threshold[i] yet */
    unsigned char open[TRIALS][MESH_PAST];
};

const struct mesh_expect_constants mesh_expect_defaults = {
    .share = 1, .patience = 4, .memory = 50};

/* Set the thresholds in descending order. The first is 8 times the largest price known at
 * the first query with a price above 0. */
static void choose_thresholds(struct mesh_ages *ages, const struct mesh_seen *seen)
{
    double scale = seen->price;

    for (int64_t a = 0; a < seen->past_count; a++)
        scale = fmax(scale, seen->past_price[a]);
    for (int i = 0; i < TRIALS; i++)
        ages->threshold[i] = 8 * scale * exp2(-i / 4.);
}

/* Add a query to all trials of a threshold: each gets older by one, and a new trial
 * begins. */
static void learn_trial(struct mesh_ages *ages, const struct mesh_seen *seen, int i,
                        double keep, double every)
{
    unsigned char *open = ages->open[i];
    double cost = 0, steps = 1;

    memmove(open + 1, open, MESH_PAST - 1);
    open[0] = 1;
    for (int64_t a = 1; a < seen->past_count; a++) {
        double loss = seen->past[a] - seen->fresh;

        if (!open[a])
            continue;
        if ((loss > 0 && loss >= ages->threshold[i]) || a == MESH_PAST - 1) {
            open[a] = 0;
            cost += seen->past_price[a];
        } else {
            cost += loss * every;
            steps++;
        }
    }
    ages->cost[i] = ages->cost[i] * keep + cost;
    ages->steps[i] = ages->steps[i] * keep + steps * every;
}

static void learn(struct mesh_ages *ages, const struct mesh_seen *seen, double keep,
                  double every)
{
    if (!(ages->threshold[0] > 0))
        choose_thresholds(ages, seen);
    for (int i = 0; i < TRIALS; i++)
        learn_trial(ages, seen, i, keep, every);
}

/* Return the threshold whose trials have the least cost per step. */
static double best_trial(const struct mesh_ages *ages, const struct mesh_seen *seen)
{
    double least = DBL_MAX, best = 0;

    for (int i = 0; i < TRIALS; i++) {
        double cost = ages->cost[i];

        for (int64_t a = 1; a < seen->past_count; a++)
            if (ages->open[i][a])
                cost += seen->past_price[a];
        if (cost / ages->steps[i] < least) {
            least = cost / ages->steps[i];
            best = ages->threshold[i];
        }
    }
    return best;
}

int mesh_expect(struct mesh_policy *policy, const struct mesh_seen *seen)
{
    const struct mesh_expect_constants *with = &policy->expect;
    double every = seen->every > 1 ? (double)seen->every : 1;
    double loss = seen->largest - seen->fresh, threshold = DBL_MAX;
    struct mesh_ages *ages = policy->ages;

    if (!ages)
        ages = policy->ages = calloc(1, sizeof *ages);
    if (!ages)
        return -ENOMEM;
    learn(ages, seen, exp(-1 / with->memory), every);
    if (seen->past_count > 1)
        threshold = with->share * best_trial(ages, seen);
    if (loss <= 0 ||
        (seen->remaining > 0 && loss * (double)seen->remaining < seen->price))
        return 0;
    return loss >= threshold || policy->lost >= with->patience * seen->price;
}

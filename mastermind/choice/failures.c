/* SPDX-License-Identifier: BSD-3-Clause */
/* failures.c: the probability of a failure as a function of the size. */
#include "mastermind/choice/failures.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "common/random.h"
#include "common/statistics.h"

enum { DRAWS = 4000 };

static int size_order(const void *left, const void *right)
{
    const struct mm_trials *a = left, *b = right;

    return (a->size > b->size) - (a->size < b->size);
}

size_t mm_trials_order(struct mm_trials *trials, size_t count)
{
    size_t joined = 0;

    if (count)
        qsort(trials, count, sizeof *trials, size_order);
    for (size_t i = 0; i < count; i++)
        if (joined && trials[joined - 1].size == trials[i].size) {
            trials[joined - 1].runs += trials[i].runs;
            trials[joined - 1].failures += trials[i].failures;
        } else {
            trials[joined++] = trials[i];
        }
    return joined;
}

/* --- Dependence --------------------------------------------------------------------- */

/* Test whether failures depend on the size: compare the sum of the failures' ranks with
 * the sums of random choices of as many runs. Sets direction and p. */
static int test_dependence(const struct mm_trials *trials, size_t count,
                           struct mm_failure *failure)
{
    size_t runs = 0, failures = 0, n = 0, above = 0, below = 0;
    uint64_t state = 1;
    double *ranks, found = 0;

    for (size_t i = 0; i < count; i++) {
        runs += trials[i].runs;
        failures += trials[i].failures;
    }
    failure->direction = 0;
    failure->p = 1;
    if (count < 2 || !failures || failures == runs)
        return 0;
    ranks = malloc(runs * sizeof *ranks);
    if (!ranks)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        double rank = (double)n + (double)trials[i].runs / 2;

        found += rank * (double)trials[i].failures;
        for (size_t k = 0; k < trials[i].runs; k++)
            ranks[n++] = rank;
    }
    for (int draw = 0; draw < DRAWS; draw++) {
        double sum = 0;

        for (size_t i = 0; i < failures; i++) {
            size_t other = i + cca_random_next(&state) % (runs - i);
            double rank = ranks[other];

            ranks[other] = ranks[i];
            ranks[i] = rank;
            sum += rank;
        }
        above += sum >= found * (1 - 1e-12);
        below += sum <= found * (1 + 1e-12);
    }
    free(ranks);
    failure->p = fmin(1, 2 * (double)((above < below ? above : below) + 1) / (DRAWS + 1));
    if (failure->p <= MM_FAILURE_CHANCE)
        failure->direction = above < below ? 1 : -1;
    return 0;
}

/* --- The share at a size ------------------------------------------------------------ */

/* The trials at place `i` on the way to more failures. */
static const struct mm_trials *trials_at(const struct mm_trials *trials, size_t count,
                                         int direction, size_t i)
{
    return &trials[direction > 0 ? i : count - 1 - i];
}

/* Isotone regression at place `at`: for each block end at or behind `at`, the largest
 * mean of a block with this end that contains `at`; of these the least (min-max formula).
 */
static double isotone(const struct mm_trials *trials, size_t count, int direction,
                      size_t at)
{
    double least = 1;

    for (size_t end = at; end < count; end++) {
        double runs = 0, failures = 0, most = 0;

        for (size_t i = end + 1; i-- > 0;) {
            const struct mm_trials *t = trials_at(trials, count, direction, i);

            runs += (double)t->runs;
            failures += (double)t->failures;
            if (i <= at && runs > 0)
                most = fmax(most, failures / runs);
        }
        least = fmin(least, most);
    }
    return least;
}

static void find_dependent(const struct mm_trials *trials, size_t count, double size,
                           double level, struct mm_failure *failure)
{
    int direction = failure->direction;
    double runs[2] = {0}, failures[2] = {0}, unused;
    size_t at = count - 1;

    for (size_t i = count; i-- > 0;) {
        const struct mm_trials *t = trials_at(trials, count, direction, i);
        double ahead = direction * (t->size - size);

        if (ahead >= 0)
            at = i;
        if (t->failures)
            failure->edge = t->size;
        for (int side = 0; side < 2; side++)
            if (side ? ahead >= 0 : ahead <= 0) {
                runs[side] += (double)t->runs;
                failures[side] += (double)t->failures;
            }
    }
    failure->share = isotone(trials, count, direction, at);
    cca_share_interval(failures[0], runs[0], level, &failure->low, &unused);
    cca_share_interval(failures[1], runs[1], level, &unused, &failure->high);
    failure->low = fmin(failure->low, failure->share);
    failure->high = fmax(failure->high, failure->share);
}

int mm_failure_at(const struct mm_trials *trials, size_t count, double size, double level,
                  struct mm_failure *failure)
{
    double runs = 0, failures = 0;

    *failure = (struct mm_failure){.factor = 1, .edge = NAN};
    if (test_dependence(trials, count, failure))
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        runs += (double)trials[i].runs;
        failures += (double)trials[i].failures;
    }
    if (count && trials[count - 1].size > 0 && size > trials[count - 1].size)
        failure->factor = size / trials[count - 1].size;
    failure->share = runs > 0 ? failures / runs : NAN;
    cca_share_interval(failures, runs, level, &failure->low, &failure->high);
    if (failure->direction)
        find_dependent(trials, count, size, level, failure);
    return 0;
}

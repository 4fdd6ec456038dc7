/* SPDX-License-Identifier: BSD-3-Clause */
/* choose.c: choose the run with the most gain per second. */
#include <math.h>
#include <stdlib.h>

#include "common/statistics.h"
#include "properties/search/search.h"

/* For each enum mm_search_ask: number of counters it takes, and the relative time that
 * measuring adds to a run. */
static const struct {
    int places;
    double share;
} asks_of[MM_SEARCH_ASKS] = {{5, .01}, {3, .01}, {0, .02}, {4, .02}, {1, .01}};

int mm_search_places(unsigned asks)
{
    int places = 0;

    for (int i = 0; i < MM_SEARCH_ASKS; i++)
        places += asks >> i & 1 ? asks_of[i].places : 0;
    return places;
}

/* Median time of the runs on `ranks` ranks; NaN: there are no such runs, or no memory. */
static double median_at(const struct mm_search_run *made, size_t count, int ranks)
{
    double *seconds = malloc((count + 1) * sizeof *seconds), median = NAN;
    size_t n = 0;

    for (size_t i = 0; seconds && i < count; i++)
        if (made[i].ranks == ranks && made[i].seconds > 0)
            seconds[n++] = made[i].seconds;
    if (n)
        median = cca_median(seconds, n);
    free(seconds);
    return median;
}

/* The two numbers of ranks, among the runs made, that are nearest to `ranks` in ratio; 0:
 * none. */
static void nearest_two(const struct mm_search_run *made, size_t count, int ranks,
                        int near[2])
{
    near[0] = near[1] = 0;
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < count; i++) {
            double far = fabs(log((double)made[i].ranks / ranks));

            if (!(made[i].seconds > 0) || (k && made[i].ranks == near[0]))
                continue;
            if (!near[k] || far < fabs(log((double)near[k] / ranks)))
                near[k] = made[i].ranks;
        }
}

double mm_search_seconds(const struct mm_search_run *made, size_t count, int ranks,
                         unsigned asks)
{
    double seconds = median_at(made, count, ranks), share = 1;
    int near[2];

    if (isnan(seconds)) {
        nearest_two(made, count, ranks, near);
        if (!near[0])
            return NAN;
        seconds = median_at(made, count, near[0]);
        if (near[1]) {
            double b = log(seconds / median_at(made, count, near[1])) /
                       log((double)near[0] / near[1]);

            b = fmax(-1, fmin(1, b));
            seconds *= pow((double)ranks / near[0], b);
        }
    }
    for (int i = 0; i < MM_SEARCH_ASKS; i++)
        share += asks >> i & 1 ? asks_of[i].share : 0;
    return seconds * share;
}

/* Worth of a run: the sum of the gains of the questions that it serves. */
static double worth(const struct mm_search_request *r, int ranks, unsigned asks,
                    size_t *serves)
{
    double gain = 0;

    *serves = 0;
    for (size_t i = 0; i < r->question_count; i++) {
        const struct mm_search_question *q = &r->questions[i];

        if (q->ranks != ranks || (q->asks & ~asks) || (q->exact && q->asks != asks) ||
            !(q->gain / fmax(1, q->runs) >= r->least_gain))
            continue;
        gain += q->gain / fmax(1, q->runs);
        ++*serves;
    }
    return gain;
}

/* Whether `run` with `rate` is better than the best so far; runs with more ranks and
 * fewer measurements are tried first. */
static int is_better(const struct mm_search_choice *best, double best_rate, double rate)
{
    return !best->found || rate > best_rate * (1 + 1e-9);
}

void mm_search_choose(struct mm_search_choice *choice,
                      const struct mm_search_request *request)
{
    double best_rate = 0;
    int too_long = 0;

    *choice = (struct mm_search_choice){0};
    for (size_t i = request->ranks_count; i-- > 0;)
        for (unsigned asks = 0; asks < 1u << MM_SEARCH_ASKS; asks++) {
            int ranks = request->ranks[i];
            double seconds =
                       mm_search_seconds(request->made, request->made_count, ranks, asks),
                   gain,
                   share = isnan(seconds) ? 1 + .01 * mm_search_places(asks) : seconds;
            size_t serves;

            if ((asks & ~request->allowed) || mm_search_places(asks) > MM_SEARCH_PLACES)
                continue;
            gain = worth(request, ranks, asks, &serves);
            if (!serves || !is_better(choice, best_rate, gain / share))
                continue;
            if (seconds > request->left) {
                too_long = 1;
                continue;
            }
            best_rate = gain / share;
            *choice = (struct mm_search_choice){.found = 1,
                                                .run = {ranks, asks, seconds},
                                                .gain = gain,
                                                .serves = serves};
        }
    choice->too_long = !choice->found && too_long;
}

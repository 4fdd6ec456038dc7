/* SPDX-License-Identifier: BSD-3-Clause */
/* by_rank.c: choose the methods whose mean cost is written per rank, so that each rank's
 * total agrees with the measurement.
 *
 * A single mean over all ranks is short, but if one rank writes files or has a slower
 * core, that rank's total is off. The methods with the largest differences get one mean
 * per rank until no rank's total is off by more than .7 %. */
#include <math.h>
#include <stdlib.h>

#include "activity/trip/core.h"

/* largest accepted error, as a fraction of a rank's total */
static const double most_off = .007;

/* off[symbol][rank]: error of the rank's total, as a fraction of it, from using the mean
 * over ranks for this symbol. */
static double *differences(struct trip *trip)
{
    size_t ranks = (size_t)trip->most_ranks;
    double *off = calloc(trip->symbol_count * ranks + 1, sizeof *off);
    double *total = calloc(ranks + 1, sizeof *total);

    for (size_t k = 0; off && total && k < trip->thread_count; k++) {
        const struct trip_thread *t = &trip->threads[k];

        for (size_t i = 0; t->run == 0 && i < t->count; i++) {
            const struct trip_call *call = &t->calls[i];
            const struct trip_size *size = &trip->symbols[call->symbol].sizes[call->size];

            off[call->symbol * ranks + (size_t)t->rank] +=
                size->own_ns / (double)size->calls;
        }
    }
    for (size_t i = 0; off && total && i < trip->symbol_count; i++) {
        for (size_t r = 0; r < ranks; r++) {
            off[i * ranks + r] -= trip->symbols[i].rank_ns[r];
            total[r] += trip->symbols[i].rank_ns[r];
        }
    }
    for (size_t i = 0; off && total && i < trip->symbol_count; i++)
        for (size_t r = 0; r < ranks; r++)
            off[i * ranks + r] = total[r] > 0 ? off[i * ranks + r] / total[r] : 0;
    if (!total) {
        free(off);
        off = NULL;
    }
    free(total);
    return off;
}

/* The rank whose total is off by most; *worst is its error. */
static size_t worst_rank(const struct trip *trip, const double *off, double *worst)
{
    size_t ranks = (size_t)trip->most_ranks, at = 0;

    *worst = 0;
    for (size_t r = 0; r < ranks; r++) {
        double sum = 0;

        for (size_t i = 0; i < trip->symbol_count; i++)
            sum += trip->symbols[i].by_rank ? 0 : off[i * ranks + r];
        if (fabs(sum) > fabs(*worst)) {
            *worst = sum;
            at = r;
        }
    }
    return at;
}

int trip_by_rank(struct trip *trip)
{
    size_t ranks = (size_t)trip->most_ranks;
    double *off, worst;

    if (ranks < 2 || trip->by_laws)
        return 0;
    off = differences(trip);
    if (!off)
        return cca_no_memory(trip->err);
    for (size_t left = trip->symbol_count; left > 0; left--) {
        size_t rank = worst_rank(trip, off, &worst), best = trip->symbol_count;

        if (fabs(worst) <= most_off)
            break;
        for (size_t i = 0; i < trip->symbol_count; i++) {
            const struct trip_symbol *s = &trip->symbols[i];

            if (!s->by_rank && !s->summed && off[i * ranks + rank] * worst > 0 &&
                (best == trip->symbol_count ||
                 fabs(off[i * ranks + rank]) > fabs(off[best * ranks + rank])))
                best = i;
        }
        if (best == trip->symbol_count)
            break;
        trip->symbols[best].by_rank = 1;
    }
    free(off);
    return 0;
}

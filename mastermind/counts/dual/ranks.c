/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks.c: the calls and times of each rank of an experiment, and its imbalance. */
#include "mastermind/counts/dual/ranks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int mm_ranks_reserve(struct mm_ranks *ranks, int count)
{
    int room = ranks->room ? ranks->room : 4;
    void *sums, *ends;

    if (count > ranks->count)
        ranks->count = count;
    if (count <= ranks->room)
        return 0;
    while (room < count)
        room *= 2;
    sums = realloc(ranks->sums, (size_t)room * ranks->method_count * sizeof *ranks->sums);
    if (sums)
        ranks->sums = sums;
    ends = realloc(ranks->ends, (size_t)room * sizeof *ranks->ends);
    if (ends)
        ranks->ends = ends;
    if (!sums || !ends)
        return -ENOMEM;
    memset(ranks->sums + (size_t)ranks->room * ranks->method_count, 0,
           (size_t)(room - ranks->room) * ranks->method_count * sizeof *ranks->sums);
    memset(ranks->ends + ranks->room, 0,
           (size_t)(room - ranks->room) * sizeof *ranks->ends);
    ranks->room = room;
    return 0;
}

int mm_ranks_row(struct mm_ranks *ranks, const struct mm_row *row, int64_t exclusive_ns,
                 int64_t end_ns)
{
    struct mm_rank_sum *sum;
    struct mm_rank_end *end;

    if (mm_ranks_reserve(ranks, row->rank + 1))
        return -ENOMEM;
    sum = &ranks->sums[(size_t)row->rank * ranks->method_count + row->method->index];
    end = &ranks->ends[row->rank];
    if (end_ns > end->last_ns)
        end->last_ns = end_ns;
    if (row->counted)
        return 0;
    sum->calls++;
    sum->exclusive_ns += exclusive_ns;
    if (row->status == MM_ROW_OPEN)
        end->open++;
    else
        end->rows++;
    return 0;
}

int mm_ranks_aggregate(struct mm_ranks *ranks, const struct mm_aggregate *a,
                       int64_t exclusive_ns)
{
    struct mm_rank_sum *sum;

    if (mm_ranks_reserve(ranks, a->rank + 1))
        return -ENOMEM;
    sum = &ranks->sums[(size_t)a->rank * ranks->method_count + a->method->index];
    sum->calls += a->calls;
    sum->exclusive_ns += exclusive_ns;
    ranks->ends[a->rank].rows += a->calls;
    return 0;
}

double mm_ranks_ns(const struct mm_ranks *ranks, int rank)
{
    double sum = 0;

    for (size_t i = 0; i < ranks->method_count && rank < ranks->count; i++)
        sum += (double)ranks->sums[(size_t)rank * ranks->method_count + i].exclusive_ns;
    return sum;
}

void mm_ranks_done(struct mm_ranks *ranks)
{
    free(ranks->sums);
    free(ranks->ends);
    ranks->sums = NULL;
    ranks->ends = NULL;
}

struct mm_rank_spread mm_rank_spread(const struct mm_rank_sum *sums, int count,
                                     size_t stride)
{
    struct mm_rank_spread spread = {.ranks = count};

    for (int rank = 0; rank < count; rank++) {
        double value = (double)sums[(size_t)rank * stride].exclusive_ns;

        if (rank == 0 || value < spread.min) {
            spread.min = value;
            spread.least = rank;
        }
        if (rank == 0 || value > spread.max) {
            spread.max = value;
            spread.most = rank;
        }
        spread.mean += value / count;
        spread.with_calls += sums[(size_t)rank * stride].calls > 0;
    }
    if (spread.mean > 0)
        spread.imbalance = spread.max / spread.mean - 1;
    return spread;
}

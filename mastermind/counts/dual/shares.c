/* SPDX-License-Identifier: BSD-3-Clause */
/* shares.c: the time of a whole program by consumer. */
#include "mastermind/counts/dual/shares.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "mastermind/reader/timers.h"

static struct mm_share *share_of(struct mm_shares *shares, const char *instance)
{
    struct mm_share *share;

    for (size_t i = 0; i < shares->count; i++)
        if (strcmp(shares->list[i].instance, instance) == 0)
            return &shares->list[i];
    share = cca_array_add(&shares->list, &shares->count, sizeof *share);
    if (share)
        share->instance = instance;
    return share;
}

static int by_time(const void *left, const void *right)
{
    const struct mm_share *a = left, *b = right;
    int order = (a->ns < b->ns) - (a->ns > b->ns);

    return order ? order : strcmp(a->instance, b->instance);
}

static int add_instances(struct mm_shares *shares, const struct mm_dual *dual)
{
    for (size_t i = 0; i < dual->thread_vertex; i++) {
        const struct mm_vertex *v = &dual->vertices[i];
        struct mm_share *share;

        if (!v->calls)
            continue;
        share = share_of(shares, v->method->instance);
        if (!share)
            return -ENOMEM;
        share->calls += v->calls;
        share->ns += v->exclusive_ns > v->mpi_ns ? v->exclusive_ns - v->mpi_ns : 0;
    }
    if (shares->count)
        qsort(shares->list, shares->count, sizeof *shares->list, by_time);
    return 0;
}

static int add_ranks(struct mm_shares *shares, const struct mm_experiment *e, int rank,
                     struct cca_error *err)
{
    int first = rank < 0 ? 0 : rank, last = rank < 0 ? e->ranks - 1 : rank;
    int unknown = 0;

    for (int r = first; r <= last; r++) {
        struct mm_process_times times;
        int status = mm_experiment_process(e, r, &times, err);

        if (status)
            return status;
        shares->ranks++;
        unknown |= times.elapsed_ns <= 0;
        shares->elapsed_ns += times.elapsed_ns;
        shares->load_ns += times.load_ns;
        shares->cpu_ns += times.cpu_ns;
        shares->measuring_ns += times.measuring_ns;
        if (times.threads > shares->threads)
            shares->threads = times.threads;
    }
    if (unknown)
        shares->elapsed_ns = 0;
    return 0;
}

int mm_shares_read(struct mm_shares *shares, const struct mm_experiment *experiment,
                   const struct mm_dual *dual, const struct mm_mpi_profile *mpi, int rank,
                   struct cca_error *err)
{
    int64_t parts;
    int status;

    memset(shares, 0, sizeof *shares);
    status = add_ranks(shares, experiment, rank, err);
    if (status || !shares->elapsed_ns)
        return status;
    if (add_instances(shares, dual))
        return cca_no_memory(err);
    shares->measuring_ns += llround(dual->recording_ns);
    for (size_t i = 0; i < mpi->count; i++)
        shares->mpi_ns += mpi->functions[i].ns;
    shares->host_ns = dual->off.host_ns;
    parts = shares->mpi_ns + shares->host_ns + shares->measuring_ns;
    for (size_t i = 0; i < shares->count; i++)
        parts += shares->list[i].ns;
    shares->rest_ns = shares->elapsed_ns - parts;
    shares->side_by_side = shares->threads > 1;
    /* measuring costs are estimated per call, so their sum may be slightly too large */
    if (shares->rest_ns < 0 && !shares->side_by_side) {
        shares->measuring_ns += shares->rest_ns;
        shares->rest_ns = 0;
        if (shares->measuring_ns < 0)
            shares->measuring_ns = 0;
    }
    return 0;
}

void mm_shares_done(struct mm_shares *shares)
{
    free(shares->list);
    memset(shares, 0, sizeof *shares);
}

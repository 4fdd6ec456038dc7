/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks.c: count samples by rank of MPI. */
#include "mastermind/library/sample/ranks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

int mm_path_is_mpi(const char *path)
{
    static const char *const beginnings[] = {
        "libmpi",  "libopen-pal", "libopen-rte", "libpmpi", "libpmix", "mca_",
        "libucp.", "libuct.",     "libucs.",     "libucm.", "libpsm",  "libfabric"};
    const char *slash = path ? strrchr(path, '/') : NULL,
               *name = slash ? slash + 1 : path;

    for (size_t i = 0; name && i < sizeof beginnings / sizeof *beginnings; i++)
        if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0)
            return 1;
    return 0;
}

static struct sample_tally *find_tally(struct sample_ranks *ranks, int32_t pid)
{
    struct sample_tally *tally;

    for (size_t i = ranks->tally_count; i-- > 0;)
        if (ranks->tallies[i].pid == pid)
            return &ranks->tallies[i];
    tally = cca_array_add(&ranks->tallies, &ranks->tally_count, sizeof *tally);
    if (tally) {
        tally->pid = pid;
        tally->counts.rank = -1;
    }
    return tally;
}

int sample_ranks_set(struct sample_ranks *ranks, int32_t pid, int rank)
{
    struct sample_tally *tally = find_tally(ranks, pid);

    if (tally)
        tally->counts.rank = rank;
    return tally ? 0 : -ENOMEM;
}

/* A process ends: add its samples to its rank. */
static int end_tally(struct sample_ranks *ranks, struct sample_tally *tally)
{
    const struct mm_rank_samples *counts = &tally->counts;
    struct mm_rank_samples *rank = NULL;

    for (size_t i = 0; i < ranks->count && !rank; i++)
        if (ranks->list[i].rank == counts->rank)
            rank = &ranks->list[i];
    if (!rank && counts->rank >= 0) {
        rank = cca_array_add(&ranks->list, &ranks->count, sizeof *rank);
        if (!rank)
            return -ENOMEM;
        rank->rank = counts->rank;
    }
    if (rank) {
        rank->own += counts->own;
        rank->mpi += counts->mpi;
        rank->kernel += counts->kernel;
    }
    *tally = ranks->tallies[--ranks->tally_count];
    return 0;
}

int sample_ranks_add(struct sample_ranks *ranks, const struct sample_event *event,
                     const char *path)
{
    struct sample_tally *tally, *parent;

    if (event->kind == SAMPLE_MAP || event->kind == SAMPLE_EXEC ||
        event->kind == SAMPLE_STACK)
        return 0;
    tally = find_tally(ranks, event->pid);
    if (!tally)
        return -ENOMEM;
    switch (event->kind) {
    case SAMPLE_USER:
        *(mm_path_is_mpi(path) ? &tally->counts.mpi : &tally->counts.own) += 1;
        return 0;
    case SAMPLE_KERNEL:
        tally->counts.kernel++;
        return 0;
    case SAMPLE_FORK:
        if (tally->counts.rank >= 0) /* its rank is already known */
            return 0;
        parent = find_tally(ranks, event->parent);
        return parent ? sample_ranks_set(ranks, event->pid, parent->counts.rank)
                      : -ENOMEM;
    case SAMPLE_EXIT:
        return end_tally(ranks, tally);
    default:
        return 0;
    }
}

static int order_ranks(const void *left, const void *right)
{
    const struct mm_rank_samples *a = left, *b = right;

    return (a->rank > b->rank) - (a->rank < b->rank);
}

int sample_ranks_end(struct sample_ranks *ranks)
{
    while (ranks->tally_count)
        if (end_tally(ranks, &ranks->tallies[ranks->tally_count - 1]))
            return -ENOMEM;
    if (ranks->count)
        qsort(ranks->list, ranks->count, sizeof *ranks->list, order_ranks);
    return 0;
}

void sample_ranks_done(struct sample_ranks *ranks)
{
    free(ranks->tallies);
    free(ranks->list);
    *ranks = (struct sample_ranks){.list = NULL};
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_profile.c: timers of the group MPI by rank. */
#include "mastermind/counts/dual/mpi_profile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "mastermind/reader/mpi_calls.h"

static struct mm_mpi_function *function_of(struct mm_mpi_profile *p, const char *name)
{
    struct mm_mpi_function *function;

    for (size_t i = 0; i < p->count; i++)
        if (strcmp(p->functions[i].name, name) == 0)
            return &p->functions[i];
    if (cca_array_reserve(&p->functions, p->count, sizeof *p->functions))
        return NULL;
    function = &p->functions[p->count];
    *function = (struct mm_mpi_function){
        .name = strdup(name),
        .ranks = calloc((size_t)p->rank_count, sizeof *function->ranks)};
    if (!function->name || !function->ranks) {
        free(function->name);
        free(function->ranks);
        return NULL;
    }
    p->count++;
    return function;
}

/* Add one rank's timers (sums per function) of the group MPI. */
static int add_rank(struct mm_mpi_profile *p, int rank, const struct mm_timers *timers)
{
    int told = 0;

    for (size_t i = 0; i < timers->timer_count; i++) {
        const struct mm_timer *t = &timers->timers[i];
        struct mm_mpi_function *function;

        if (strcmp(t->group, "MPI") != 0 || !*t->name || t->calls < 0 ||
            t->inclusive_ns < 0)
            continue;
        function = function_of(p, t->name);
        if (!function)
            return -ENOMEM;
        told = 1;
        function->calls += (uint64_t)t->calls;
        function->ns += t->inclusive_ns;
        function->ranks[rank].calls += (uint64_t)t->calls;
        function->ranks[rank].exclusive_ns += t->inclusive_ns;
    }
    p->told += told;
    return 0;
}

/* Find the MPI function in which a rank was last known to be when it ended abnormally. */
static int find_end(struct mm_mpi_profile *p, const struct mm_experiment *e, int rank,
                    struct cca_error *err)
{
    struct mm_mpi_calls calls;
    int result = mm_experiment_mpi_calls(e, rank, &calls, err);

    p->ends[rank].last_ns = calls.last_ns;
    snprintf(p->ends[rank].inside, sizeof p->ends[rank].inside, "%s", calls.inside);
    mm_mpi_calls_done(&calls);
    return result;
}

static int read_rank(struct mm_mpi_profile *p, const struct mm_experiment *e, int rank,
                     struct cca_error *err)
{
    struct mm_timers timers;
    int result = mm_experiment_timers(e, rank, &timers, err);

    if (!result && add_rank(p, rank, &timers))
        result = cca_no_memory(err);
    if (!result && !mm_experiment_rank_finished(e, rank))
        result = find_end(p, e, rank, err);
    mm_timers_done(&timers);
    return result;
}

static int longest_first(const void *left, const void *right)
{
    const struct mm_mpi_function *a = left, *b = right;

    return a->ns != b->ns ? (a->ns < b->ns) - (a->ns > b->ns) : strcmp(a->name, b->name);
}

int mm_mpi_profile_read(struct mm_mpi_profile *p, const struct mm_experiment *experiment,
                        int rank, struct cca_error *err)
{
    int result = 0;

    *p = (struct mm_mpi_profile){.rank_count = experiment->ranks,
                                 .ends =
                                     calloc((size_t)experiment->ranks, sizeof *p->ends)};
    if (!p->ends)
        return cca_no_memory(err);
    for (int r = 0; r < experiment->ranks && !result && experiment->has_mpi; r++)
        if (rank < 0 || r == rank)
            result = read_rank(p, experiment, r, err);
    if (p->count)
        qsort(p->functions, p->count, sizeof *p->functions, longest_first);
    return result;
}

void mm_mpi_profile_done(struct mm_mpi_profile *p)
{
    for (size_t i = 0; i < p->count; i++) {
        free(p->functions[i].name);
        free(p->functions[i].ranks);
    }
    free(p->functions);
    free(p->ends);
    p->functions = NULL;
    p->ends = NULL;
    p->count = 0;
}

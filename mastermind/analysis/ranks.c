/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks.c: what each rank of an experiment has done by itself, and how unevenly. */
#include "mastermind/analysis/ranks.h"

#include "mastermind/reader/mpi_calls.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Methods -------------------------------------------------------------- */

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

int mm_ranks_row(struct mm_ranks *ranks, const struct mm_row *row, int64_t exclusive_ns)
{
    struct mm_rank_sum *sum;
    struct mm_rank_end *end;

    if (mm_ranks_reserve(ranks, row->rank + 1))
        return -ENOMEM;
    sum = &ranks->sums[(size_t)row->rank * ranks->method_count + row->method->index];
    end = &ranks->ends[row->rank];
    if (row->start_ns + row->wall_ns > end->last_ns)
        end->last_ns = row->start_ns + row->wall_ns;
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

/* --- Functions of MPI ----------------------------------------------------- */

static struct mm_mpi_function *function_of(struct mm_mpi_profile *p, const char *name)
{
    struct mm_mpi_function *grown, *function;

    for (size_t i = 0; i < p->count; i++)
        if (strcmp(p->functions[i].name, name) == 0)
            return &p->functions[i];
    grown = realloc(p->functions, (p->count + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    p->functions = grown;
    function = &grown[p->count];
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

/* The timers of the group MPI that one rank has left. */
static int add_rank(struct mm_mpi_profile *p, int rank, const json_t *timers)
{
    const json_t *timer;
    int told = 0;
    size_t i;

    json_array_foreach(timers, i, timer)
    {
        const char *group = json_string_value(json_object_get(timer, "group"));
        const char *name = json_string_value(json_object_get(timer, "name"));
        json_int_t calls = json_integer_value(json_object_get(timer, "calls"));
        json_int_t ns = json_integer_value(json_object_get(timer, "inclusive_ns"));
        struct mm_mpi_function *function;

        if (!group || !name || strcmp(group, "MPI") != 0 || calls < 0 || ns < 0)
            continue;
        function = function_of(p, name);
        if (!function)
            return -ENOMEM;
        told = 1;
        function->calls += (uint64_t)calls;
        function->ns += ns;
        function->ranks[rank].calls += (uint64_t)calls;
        function->ranks[rank].exclusive_ns += ns;
    }
    p->told += told;
    return 0;
}

/* Where a rank was that has not ended in order. */
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
    json_t *timers;
    int result = mm_experiment_timers(e, rank, &timers, err);

    if (!result && add_rank(p, rank, timers))
        result = cca_error_set(err, -ENOMEM, "out of memory");
    if (!result && !mm_experiment_rank_finished(e, rank))
        result = find_end(p, e, rank, err);
    json_decref(timers);
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
        return cca_error_set(err, -ENOMEM, "out of memory");
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

/* SPDX-License-Identifier: BSD-3-Clause */
/* measure.c: measure the total of a run and its further quantities, as statements have
 * them. */
#include <math.h>
#include <string.h>

#include "mastermind/cmd/ledger/keep.h"

static int open_metric(struct mm_input *input, char *path, const char *metric)
{
    struct cca_given option = {"--metric", 1, &metric};

    return mm_input_open(input, &path, 1, &option);
}

/* Add the sum of a parameter over all calls of a method; nothing if a call lacks the
 * parameter. */
static void add_sum(struct mm_statement *s, const struct mm_method_info *method,
                    const struct mm_points *points, size_t parameter)
{
    double sum = 0;

    for (size_t i = 0; i < points->count; i++)
        sum += (double)points->points[i].calls *
               mm_in_value(method, points->points[i].in, parameter);
    if (!points->unknown)
        mm_statement_add(s, method->values[parameter].name, method->name, sum, NAN, NAN);
}

static void add_calls(struct mm_statement *s, const struct mm_profile *profile)
{
    for (size_t i = 0; i < profile->source.method_count; i++) {
        const struct mm_method_info *method = profile->source.methods[i];
        double calls = (double)profile->dual->vertices[i].calls;

        if (!(calls > 0))
            continue;
        mm_statement_add(s, "calls", method->name, calls, NAN, NAN);
        for (size_t k = 0; k < method->in_count; k++)
            if (method->values[k].kind == MONITOR_PARAM &&
                strcmp(method->values[k].name, "level"))
                add_sum(s, method, &profile->points[i], k);
    }
}

/* Add the calls of one rank. */
static int add_rank_calls(struct mm_statement *s, char *path, int rank)
{
    struct cca_given option = {"--metric", 1, (const char *[]){"COMPUTE_TIME"}};
    struct mm_input input;
    int result = mm_input_open_rank(&input, &path, 1, &option, rank);

    if (result < 0)
        add_calls(s, input.profiles[0]);
    mm_input_done(&input);
    return result;
}

/* Set the time of the rank that took longest, and its parts as forecasts define them:
 * compute is the time outside MPI of the rank with most of it, with that rank's calls;
 * transfer is the least time inside MPI of any rank; waiting is the rest. */
static int measure_longest(struct mm_statement *s, char *path)
{
    struct mm_input compute, mpi = {0};
    int result = open_metric(&compute, path, "COMPUTE_TIME"), busiest = 0;
    double work = 0, least = INFINITY, most = 0;

    if (result < 0)
        result = open_metric(&mpi, path, "MPI_TIME");
    for (int r = 0; result < 0 && r < compute.profiles[0]->ranks.count; r++) {
        double own = mm_ranks_ns(&compute.profiles[0]->ranks, r);
        double inside = mm_ranks_ns(&mpi.profiles[0]->ranks, r);

        busiest = own > work ? r : busiest;
        work = fmax(work, own);
        least = fmin(least, inside);
        most = fmax(most, own + inside);
    }
    mm_input_done(&compute);
    mm_input_done(&mpi);
    if (result < 0)
        result = add_rank_calls(s, path, busiest);
    if (result >= 0)
        return result;
    s->entry.value = most;
    mm_statement_add(s, "compute", NULL, work, NAN, NAN);
    mm_statement_add(s, "transfer", NULL, fmax(least, 0), NAN, NAN);
    mm_statement_add(s, "waiting", NULL, fmax(most - work - least, 0), NAN, NAN);
    return -1;
}

static int measure_all(struct mm_statement *s, char *path)
{
    struct mm_input input;
    int result = open_metric(&input, path, s->entry.metric);

    if (result < 0) {
        s->entry.value = 0;
        for (size_t i = 0; i < input.profiles[0]->source.method_count; i++)
            s->entry.value += (double)input.profiles[0]->dual->vertices[i].exclusive_ns;
        s->entry.value = fmax(s->entry.value, 0);
        add_calls(s, input.profiles[0]);
    }
    mm_input_done(&input);
    return result;
}

int mm_outcome_measure(struct mm_statement *outcome, char *experiment)
{
    return strcmp(outcome->entry.total, "all ranks") == 0
               ? measure_all(outcome, experiment)
               : measure_longest(outcome, experiment);
}

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
        if (times.peak_bytes > shares->peak_bytes)
            shares->peak_bytes = times.peak_bytes;
        if (times.threads > shares->threads)
            shares->threads = times.threads;
    }
    if (unknown)
        shares->elapsed_ns = 0;
    return 0;
}

/* Find the method whose CPU times from rows and from samples differ most, in units of
 * their error. Calls in aggregates have no times, so methods with such calls or callees
 * are left out. */
static void compare_samples(struct mm_shares *shares, const struct mm_dual *dual)
{
    const struct mm_run_samples *samples = &shares->samples;
    double doubt = dual->recording_ns > 0
                       ? (dual->recording_most_ns - dual->recording_least_ns) /
                             dual->recording_ns
                       : 1,
           worst = 1;

    for (size_t i = 0; i < dual->thread_vertex; i++) {
        const struct mm_vertex *v = &dual->vertices[i];
        double by_rows = (double)(v->exclusive_ns - v->off.wait_ns),
               count = (double)samples->methods[i],
               by_samples = count * (double)samples->period_ns,
               error = 3 * sqrt(count + 1) * (double)samples->period_ns + .05 * by_rows +
                       doubt * (double)v->overhead_ns;
        int is_whole = v->calls && !v->folded && !v->open;

        for (size_t k = 0; k < dual->edge_count && is_whole; k++)
            is_whole = dual->edges[k].caller != i ||
                       !dual->vertices[dual->edges[k].callee].folded;
        if (!is_whole || fabs(by_rows - by_samples) <= worst * error)
            continue;
        worst = fabs(by_rows - by_samples) / error;
        shares->unlike = (struct mm_unlike){v->method, by_rows, by_samples, error};
    }
}

/* True for a line of the samples whose time is part of a method's: calls in aggregates
 * have no times, so their samples seem to be outside of calls. */
static int is_aggregated(const struct mm_sampled_line *line, const struct mm_dual *dual)
{
    const char *end = strstr(line->file, ".so");
    size_t length = end ? (size_t)(end - line->file) : strlen(line->file);

    for (size_t i = 0; i < dual->thread_vertex; i++) {
        const struct mm_vertex *v = &dual->vertices[i];

        if (!v->folded || strncmp(v->method->class_name, line->file, length) != 0)
            continue;
        if (strcmp(v->method->port, "function") != 0 ||
            (line->function && strcmp(v->method->method, line->function) == 0))
            return 1;
    }
    return 0;
}

/* Remove the lines of samples whose time is part of the methods' times. */
static void drop_aggregated(struct mm_run_samples *samples, const struct mm_dual *dual)
{
    size_t kept = 0;

    for (size_t i = 0; i < samples->rest_count; i++)
        if (!is_aggregated(&samples->rest[i], dual))
            samples->rest[kept++] = samples->rest[i];
    samples->rest_count = kept;
}

/* Move the cost of sampling from the remainder (the time outside of measured calls) to
 * the cost of measuring, and set the time that one sample represents there. */
static void add_samples(struct mm_shares *shares, const struct mm_dual *dual)
{
    struct mm_run_samples *samples = &shares->samples;
    int64_t cost_ns = llround(samples->cost_ns);
    uint64_t sum = 0;

    compare_samples(shares, dual);
    drop_aggregated(samples, dual);
    shares->measuring_ns += cost_ns;
    if (!shares->side_by_side) {
        if (cost_ns > shares->rest_ns)
            shares->measuring_ns -= cost_ns - shares->rest_ns;
        shares->rest_ns -= cost_ns < shares->rest_ns ? cost_ns : shares->rest_ns;
    }
    for (size_t i = 0; i < samples->rest_count; i++)
        sum += samples->rest[i].samples;
    shares->sample_ns = (double)samples->period_ns;
    if (!shares->side_by_side &&
        (double)sum * shares->sample_ns > (double)shares->rest_ns)
        shares->sample_ns = (double)shares->rest_ns / (double)sum;
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
    if (experiment->ranks == 1)
        status = mm_run_samples_read(&shares->samples, experiment, err);
    if (!status && shares->samples.count)
        add_samples(shares, dual);
    return status;
}

void mm_shares_done(struct mm_shares *shares)
{
    free(shares->list);
    mm_run_samples_done(&shares->samples);
    memset(shares, 0, sizeof *shares);
}

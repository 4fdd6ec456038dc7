/* SPDX-License-Identifier: BSD-3-Clause */
/* row_source.c: an experiment as a source of rows. */
#include "mastermind/reader/experiment.h"

#include <string.h>

/* 1 / the share of a call's recording cost that lies between the two clock readings and
 * may differ from call to call. */
#define FLOOR_SHARE 4
/* Of the cost of a call with counters or CPU time this much is the clock's and the row's:
 * readings of the others lie outside and take every call the same time. */
#define CLOCK_NS 32

static int experiment_walk(void *context, mm_row_function function,
                           void *function_context, struct cca_error *err)
{
    return mm_experiment_rows(context, function, function_context, err);
}

static int experiment_walk_aggregates(void *context, mm_aggregate_function function,
                                      void *function_context, struct cca_error *err)
{
    return mm_experiment_aggregates(context, function, function_context, err);
}

static double floor_ns(const struct mm_experiment *experiment)
{
    double ns = experiment->call_ns;

    if ((experiment->has_cpu || experiment->counter_count) && ns > CLOCK_NS)
        ns = CLOCK_NS;
    return ns / FLOOR_SHARE;
}

struct mm_row_source mm_row_source_of(struct mm_experiment *experiment)
{
    struct mm_row_source source = {.name = experiment->name,
                                   .methods = experiment->methods,
                                   .method_count = experiment->method_count,
                                   .call_ns = experiment->call_ns,
                                   .fold_ns = experiment->fold_ns,
                                   .floor_ns = floor_ns(experiment),
                                   .walk = experiment_walk,
                                   .walk_aggregates = experiment_walk_aggregates,
                                   .context = experiment};

    memcpy(source.cache_bytes, experiment->cache_bytes, sizeof source.cache_bytes);
    return source;
}

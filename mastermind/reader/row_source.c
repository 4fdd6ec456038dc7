/* SPDX-License-Identifier: BSD-3-Clause */
/* row_source.c: make a source of rows of an experiment. */
#include "mastermind/reader/experiment.h"

#include <string.h>

/* Largest share of the recorder's time between its two clock readings that may differ
 * from call to call, because the processor executes the readings at the same time as the
 * program. */
#define FLOOR_SHARE .5

void mm_row_less_host(struct mm_row *row)
{
    if (row->host_ns < 0)
        return;
    row->wall_ns -= row->host_ns;
    row->exclusive_ns -= row->host_exclusive_ns;
    row->lost_ns = row->lost_exclusive_ns = 0;
    row->waited = row->wait_ns > 0;
    row->waited_exclusive = row->wait_exclusive_ns > 0;
}

int64_t mm_row_end_ns(const struct mm_row_source *source, const struct mm_row *row)
{
    int64_t taken = source->less_host && row->host_ns > 0 ? row->host_ns : 0;

    return row->start_ns + row->wall_ns + taken;
}

/* State of a walk over rows that subtracts the host's time from each row. */
struct less_host {
    mm_row_function function;
    void *context;
};

static int give_less_host(const struct mm_row *row, void *context)
{
    const struct less_host *walk = context;
    struct mm_row own = *row;

    mm_row_less_host(&own);
    return walk->function(&own, walk->context);
}

static int experiment_walk(void *context, mm_row_function function,
                           void *function_context, struct cca_error *err)
{
    struct less_host walk = {function, function_context};

    return mm_experiment_rows(context, give_less_host, &walk, err);
}

static int experiment_walk_aggregates(void *context, mm_aggregate_function function,
                                      void *function_context, struct cca_error *err)
{
    return mm_experiment_aggregates(context, function, function_context, err);
}

struct mm_row_source mm_row_source_of(struct mm_experiment *experiment)
{
    struct mm_row_source source = {
        .name = experiment->name,
        .methods = experiment->methods,
        .method_count = experiment->method_count,
        .costs = experiment->method_costs,
        .floor_ns = FLOOR_SHARE * experiment->costs.rows[MM_ROW_PAIR].loop_within_ns,
        .less_host = 1,
        .host_free = experiment->has_losses,
        .walk = experiment_walk,
        .walk_aggregates = experiment_walk_aggregates,
        .context = experiment};

    memcpy(source.cache_bytes, experiment->cache_bytes, sizeof source.cache_bytes);
    return source;
}

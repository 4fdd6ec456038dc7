/* SPDX-License-Identifier: BSD-3-Clause */
/* row_source.c: an experiment as a source of rows. */
#include "mastermind/reader/experiment.h"

/* Of what lies between the two clock readings, at most this share differs from call to
 * call: they overlap with the program. */
#define FLOOR_SHARE .5

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

struct mm_row_source mm_row_source_of(struct mm_experiment *experiment)
{
    return (struct mm_row_source){.name = experiment->name,
                                  .methods = experiment->methods,
                                  .method_count = experiment->method_count,
                                  .costs = experiment->method_costs,
                                  .floor_ns =
                                      FLOOR_SHARE *
                                      experiment->costs.rows[MM_ROW_PAIR].loop_within_ns,
                                  .walk = experiment_walk,
                                  .walk_aggregates = experiment_walk_aggregates,
                                  .context = experiment};
}

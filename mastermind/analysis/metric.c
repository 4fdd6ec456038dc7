/* SPDX-License-Identifier: BSD-3-Clause */
/* metric.c: the rows of an experiment with a counter in the place of time. */
#include "mastermind/analysis/metric.h"

#include <errno.h>
#include <string.h>

/* Why a counter that was asked for is not there, or NULL. */
static const char *why_missing(const struct mm_experiment *experiment, const char *name)
{
    const json_t *missing =
        json_object_get(json_object_get(experiment->about, "counters"), "missing");

    for (size_t i = 0; i < json_array_size(missing); i++) {
        const json_t *item = json_array_get(missing, i);
        const char *found = json_string_value(json_object_get(item, "name"));

        if (found && strcmp(found, name) == 0)
            return json_string_value(json_object_get(item, "why"));
    }
    return NULL;
}

int mm_metric_find(const struct mm_experiment *experiment, const char *name, int *metric,
                   struct cca_error *err)
{
    const char *why = why_missing(experiment, name);
    char known[160] = "TIME";

    if (strcmp(name, "TIME") == 0) {
        *metric = MM_METRIC_TIME;
        return 0;
    }
    if (why)
        return cca_error_set(err, -ENOENT, "%s: '%s' was not measured: %s",
                             experiment->name, name, why);
    for (size_t i = 0; i < experiment->counter_count; i++) {
        size_t used = strlen(known);

        if (strcmp(experiment->counters[i], name) == 0) {
            *metric = (int)i;
            return 0;
        }
        snprintf(known + used, sizeof known - used, ", %s", experiment->counters[i]);
    }
    return cca_error_set(err, -ENOENT, "%s: found no metric '%s', expected one of: %s",
                         experiment->name, name, known);
}

/* Whoever adds up times takes an open invocation to last until the last thing that is
 * known of its thread: with all others ending at 0 that is nothing but what its callees
 * have. */
static int give_row(const struct mm_row *row, void *context)
{
    struct mm_metric_source *source = context;
    struct mm_row counted = *row;

    source->rows += !row->counted;
    if (source->metric == MM_METRIC_TIME)
        return source->function(row, source->context);
    counted.wall_ns = row->counters[source->metric];
    counted.exclusive_ns = row->exclusive_counters[source->metric];
    if (row->status != MM_ROW_OPEN && !row->counted && counted.wall_ns == MM_COUNT_MISSING)
        source->missing++;
    if (counted.wall_ns == MM_COUNT_MISSING)
        counted.wall_ns = 0;
    if (counted.exclusive_ns == MM_COUNT_MISSING)
        counted.exclusive_ns = 0;
    counted.start_ns = row->status == MM_ROW_OPEN ? 0 : -counted.wall_ns;
    counted.mpi_ns = counted.folded_ns = 0;
    return source->function(&counted, source->context);
}

/* Aggregates keep no counters: their calls count, and have no value. */
static int give_aggregate(const struct mm_aggregate *a, void *context)
{
    struct mm_metric_source *source = context;
    struct mm_aggregate counted = *a;

    if (source->rank >= 0 && (a->rank != source->rank || a->thread != source->thread))
        return 0;
    source->rows += a->calls;
    if (source->metric != MM_METRIC_TIME) {
        source->missing += a->calls;
        counted.wall = counted.exclusive = counted.mpi = (struct mm_sum){0};
    }
    return source->aggregate_function(&counted, source->context);
}

static int walk_aggregates(void *context, mm_aggregate_function function,
                           void *function_context, struct cca_error *err)
{
    struct mm_metric_source *source = context;

    source->aggregate_function = function;
    source->context = function_context;
    return mm_experiment_aggregates(source->experiment, give_aggregate, source, err);
}

static int walk(void *context, mm_row_function function, void *function_context,
                struct cca_error *err)
{
    struct mm_metric_source *source = context;

    source->function = function;
    source->context = function_context;
    source->rows = source->missing = 0;
    if (source->rank >= 0)
        return mm_experiment_thread_rows(source->experiment, source->rank, source->thread,
                                         give_row, source, err);
    return mm_experiment_rows(source->experiment, give_row, source, err);
}

void mm_metric_source_init(struct mm_metric_source *source,
                           struct mm_experiment *experiment, int metric)
{
    *source = (struct mm_metric_source){.source = mm_row_source_of(experiment),
                                        .experiment = experiment,
                                        .metric = metric,
                                        .rank = -1,
                                        .thread = -1};
    source->source.walk = walk;
    source->source.walk_aggregates = walk_aggregates;
    source->source.context = source;
    if (metric != MM_METRIC_TIME)
        source->source.call_ns = source->source.fold_ns = 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* about.c: read experiment.json into struct mm_experiment. */
#include "mastermind/reader/json.h"

#include <errno.h>
#include <stdlib.h>

#include "mastermind/format/layout.h"

enum { MAX_RANKS = 1000000 };

/* Collect the strings of a JSON array in a new array; other values are skipped. Returns 0
 * or -ENOMEM. */
static int read_names(const json_t *array, const char ***names, size_t *count)
{
    *names = calloc(json_array_size(array) + 1, sizeof **names);
    if (!*names)
        return -ENOMEM;
    for (size_t i = 0; i < json_array_size(array); i++)
        if (json_is_string(json_array_get(array, i)))
            (*names)[(*count)++] = json_string_value(json_array_get(array, i));
    return 0;
}

/* Read the names of the counters that each row has; an experiment may have no
 * counters. */
static int read_counters(struct mm_experiment *e, const json_t *counters,
                         const char *path, struct cca_error *err)
{
    const json_t *names = json_object_get(counters, "names");
    const json_t *asked = json_object_get(counters, "asked");

    if (json_array_size(names) > MM_MAX_COUNTERS || (names && !json_is_array(names)))
        return cca_error_set(err, -EBADMSG,
                             "%s: found no good 'counters', expected names of at most %d",
                             path, MM_MAX_COUNTERS);
    if (read_names(names, &e->counters, &e->counter_count) ||
        read_names(asked, &e->asked, &e->asked_count))
        return cca_no_memory(err);
    if (e->counter_count < json_array_size(names))
        return cca_error_set(err, -EBADMSG,
                             "%s: found no good 'counters', expected names as strings",
                             path);
    e->units = calloc(e->counter_count + 1, sizeof *e->units);
    if (!e->units)
        return cca_no_memory(err);
    for (size_t i = 0; i < e->counter_count; i++)
        e->units[i] = json_string_value(
            json_object_get(json_object_get(counters, "units"), e->counters[i]));
    if (asked && e->asked_count == json_array_size(asked))
        return 0;
    free(e->asked);
    e->asked_count = 0;
    return read_names(names, &e->asked, &e->asked_count) ? cca_no_memory(err) : 0;
}

static int read_missing(struct mm_experiment *e, const json_t *missing)
{
    e->missing = calloc(json_array_size(missing) + 1, sizeof *e->missing);
    if (!e->missing)
        return -ENOMEM;
    for (size_t i = 0; i < json_array_size(missing); i++) {
        const json_t *item = json_array_get(missing, i);
        struct mm_missing found = {json_string_value(json_object_get(item, "name")),
                                   json_string_value(json_object_get(item, "why"))};

        if (found.name)
            e->missing[e->missing_count++] = found;
    }
    return 0;
}

/* Read the sizes of the data caches of a machine, level 1 first. */
static void read_caches(double *bytes, const json_t *caches)
{
    for (size_t i = 0; i < json_array_size(caches); i++) {
        const json_t *cache = json_array_get(caches, i);
        const char *type = json_string_value(json_object_get(cache, "type"));
        json_int_t level = json_integer_value(json_object_get(cache, "level"));

        if (type && strcmp(type, "instruction") != 0 && level >= 1 &&
            level <= MM_CACHE_LEVELS)
            bytes[level - 1] = json_number_value(json_object_get(cache, "bytes"));
    }
}

int mm_about_read(struct mm_experiment *e, const json_t *about, const char *path,
                  struct cca_error *err)
{
    const json_t *ranks = json_object_get(about, "ranks");
    const json_t *overhead = json_object_get(about, "overhead"), *cost;
    const json_t *machine = json_object_get(about, "machine");
    const json_t *delays = json_object_get(about, "delays");
    const json_t *counters = json_object_get(about, "counters");
    int result;

    if (!json_is_integer(ranks) || json_integer_value(ranks) < 1 ||
        json_integer_value(ranks) > MAX_RANKS)
        return cca_error_set(err, -EBADMSG, "%s: found no good 'ranks', expected 1 to %d",
                             path, MAX_RANKS);
    if (!json_is_boolean(json_object_get(about, "finished")))
        return cca_error_set(err, -EBADMSG,
                             "%s: found no good 'finished', expected a boolean", path);
    e->ranks = (int)json_integer_value(ranks);
    e->is_apart = json_is_true(json_object_get(about, "apart"));
    e->finished = json_is_true(json_object_get(about, "finished"));
    e->ended_by = json_string_value(json_object_get(about, "ended_by"));
    e->has_mpi = json_is_true(json_object_get(about, "mpi_time"));
    e->has_cpu = json_is_true(json_object_get(about, "cpu_time"));
    e->has_losses = json_is_string(json_object_get(about, "off_core"));
    e->unplaced_ns = json_number_value(
        json_object_get(json_object_get(about, "totals"), "unplaced_ns"));
    mm_call_costs_read(overhead, &e->costs);
    e->epoch_ns =
        json_integer_value(json_object_get(json_object_get(about, "clock"), "epoch_ns"));
    e->delay_scale = json_number_value(json_object_get(delays, "scale"));
    e->delay_reading_ns = json_number_value(json_object_get(delays, "reading_ns"));
    e->gos_off = (uint64_t)json_integer_value(json_object_get(about, "gos_not_recorded"));
    if (read_names(json_object_get(about, "command"), &e->command, &e->command_count))
        return cca_no_memory(err);
    e->host = json_string_value(json_object_get(machine, "host"));
    e->cpu = json_string_value(json_object_get(machine, "cpu"));
    read_caches(e->cache_bytes, json_object_get(machine, "caches"));
    e->storage = json_string_value(json_object_get(about, "storage"));
    cost = json_object_get(about, "cost");
    e->cost.calls_ns = json_number_value(json_object_get(cost, "calls_ns"));
    e->cost.files_ns = json_number_value(json_object_get(cost, "files_ns"));
    e->cost.helper_ns = json_number_value(json_object_get(cost, "helper_ns"));
    e->cost.setup_ns = json_number_value(json_object_get(cost, "setup_ns"));
    e->cost.mpi_ns = json_number_value(json_object_get(cost, "mpi_ns"));
    e->cost.openmp_ns = json_number_value(json_object_get(cost, "openmp_ns"));
    e->cost.process_ns = json_number_value(json_object_get(cost, "process_ns"));
    e->origin = json_string_value(json_object_get(about, "origin"));
    e->source = json_string_value(json_object_get(about, "source"));
    e->unit = json_string_value(json_object_get(about, "unit"));
    e->size_limit = json_integer_value(json_object_get(about, "size_limit"));
    if (read_missing(e, json_object_get(counters, "missing")) ||
        read_names(json_object_get(about, "not_seen"), &e->not_seen, &e->not_seen_count))
        return cca_no_memory(err);
    e->counted_alone = json_object_get(about, "counted_alone");
    e->run.ranks = e->ranks;
    e->run.cores = (int)json_integer_value(json_object_get(machine, "cores"));
    e->run.local_ranks = (int)json_integer_value(json_object_get(machine, "local_ranks"));
    result = mm_run_read(&e->run, about, path, err);
    return result ? result : read_counters(e, counters, path, err);
}

static int is_text(const json_t *item, const char *name, const char *text)
{
    const char *found = json_string_value(json_object_get(item, name));

    return found && strcmp(found, text) == 0;
}

int mm_experiment_counted(const struct mm_experiment *experiment,
                          const struct mm_method_info *method, uint64_t *calls,
                          int *is_least)
{
    const json_t *item;
    size_t i;

    json_array_foreach((const json_t *)experiment->counted_alone, i, item)
    {
        json_int_t found = json_integer_value(json_object_get(item, "calls"));

        if (!is_text(item, "method", method->method) ||
            !is_text(item, "instance", method->instance) ||
            !is_text(item, "port", method->port))
            continue;
        *calls = found > 0 ? (uint64_t)found : 0;
        /* rank 0 alone has stored its counts */
        *is_least =
            json_is_true(json_object_get(item, "is_least")) || experiment->ranks > 1;
        return 1;
    }
    return 0;
}

void mm_about_done(struct mm_experiment *e)
{
    free(e->method_costs);
    free(e->counters);
    free(e->units);
    free(e->asked);
    free(e->command);
    free(e->missing);
    free(e->not_seen);
    mm_run_done(&e->run);
}

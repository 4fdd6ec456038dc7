/* SPDX-License-Identifier: BSD-3-Clause */
/* timers.c: read the members "timers" and "events" of experiment.json and rank.json. */
#include "mastermind/reader/timers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "mastermind/reader/json.h"
#include "mastermind/reader/mpi_calls.h"

static int64_t integer_of(const json_t *item, const char *key)
{
    return json_integer_value(json_object_get(item, key));
}

static double number_of(const json_t *item, const char *key)
{
    return json_number_value(json_object_get(item, key));
}

/* Return a string member of a timer or event, borrowed; "" if absent. */
static char *text_of(const json_t *item, const char *key)
{
    const char *text = json_string_value(json_object_get(item, key));

    return (char *)(text ? text : "");
}

int mm_timers_add(struct mm_timers *t, const struct mm_timer *timer)
{
    struct mm_timer *added = cca_array_add(&t->timers, &t->timer_count, sizeof *added);

    if (!added)
        return -ENOMEM;
    *added = *timer;
    added->name = strdup(timer->name);
    added->group = strdup(timer->group);
    return added->name && added->group ? 0 : -ENOMEM;
}

static int read_timers(struct mm_timers *t, const json_t *timers)
{
    int result = 0;

    for (size_t i = 0; i < json_array_size(timers) && !result; i++) {
        const json_t *item = json_array_get(timers, i);
        const struct mm_timer timer = {.name = text_of(item, "name"),
                                       .group = text_of(item, "group"),
                                       .calls = integer_of(item, "calls"),
                                       .subroutines = integer_of(item, "subroutines"),
                                       .inclusive_ns = integer_of(item, "inclusive_ns"),
                                       .exclusive_ns = integer_of(item, "exclusive_ns")};

        result = mm_timers_add(t, &timer);
    }
    return result;
}

static int read_events(struct mm_timers *t, const json_t *events)
{
    t->events = calloc(json_array_size(events) + 1, sizeof *t->events);
    if (!t->events)
        return -ENOMEM;
    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *item = json_array_get(events, i);

        t->events[t->event_count] =
            (struct mm_event){.name = strdup(text_of(item, "name")),
                              .count = integer_of(item, "count"),
                              .min = number_of(item, "min"),
                              .max = number_of(item, "max"),
                              .mean = number_of(item, "mean"),
                              .sd = number_of(item, "sd")};
        if (!t->events[t->event_count++].name)
            return -ENOMEM;
    }
    return 0;
}

int mm_experiment_timers(const struct mm_experiment *e, int rank, struct mm_timers *t,
                         struct cca_error *err)
{
    struct mm_mpi_calls calls = {0};
    json_t *about;
    int result = mm_experiment_rank_about(e, rank, &about, err);

    *t = (struct mm_timers){0};
    if (!result && !mm_experiment_rank_finished(e, rank))
        result = mm_experiment_mpi_calls(e, rank, &calls, err);
    if (!result && calls.timers.timer_count) {
        *t = calls.timers;
        calls.timers = (struct mm_timers){0};
    } else if (!result && read_timers(t, json_object_get(about, "timers"))) {
        result = cca_no_memory(err);
    }
    if (!result && read_events(t, json_object_get(about, "events")))
        result = cca_no_memory(err);
    mm_mpi_calls_done(&calls);
    json_decref(about);
    return result;
}

int mm_experiment_process(const struct mm_experiment *e, int rank,
                          struct mm_process_times *times, struct cca_error *err)
{
    static const char *const parts[] = {"files_ns", "setup_ns", "mpi_ns", "openmp_ns"};
    json_t *about;
    const json_t *process, *cost;
    int result = mm_experiment_rank_about(e, rank, &about, err);

    *times = (struct mm_process_times){0};
    if (result)
        return result;
    process = json_object_get(about, "process");
    cost = json_object_get(about, "cost");
    times->elapsed_ns = integer_of(process, "elapsed_ns");
    times->cpu_ns = integer_of(process, "cpu_ns");
    times->load_ns = integer_of(process, "load_ns");
    times->peak_bytes = integer_of(process, "peak_bytes");
    times->threads = (int)integer_of(json_object_get(about, "totals"), "threads");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        times->measuring_ns += integer_of(cost, parts[i]);
    json_decref(about);
    return 0;
}

void mm_timers_done(struct mm_timers *t)
{
    for (size_t i = 0; i < t->timer_count; i++) {
        free(t->timers[i].name);
        free(t->timers[i].group);
    }
    for (size_t i = 0; i < t->event_count; i++)
        free(t->events[i].name);
    free(t->timers);
    free(t->events);
    *t = (struct mm_timers){0};
}

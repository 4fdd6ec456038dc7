/* SPDX-License-Identifier: BSD-3-Clause */
/* sampler.c: order the kernel's records by time, and count samples by function. */
#include "mastermind/library/sample/sampler.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "mastermind/library/sample/cost.h"
#include "mastermind/library/sample/functions.h"
#include "mastermind/library/sample/places.h"
#include "mastermind/library/sample/ring.h"

/* sampling period; not a divisor of the kernel's own periods */
enum { PERIOD_NS = 1003009 };

struct mm_sampler {
    struct sample_rings rings;
    struct sample_places places;
    struct sample_event *events; /* [event_count] events that are not yet counted */
    size_t event_count;
    uint64_t seen_ns; /* latest time of the records of all earlier readings */
};

struct mm_sampler *mm_sampler_new(pid_t pid, struct cca_error *err)
{
    struct mm_sampler *sampler = calloc(1, sizeof *sampler);

    if (!sampler) {
        cca_no_memory(err);
        return NULL;
    }
    if (sample_rings_open(&sampler->rings, pid, PERIOD_NS, err)) {
        free(sampler);
        return NULL;
    }
    return sampler;
}

void mm_sampler_free(struct mm_sampler *sampler)
{
    if (!sampler)
        return;
    for (size_t i = 0; i < sampler->event_count; i++)
        free(sampler->events[i].path);
    free(sampler->events);
    sample_rings_close(&sampler->rings);
    sample_places_done(&sampler->places);
    free(sampler);
}

static int order_events(const void *left, const void *right)
{
    const struct sample_event *a = left, *b = right;

    return (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
}

/* Count the events up to a time, and keep the later ones. */
static int count_events(struct mm_sampler *sampler, uint64_t until_ns)
{
    size_t done = 0;
    int result = 0;

    qsort(sampler->events, sampler->event_count, sizeof *sampler->events, order_events);
    while (done < sampler->event_count && sampler->events[done].time_ns <= until_ns &&
           !result)
        result = sample_places_add(&sampler->places, &sampler->events[done++]);
    memmove(sampler->events, sampler->events + done,
            (sampler->event_count - done) * sizeof *sampler->events);
    sampler->event_count -= done;
    return result;
}

/* The rings are read one after the other, so an event is counted one reading later, when
 * all earlier events have been read. */
int mm_sampler_collect(struct mm_sampler *sampler)
{
    uint64_t until_ns = sampler->seen_ns;
    int result =
        sample_rings_read(&sampler->rings, &sampler->events, &sampler->event_count);

    for (size_t i = 0; i < sampler->event_count; i++)
        if (sampler->events[i].time_ns > sampler->seen_ns)
            sampler->seen_ns = sampler->events[i].time_ns;
    return result || !sampler->event_count ? result : count_events(sampler, until_ns);
}

/* --- Rows ----------------------------------------------------------------- */

/* Add a row; takes `function`. */
static int add_row(struct mm_samples *samples, char *function, int is_symbol,
                   const char *path, uint64_t count, uint64_t hottest)
{
    struct mm_sample_row *row =
        cca_array_add(&samples->rows, &samples->row_count, sizeof *row);

    if (!row) {
        free(function);
        return -ENOMEM;
    }
    *row = (struct mm_sample_row){function, path ? strdup(path) : NULL, count, hottest,
                                  is_symbol};
    return path && !row->path ? -ENOMEM : 0;
}

/* Add the rows of one object from its places [count], which ascend. */
static int add_object(struct mm_samples *samples, const char *path,
                      const struct sample_place *places, size_t count)
{
    struct sample_functions functions;
    int result = sample_functions_read(&functions, path);
    uint64_t nameless = 0, nameless_most = 0, nameless_at = 0;

    for (size_t i = 0; i < count && !result;) {
        uint64_t address = sample_functions_address(&functions, places[i].offset);
        const struct sample_function *function = sample_functions_at(&functions, address);
        uint64_t sum = 0, most = 0, hottest = address;

        do {
            uint64_t at = sample_functions_address(&functions, places[i].offset);

            if (sum && (!function || sample_functions_at(&functions, at) != function))
                break;
            sum += places[i].count;
            if (places[i].count > most) {
                most = places[i].count;
                hottest = at;
            }
        } while (++i < count);
        if (function) {
            char *name = sample_functions_name(function, path);

            result =
                name ? add_row(samples, name, function->name != NULL, path, sum, hottest)
                     : -ENOMEM;
            continue;
        }
        nameless += sum;
        if (most > nameless_most) {
            nameless_most = most;
            nameless_at = hottest;
        }
    }
    if (nameless && !result)
        result = add_row(samples, NULL, 0, path, nameless, nameless_at);
    sample_functions_done(&functions);
    return result;
}

static int order_rows(const void *left, const void *right)
{
    const struct mm_sample_row *a = left, *b = right;

    if (a->count != b->count)
        return a->count < b->count ? 1 : -1;
    return strcmp(a->function ? a->function : "", b->function ? b->function : "");
}

int mm_sampler_count(struct mm_sampler *sampler, struct mm_samples *samples)
{
    struct sample_places *places = &sampler->places;
    int result;

    *samples = (struct mm_samples){.rows = NULL};
    result = mm_sampler_collect(sampler);
    if (!result && sampler->event_count)
        result = count_events(sampler, UINT64_MAX);
    sample_places_merge(places);
    for (size_t i = 0, end; i < places->place_count && !result; i = end) {
        uint32_t object = places->places[i].object;

        for (end = i; end < places->place_count; end++)
            if (places->places[end].object != object)
                break;
        result =
            add_object(samples, places->objects[object], places->places + i, end - i);
    }
    if (places->unmapped && !result)
        result = add_row(samples, NULL, 0, NULL, places->unmapped, 0);
    samples->count = places->user + places->kernel;
    samples->kernel = places->kernel;
    samples->lost = sampler->rings.lost;
    samples->has_kernel = sampler->rings.has_kernel;
    samples->period_ns = PERIOD_NS;
    samples->cost_ns = sample_cost_ns(sampler->rings.has_kernel);
    if (samples->row_count)
        qsort(samples->rows, samples->row_count, sizeof *samples->rows, order_rows);
    return result;
}

void mm_samples_done(struct mm_samples *samples)
{
    for (size_t i = 0; i < samples->row_count; i++) {
        free(samples->rows[i].function);
        free(samples->rows[i].path);
    }
    free(samples->rows);
    *samples = (struct mm_samples){.rows = NULL};
}

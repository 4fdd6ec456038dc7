/* SPDX-License-Identifier: BSD-3-Clause */
/* timeline_json.c: write bars as JSON, seven whole numbers each, which keep the text
 * short. */
#include "mastermind/page/timeline.h"

enum { UNITS = 16384 }; /* the whole time is that many units at most */

static int64_t percent_of(int64_t part, int64_t whole)
{
    return whole > 0 ? (100 * part + whole / 2) / whole : 0;
}

/* Return start, width, level, method, calls, percent covered, percent of MPI, ... */
static json_t *bars_json(const struct mm_timeline *timeline,
                         const struct mm_timeline_thread *t, int64_t unit_ns)
{
    json_t *numbers = json_array();

    for (int l = 0; l < MM_TIMELINE_LEVELS; l++)
        for (size_t i = 0; i < t->levels[l].count; i++) {
            const struct mm_timeline_bar *bar = &t->levels[l].bars[i];
            int64_t start = (bar->start_ns - timeline->start_ns) / unit_ns;
            int64_t end = (bar->end_ns - timeline->start_ns) / unit_ns;

            json_array_append_new(numbers, json_integer(start));
            json_array_append_new(numbers, json_integer(end > start ? end - start : 1));
            json_array_append_new(numbers, json_integer(l));
            json_array_append_new(numbers, json_integer((json_int_t)bar->method));
            json_array_append_new(numbers, json_integer((json_int_t)bar->calls));
            json_array_append_new(
                numbers,
                json_integer(percent_of(bar->covered_ns, bar->end_ns - bar->start_ns)));
            json_array_append_new(numbers,
                                  json_integer(percent_of(bar->mpi_ns, bar->covered_ns)));
        }
    return numbers;
}

json_t *mm_timeline_json(const struct mm_timeline *timeline)
{
    int64_t unit_ns = (timeline->end_ns - timeline->start_ns) / UNITS + 1;
    json_t *object, *threads;

    if (timeline->end_ns <= timeline->start_ns)
        return NULL;
    object = json_object();
    threads = json_array();
    for (size_t i = 0; i < timeline->count; i++) {
        const struct mm_timeline_thread *t = &timeline->threads[i];
        json_t *thread = json_object();

        json_object_set_new(thread, "rank", json_integer(t->rank));
        json_object_set_new(thread, "thread", json_integer(t->thread));
        json_object_set_new(thread, "bars", bars_json(timeline, t, unit_ns));
        json_array_append_new(threads, thread);
    }
    json_object_set_new(object, "start_ns", json_integer(timeline->start_ns));
    json_object_set_new(object, "end_ns", json_integer(timeline->end_ns));
    json_object_set_new(object, "unit_ns", json_integer(unit_ns));
    json_object_set_new(object, "resolution_ns", json_integer(timeline->resolution_ns));
    json_object_set_new(object, "left_out", json_integer((json_int_t)timeline->left_out));
    json_object_set_new(object, "summed", json_integer((json_int_t)timeline->summed));
    json_object_set_new(object, "threads", threads);
    return object;
}

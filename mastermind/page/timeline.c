/* SPDX-License-Identifier: BSD-3-Clause */
/* timeline.c: rows in the order of their ends become bars, a level for each caller.
 *
 * When a row arrives, the last bars of each level that began after it are its callees:
 * they go down one level, and leave at the lowest. So a bar moves MM_TIMELINE_LEVELS
 * times at most. Bars are joined only if they will go down together. */
#include "mastermind/page/timeline.h"

#include <errno.h>
#include <stdlib.h>

#include "common/array.h"

enum { FINEST_NS = 1024 };

static int is_short(const struct mm_timeline_bar *bar, int64_t resolution_ns)
{
    return bar->end_ns - bar->start_ns < resolution_ns;
}

/* --- Bars -------------------------------------------------------------------- */

/* Add the calls of `bar` to `to`. The method with more than half of the time leads. */
static void bar_join(struct mm_timeline_bar *to, const struct mm_timeline_bar *bar)
{
    if (bar->method == to->method) {
        to->lead_ns += bar->lead_ns;
    } else if (bar->lead_ns > to->lead_ns) {
        to->method = bar->method;
        to->lead_ns = bar->lead_ns - to->lead_ns;
    } else {
        to->lead_ns -= bar->lead_ns;
    }
    to->end_ns = bar->end_ns;
    to->covered_ns += bar->covered_ns;
    to->mpi_ns += bar->mpi_ns;
    to->calls += bar->calls;
}

/* Put a bar at the end of a level: into the last bar, if both fit into the resolution.
 * Returns 0 or -ENOMEM. */
static int append(struct mm_timeline_level *level, const struct mm_timeline_bar *bar,
                  int64_t resolution_ns)
{
    struct mm_timeline_bar *last = level->count ? &level->bars[level->count - 1] : NULL;

    if (last && last->caller == bar->caller && is_short(last, resolution_ns) &&
        is_short(bar, resolution_ns) && bar->end_ns - last->start_ns <= resolution_ns) {
        bar_join(last, bar);
        return 0;
    }
    if (cca_array_extend(&level->bars, &level->room, sizeof *level->bars,
                         level->count + 1))
        return -ENOMEM;
    level->bars[level->count++] = *bar;
    return 0;
}

/* Take the part after `start_ns` from a bar that began before. */
static void clip(struct mm_timeline_bar *bar, int64_t start_ns)
{
    if (bar->end_ns <= start_ns)
        return;
    bar->end_ns = start_ns;
    if (bar->covered_ns > bar->end_ns - bar->start_ns)
        bar->covered_ns = bar->end_ns - bar->start_ns;
    if (bar->mpi_ns > bar->covered_ns)
        bar->mpi_ns = bar->covered_ns;
}

/* Move the last bars that began inside `bar`, the row's, down by one level. */
static int lower_callees(struct mm_timeline_thread *t, const struct mm_timeline_bar *bar)
{
    for (int l = MM_TIMELINE_LEVELS - 1; l >= 0; l--) {
        struct mm_timeline_level *level = &t->levels[l];
        size_t from = level->count, count = level->count;

        while (from > 0 && level->bars[from - 1].start_ns >= bar->start_ns)
            from--;
        if (from > 0)
            clip(&level->bars[from - 1], bar->start_ns);
        for (size_t i = from; i < count && l + 1 < MM_TIMELINE_LEVELS; i++) {
            level->bars[i].caller = bar->caller;
            if (append(&t->levels[l + 1], &level->bars[i], t->resolution_ns))
                return -ENOMEM;
        }
        level->count = from;
    }
    return 0;
}

/* Join bars by a new resolution. */
static void coarsen(struct mm_timeline_thread *t, int64_t resolution_ns)
{
    t->resolution_ns = resolution_ns;
    for (int l = 0; l < MM_TIMELINE_LEVELS; l++) {
        struct mm_timeline_level *level = &t->levels[l];
        size_t count = level->count;

        level->count = 0;
        for (size_t i = 0; i < count; i++) {
            struct mm_timeline_bar bar = level->bars[i];

            append(level, &bar, resolution_ns); /* there is room */
        }
    }
}

static size_t longest_level(const struct mm_timeline_thread *t)
{
    size_t most = 0;

    for (int l = 0; l < MM_TIMELINE_LEVELS; l++)
        if (t->levels[l].count > most)
            most = t->levels[l].count;
    return most;
}

/* Double the resolution if a level has too many bars. Bars that are not to be joined yet
 * can be more. */
static void keep_few(struct mm_timeline_thread *t)
{
    if (longest_level(t) < t->most)
        return;
    coarsen(t, 2 * t->resolution_ns);
    t->most = 2 * longest_level(t);
    if (t->most < MM_TIMELINE_ROOM)
        t->most = MM_TIMELINE_ROOM;
}

/* --- Rows -------------------------------------------------------------------- */

/* The thread of a row, new if need be; NULL in *found: there are too many threads. */
static int thread_of(struct mm_timeline *timeline, const struct mm_row *row,
                     struct mm_timeline_thread **found)
{
    struct mm_timeline_thread *t =
        timeline->count ? &timeline->threads[timeline->count - 1] : NULL;

    *found = t;
    if (t && t->rank == row->rank && t->thread == row->thread)
        return 0;
    *found = NULL;
    if (timeline->count == MM_TIMELINE_THREADS) {
        if (!timeline->left_out || timeline->last_rank != row->rank ||
            timeline->last_thread != row->thread)
            timeline->left_out++;
        timeline->last_rank = row->rank;
        timeline->last_thread = row->thread;
        return 0;
    }
    t = cca_array_add(&timeline->threads, &timeline->count, sizeof *t);
    if (!t)
        return -ENOMEM;
    *t = (struct mm_timeline_thread){.rank = row->rank,
                                     .thread = row->thread,
                                     .most = MM_TIMELINE_ROOM,
                                     .resolution_ns = FINEST_NS};
    *found = t;
    return 0;
}

int mm_timeline_row(const struct mm_row *row, const struct mm_joined *joined,
                    void *context)
{
    struct mm_timeline *timeline = context;
    struct mm_timeline_thread *t;
    struct mm_timeline_bar bar = {.start_ns = row->start_ns,
                                  .end_ns = mm_row_end_ns(timeline->source, row),
                                  .mpi_ns = row->mpi_ns,
                                  .method = row->method->index,
                                  .calls = 1,
                                  .caller =
                                      row->caller < row->invocation ? row->caller : 0};

    (void)joined;
    if (row->counted || row->clock_back)
        return 0;
    if (thread_of(timeline, row, &t))
        return -ENOMEM;
    if (!t)
        return 0;
    /* an open call lasts until the thread's last call has ended, at least */
    if (row->status == MM_ROW_OPEN && bar.end_ns < t->last_ns)
        bar.end_ns = t->last_ns;
    t->last_ns = bar.end_ns;
    bar.covered_ns = bar.end_ns - bar.start_ns;
    bar.lead_ns = (double)bar.covered_ns;
    if (lower_callees(t, &bar) || append(&t->levels[0], &bar, t->resolution_ns))
        return -ENOMEM;
    keep_few(t);
    return 0;
}

int mm_timeline_aggregate(const struct mm_aggregate *aggregate,
                          const struct mm_joined *joined, void *context)
{
    struct mm_timeline *timeline = context;

    (void)joined;
    timeline->summed += aggregate->calls;
    return 0;
}

/* --- All threads ------------------------------------------------------------- */

static void set_span(struct mm_timeline *timeline)
{
    timeline->start_ns = INT64_MAX;
    timeline->end_ns = INT64_MIN;
    for (size_t i = 0; i < timeline->count; i++) {
        const struct mm_timeline_level *top = &timeline->threads[i].levels[0];

        for (size_t k = 0; k < top->count; k++) {
            if (top->bars[k].start_ns < timeline->start_ns)
                timeline->start_ns = top->bars[k].start_ns;
            if (top->bars[k].end_ns > timeline->end_ns)
                timeline->end_ns = top->bars[k].end_ns;
        }
    }
    if (timeline->start_ns > timeline->end_ns)
        timeline->start_ns = timeline->end_ns = 0;
}

/* Coarsen all threads; return the number of bars. */
static size_t coarsen_all(struct mm_timeline *timeline, int64_t resolution_ns)
{
    size_t bars = 0;

    timeline->resolution_ns = resolution_ns;
    for (size_t i = 0; i < timeline->count; i++) {
        struct mm_timeline_thread *t = &timeline->threads[i];

        coarsen(t, resolution_ns);
        for (int l = 0; l < MM_TIMELINE_LEVELS; l++)
            bars += t->levels[l].count;
    }
    return bars;
}

void mm_timeline_end(struct mm_timeline *timeline)
{
    int64_t span_ns, resolution_ns;

    set_span(timeline);
    span_ns = timeline->end_ns - timeline->start_ns;
    resolution_ns = span_ns / MM_TIMELINE_STEPS + 1;
    for (size_t i = 0; i < timeline->count; i++) {
        struct mm_timeline_thread *t = &timeline->threads[i];

        if (t->resolution_ns > resolution_ns)
            resolution_ns = t->resolution_ns;
        /* no more callers will come: a bar whose caller has no row stays where it is */
        for (int l = 0; l < MM_TIMELINE_LEVELS; l++)
            for (size_t k = 0; k < t->levels[l].count; k++)
                t->levels[l].bars[k].caller = 0;
    }
    while (coarsen_all(timeline, resolution_ns) > MM_TIMELINE_BARS)
        resolution_ns += resolution_ns / 2 + 1;
}

void mm_timeline_done(struct mm_timeline *timeline)
{
    for (size_t i = 0; i < timeline->count; i++)
        for (int l = 0; l < MM_TIMELINE_LEVELS; l++)
            free(timeline->threads[i].levels[l].bars);
    free(timeline->threads);
    *timeline = (struct mm_timeline){0};
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* timeline.h: bars of a thread's outermost calls over time, and of the calls in them.
 *
 *   level 0  |------- work -------|   |-- work --|
 *   level 1  |- step -||- step -|
 *
 * The number of bars does not grow with the number of calls: calls that are shorter than
 * the resolution share a bar, and the resolution doubles when there are too many bars. */
#ifndef MASTERMIND_PAGE_TIMELINE_H
#define MASTERMIND_PAGE_TIMELINE_H

#include <jansson.h>

#include "mastermind/counts/counts.h"

enum {
    MM_TIMELINE_LEVELS = 4,    /* number of levels that have bars */
    MM_TIMELINE_ROOM = 2048,   /* number of bars of a level while calls are added */
    MM_TIMELINE_THREADS = 256, /* largest number of threads that have bars */
    MM_TIMELINE_BARS = 6000,   /* largest number of bars on a page */
    MM_TIMELINE_STEPS = 1000   /* finest resolution of a page, as a part of its time */
};

/* A call, or several short calls of one level with little time between them. */
struct mm_timeline_bar {
    int64_t start_ns, end_ns;
    int64_t covered_ns; /* time inside the calls; MPI's part of it */
    int64_t mpi_ns;
    double lead_ns; /* time of `method` less the time of others, for the majority vote */
    size_t method;  /* index of the method with most of the time */
    uint64_t calls;
    uint64_t caller; /* caller of the outermost call so far that contains the bar */
};

struct mm_timeline_level {
    struct mm_timeline_bar *bars; /* [count] in the order of time, side by side */
    size_t count, room;
};

struct mm_timeline_thread {
    int rank, thread;
    struct mm_timeline_level levels[MM_TIMELINE_LEVELS];
    size_t most; /* number of bars of a level with which the resolution doubles */
    int64_t last_ns, resolution_ns;
};

/* A struct of zeros is empty; `source` must be set. */
struct mm_timeline {
    const struct mm_row_source *source;
    struct mm_timeline_thread *threads; /* [count] in the order of the rows */
    size_t count;
    size_t left_out;            /* number of threads without bars: there are too many */
    int last_rank, last_thread; /* thread of the latest of these */
    uint64_t summed;            /* number of calls that have no times of their own */
    int64_t start_ns, end_ns, resolution_ns; /* set by mm_timeline_end */
};

/* Add a row, or an aggregate. The functions are callbacks for mm_dual_new; `context` is a
 * struct mm_timeline. Each returns 0 or -ENOMEM. */
int mm_timeline_row(const struct mm_row *row, const struct mm_joined *joined,
                    void *context);
int mm_timeline_aggregate(const struct mm_aggregate *aggregate,
                          const struct mm_joined *joined, void *context);
/* Give all threads one resolution, by which there are at most MM_TIMELINE_BARS bars. No
 * calls may be added afterwards. */
void mm_timeline_end(struct mm_timeline *timeline);
/* Return a new JSON object, or NULL if there are no bars. (timeline_json.c) */
json_t *mm_timeline_json(const struct mm_timeline *timeline);
void mm_timeline_done(struct mm_timeline *timeline);

#endif

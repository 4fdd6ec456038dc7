/* SPDX-License-Identifier: BSD-3-Clause */
/* calls.h: the calls of a run for the browser page: their density over size and cost, and
 * some single calls with all their values.
 *
 * Memory does not grow with the number of calls. */
#ifndef MASTERMIND_PAGE_CALLS_H
#define MASTERMIND_PAGE_CALLS_H

#include <jansson.h>

#include "mastermind/counts/counts.h"
#include "mastermind/page/grid.h"

enum {
    /* largest number of modes of a method that have grids; calls with other modes are
       omitted */
    MM_PAGE_MODES = 16,
    /* number of a method's slowest calls that are kept with all their values */
    MM_PAGE_SLOWEST = 40,
    /* size of a uniform sample of a method's other calls, kept with all their values */
    MM_PAGE_FAIR = 260,
    MM_PAGE_CELLS = 150000, /* largest number of cells in all grids of a page */
    MM_PAGE_WHOLE = 15000,  /* largest number of calls with all their values in a page */
    MM_PAGE_WAITING = 16,   /* largest number of queued calls */
    MM_PAGE_TIME_BIT = 10   /* bins of start times are 2^10 ns wide */
};

/* A call with all of its values. */
struct mm_page_call {
    int rank, thread;
    uint64_t invocation;
    int64_t start_ns;
    double ns; /* exclusive cost of the call, without the cost of recording */
    union monitor_value in[MONITOR_MAX_IN];
};

/* The calls of one method with equal modes. */
struct mm_page_mode {
    /* number of the calls that have a time, and sum of their costs */
    double calls, sum_ns;
    /* [in_count] for each parameter a grid of the cost over its value; empty for modes */
    struct mm_grid *grids;
    /* [in_count] number of calls that are not in the parameter's grid, because its value
     * is not positive */
    double left_out[MONITOR_MAX_IN];
};

struct mm_page_method {
    const struct mm_method_info *method;
    struct mm_modes modes;
    struct mm_page_mode *by_mode; /* [mode_count] calls of the method, divided by mode */
    size_t mode_count;
    struct mm_grid starts; /* grid of the cost over the call's start time */
    double timed, untimed, other_modes;
    /* slowest calls, in a heap: the fastest of them is first */
    struct mm_page_call *slowest;
    struct mm_page_call *fair;
    size_t slowest_count, fair_count;
    uint64_t fair_seen;
};

/* Calls that are queued for a grid, while their cell is prefetched into the cache. */
struct mm_page_waiting {
    struct mm_grid *grid;
    int64_t x, y;
    double calls;
};

struct mm_page_calls {
    struct mm_page_waiting waiting[MM_PAGE_WAITING];
    size_t waiting_count;
    /* [count] calls of each method, by the method's index */
    struct mm_page_method *methods;
    size_t count;
    uint64_t random;
};

/* Initialise `calls` for the methods of `source`, which must outlive it. Returns 0 or
 * -ENOMEM; call mm_page_calls_done in any case. */
int mm_page_calls_init(struct mm_page_calls *calls, const struct mm_row_source *source);
/* Add a row, or an aggregate. The functions are callbacks for mm_dual_new; `context` is a
 * struct mm_page_calls. */
int mm_page_calls_row(const struct mm_row *row, const struct mm_joined *joined,
                      void *calls);
int mm_page_calls_aggregate(const struct mm_aggregate *aggregate,
                            const struct mm_joined *joined, void *calls);
/* To be called after the last call: add the calls that are still queued. Returns 0 or
 * -ENOMEM. */
int mm_page_calls_end(struct mm_page_calls *calls);
/* Return a new JSON array with an object for each method that has calls. Its grids are
 * finished, so that no calls may be added afterwards. NULL: out of memory.
 * (calls_json.c) */
json_t *mm_page_calls_json(struct mm_page_calls *calls);
void mm_page_calls_done(struct mm_page_calls *calls);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* calls.h: the calls of a run for the browser page: densities, and some complete calls.
 *
 * Memory does not grow with the number of calls. */
#ifndef MASTERMIND_PAGE_CALLS_H
#define MASTERMIND_PAGE_CALLS_H

#include <jansson.h>

#include "mastermind/counts/counts.h"
#include "mastermind/page/grid.h"

enum {
    MM_PAGE_MODES = 16,     /* most modes of a method with grids; calls with others are
                               omitted */
    MM_PAGE_SLOWEST = 40,   /* most complete calls of a method: the slowest */
    MM_PAGE_FAIR = 260,     /* most other complete calls of a method: a uniform sample */
    MM_PAGE_CELLS = 150000, /* most cells in all grids of a page */
    MM_PAGE_WHOLE = 15000,  /* most complete calls (with all values) of a page */
    MM_PAGE_WAITING = 16,   /* most queued calls */
    MM_PAGE_TIME_BIT = 10   /* starts are binned by 2^10 ns */
};

/* A call with all of its values. */
struct mm_page_call {
    int rank, thread;
    uint64_t invocation;
    int64_t start_ns;
    double ns; /* exclusive cost of the call, without recording cost */
    union monitor_value in[MONITOR_MAX_IN];
};

/* The calls of one method with equal modes. */
struct mm_page_mode {
    double calls, sum_ns;  /* number and cost of the calls that have a time */
    struct mm_grid *grids; /* [in_count] cost over a parameter; empty for modes */
    double left_out[MONITOR_MAX_IN]; /* calls without a positive value of the parameter */
};

struct mm_page_method {
    const struct mm_method_info *method;
    struct mm_modes modes;
    struct mm_page_mode *by_mode; /* [mode_count] calls of the method by mode */
    size_t mode_count;
    struct mm_grid starts; /* grid of the cost over the start of a call */
    double timed, untimed, other_modes;
    struct mm_page_call *slowest; /* slowest calls; a heap, the fastest of them first */
    struct mm_page_call *fair;
    size_t slowest_count, fair_count;
    uint64_t fair_seen;
};

/* Calls queued for a grid, so that their cells can be prefetched into a cache. */
struct mm_page_waiting {
    struct mm_grid *grid;
    int64_t x, y;
    double calls;
};

struct mm_page_calls {
    struct mm_page_waiting waiting[MM_PAGE_WAITING];
    size_t waiting_count;
    struct mm_page_method *methods; /* [count] calls of each method, by index */
    size_t count;
    uint64_t random;
};

/* Initialise for the methods of `source`, which must outlive `calls`. Returns 0 or
 * -ENOMEM; call mm_page_calls_done in any case. */
int mm_page_calls_init(struct mm_page_calls *calls, const struct mm_row_source *source);
/* Add a row or an aggregate: callbacks for mm_dual_new, with the struct as context. */
int mm_page_calls_row(const struct mm_row *row, const struct mm_joined *joined,
                      void *calls);
int mm_page_calls_aggregate(const struct mm_aggregate *aggregate,
                            const struct mm_joined *joined, void *calls);
/* End the walk over the calls: add the queued calls. Returns 0 or -ENOMEM. */
int mm_page_calls_end(struct mm_page_calls *calls);
/* Return a new array, with an object for each method that has calls. Ends the grids: no
 * calls may be added afterwards. NULL: out of memory. calls_json.c */
json_t *mm_page_calls_json(struct mm_page_calls *calls);
void mm_page_calls_done(struct mm_page_calls *calls);

#endif

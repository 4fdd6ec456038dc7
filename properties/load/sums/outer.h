/* SPDX-License-Identifier: BSD-3-Clause */
/* outer.h: inclusive sums of a method over its outermost activations.
 * Rows are in the order in which invocations end (callee before caller); their numbers
 * are in the order in which they begin. So every invocation that has ended since another
 * one began is below that one in the call tree, and for a method
 *
 *     sum(now) = sum(when this call began) + inclusive value of this call
 *
 * replaces the activations below this call by the call itself. A past sum is kept as long
 * as an open frame may need it: memory grows with the depth of calls. */
#ifndef PROPERTIES_LOAD_SUMS_OUTER_H
#define PROPERTIES_LOAD_SUMS_OUTER_H

#include "properties/load/sums/sums.h"

/* A sum over outermost activations, and the time from which it was current; the unit of
 * time is one row of the thread. */
struct mm_outer_past {
    uint64_t from;
    int64_t sum[MM_LOAD_MOST];
};

/* State of one method in one thread; initialise with zeros. */
struct mm_outer {
    /* sums by time, ascending; the last one is the current sum */
    struct mm_outer_past *past;
    size_t count, room;
};

/* Add a call that began at `began` and ends at `now`. `open[open_count]`: begin times of
 * the frames that are still open, ascending. Its values are `value[count]`;
 * `delta[count]` becomes the change of the sum. 0 or -ENOMEM. */
int mm_outer_add(struct mm_outer *outer, uint64_t began, uint64_t now,
                 const uint64_t *open, size_t open_count, const int64_t *value,
                 int64_t *delta, size_t count);
/* Reset the sums to zero before the rows of the next thread. */
static inline void mm_outer_clear(struct mm_outer *outer)
{
    outer->count = 0;
}
void mm_outer_done(struct mm_outer *outer);

#endif

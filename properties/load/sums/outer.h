/* SPDX-License-Identifier: BSD-3-Clause */
/* outer.h: the inclusive sums of a method over its outermost activations.
 *
 * Rows come callee before caller, and an invocation's number is that of its begin. So
 * what has ended since an invocation began is below it, and of a method
 *
 *     sum(now) = sum(when this call began) + inclusive value of this call
 *
 * replaces its activations below this call by the call. Past sums are kept as long as a
 * frame that is open may ask for them: memory grows with the depth of calls. */
#ifndef PROPERTIES_LOAD_SUMS_OUTER_H
#define PROPERTIES_LOAD_SUMS_OUTER_H

#include "properties/load/sums/sums.h"

/* A sum from a time on, counted in rows of the thread. */
struct mm_outer_past {
    uint64_t from;
    int64_t sum[MM_LOAD_MOST];
};

/* Of one method in one thread; zeros at first. */
struct mm_outer {
    struct mm_outer_past *past; /* ascending, the last is the sum now */
    size_t count, room;
};

/* Add a call that began at `began` and ends at `now`. `open[open_count]`: when the frames
 * began that are still open, ascending. Values are `value[count]`; `delta[count]` gets
 * how the sum has changed. 0 or -ENOMEM. */
int mm_outer_add(struct mm_outer *outer, uint64_t began, uint64_t now,
                 const uint64_t *open, size_t open_count, const int64_t *value,
                 int64_t *delta, size_t count);
/* The next thread begins. */
static inline void mm_outer_clear(struct mm_outer *outer)
{
    outer->count = 0;
}
void mm_outer_done(struct mm_outer *outer);

#endif

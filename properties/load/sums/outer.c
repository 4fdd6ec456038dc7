/* SPDX-License-Identifier: BSD-3-Clause */
/* outer.c: sums over outermost activations, with the past sums that open frames need. */
#include "properties/load/sums/sums.h"

#include <errno.h>

#include "common/array.h"
#include "common/find.h"

static int begin(struct mm_outer *outer)
{
    if (outer->count)
        return 0;
    if (cca_array_extend(&outer->past, &outer->room, sizeof *outer->past, 1))
        return -ENOMEM;
    outer->past[0] = (struct mm_outer_past){0};
    outer->count = 1;
    return 0;
}

/* The latest begin time in `open`, which ascends, before `time`; -1: none. */
static int64_t open_before(const uint64_t *open, size_t count, uint64_t time)
{
    size_t at;

    CCA_FIND_FIRST(at, count, open[at] < time);
    return at ? (int64_t)open[at - 1] : -1;
}

/* Drop past sums that no open frame needs, because none began while they were current. */
static void forget(struct mm_outer *outer, const uint64_t *open, size_t open_count)
{
    while (outer->count > 1) {
        struct mm_outer_past *top = &outer->past[outer->count - 1];

        if (open_before(open, open_count, top->from) >= (int64_t)top[-1].from)
            return;
        top[-1] = *top;
        outer->count--;
    }
}

int mm_outer_add(struct mm_outer *outer, uint64_t began, uint64_t now,
                 const uint64_t *open, size_t open_count, const int64_t *value,
                 int64_t *delta, size_t count)
{
    struct mm_outer_past *top;

    if (begin(outer))
        return -ENOMEM;
    top = &outer->past[outer->count - 1];
    for (size_t i = 0; i < count; i++)
        delta[i] = value[i] - top->sum[i];
    while (top->from > began) {
        top--;
        outer->count--;
    }
    forget(outer, open, open_count);
    top = &outer->past[outer->count - 1];
    if (open_count && open[open_count - 1] >= top->from) { /* an open frame began while
                                                            * this sum was current */
        if (cca_array_extend(&outer->past, &outer->room, sizeof *outer->past,
                             outer->count + 1))
            return -ENOMEM;
        top = &outer->past[outer->count++];
        top[0] = top[-1];
    }
    top->from = now;
    for (size_t i = 0; i < count; i++) {
        top->sum[i] += value[i];
        delta[i] = top->sum[i] + delta[i] - value[i];
    }
    return 0;
}

void mm_outer_done(struct mm_outer *outer)
{
    free(outer->past);
    *outer = (struct mm_outer){0};
}

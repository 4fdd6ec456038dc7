/* SPDX-License-Identifier: BSD-3-Clause */
/* counters.c: the counters of an invocation, from its begin to its row. */
#include "mastermind/recorder/wide_row.h"

#include <string.h>

/* True for an invocation that no recorded one has called, or only a program's main
 * function. */
static int is_outermost(const struct mm_thread *t, const struct mm_frame *frame)
{
    const struct mm_frame *below = frame->process[MM_FRAME_BELOW];
    const struct mm_method *caller = below->process[MM_FRAME_METHOD];

    return below == &t->root ||
           (caller->is_main && below->process[MM_FRAME_BELOW] == &t->root);
}

/* Read the counters of outermost calls. The time that this takes is measuring, and does
 * not belong to the caller. */
static void read_outer(struct mm_thread *t, const struct mm_frame *frame,
                       enum meas_outer moment, const int64_t *began, int64_t *values)
{
    struct mm_recorder *r = t->recorder;
    struct mm_quiet quiet;
    int64_t ns;

    if (!r->options.read_outer || !is_outermost(t, frame))
        return;
    mm_quiet_begin(&quiet);
    r->options.read_outer(r->options.context, moment, began, values);
    ns = mm_quiet_end(&quiet, r);
    mm_core_work(t, frame->process[MM_FRAME_BELOW], (ns * (r->ticks_per_ns >> 16)) >> 16);
}

void mm_begin_extra(struct mm_thread *t, struct mm_frame *frame)
{
    struct mm_recorder *r = t->recorder;
    struct mm_counts *counts;

    if (!r->counter_count)
        return;
    counts = mm_thread_counts(t, frame);
    memset(counts->callees, 0, sizeof counts->callees);
    r->options.read_counters(r->options.context, counts->own);
    read_outer(t, frame, MEAS_OUTER_BEGINS, NULL, counts->own);
}

/* The end of a call that longjmp has left is unknown, so the current values of the
 * counters are not its own. */
void mm_end_extra(struct mm_thread *t, struct mm_frame *frame, struct mm_facts *facts)
{
    struct mm_recorder *r = t->recorder;
    struct mm_counts *counts, *outer;
    int i, ended = mm_facts_status(facts) != MM_STATUS_LONGJMP;
    int64_t now[MM_MAX_COUNTERS] = {0}, *own, *sum;

    if (!r->counter_count)
        return;
    if (ended)
        r->options.read_counters(r->options.context, now);
    counts = mm_thread_counts(t, frame);
    read_outer(t, frame, ended ? MEAS_OUTER_ENDS : MEAS_OUTER_LEFT, counts->own, now);
    outer = mm_thread_counts(t, frame->process[MM_FRAME_BELOW]);
    for (i = 0; i < r->counter_count; i++) {
        own = &counts->own[i];
        sum = &outer->callees[i];
        if (*own == MEAS_NESTED) { /* part of the outermost call's count */
            *own = MM_COUNT_MISSING;
            continue;
        }
        if (!ended || *own == MM_COUNT_MISSING || now[i] == MM_COUNT_MISSING)
            *own = *sum = MM_COUNT_MISSING; /* if one count of a counter is missing, the
                                               sum is missing, too */
        else
            *own = (int64_t)((uint64_t)now[i] - (uint64_t)*own);
        if (*sum != MM_COUNT_MISSING)
            *sum = (int64_t)((uint64_t)*sum + (uint64_t)*own);
    }
}

uint64_t *mm_put_extra(const struct mm_thread *t, const struct mm_frame *frame,
                       uint64_t *at)
{
    const struct mm_recorder *r = t->recorder;
    const struct mm_counts *counts;
    size_t bytes = sizeof *at * (size_t)r->counter_count;

    if (!bytes)
        return at;
    counts = mm_thread_counts(t, frame);
    memcpy(at, counts->own, bytes);
    memcpy(at + r->counter_count, counts->callees, bytes);
    return at + 2 * r->counter_count;
}

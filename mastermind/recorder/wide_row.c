/* SPDX-License-Identifier: BSD-3-Clause */
/* wide_row.c: rows outside the compact form: wide rows, losses and counters. */
#include "mastermind/recorder/wide_row.h"

#include "mastermind/format/aggregate.h"

#include <string.h>

void mm_begin_extra(struct mm_thread *t, struct mm_frame *frame)
{
    struct mm_recorder *r = t->recorder;
    struct mm_counts *counts;

    if (!r->counter_count)
        return;
    counts = mm_thread_counts(t, frame);
    memset(counts->callees, 0, sizeof counts->callees);
    r->options.read_counters(r->options.context, counts->own);
}

/* The end of a call that longjmp has left is unknown, so the current values of the
 * counters are not its own. */
void mm_end_extra(struct mm_thread *t, struct mm_frame *frame, struct mm_facts *facts)
{
    struct mm_recorder *r = t->recorder;
    struct mm_counts *counts, *outer;
    int i, ended = mm_facts_status(facts) != MM_STATUS_LONGJMP;
    int64_t now[MM_MAX_COUNTERS], *own, *sum;

    if (!r->counter_count)
        return;
    if (ended)
        r->options.read_counters(r->options.context, now);
    counts = mm_thread_counts(t, frame);
    outer = mm_thread_counts(t, frame->process[MM_FRAME_BELOW]);
    for (i = 0; i < r->counter_count; i++) {
        own = &counts->own[i];
        sum = &outer->callees[i];
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

uint64_t *mm_put_losses(const struct mm_off_core *losses, uint64_t *at)
{
    at[MM_LOSS_HOST_OWN] = (uint64_t)losses->host_own;
    at[MM_LOSS_HOST] = (uint64_t)(losses->host_own + losses->host_below);
    at[MM_LOSS_WAIT_OWN] = (uint64_t)losses->wait_own;
    at[MM_LOSS_WAIT] = (uint64_t)(losses->wait_own + losses->wait_below);
    at[MM_LOSS_WORK_OWN] = (uint64_t)losses->work_own;
    at[MM_LOSS_WORK] = (uint64_t)(losses->work_own + losses->work_below);
    return at + MM_LOSS_WORDS;
}

size_t mm_fill_wide_row(const struct mm_thread *t, const struct mm_frame *frame,
                        const struct mm_method *method, const struct mm_facts *facts,
                        const uint64_t *out, uint64_t *row)
{
    uint64_t *at = row + 1;
    size_t words;
    uint32_t i;

    *at++ = facts->invocation;
    *at++ = facts->caller;
    *at++ = facts->end;
    *at++ = facts->wall;
    *at++ = facts->children;
    *at++ = (uint64_t)facts->mpi_ns;
    if (t->recorder->extra)
        at = mm_put_extra(t, frame, at);
    for (i = 0; i < method->in.count; i++)
        *at++ = frame->values[i];
    if (mm_facts_status(facts) == MM_STATUS_DONE)
        for (i = 0; i < method->out.count; i++)
            *at++ = out[i];
    if (facts->flags & MM_ROW_CALLEES) {
        *at++ = frame->fold[MM_FOLD_CALLEES] & MM_FOLD_MASK;
        *at++ = frame->fold[MM_FOLD_BELOW] & MM_FOLD_MASK;
    }
    if (facts->flags & MM_ROW_LOSSES)
        at = mm_put_losses(&facts->losses, at);
    words = (size_t)(at - row);
    row[0] =
        method->id | facts->flags | MM_ROW_WIDE | (uint64_t)words << MM_ROW_WORDS_SHIFT;
    return words;
}

size_t mm_wide_words(const struct mm_recorder *r, const struct mm_method *method)
{
    return 7 + 2 * (size_t)r->counter_count + method->in.count + method->out.count +
           MM_LOSS_WORDS;
}

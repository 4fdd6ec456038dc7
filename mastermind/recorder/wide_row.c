/* SPDX-License-Identifier: BSD-3-Clause */
/* wide_row.c: rows outside the compact form: wide rows and losses. */
#include "mastermind/recorder/wide_row.h"

#include "mastermind/format/aggregate.h"

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

uint32_t mm_fill_wide_row(const struct mm_thread *t, const struct mm_frame *frame,
                          const struct mm_method *method, const struct mm_facts *facts,
                          const uint64_t *out, uint64_t *row)
{
    uint64_t *at = row + 1;
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
    return method->id | facts->flags | MM_ROW_WIDE |
           (uint32_t)(at - row) << MM_ROW_WORDS_SHIFT;
}

size_t mm_wide_words(const struct mm_recorder *r, const struct mm_method *method)
{
    return 7 + 2 * (size_t)r->counter_count + method->in.count + method->out.count +
           MM_LOSS_WORDS;
}

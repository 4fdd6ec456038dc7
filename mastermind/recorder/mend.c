/* SPDX-License-Identifier: BSD-3-Clause */
/* mend.c: repair the recorder's state after a signal handler has left begin() or end() by
 * longjmp, at any instruction. Of each row or sum, one word is stored last; it shows
 * which of the other words are valid. */
#include "mastermind/recorder/fold.h"
#include "mastermind/recorder/hot.h"

/* Update the number of the thread's latest invocation and the time of its last end from
 * the row at `at`. */
static void mend_row(const struct mm_thread *t, const uint64_t *at, uint64_t *newest,
                     uint64_t *end)
{
    if (*at & MM_ROW_WIDE) {
        *newest = at[1];
        *end = at[3];
    } else {
        *newest = t->base_biased + (uint32_t)(at[1] ^ MM_BIAS);
        *end += (uint32_t)at[2];
    }
}

/* Count the valid rows of the window again. Returns the number of the latest invocation
 * with a row; 0: none. */
static uint64_t mend_rows(struct mm_thread *t)
{
    const uint64_t *at = (const uint64_t *)(t->window + 1);
    uint64_t rows = t->window->first_row, end = t->window->base_end, newest = 0;

    while (at < t->cursor && mm_row_words(*at)) {
        if (!mm_is_reading(*at)) {
            rows++;
            mend_row(t, at, &newest, &end);
        }
        at += mm_row_words(*at);
    }
    t->last_end = end;
    t->caller = MM_NO_CALLER;
    t->rows = rows;
    __atomic_store_n(&t->live->rows, rows, __ATOMIC_RELAXED);
    return newest;
}

/* Store the number of aggregated calls from the journal in the ring again, and clear the
 * cached caller and pair; the fields that a pending context (mm_fold_settle) needs
 * remain. Returns the number of the latest aggregated invocation, or 0. */
static uint64_t mend_sums(struct mm_thread *t)
{
    struct mm_fold *f = t->fold;

    if (!f)
        return 0;
    f->caller = f->pair = UINT64_MAX;
    __atomic_store_n(&t->live->folded, f->journal->done, __ATOMIC_RELAXED);
    return f->journal->sums[f->journal->done % 2].invocation;
}

void mm_mend(struct mm_thread *t)
{
    uint64_t row = mend_rows(t), sum = mend_sums(t);
    struct mm_frame *frame = t->open;

    if (frame != &t->root && (frame->invocation == row || frame->invocation == sum)) {
        if (t->fold && t->fold->caller_frame == frame)
            t->fold->caller_frame = NULL;
        __atomic_store_n(&frame->check, 0, __ATOMIC_RELEASE);
        t->open = frame->process[MM_FRAME_BELOW];
    }
    t->above = frame = t->open->process[MM_FRAME_ABOVE];
    if (frame) /* a closed frame has neither context nor losses */
        frame->context = 0, frame->lost = 0;
}

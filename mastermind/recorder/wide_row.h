/* SPDX-License-Identifier: BSD-3-Clause */
/* wide_row.h: rows outside the compact form: wide rows, losses and counters. */
#ifndef MASTERMIND_RECORDER_WIDE_ROW_H
#define MASTERMIND_RECORDER_WIDE_ROW_H

#include "mastermind/recorder/thread.h"

/* Contents of a row before it is known whether a compact row can hold them. */
struct mm_facts {
    uint64_t invocation, caller, end, wall, children;
    int64_t mpi_ns;
    struct mm_off_core losses; /* valid if the flags have MM_ROW_LOSSES */
    unsigned flags;
};

static inline unsigned mm_facts_status(const struct mm_facts *facts)
{
    return facts->flags >> MM_ROW_STATUS_SHIFT & 3;
}

/* Read the counters at the start of `frame`. */
void mm_begin_extra(struct mm_thread *thread, struct mm_frame *frame);
/* Read the counters at the end of `frame`: store its counts and add them to its caller's.
 */
void mm_end_extra(struct mm_thread *thread, struct mm_frame *frame,
                  struct mm_facts *facts);
/* Store the values of the counters at `at`. Returns the next word. */
uint64_t *mm_put_extra(const struct mm_thread *thread, const struct mm_frame *frame,
                       uint64_t *at);
/* Store the words of the lost time, MM_LOSS_*. Returns the next word. */
uint64_t *mm_put_losses(const struct mm_off_core *losses, uint64_t *at);
/* Make a wide row at `row`, without its check. Returns the number of words. */
size_t mm_fill_wide_row(const struct mm_thread *thread, const struct mm_frame *frame,
                        const struct mm_method *method, const struct mm_facts *facts,
                        const uint64_t *out, uint64_t *row);
/* Largest number of words of a wide row of `method`. */
size_t mm_wide_words(const struct mm_recorder *recorder, const struct mm_method *method);

#endif

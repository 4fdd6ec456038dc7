/* SPDX-License-Identifier: BSD-3-Clause */
/* wide_row.h: rows outside the compact form: wide rows, losses and counters. */
#ifndef MASTERMIND_RECORDER_WIDE_ROW_H
#define MASTERMIND_RECORDER_WIDE_ROW_H

#include "mastermind/recorder/thread.h"

/* Contents of a row, before it is decided whether they fit into a compact row. */
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
/* Read the counters at the end of `frame`: store the frame's counts, and add them to the
 * counts of its
 * caller. */
void mm_end_extra(struct mm_thread *thread, struct mm_frame *frame,
                  struct mm_facts *facts);
/* Store the frame's counts at `at`. Returns the address after the last word. */
uint64_t *mm_put_extra(const struct mm_thread *thread, const struct mm_frame *frame,
                       uint64_t *at);
/* Store the words of the lost time (MM_LOSS_*) at `at`. Returns the address after the
 * last word. */
uint64_t *mm_put_losses(const struct mm_off_core *losses, uint64_t *at);
/* Store the words of a wide row at `row` except the first. Returns the first, without its
 * check. */
uint32_t mm_fill_wide_row(const struct mm_thread *thread, const struct mm_frame *frame,
                          const struct mm_method *method, const struct mm_facts *facts,
                          const uint64_t *out, uint64_t *row);
/* Largest number of words of a wide row of `method`. */
size_t mm_wide_words(const struct mm_recorder *recorder, const struct mm_method *method);

#endif

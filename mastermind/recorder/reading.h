/* SPDX-License-Identifier: BSD-3-Clause */
/* reading.h: readings of the thread's CPU time and context switches, among the rows of a
 * window (docs/internals/experiment.md, Readings). */
#ifndef MASTERMIND_RECORDER_READING_H
#define MASTERMIND_RECORDER_READING_H

#include "mastermind/recorder/thread.h"

/* Store a reading at the begin or end of the thread's window. `anew`: take a new one,
 * with two system calls; else use the thread's previous one, if hardly any time has
 * passed. A thread without files, used for cost trials, has no readings. */
void mm_reading_of_window(struct mm_thread *thread, uint32_t kind, int anew);
/* Take a reading at the end of the row that is about to be stored, and store it if there
 * is space. Adds its cost to the recorder's file time. */
void mm_reading_at_row(struct mm_thread *thread);
/* Measure the CPU time that a reading of CPU time and switches takes on this host, ns. */
int64_t mm_reading_cost(const struct mm_recorder *recorder);

/* True if a row that ends at `end` ends a gap, a long time without ends of calls. The
 * clock may have gone backwards. */
static inline int mm_closes_gap(const struct mm_thread *t, uint64_t end)
{
    return (int64_t)(end - t->last_end) >= t->gap_ticks;
}

#endif

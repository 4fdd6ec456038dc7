/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h: functions that the files of the recorder share. */
#ifndef MASTERMIND_RECORDER_PARTS_H
#define MASTERMIND_RECORDER_PARTS_H

#include "mastermind/recorder/thread.h"

/* --- call_cost.c --------------------------------------------------------- */

/* Set the recorder's costs of recording a call, except costs of entries. Units are ns if
 * ns_per_tick is known, ticks if it is 1. 0 or -ENOMEM. */
int mm_call_cost_measure(struct mm_recorder *recorder, struct cca_error *err);
/* Add the cost of two readings of CPU time and counters to all kinds of rows. */
void mm_call_cost_extra(struct mm_recorder *recorder);

/* --- cold.c -------------------------------------------------------------- */

/* Install the thread-exit key and the fork handler. Returns 0 or -EAGAIN. */
int mm_process_ready(void);
/* Register the recorder in a list of the process, so that a forked child does not use
 * it. */
void mm_recorder_enlist(struct mm_recorder *recorder);
/* Add `thread` to the list of states of the calling thread, until mm_leave_here. */
void mm_join_here(struct mm_thread *thread);
/* Close the calling thread's files, unless it has open invocations. */
void mm_leave_here(struct mm_recorder *recorder);

/* --- helper.c ------------------------------------------------------------ */

/* Decide which thread packs in a new recorder. Returns 0, or -EINVAL with `err`. */
int mm_helper_decide(struct mm_recorder *recorder, struct cca_error *err);
/* Wake the helper if `full` windows of the thread are enough. `calm` (no signal handler
 * is running): create the helper if needed. Returns 1, or 0: the caller packs. */
int mm_helper_call(struct mm_recorder *recorder, uint64_t full, int calm);
/* Let the helper pack all full windows, then end it. */
void mm_helper_stop(struct mm_recorder *recorder);
/* The packer: "helper" or "caller". */
const char *mm_helper_name(const struct mm_recorder *recorder);

/* --- reading.c ----------------------------------------------------------- */

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

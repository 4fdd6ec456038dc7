/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h: functions that the files of the recorder share. */
#ifndef MASTERMIND_RECORDER_PARTS_H
#define MASTERMIND_RECORDER_PARTS_H

#include "mastermind/recorder/thread.h"

/* --- call_cost.c --------------------------------------------------------- */

/* Measure the recorder's costs of recording a call, except the costs of kinds of entry.
 * The unit is ns if the recorder's `ns_per_tick` is known, else ticks. Returns 0 or
 * -ENOMEM. */
int mm_call_cost_measure(struct mm_recorder *recorder, struct cca_error *err);
/* Add the cost of two readings of CPU time and counters to all kinds of rows. */
void mm_call_cost_extra(struct mm_recorder *recorder);

/* --- cold.c -------------------------------------------------------------- */

/* Install the thread-exit key and the fork handler. Returns 0 or -EAGAIN. */
int mm_process_ready(void);
/* Add the recorder to a list of all recorders of the process, so that a forked child does
 * not use it. */
void mm_recorder_enlist(struct mm_recorder *recorder);
/* Add `thread` to the calling thread's list of states; mm_leave_here removes it. */
void mm_join_here(struct mm_thread *thread);
/* Close the calling thread's files, unless it has open invocations. */
void mm_leave_here(struct mm_recorder *recorder);

/* --- helper.c ------------------------------------------------------------ */

/* Decide whether a new recorder's windows are packed by a helper thread or by the
 * measured threads. Returns 0, or -EINVAL with `err`. */
int mm_helper_decide(struct mm_recorder *recorder, struct cca_error *err);
/* Wake the helper if the calling thread has enough full windows; `full` is their number.
 * If `calm` (no signal handler is running), create the helper if needed. Returns 1, or 0
 * if the caller must pack the windows itself. */
int mm_helper_call(struct mm_recorder *recorder, uint64_t full, int calm);
/* Let the helper pack all full windows, then end it. */
void mm_helper_stop(struct mm_recorder *recorder);
/* Return the name of the packer: "helper" or "caller". */
const char *mm_helper_name(const struct mm_recorder *recorder);

/* --- pace.c -------------------------------------------------------------- */

/* Return the duration in ticks of a fixed piece of work, about a microsecond. The code of
 * the recorder slows down like it when other hardware threads use the core. */
uint64_t mm_pace_ticks(int tsc);
/* Set the recorder's `pace_ticks`, of which costs are multiples, before they are
 * measured. */
void mm_pace_begin(struct mm_recorder *recorder);
/* Measure the thread's pace, and add it to the recorder's sums for the calls since the
 * last measurement. Returns the ticks that it took. */
int64_t mm_pace_measure(struct mm_thread *thread);
/* As mm_pace_measure, if the last measurement is old. Returns 0 if it is not. */
int64_t mm_pace_measure_again(struct mm_thread *thread, uint64_t now);

/* --- reading.c ----------------------------------------------------------- */

/* Store a reading of CPU time and context switches at the start or end of the thread's
 * window. If `anew`, take a new one, with two system calls; else store the thread's
 * previous reading, if hardly any time has passed since. A thread without files, used to
 * measure costs, has no readings. */
void mm_reading_of_window(struct mm_thread *thread, uint32_t kind, int anew);
/* Take a reading of CPU time and context switches for the row that is about to be stored,
 * and store it if there is space. Its cost is added to the recorder's `files_ns`. */
void mm_reading_at_row(struct mm_thread *thread);
/* Measure the CPU time that a reading of CPU time and switches takes on this host, ns. */
int64_t mm_reading_cost(const struct mm_recorder *recorder);

/* True if no call of the thread has ended for a long time before `end`, the end of the
 * current row. The clock may have gone backwards. */
static inline int mm_closes_gap(const struct mm_thread *t, uint64_t end)
{
    return (int64_t)(end - t->last_end) >= t->gap_ticks;
}

#endif

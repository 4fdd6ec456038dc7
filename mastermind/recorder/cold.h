/* SPDX-License-Identifier: BSD-3-Clause */
/* cold.h: creation and end of recorders and their threads, off the hot path. */
#ifndef MASTERMIND_RECORDER_COLD_H
#define MASTERMIND_RECORDER_COLD_H

#include "mastermind/recorder/thread.h"

/* Install the thread-exit key and the fork handler. Returns 0 or -EAGAIN. */
int mm_process_ready(void);
/* Register the recorder in a list of the process, so that a forked child does not use
 * it. */
void mm_recorder_enlist(struct mm_recorder *recorder);
/* Add `thread` to the list of states of the calling thread, until mm_leave_here. */
void mm_join_here(struct mm_thread *thread);
/* Close the calling thread's files, unless it has open invocations. */
void mm_leave_here(struct mm_recorder *recorder);

#endif

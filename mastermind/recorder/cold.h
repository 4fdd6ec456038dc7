/* SPDX-License-Identifier: BSD-3-Clause */
/* cold.h: life of a recorder and its threads, off the hot path. */
#ifndef MASTERMIND_RECORDER_COLD_H
#define MASTERMIND_RECORDER_COLD_H

#include "mastermind/recorder/thread.h"

/* Install the thread-exit key and the fork handler. Returns 0 or -EAGAIN. */
int mm_process_ready(void);
/* Register the recorder so that a forked child leaves it alone. */
void mm_recorder_enlist(struct mm_recorder *recorder);
/* Make `thread` a state of the calling thread, until mm_leave_here. */
void mm_join_here(struct mm_thread *thread);
/* Close the calling thread's files, unless invocations are open in it. */
void mm_leave_here(struct mm_recorder *recorder);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* cold.h: what the life of a recorder needs of cold.c. */
#ifndef MASTERMIND_RECORDER_COLD_H
#define MASTERMIND_RECORDER_COLD_H

#include "mastermind/recorder/thread.h"

/* Thread exit and fork are watched from now on. Returns 0 or -EAGAIN. */
int mm_process_ready(void);
/* From now on a forked child will leave this recorder alone. */
void mm_recorder_enlist(struct mm_recorder *recorder);
/* The state is one of the calling thread's from now on, until mm_leave_here. */
void mm_join_here(struct mm_thread *thread);
/* Close the calling thread's files, unless invocations are open in it. */
void mm_leave_here(struct mm_recorder *recorder);

#endif

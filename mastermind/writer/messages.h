/* SPDX-License-Identifier: BSD-3-Clause */
/* messages.h: sampled messages of MPI in a rank's folder. Their file stays when the rank
 * ends. */
#ifndef MASTERMIND_WRITER_MESSAGES_H
#define MASTERMIND_WRITER_MESSAGES_H

#include "mastermind/recorder/recorder.h"

/* Keep messages in the folder `rank_path` from now on, where the process samples any,
 * with calls of `recorder` as their callers. 0, or a negative errno: they stay in memory.
 */
int mm_messages_keep(const char *rank_path, struct mm_recorder *recorder);
/* The recorder is about to end: its calls are no callers any more. */
void mm_messages_leave(struct mm_recorder *recorder);
/* Recording is switched on or off: so is sampling; messages are counted anyway. */
void mm_messages_enable(int on);

#endif

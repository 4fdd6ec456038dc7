/* SPDX-License-Identifier: BSD-3-Clause */
/* messages.h: keep sampled MPI messages in a file in the rank's folder, which remains if
 * the process is killed. */
#ifndef MASTERMIND_WRITER_MESSAGES_H
#define MASTERMIND_WRITER_MESSAGES_H

#include "mastermind/recorder/recorder.h"

/* From now on write sampled messages, if the process samples any, to a file in the folder
 * `rank_path`, with the recorder's open call as a message's caller. Returns 0, or a
 * negative errno: the messages stay in memory. */
int mm_messages_keep(const char *rank_path, struct mm_recorder *recorder);
/* Stop looking up callers of messages in the recorder, which is about to end. */
void mm_messages_leave(struct mm_recorder *recorder);
/* Switch sampling of messages on or off, together with recording; messages are counted in
 * any case. */
void mm_messages_enable(int on);

#endif

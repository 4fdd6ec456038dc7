/* SPDX-License-Identifier: BSD-3-Clause */
/* helper.h: the recorder's own thread, which packs full windows where a core is free. */
#ifndef MASTERMIND_RECORDER_HELPER_H
#define MASTERMIND_RECORDER_HELPER_H

#include "mastermind/recorder/thread.h"

/* Decide who packs in a new recorder. Returns 0, or -EINVAL with `err`. */
int mm_helper_decide(struct mm_recorder *recorder, struct cca_error *err);
/* A window is full, and with it `full` of the thread: wake the helper once they are
 * enough. It is made at need if `calm`, that is where no signal handler can be at work.
 * Returns 1, or 0: the caller packs. */
int mm_helper_call(struct mm_recorder *recorder, uint64_t full, int calm);
/* Have it pack what is full, and end. */
void mm_helper_stop(struct mm_recorder *recorder);
/* Who packs: "helper" or "caller". */
const char *mm_helper_name(const struct mm_recorder *recorder);

#endif

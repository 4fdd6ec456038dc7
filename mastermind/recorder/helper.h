/* SPDX-License-Identifier: BSD-3-Clause */
/* helper.h: the recorder's own thread, which packs full windows if a core is free. */
#ifndef MASTERMIND_RECORDER_HELPER_H
#define MASTERMIND_RECORDER_HELPER_H

#include "mastermind/recorder/thread.h"

/* Decide which thread packs in a new recorder. Returns 0, or -EINVAL with `err`. */
int mm_helper_decide(struct mm_recorder *recorder, struct cca_error *err);
/* Wake the helper if `full` windows of the thread are enough. `calm` (no signal handler
 * is running): create the helper if needed. Returns 1, or 0: the caller packs. */
int mm_helper_call(struct mm_recorder *recorder, uint64_t full, int calm);
/* Let the helper pack all full windows, then end it. */
void mm_helper_stop(struct mm_recorder *recorder);
/* The packer: "helper" or "caller". */
const char *mm_helper_name(const struct mm_recorder *recorder);

#endif

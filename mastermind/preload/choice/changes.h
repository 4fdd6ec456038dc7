/* SPDX-License-Identifier: BSD-3-Clause */
/* changes.h: changes of settings for the time of one call.
 *
 * A setting of the whole process is changed by one thread at a time: calls of other
 * threads meanwhile run with the setting as it is. Nothing is set where the value stands
 * already. */
#ifndef MASTERMIND_PRELOAD_CHOICE_CHANGES_H
#define MASTERMIND_PRELOAD_CHOICE_CHANGES_H

#include <stddef.h>
#include <stdint.h>

#include "mastermind/preload/choice/settings.h"

struct monitor_frame;
struct mm_change; /* a change of the calling thread, until its end */

/* End the changes of calls that longjmp has left. `stack`: address on the stack of the
 * current call, below which calls inside it are. */
void mm_changes_settle(uintptr_t stack);

/* Change a setting. Sets `*change`, or to NULL where there is nothing to change. Returns
 * 0; -EBUSY: another thread has changed the setting, or too many changes are open.
 * `is_kept`: until the end, no other thread changes a setting of the process, also where
 * the value stands already. */
int mm_change_begin(const struct mm_setting *setting, int value, int is_kept,
                    uintptr_t stack, struct mm_change **change);
/* Undo a change. */
void mm_change_end(struct mm_change *change);

/* Return a frame that stands for the change and the recorder's `frame` of its call. */
struct monitor_frame *mm_change_frame(struct mm_change *change,
                                      struct monitor_frame *frame);
/* The change that a frame stands for, and the recorder's frame in its place; NULL: the
 * frame is the recorder's. */
struct mm_change *mm_change_of(struct monitor_frame **frame);

/* A random number below `count`. */
size_t mm_change_draw(size_t count);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* hot.h: the calling thread's state, and the functions that begin() and end() call off
 * their fast path. */
#ifndef MASTERMIND_RECORDER_HOT_H
#define MASTERMIND_RECORDER_HOT_H

#include "mastermind/recorder/thread.h"

/* The calling thread's most recently used state. The thread's states for other recorders
 * follow in a ring, linked by `next_here`. mm_nobody is the state of a thread that was
 * never recorded: all zeros, no recorder, no open frames. */
extern __thread struct mm_thread *mm_here;
extern struct mm_thread mm_nobody;

/* The multiplier of a row's check sum, and its upper half. They are variables so that the
 * compiler uses them as memory operands, which need no registers. */
extern const struct mm_hot {
    uint64_t factor, upper;
} mm_hot __attribute__((visibility("hidden")));

/* `state` of a recorded thread (struct mm_thread) that has ended. */
#define MM_BUSY_FOR_EVER UINTPTR_MAX

/* Functions of the monitor port that are the same for all storage modes. */
void mm_unwind(struct monitor_port *port, struct monitor_frame *frame);
uint64_t mm_now(struct monitor_port *port);
void mm_end_at(struct monitor_port *port, struct monitor_frame *frame,
               const union monitor_value *out, uint64_t when);
/* apart.c: functions of the monitor port for stretches that are no part of the run. */
int mm_pause(struct monitor_port *port, struct monitor_pause *pause);
void mm_resume(struct monitor_port *port, struct monitor_pause *pause);
/* Make the row of the innermost frame, which ended at `now`, and close it. */
void mm_close_frame(struct mm_thread *thread, uint64_t now,
                    const union monitor_value *out, unsigned status);

/* Set the begin and end functions of `port` for storage mode `mode`. */
void mm_hot_choose(const struct mm_recorder *recorder, enum mm_storage_mode mode,
                   struct monitor_port *port);

/* Return the calling thread's state, which is created if needed; off the hot path. NULL:
 * the thread is not recorded, and the lost call has been counted. */
struct mm_thread *mm_thread_here(struct mm_recorder *recorder, uintptr_t stack);
/* Move the calling thread's state for the recorder, which exists, to the front. */
void mm_thread_to_front(struct mm_recorder *recorder);
/* Repair the thread's state after a longjmp out of begin() or end(). */
void mm_mend(struct mm_thread *thread);
/* Close open frames that are dead: a call from the stack address `stack` proves that
 * longjmp has left all frames at lower addresses. */
void mm_bury(struct mm_thread *thread, uintptr_t stack);
/* Pack full windows, because there is no space for a row. Returns 0, or -1: no more rows
 * are kept. */
int mm_make_room(struct mm_thread *thread);
/* Return a free slot for the frame above the innermost one; NULL: no memory or disk
 * space, and the lost call has been counted. */
struct mm_frame *mm_make_frame(struct mm_thread *thread);
/* Find the calling thread's state in which `frame` is open, and close the frames above
 * it. NULL: the frame is already closed. */
struct mm_thread *mm_find_frame(struct mm_recorder *recorder, struct mm_frame *frame,
                                uint64_t now, uintptr_t stack);

#endif

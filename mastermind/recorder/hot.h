/* SPDX-License-Identifier: BSD-3-Clause */
/* hot.h: the calling thread's state, and what the hot path leaves to others. */
#ifndef MASTERMIND_RECORDER_HOT_H
#define MASTERMIND_RECORDER_HOT_H

#include "mastermind/recorder/thread.h"

/* The mm_thread that the calling thread has used last; those of further recorders follow
 * it in a ring, next_here. mm_nobody: it has none; all zeros, so that it is idle for no
 * recorder and has nothing open. */
extern __thread struct mm_thread *mm_here;
extern struct mm_thread mm_nobody;

/* What the check of a row is multiplied with, and its upper half: where the compiler does
 * not see what they are, because as operands in memory they are parts of other steps. */
extern const struct mm_hot {
    uint64_t factor, upper;
} mm_hot __attribute__((visibility("hidden")));

/* State of a thread that ends. */
#define MM_BUSY_FOR_EVER UINTPTR_MAX

/* The hot path: what is not a choice of mm_hot_choose. */
void mm_unwind(struct monitor_port *port, struct monitor_frame *frame);
uint64_t mm_now(struct monitor_port *port);
void mm_end_at(struct monitor_port *port, struct monitor_frame *frame,
               const union monitor_value *out, uint64_t when);
/* Make the row of the innermost frame, which ended at `now`, and take it off. */
void mm_close_frame(struct mm_thread *thread, uint64_t now,
                    const union monitor_value *out, unsigned status);

/* Put the begin and end that serve `mode` into `port`. */
void mm_hot_choose(const struct mm_recorder *recorder, enum mm_storage_mode mode,
                   struct monitor_port *port);
/* Set what the hot path needs to know of a method whose values and id are set. */
void mm_method_prepare(const struct mm_recorder *recorder, struct mm_method *method);
/* Record calls of `method` from now on, or not. */
void mm_method_switch(struct mm_recorder *recorder, struct mm_method *method, int on);

/* Off the hot path: the calling thread's state, made at need; NULL: not recorded
 * (counted). */
struct mm_thread *mm_thread_here(struct mm_recorder *recorder, uintptr_t stack);
/* Begin or end was left for good: bring together what they change one by one. */
void mm_mend(struct mm_thread *thread);
/* Close open frames that an entry at `stack` proves dead. */
void mm_bury(struct mm_thread *thread, uintptr_t stack);
/* Room for a row is gone: pack. Returns 0, or -1: rows are no longer kept. */
int mm_make_room(struct mm_thread *thread);
/* Call `function` with signals blocked and errno kept; returns what it returns. */
int mm_quietly(struct mm_thread *thread, int (*function)(struct mm_thread *));
/* The slot above the innermost frame, or NULL: no memory or disk (counted). */
struct mm_frame *mm_make_frame(struct mm_thread *thread);
/* The state in which `frame` is open and innermost now, or NULL: nothing to close. Frames
 * above it have been closed. */
struct mm_thread *mm_find_frame(struct mm_recorder *recorder, struct mm_frame *frame,
                                uint64_t now, uintptr_t stack);

#endif

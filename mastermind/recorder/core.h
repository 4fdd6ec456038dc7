/* SPDX-License-Identifier: BSD-3-Clause */
/* core.h: how long a thread was off its core, at nearly no cost for each call.
 *
 * begin and end compare one word of memory. The kernel clears it when it takes the thread
 * off its core (struct rseq, see rseq.h). Only then, and at least once in
 * MM_CORE_PERIOD_NS, the thread reads its CPU clock: what has passed without CPU time is
 * the loss of the call that was running since the check before. A loss is split in two:
 *
 *   host  the thread was ready to run, and the host ran something else
 *   wait  the thread left the core of its own accord: sleep, lock, I/O; and all that is
 *         lost inside MPI
 *
 * Beside them stands work: what the recorder did in the thread, readings and full
 * windows.
 *
 * Where no such word can be had, readings at shorter distances serve: a loss is given to
 * the call that is long enough to have it. */
#ifndef MASTERMIND_RECORDER_CORE_H
#define MASTERMIND_RECORDER_CORE_H

#include <stdint.h>

struct mm_thread;
struct mm_frame;
struct mm_recorder;

/* Distances of readings at the ends of calls. */
enum {
    MM_CORE_PERIOD_NS = 1000000,
    MM_CORE_SHORT_NS = 100000 /* where the word does not tell, or not all */
};

/* Losses of an open invocation: its own, and those of its finished callees. Ticks. */
struct mm_off_core {
    int64_t host_own, wait_own, work_own;
    int64_t host_below, wait_below, work_below;
};

/* A thread's newest reading. */
struct mm_core {
    const volatile uint64_t *word; /* never NULL */
    uint64_t armed;  /* what the word holds until the thread leaves its core */
    uint64_t due;    /* ticks at which the next reading is due */
    uint64_t period; /* ticks */
    uint64_t ticks;
    int64_t cpu_ns;
    uint32_t voluntary, involuntary; /* context switches */
    int64_t mpi_ns;
    int64_t delay_ns; /* the kernel's run delay at its newest reading, and all that was
                         lost since and may be a part of it */
    uint32_t foreign; /* how often others had stored a word of their own */
    int64_t unplaced_ticks; /* losses that no call was found for */
};

/* Start in the calling thread, whose state `thread` is. */
void mm_core_start(struct mm_thread *thread);
/* begin: the word has changed. The loss is of the innermost open invocation. */
void mm_core_at_begin(struct mm_thread *thread);
/* end: the word has changed, or a reading is due. `frame`, which ended at `now`, is
 * innermost and still open. */
void mm_core_at_end(struct mm_thread *thread, struct mm_frame *frame, uint64_t now);
/* The recorder has worked for so many ticks in the thread while `frame` was innermost. */
void mm_core_work(struct mm_thread *thread, struct mm_frame *frame, int64_t ticks);
/* Take the losses of `frame`, which is closed now after `wall` ticks, and add them to its
 * caller's. Its own are at most its exclusive time. */
void mm_core_close(struct mm_thread *thread, struct mm_frame *frame, uint64_t wall,
                   struct mm_off_core *losses);
/* How losses are noticed: "rseq", "rseq and clock", "clock". */
const char *mm_core_source(void);

#endif

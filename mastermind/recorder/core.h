/* SPDX-License-Identifier: BSD-3-Clause */
/* core.h: measure the time that a thread was off its core, at nearly no cost for each
 * call.
 *
 * begin() and end() compare one word of memory. The kernel clears it when it takes the
 * thread off its core (struct rseq, see rseq.h). Only then, and at least once in
 * MM_CORE_PERIOD_NS, the thread reads its CPU clock: wall time without CPU time is a loss
 * of the call that has run since the previous check. A loss is split in two:
 *
 *   host  the thread was ready to run, and the host ran something else
 *   wait  the thread left the core of its own accord: sleep, lock, I/O; and all losses
 *         inside MPI
 *
 * A third number is `work`: time in which the recorder itself worked in the thread, for
 * readings and full windows.
 *
 * Without such a word, the clock is read more often, and a loss is attributed to a call
 * that is long enough to contain it. */
#ifndef MASTERMIND_RECORDER_CORE_H
#define MASTERMIND_RECORDER_CORE_H

#include <stdint.h>

struct mm_thread;
struct mm_frame;
struct mm_recorder;

/* Longest times between two readings of the clocks, which are made at the ends of
 * calls. */
enum {
    MM_CORE_PERIOD_NS = 1000000,
    MM_CORE_SHORT_NS = 100000 /* used if there is no word that the kernel clears (rseq.h),
                                 or if waits do not clear it */
};

/* Time in ticks that an open invocation lost off its core: its own losses, and the losses
 * of its finished callees. */
struct mm_off_core {
    int64_t host_own, wait_own, work_own;
    int64_t host_below, wait_below, work_below;
};

/* A thread's latest reading of its CPU time and context switches. */
struct mm_core {
    const volatile uint64_t *word; /* word that the kernel clears when the thread
                                      leaves its core (rseq.h); never NULL */
    uint64_t armed;  /* value that the recorder stored in `word`; it changes when the
                        thread leaves its core */
    uint64_t due;    /* ticks at which the next reading is due */
    uint64_t period; /* interval of readings in ticks */
    uint64_t ticks;
    int64_t cpu_ns;
    uint32_t voluntary, involuntary; /* number of context switches */
    int64_t mpi_ns;
    int64_t delay_ns; /* the kernel's run delay when it was last read, plus later losses
                         that it may also contain */
    uint32_t foreign; /* number of times that other users of `word` had stored a
                         value in it */
    int64_t unplaced_ticks; /* lost time that could not be attributed to a call */
};

/* Start readings in the calling thread, whose state is `thread`. */
void mm_core_start(struct mm_thread *thread);
/* Called by begin() if the thread's word (rseq.h) has changed. The time lost belongs to
 * the innermost open invocation. */
void mm_core_at_begin(struct mm_thread *thread);
/* Called by end() if the thread's word (rseq.h) has changed, or if the clocks must be
 * read. `frame` is the innermost frame, whose call ended at `now`; it is still open. */
void mm_core_at_end(struct mm_thread *thread, struct mm_frame *frame, uint64_t now);
/* Take a reading for whose losses no invocation is responsible: the thread was in a
 * stretch that is no part of the run. */
void mm_core_skip(struct mm_thread *thread);
/* Exclude `ticks` of the recorder's work in the thread from the time of `frame`, which
 * was the innermost frame meanwhile. */
void mm_core_work(struct mm_thread *thread, struct mm_frame *frame, int64_t ticks);
/* Move the losses of `frame`, whose call took `wall` ticks, to `losses`, and add them to
 * the losses of its caller. The frame's own losses are limited to its exclusive time. */
void mm_core_close(struct mm_thread *thread, struct mm_frame *frame, uint64_t wall,
                   struct mm_off_core *losses);
/* Return how the recorder notices lost time: "rseq", "rseq and clock" or "clock". */
const char *mm_core_source(void);

#endif

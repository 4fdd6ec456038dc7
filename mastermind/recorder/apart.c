/* SPDX-License-Identifier: BSD-3-Clause */
/* apart.c: stretches of a thread that are no part of the run: its calls are not recorded,
 * and the clocks of its open invocations stand still.
 *
 * During a stretch the thread is marked busy, as it is inside begin() and end(). At the
 * end the starts of all open invocations move by the length of the stretch, so that rows
 * need no member for it. */
#include <errno.h>

#include "common/clock.h"
#include "mastermind/recorder/core.h"
#include "mastermind/recorder/hot.h"

/* The contents of a struct monitor_pause. */
struct stretch {
    struct mm_thread *thread;
    uintptr_t stack; /* the thread's `state` during the stretch */
    uint64_t start;
    int64_t mpi_ns, cpu_ns;
    int64_t counters[MM_RECORDER_COUNTERS];
};

_Static_assert(sizeof(struct stretch) <= sizeof(struct monitor_pause),
               "struct monitor_pause has room for a stretch");

static void read_counters(const struct mm_recorder *r, int64_t *values)
{
    if (r->counter_count)
        r->options.read_counters(r->options.context, values);
}

int mm_pause(struct monitor_port *port, struct monitor_pause *pause)
{
    struct mm_recorder *r = cca_container_of(port, struct mm_recorder, port);
    struct stretch *stretch = (struct stretch *)pause;
    const uintptr_t stack = (uintptr_t)__builtin_dwarf_cfa();
    const int saved = errno;
    struct mm_thread *t = mm_here;

    stretch->thread = NULL;
    if (t->state != MM_IDLE(r) && !(t = mm_thread_here(r, stack)))
        return -EBUSY;
    __atomic_store_n(&t->state, stack, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    mm_bury(t, stack);
    mm_core_at_begin(t);
    t->apart = 1;
    stretch->thread = t;
    stretch->stack = stack;
    stretch->mpi_ns = *t->mpi;
    stretch->cpu_ns = cca_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    read_counters(r, stretch->counters);
    stretch->start = mm_clock_ticks(r->tsc);
    errno = saved;
    return 0;
}

/* Move the counters of an open invocation by the counts of the stretch. */
static void move_counters(const struct mm_thread *t, const struct mm_frame *frame,
                          const int64_t *from, const int64_t *to)
{
    int64_t *own = mm_thread_counts(t, frame)->own;

    for (int i = 0; i < t->recorder->counter_count; i++)
        if (own[i] != MM_COUNT_MISSING && own[i] != MEAS_NESTED &&
            from[i] != MM_COUNT_MISSING && to[i] != MM_COUNT_MISSING)
            own[i] += to[i] - from[i];
}

void mm_resume(struct monitor_port *port, struct monitor_pause *pause)
{
    struct mm_recorder *r = cca_container_of(port, struct mm_recorder, port);
    struct stretch *stretch = (struct stretch *)pause;
    struct mm_thread *t = stretch->thread;
    int64_t counters[MM_RECORDER_COUNTERS];
    const int saved = errno;
    uint64_t ticks;

    if (!t || !t->apart || t->state != stretch->stack)
        return;
    stretch->thread = NULL;
    mm_thread_to_front(r);
    __atomic_fetch_add(&r->apart_ns,
                       cca_clock_ns(CLOCK_THREAD_CPUTIME_ID) - stretch->cpu_ns,
                       __ATOMIC_RELAXED);
    read_counters(r, counters);
    mm_core_skip(t);
    ticks = mm_clock_ticks(r->tsc) - stretch->start;
    for (struct mm_frame *frame = t->open; frame != &t->root;
         frame = frame->process[MM_FRAME_BELOW]) {
        /* between the two stores a crash finds a check sum that is wrong: it loses this
         * frame */
        frame->start += ticks;
        __atomic_store_n(&frame->check, frame->check + ticks, __ATOMIC_RELEASE);
        frame->mpi_ns += *t->mpi - stretch->mpi_ns;
        if (r->counter_count)
            move_counters(t, frame, stretch->counters, counters);
    }
    t->apart = 0;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&t->state, MM_IDLE(r), __ATOMIC_RELAXED);
    errno = saved;
}

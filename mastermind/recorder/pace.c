/* SPDX-License-Identifier: BSD-3-Clause */
/* pace.c: how fast the core runs the recorder's code at present. Another hardware thread
 * of the core, which may be another guest's, slows all code down by half and more, for
 * microseconds or for hours. So the costs of recording are kept as multiples of the
 * duration of a fixed piece of work, whose duration is measured again during the run. No
 * floating-point arithmetic, so that calls raise no FE_INEXACT. */
#include "mastermind/recorder/parts.h"

enum {
    WORDS = 64,
    WARM_STEPS = 8,
    STEPS = 40,
    SLOWEST = 4 /* an interrupt makes a duration longer */
};

/* Stores and loads that do not depend on each other, like the recorder's. */
static __attribute__((noinline)) void make_step(volatile uint64_t *words, uint64_t at)
{
    for (unsigned i = 0; i < 8; i++)
        words[(at + 5 * i) % WORDS] = at ^ words[(at + 3 * i + 1) % WORDS];
}

uint64_t mm_pace_ticks(int tsc)
{
    volatile uint64_t words[WORDS] = {0};
    uint64_t start = 0, now;

    for (int i = -WARM_STEPS; i < STEPS; i++) {
        now = mm_clock_ticks(tsc);
        if (i == 0)
            start = now;
        make_step(words, now % WORDS);
    }
    now = mm_clock_ticks(tsc);
    return now > start ? now - start : 1;
}

void mm_pace_begin(struct mm_recorder *r)
{
    enum { PROBES = 24 };
    uint64_t least = UINT64_MAX, ticks;

    for (int i = 0; i < PROBES; i++) {
        ticks = mm_pace_ticks(r->tsc);
        if (ticks < least)
            least = ticks;
    }
    r->pace_ticks = least;
}

int64_t mm_pace_measure(struct mm_thread *t)
{
    struct mm_recorder *r = t->recorder;
    uint64_t calls = t->invocations - t->pace_calls, ticks = mm_pace_ticks(r->tsc);
    uint64_t before = t->pace, pace = ticks * MM_PACE_ONE / r->pace_ticks;

    if (pace > SLOWEST * MM_PACE_ONE)
        pace = before ? before : MM_PACE_ONE;
    t->pace = pace ? (uint32_t)pace : 1;
    t->pace_calls = t->invocations;
    t->pace_at = mm_clock_ticks(r->tsc);
    if (calls) {
        __atomic_fetch_add(&r->paced_calls, calls, __ATOMIC_RELAXED);
        __atomic_fetch_add(&r->pace_sum,
                           calls * (before ? (before + t->pace) / 2 : t->pace),
                           __ATOMIC_RELAXED);
    }
    return ticks < SLOWEST * r->pace_ticks ? (int64_t)ticks : 0;
}

int64_t mm_pace_measure_again(struct mm_thread *t, uint64_t now)
{
    return (int64_t)(now - t->pace_at) >= t->gap_ticks ? mm_pace_measure(t) : 0;
}

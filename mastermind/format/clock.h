/* SPDX-License-Identifier: BSD-3-Clause */
/* clock.h: the recorder's clock: the TSC if it is reliable, else CLOCK_MONOTONIC. */
#ifndef MASTERMIND_FORMAT_CLOCK_H
#define MASTERMIND_FORMAT_CLOCK_H

#include <stdint.h>
#include <time.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "common/clock.h"
#include "ports/cca_error.h"

/* The clock's name, and the conversion of its ticks to nanoseconds. */
struct mm_clock {
    const char *name; /* "tsc" or "CLOCK_MONOTONIC" */
    double ns_per_tick;
    uint64_t epoch_ticks; /* ticks at epoch_ns */
    int64_t epoch_ns;     /* CLOCK_REALTIME at the start of the clock, in ns */
};

/* The clock's first reading, from which its times are counted. */
struct mm_clock_origin {
    int tsc;
    uint64_t ticks;
    int64_t monotonic_ns; /* CLOCK_MONOTONIC at `ticks` */
    int64_t real_ns;      /* CLOCK_REALTIME at `ticks` */
};

/* Check the environment variable MM_CLOCK. Returns 0; -EINVAL if it is set and names no
 * clock. */
int mm_clock_check(struct cca_error *err);
/* Choose the clock (MM_CLOCK, else by reliability) and read it for the first time. */
void mm_clock_begin(struct mm_clock_origin *origin);
/* Calibrate the clock by the time that has passed since its first reading. */
void mm_clock_calibrate(const struct mm_clock_origin *origin, struct mm_clock *clock);

static inline uint64_t mm_clock_ticks(int tsc)
{
#if defined(__x86_64__)
    if (__builtin_expect(tsc, 1))
        return __rdtsc();
#else
    (void)tsc;
#endif
    return (uint64_t)cca_clock_ns(CLOCK_MONOTONIC);
}

#endif

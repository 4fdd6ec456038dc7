/* SPDX-License-Identifier: BSD-3-Clause */
/* probe.h: does another hardware thread use this core, maybe that of another guest?
 *
 * A core adds several independent numbers in the time of one. Four chains of adds get
 * through about four times as much as one where the core is alone, and two to three times
 * where it is shared. Neither steal time nor wall over CPU time shows that. */
#ifndef BENCH_PROBE_H
#define BENCH_PROBE_H

#include <stdint.h>

#if defined(__x86_64__)
#include <x86intrin.h>

#define PROBE_TEN(x) x x x x x x x x x x

/* Ticks of `rounds` times 100 adds in each of one or four chains. The numbers added are
 * in a register: cores of today do the addition of a constant on the way. */
static inline uint64_t probe_ticks(int chains, int rounds)
{
    uint64_t a = 0, b = 0, c = 0, d = 0, step = 3, start = __rdtsc();

    for (int i = 0; i < rounds; i++) {
        if (chains == 1)
            __asm__ volatile(PROBE_TEN(PROBE_TEN("add %1, %0\n")) : "+r"(a) : "r"(step));
        else
            __asm__ volatile(
                PROBE_TEN(PROBE_TEN("add %4, %0\nadd %4, %1\nadd %4, %2\nadd %4, %3\n"))
                : "+r"(a), "+r"(b), "+r"(c), "+r"(d)
                : "r"(step));
    }
    return __rdtsc() - start;
}

/* How much more four chains get through now, in some 50 microseconds. */
static inline double probe_gain(void)
{
    uint64_t one = UINT64_MAX, four = UINT64_MAX, ticks;

    for (int i = 0; i < 5; i++) { /* the least: a moment may belong to an interrupt */
        ticks = probe_ticks(1, 100);
        one = ticks < one ? ticks : one;
        ticks = probe_ticks(4, 100);
        four = ticks < four ? ticks : four;
    }
    return 4 * (double)one / (double)four;
}
#else
static inline double probe_gain(void)
{
    return 4; /* not known */
}
#endif

/* Was the core alone? `best`: the most that was seen in this process, at most 4; what it
 * is alone depends on the processor. */
static inline int probe_is_alone(double gain, double best)
{
    return gain >= 3.2 && gain >= 0.96 * best;
}

#endif

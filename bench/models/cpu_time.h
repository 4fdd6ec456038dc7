/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_time.h: the CPU time of this process. */
#ifndef BENCH_MODELS_CPU_TIME_H
#define BENCH_MODELS_CPU_TIME_H

#include <time.h>

static inline double cpu_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* off_core.h: sums of threads' time off their cores. */
#ifndef MASTERMIND_COUNTS_DUAL_OFF_CORE_H
#define MASTERMIND_COUNTS_DUAL_OFF_CORE_H

#include <stdint.h>

/* Time off the core of one thread, over calls with known values. */
struct mm_off_core {
    int64_t host_ns; /* time of being ready to run, while the host ran something else */
    int64_t wait_ns; /* time that the thread waited of its own accord: for I/O, a lock or
                        sleep */
};

static inline void mm_off_core_add(struct mm_off_core *sum, const struct mm_off_core *one)
{
    sum->host_ns += one->host_ns;
    sum->wait_ns += one->wait_ns;
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* lock.h: a lock for a few dozen instructions: one atomic exchange to take it, one store
 * to release it, half the cost of a mutex. A thread that finds it taken sleeps for short
 * times; it may be held longer while a file grows. A word of zeros is a free lock. */
#ifndef MESSAGES_JOIN_LOCK_H
#define MESSAGES_JOIN_LOCK_H

#include <stdint.h>
#include <time.h>

static inline void mm_lock_take(uint32_t *lock)
{
    enum { SPINS = 100, SLEEP_NS = 20000 };
    const struct timespec sleep = {0, SLEEP_NS};

    for (int tries = 0; __atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE); tries++) {
        while (tries < SPINS && __atomic_load_n(lock, __ATOMIC_RELAXED))
            tries++;
        if (tries >= SPINS)
            nanosleep(&sleep, NULL);
    }
}

static inline void mm_lock_give(uint32_t *lock)
{
    __atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h: functions that the files of this folder share. */
#ifndef MESSAGES_JOIN_PARTS_H
#define MESSAGES_JOIN_PARTS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <time.h>

/* --- count --------------------------------------------------------------- */

/* Counts in the file's header (enum mm_messages_count), which other processes
 * read. */

/* Add to a count; `locked`: other threads may add at the same time. */
static inline void mm_messages_add(uint64_t *count, uint64_t number, int locked)
{
    if (locked)
        __atomic_fetch_add(count, number, __ATOMIC_RELAXED);
    else
        __atomic_store_n(count, *count + number, __ATOMIC_RELAXED);
}

/* --- lock ---------------------------------------------------------------- */

/* A lock for a few dozen instructions: one atomic exchange to take it, one store
 * to release it, half the cost of a mutex. A thread that finds it taken sleeps for short
 * times; it may be held longer while a file grows. A word of zeros is a free lock. */

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

/* --- memory -------------------------------------------------------------- */

/* Memory that is mapped, not from the heap: a program whose malloc is measured
 * would measure our calls, too. Pages are zero and allocated at the first access. */

/* Map zeroed memory, page-aligned; NULL: out of memory. Release it by mm_memory_free. */
static inline void *mm_memory_new(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return memory == MAP_FAILED ? NULL : memory;
}

/* Release memory from mm_memory_new; `memory` may be NULL. */
static inline void mm_memory_free(void *memory, size_t bytes)
{
    if (memory)
        munmap(memory, bytes);
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* count.h: counts in the file's header (enum mm_messages_count), which other processes
 * read. */
#ifndef MESSAGES_JOIN_COUNT_H
#define MESSAGES_JOIN_COUNT_H

#include <stdint.h>

/* Add to a count; `locked`: other threads may add at the same time. */
static inline void mm_messages_add(uint64_t *count, uint64_t number, int locked)
{
    if (locked)
        __atomic_fetch_add(count, number, __ATOMIC_RELAXED);
    else
        __atomic_store_n(count, *count + number, __ATOMIC_RELAXED);
}

#endif

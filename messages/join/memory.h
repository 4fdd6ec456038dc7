/* SPDX-License-Identifier: BSD-3-Clause */
/* memory.h: memory that is mapped, not from the heap: a program whose malloc is measured
 * would measure our calls, too. Pages are zero and allocated at the first access. */
#ifndef MESSAGES_JOIN_MEMORY_H
#define MESSAGES_JOIN_MEMORY_H

#include <stddef.h>
#include <sys/mman.h>

/* Zeroed memory, page-aligned; NULL: none. Release with mm_memory_free. */
static inline void *mm_memory_new(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return memory == MAP_FAILED ? NULL : memory;
}

/* `memory` may be NULL. */
static inline void mm_memory_free(void *memory, size_t bytes)
{
    if (memory)
        munmap(memory, bytes);
}

#endif

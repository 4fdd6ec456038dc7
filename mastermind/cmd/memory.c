/* SPDX-License-Identifier: BSD-3-Clause */
/* memory.c: find out whether jansson ran out of memory. */
#include <stdlib.h>

#include "mastermind/cmd/cmd.h"

static int failed; /* true if an allocation has failed; static, as jansson's allocators
                    * have no context */

static json_malloc_t allocate = malloc; /* the allocator that jansson had before */

static void *watched(size_t size)
{
    void *memory = allocate(size);

    if (!memory && size)
        failed = 1;
    return memory;
}

void mm_memory_watch(void)
{
    json_malloc_t own_malloc;
    json_free_t own_free;

    failed = 0;
    json_get_alloc_funcs(&own_malloc, &own_free);
    if (own_malloc == watched)
        return;
    allocate = own_malloc;
    json_set_alloc_funcs(watched, own_free);
}

int mm_memory_failed(void)
{
    return failed;
}

int mm_no_memory(void)
{
    mm_message("out of memory");
    return MM_EXIT_SYSTEM;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* memory.c: find out whether jansson ran out of memory. */
#include <stdlib.h>

#include "mastermind/cmd/cmd.h"

static int failed; /* true if an allocation has failed; static, as jansson's allocators
                    * have no context */

static void *watched(size_t size)
{
    void *memory = malloc(size);

    if (!memory && size)
        failed = 1;
    return memory;
}

void mm_memory_watch(void)
{
    json_set_alloc_funcs(watched, free);
}

int mm_memory_failed(void)
{
    return failed;
}

int mm_no_memory(void)
{
    fputs("mastermind: out of memory\n", stderr);
    return MM_EXIT_SYSTEM;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* pool.c: a list of blocks. */
#include "proxies/ffi/pool.h"

#include <stdlib.h>

struct fproxy_block {
    struct fproxy_block *next;
    _Alignas(max_align_t) char bytes[];
};

void *fproxy_pool_get(struct fproxy_pool *pool, size_t count, size_t size)
{
    struct fproxy_block *block;
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes) ||
        __builtin_add_overflow(bytes, sizeof *block, &bytes))
        return NULL;
    block = calloc(1, bytes);
    if (!block)
        return NULL;
    block->next = pool->blocks;
    pool->blocks = block;
    return block->bytes;
}

void fproxy_pool_done(struct fproxy_pool *pool)
{
    while (pool->blocks) {
        struct fproxy_block *next = pool->blocks->next;

        free(pool->blocks);
        pool->blocks = next;
    }
}

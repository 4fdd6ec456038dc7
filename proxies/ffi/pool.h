/* SPDX-License-Identifier: BSD-3-Clause */
/* pool.h: memory for many small objects that are freed together. */
#ifndef PROXIES_FFI_POOL_H
#define PROXIES_FFI_POOL_H

#include <stddef.h>

struct fproxy_block;

struct fproxy_pool {
    struct fproxy_block *blocks;
};

/* Allocate zeroed memory for `count` objects of `size` bytes. Returns NULL: out of
 * memory; not NULL for `count` 0. */
void *fproxy_pool_get(struct fproxy_pool *pool, size_t count, size_t size);
void fproxy_pool_done(struct fproxy_pool *pool);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* proxy_memory.h: values remembered for a handle, from the call that creates it to the
 * call that ends it.
 *
 *     bucket (of 1024) = hash of owner and handle
 *     ├─ lock
 *     └─ 8 entries: owner, handle, name, value; the oldest entry is replaced first
 *
 * Bounded: 8192 values, 264 KiB of address space, of which only used pages are touched.
 * The value of a handle that is unknown, was forgotten or was replaced is absent. Any
 * thread; a call waits only briefly for a lock: a signal handler that interrupted its own
 * thread here gives up, and the value is absent. */
#ifndef PROXIES_PROXY_MEMORY_H
#define PROXIES_PROXY_MEMORY_H

#include <stdint.h>

#include "ports/monitor_port.h"

enum { PROXY_BUCKETS = 1024, PROXY_ENTRIES = 8, PROXY_TRIES = 1 << 20 };

struct proxy_entry {
    const void *owner; /* owner of a handle that is an integer, as several owners may
                          count handles from 0; else NULL */
    uint64_t handle;   /* key of the handle; 0: the entry is free */
    uint32_t name;
    uint32_t written; /* number of writes to the bucket when this entry was written */
    union monitor_value value;
};

struct proxy_bucket {
    int locked;
    uint32_t count; /* number of writes */
    struct proxy_entry entries[PROXY_ENTRIES];
};

struct proxy_memory {
    struct proxy_bucket buckets[PROXY_BUCKETS];
};

/* Convert a handle to a key; 0: it is no handle. */
static inline uint64_t proxy_pointer_handle(const volatile void *pointer)
{
    return (uint64_t)(uintptr_t)pointer;
}

static inline uint64_t proxy_integer_handle(int64_t number)
{
    return number < 0 ? 0 : (uint64_t)number + 1;
}

static inline struct proxy_bucket *proxy_bucket_of(struct proxy_memory *memory,
                                                   const void *owner, uint64_t handle)
{
    uint64_t hash =
        (handle ^ ((uint64_t)(uintptr_t)owner >> 4)) * UINT64_C(0x9e3779b97f4a7c15);

    return &memory->buckets[hash >> 54];
}

static inline int proxy_lock(struct proxy_bucket *bucket)
{
    for (int i = 0; i < PROXY_TRIES; i++)
        if (!__atomic_load_n(&bucket->locked, __ATOMIC_RELAXED) &&
            !__atomic_exchange_n(&bucket->locked, 1, __ATOMIC_ACQUIRE))
            return 1;
    return 0;
}

static inline void proxy_unlock(struct proxy_bucket *bucket)
{
    __atomic_store_n(&bucket->locked, 0, __ATOMIC_RELEASE);
}

/* Remember `value` as `name` for a handle; if `gone` is set, remove the remembered value.
 */
static inline void proxy_remember(struct proxy_memory *memory, const void *owner,
                                  uint32_t name, uint64_t handle,
                                  union monitor_value value, int gone)
{
    struct proxy_bucket *bucket = proxy_bucket_of(memory, owner, handle);
    struct proxy_entry *to = NULL;

    if (!handle || !proxy_lock(bucket))
        return;
    for (int i = 0; i < PROXY_ENTRIES; i++) {
        struct proxy_entry *entry = &bucket->entries[i];

        if (entry->handle == handle && entry->owner == owner && entry->name == name) {
            to = entry;
            break;
        }
        if (!to || (to->handle && (!entry->handle || bucket->count - entry->written >
                                                         bucket->count - to->written)))
            to = entry;
    }
    if (gone && to->handle == handle && to->owner == owner && to->name == name)
        to->handle = 0;
    if (!gone) {
        to->owner = owner;
        to->handle = handle;
        to->name = name;
        to->written = ++bucket->count;
        to->value = value;
    }
    proxy_unlock(bucket);
}

/* Return the value that was remembered as `name` for a handle; if there is none, all bits
 * are zero and `*gone` is set.
 */
static inline union monitor_value proxy_recall(struct proxy_memory *memory,
                                               const void *owner, uint32_t name,
                                               uint64_t handle, int *gone)
{
    struct proxy_bucket *bucket = proxy_bucket_of(memory, owner, handle);
    union monitor_value value;
    int found = 0;

    value.i = 0;
    if (handle && proxy_lock(bucket)) {
        for (int i = 0; i < PROXY_ENTRIES && !found; i++) {
            const struct proxy_entry *entry = &bucket->entries[i];

            if (entry->handle == handle && entry->owner == owner && entry->name == name) {
                value = entry->value;
                found = 1;
            }
        }
        proxy_unlock(bucket);
    }
    if (!found)
        *gone = 1;
    return value;
}

/* Remove all values of a handle. */
static inline void proxy_forget(struct proxy_memory *memory, const void *owner,
                                uint64_t handle)
{
    struct proxy_bucket *bucket = proxy_bucket_of(memory, owner, handle);

    if (!handle || !proxy_lock(bucket))
        return;
    for (int i = 0; i < PROXY_ENTRIES; i++)
        if (bucket->entries[i].handle == handle && bucket->entries[i].owner == owner)
            bucket->entries[i].handle = 0;
    proxy_unlock(bucket);
}

#endif

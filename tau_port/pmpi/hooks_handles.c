/* SPDX-License-Identifier: BSD-3-Clause */
/* hooks_handles.c: tables of matched messages and persistent requests by handle: hash
 * tables with open addressing in mapped memory, under a lock that is held during no
 * call. */
#include "tau_port/pmpi/hooks_inside.h"

#include <sched.h>
#include <sys/mman.h>

enum { FIRST_HANDLES = 64 };

static struct {
    struct pmpi_handle *slots;
    size_t mask;
    int count;
} tables[PMPI_HANDLE_TABLES];
static int locked;

static void lock(void)
{
    while (__atomic_exchange_n(&locked, 1, __ATOMIC_ACQUIRE))
        sched_yield();
}

static void unlock(void)
{
    __atomic_store_n(&locked, 0, __ATOMIC_RELEASE);
}

static size_t place_of(uintptr_t handle, size_t mask)
{
    return (size_t)((uint64_t)handle * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask;
}

static struct pmpi_handle *find_slot(enum pmpi_handles table, uintptr_t handle)
{
    struct pmpi_handle *slots = tables[table].slots;
    size_t at = place_of(handle, tables[table].mask);

    while (slots[at].used && slots[at].handle != handle)
        at = (at + 1) & tables[table].mask;
    return &slots[at];
}

static int grow(enum pmpi_handles table)
{
    struct pmpi_handle *old = tables[table].slots, *slots;
    size_t before = old ? tables[table].mask + 1 : 0,
           size = before ? 2 * before : FIRST_HANDLES;

    slots = mmap(NULL, size * sizeof *slots, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (slots == MAP_FAILED)
        return -1;
    tables[table].slots = slots;
    tables[table].mask = size - 1;
    for (size_t i = 0; i < before; i++)
        if (old[i].used)
            *find_slot(table, old[i].handle) = old[i];
    if (old)
        munmap(old, before * sizeof *old);
    return 0;
}

int pmpi_handle_put(enum pmpi_handles table, const struct pmpi_handle *handle)
{
    struct pmpi_handle *slot;
    int result = -1;

    lock();
    if ((tables[table].slots &&
         2 * ((size_t)tables[table].count + 1) <= tables[table].mask) ||
        grow(table) == 0) {
        slot = find_slot(table, handle->handle);
        tables[table].count += !slot->used;
        *slot = *handle;
        slot->used = 1;
        result = 0;
    }
    unlock();
    return result;
}

int pmpi_handle_find(enum pmpi_handles table, uintptr_t handle, struct pmpi_handle *found)
{
    const struct pmpi_handle *slot;
    int is_there = 0;

    if (!pmpi_handle_count(table))
        return 0;
    lock();
    slot = find_slot(table, handle);
    if (slot->used) {
        *found = *slot;
        is_there = 1;
    }
    unlock();
    return is_there;
}

void pmpi_handle_remove(enum pmpi_handles table, uintptr_t handle)
{
    struct pmpi_handle *slots = tables[table].slots;
    size_t mask = tables[table].mask, hole, at;

    if (!pmpi_handle_count(table))
        return;
    lock();
    hole = at = (size_t)(find_slot(table, handle) - slots);
    tables[table].count -= slots[hole].used;
    while (slots[hole].used) {
        slots[hole].used = 0;
        do {
            at = (at + 1) & mask;
        } while (slots[at].used &&
                 ((at - place_of(slots[at].handle, mask)) & mask) < ((at - hole) & mask));
        if (!slots[at].used)
            break;
        slots[hole] = slots[at];
        hole = at;
    }
    unlock();
}

int pmpi_handle_count(enum pmpi_handles table)
{
    return __atomic_load_n(&tables[table].count, __ATOMIC_RELAXED);
}

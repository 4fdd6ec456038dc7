/* SPDX-License-Identifier: BSD-3-Clause */
/* comm.c: communicators by their handles, and ids for new ones. */
#include "messages/engine/inside.h"

#include <string.h>

enum { FIRST_COMMS = 64, FIRST_GROUPS = 64 };

static size_t place_of(uintptr_t handle, size_t mask)
{
    return (size_t)mm_hash_mix((uint64_t)handle) & mask;
}

static struct mm_comm **find_slot(const struct mm_engine *e, uintptr_t handle)
{
    size_t at = place_of(handle, e->comm_mask);

    while (e->comms[at] && e->comms[at]->handle != handle)
        at = (at + 1) & e->comm_mask;
    return &e->comms[at];
}

static int grow(struct mm_engine *e)
{
    size_t size = e->comms ? 2 * (e->comm_mask + 1) : FIRST_COMMS;
    size_t before = e->comms ? e->comm_mask + 1 : 0;
    struct mm_comm **old = e->comms,
                   **comms = mm_engine_map(e, size * sizeof(struct mm_comm *));

    if (!comms)
        return -1;
    e->comms = comms;
    e->comm_mask = size - 1;
    for (size_t i = 0; i < before; i++)
        if (old[i])
            *find_slot(e, old[i]->handle) = old[i];
    return 0;
}

/* Remove a communicator from the hash table and close the gap in its chain. */
static void forget(struct mm_engine *e, uintptr_t handle)
{
    struct mm_comm **slot = find_slot(e, handle), *comm = *slot;
    size_t hole = (size_t)(slot - e->comms), at = hole;

    if (!comm)
        return;
    e->comm_used--;
    memset(e->hot, 0, sizeof e->hot);
    for (;;) {
        size_t home;

        e->comms[hole] = NULL;
        do {
            at = (at + 1) & e->comm_mask;
            if (!e->comms[at])
                goto done;
            home = place_of(e->comms[at]->handle, e->comm_mask);
        } while (((at - home) & e->comm_mask) < ((at - hole) & e->comm_mask));
        e->comms[hole] = e->comms[at];
        hole = at;
    }
done:
    __atomic_store_n(&comm->handle, 0, __ATOMIC_RELAXED);
    /* pending receives and channels may still refer to the communicator */
    if (!comm->has_channels && !comm->first) {
        comm->next = e->free_comms;
        e->free_comms = comm;
    }
}

/* Find or add the group that has the communicator's processes; NULL: out of memory. */
static const struct mm_group *find_group(struct mm_engine *e, const int32_t *processes,
                                         int size)
{
    size_t bytes = (size_t)size * sizeof *processes;
    struct mm_group *group;
    uint64_t hash = 0;

    for (int i = 0; i < size; i++)
        hash = mm_hash_add(hash, (uint32_t)processes[i]);
    for (group = e->maps; group; group = group->next)
        if (group->hash == hash && group->size == size &&
            !memcmp(group->processes, processes, bytes))
            return group;
    group = mm_engine_take(e, sizeof *group + bytes);
    if (!group)
        return NULL;
    group->hash = hash;
    group->size = size;
    memcpy(group->processes, processes, bytes);
    group->next = e->maps;
    e->maps = group;
    return group;
}

static int is_identity(const int32_t *processes, int size)
{
    int i = 0;

    while (processes && i < size && processes[i] == i)
        i++;
    return !processes || i == size;
}

static struct mm_comm *new_comm(struct mm_engine *e)
{
    struct mm_comm *comm = e->free_comms;

    if (!comm)
        return mm_engine_take(e, sizeof *comm);
    e->free_comms = comm->next;
    memset(comm, 0, sizeof *comm);
    return comm;
}

static struct mm_comm *add(struct mm_engine *e, uintptr_t handle, uint64_t id,
                           const int32_t *processes, int size, unsigned flags)
{
    const struct mm_group *group = NULL;
    struct mm_comm *comm;

    if (e->comms)
        forget(e, handle);
    if ((!e->comms || 2 * (e->comm_used + 1) > e->comm_mask) && grow(e))
        return NULL;
    if (!is_identity(processes, size) && !(group = find_group(e, processes, size)))
        return NULL;
    comm = new_comm(e);
    if (!comm)
        return NULL;
    comm->processes = group ? group->processes : NULL;
    __atomic_store_n(&comm->handle, handle, __ATOMIC_RELAXED);
    comm->id = id;
    comm->size = size;
    comm->flags = flags;
    *find_slot(e, handle) = comm;
    e->comm_used++;
    return comm;
}

void mm_comm_off(struct mm_engine *e, struct mm_comm *comm)
{
    if (__atomic_fetch_or(&comm->flags, MM_COMM_OFF, __ATOMIC_RELAXED) & MM_COMM_OFF)
        return;
    memset(e->hot, 0, sizeof e->hot);
    /* the channels of the communicator count no messages any more */
    mm_channel_flag_comm(e, comm->id, MM_CHANNEL_COUNTS);
}

struct mm_comm *mm_engine_comm_add(struct mm_engine *e, uintptr_t handle, uint64_t id,
                                   const int32_t *processes, int size, unsigned flags)
{
    struct mm_comm *comm;

    mm_engine_lock(e);
    comm = add(e, handle, id, processes, size, flags);
    mm_engine_unlock(e);
    return comm;
}

/* No lock is needed: the result of the last lookup is a single pointer, and a removed
 * communicator has no handle. */
struct mm_comm *mm_engine_comm(struct mm_engine *e, uintptr_t handle)
{
    struct mm_comm *comm = __atomic_load_n(&e->last_comm, __ATOMIC_ACQUIRE);

    if (comm && __atomic_load_n(&comm->handle, __ATOMIC_RELAXED) == handle)
        return comm;
    mm_engine_lock(e);
    comm = e->comms ? *find_slot(e, handle) : NULL;
    if (comm)
        __atomic_store_n(&e->last_comm, comm, __ATOMIC_RELEASE);
    mm_engine_unlock(e);
    return comm;
}

void mm_engine_comm_forget(struct mm_engine *e, uintptr_t handle)
{
    mm_engine_lock(e);
    if (e->comms)
        forget(e, handle);
    mm_engine_unlock(e);
}

uint64_t mm_comm_id(const struct mm_comm *comm)
{
    return comm->id;
}

unsigned mm_comm_flags(const struct mm_comm *comm)
{
    return mm_comm_has(comm, ~0u);
}

uint64_t mm_engine_comm_child(struct mm_engine *e, struct mm_comm *parent)
{
    uint64_t id;

    mm_engine_lock(e);
    id = mm_hash_add(mm_hash_add(1, parent->id), parent->children++);
    mm_engine_unlock(e);
    return id;
}

/* Number of earlier groups with this key, which is then increased. Returns 0 if memory is
 * out: the id is then not unique, and joins on such communicators would be counted as
 * mismatched. */
static uint64_t count_group(struct mm_engine *e, uint64_t key)
{
    size_t size = e->groups ? e->group_mask + 1 : 0, at;

    if (2 * (e->group_used + 1) > size) {
        size_t more = size ? 2 * size : FIRST_GROUPS;
        __typeof__(e->groups) old = e->groups, groups;

        groups = mm_engine_map(e, more * sizeof *groups);
        if (!groups)
            return 0;
        e->groups = groups;
        e->group_mask = more - 1;
        for (size_t i = 0; i < size; i++) {
            at = old[i].key & e->group_mask;
            while (old[i].key && e->groups[at].key)
                at = (at + 1) & e->group_mask;
            if (old[i].key)
                e->groups[at] = old[i];
        }
    }
    key += key == 0;
    at = key & e->group_mask;
    while (e->groups[at].key && e->groups[at].key != key)
        at = (at + 1) & e->group_mask;
    e->group_used += e->groups[at].key == 0;
    e->groups[at].key = key;
    return e->groups[at].count++;
}

uint64_t mm_engine_comm_of_group(struct mm_engine *e, const char *text,
                                 const int32_t *processes, int count)
{
    uint64_t key = mm_hash_add(2, (uint64_t)(uint32_t)count);

    for (const char *c = text ? text : ""; *c; c++)
        key = mm_hash_add(key, (unsigned char)*c);
    for (int i = 0; i < count; i++)
        key = mm_hash_add(key, (uint64_t)(uint32_t)processes[i] << 8);
    mm_engine_lock(e);
    key = mm_hash_add(key, count_group(e, key));
    mm_engine_unlock(e);
    return key;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* sites.c: callsites as keys that are equal on all processes: (build id or path, offset)
 * of return addresses. A key is computed once for each address. */
#include "tau_port/pmpi/hooks.h"

#include "messages/engine/hash.h"
#include "messages/frames/object.h"

#include <fnmatch.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

enum { SITES = 4096 };

/* Open addressing by address; an entry is complete once its address is stored. */
static struct site {
    uintptr_t pc; /* __atomic; 0: free */
    uint64_t key;
    int passes;
} sites[SITES];
static int locked, full;

static struct site *find(uintptr_t pc)
{
    size_t at = (size_t)mm_hash_mix(pc) % SITES;

    for (int i = 0; i < SITES / 2; i++, at = (at + 1) % SITES) {
        uintptr_t there = __atomic_load_n(&sites[at].pc, __ATOMIC_ACQUIRE);

        if (there == pc || !there)
            return &sites[at];
    }
    return NULL;
}

static uint64_t key_of(const struct mm_frames_object *object, uint64_t offset)
{
    uint64_t key = mm_hash_add(3, offset);

    for (uint32_t i = 0; i < object->build_id_bytes; i++)
        key = mm_hash_add(key, object->build_id[i]);
    for (const char *c = object->path; !object->build_id_bytes && *c; c++)
        key = mm_hash_add(key, (unsigned char)*c);
    return key + (key == 0);
}

static int glob_passes(const struct mm_frames_object *object)
{
    const char *glob = pmpi_messages.request.site, *slash = strrchr(object->path, '/');

    return !*glob || fnmatch(glob, object->function, 0) == 0 ||
           fnmatch(glob, slash ? slash + 1 : object->path, 0) == 0;
}

static void describe(struct site *site, uintptr_t pc)
{
    struct mm_messages_site entry = {.frames = 1};
    struct mm_frames_object object;
    int number;

    mm_frames_object_of(pc - 1, &object);
    site->key = entry.key = key_of(&object, object.offset);
    site->passes = glob_passes(&object);
    number = mm_keep_object(pmpi_messages.keep, object.path, object.build_id,
                            object.build_id_bytes);
    if (number >= 0) {
        entry.frame[0].object = (uint32_t)number;
        entry.frame[0].offset = object.offset;
        mm_keep_site(pmpi_messages.keep, &entry);
    }
    __atomic_store_n(&site->pc, pc, __ATOMIC_RELEASE);
}

static const struct site *site_of(void *address)
{
    static const struct site nowhere;
    uintptr_t pc = (uintptr_t)address;
    struct site *site = find(pc);

    if (site && __atomic_load_n(&site->pc, __ATOMIC_ACQUIRE) == pc)
        return site;
    if (!site || __atomic_load_n(&full, __ATOMIC_RELAXED) >= SITES / 2)
        return &nowhere;
    while (__atomic_exchange_n(&locked, 1, __ATOMIC_ACQUIRE))
        sched_yield();
    site = find(pc);
    if (site && !site->pc) {
        full++;
        describe(site, pc);
    }
    __atomic_store_n(&locked, 0, __ATOMIC_RELEASE);
    return site ? site : &nowhere;
}

/* The last callsite of the thread: most calls come from few places. */
static __thread __attribute__((tls_model("initial-exec"))) struct {
    void *address;
    const struct site *site;
} last;

static const struct site *last_site(void *address)
{
    if (last.address != address) {
        last.site = site_of(address);
        last.address = address;
    }
    return last.site;
}

uint64_t pmpi_site_key(void *site)
{
    return last_site(site)->key;
}

int pmpi_site_passes(void *site)
{
    return !*pmpi_messages.request.site || last_site(site)->passes;
}

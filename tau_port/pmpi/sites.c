/* SPDX-License-Identifier: BSD-3-Clause */
/* sites.c: keys of callsites that are equal on all processes, from (build id or path,
 * offset) of return addresses. A key is computed once for each chain of addresses. */
#include "tau_port/pmpi/hooks.h"

#include "messages/engine/hash.h"
#include "messages/frames/object.h"

#include <fnmatch.h>
#include <sched.h>
#include <string.h>
#include <unwind.h>

enum { SITES = 4096, MOST_STEPS = 24 };

/* Return addresses, starting in the caller of MPI. */
struct chain {
    int count;
    uintptr_t pcs[MM_MESSAGES_FRAMES];
};

/* Hash table by the hash of a chain, open addressing; an entry is complete once its hash
 * is stored. */
static struct site {
    uint64_t chain; /* hash of the return addresses; accessed with __atomic; 0: the entry
                     * is free */
    uint64_t key;
    int passes;
} sites[SITES];
static int locked, full;

static uint64_t hash_of(const struct chain *chain)
{
    uint64_t hash = 0;

    for (int i = 0; i < chain->count; i++)
        hash = mm_hash_mix(hash + chain->pcs[i]);
    return hash + (hash == 0);
}

static struct site *find(uint64_t chain)
{
    size_t at = (size_t)chain % SITES;

    for (int i = 0; i < SITES / 2; i++, at = (at + 1) % SITES) {
        uint64_t there = __atomic_load_n(&sites[at].chain, __ATOMIC_ACQUIRE);

        if (there == chain || !there)
            return &sites[at];
    }
    return NULL;
}

/* Add a frame's location to a key, in a form that is equal on all processes. */
static uint64_t key_of(uint64_t key, const struct mm_frames_object *object)
{
    key = mm_hash_add(key, object->offset);
    for (uint32_t i = 0; i < object->build_id_bytes; i++)
        key = mm_hash_add(key, object->build_id[i]);
    for (const char *c = object->path; !object->build_id_bytes && *c; c++)
        key = mm_hash_add(key, (unsigned char)*c);
    return key;
}

/* --- More than one frame ------------------------------------------------------------ */

struct walk {
    struct chain *chain;
    uintptr_t site;
    int found, steps, most;
};

/* Add a stack frame to the chain, unless it comes before the callsite: frames of the
 * wrapper and of a Fortran library do. */
static _Unwind_Reason_Code step(struct _Unwind_Context *context, void *data)
{
    struct walk *walk = data;
    uintptr_t pc = (uintptr_t)_Unwind_GetIP(context);

    if (walk->found && pc)
        walk->chain->pcs[walk->chain->count++] = pc;
    walk->found |= pc == walk->site;
    return walk->chain->count < walk->most && ++walk->steps < MOST_STEPS
               ? _URC_NO_REASON
               : _URC_END_OF_STACK;
}

static void walk_chain(struct chain *chain, void *site)
{
    struct walk walk = {
        .chain = chain, .site = (uintptr_t)site, .most = pmpi_messages.request.frames};

    chain->count = 1;
    chain->pcs[0] = (uintptr_t)site;
    if (walk.most > 1)
        _Unwind_Backtrace(step, &walk);
}

/* --- Sites -------------------------------------------------------------- */

static int glob_passes(const struct mm_frames_object *object)
{
    const char *glob = pmpi_messages.request.site, *slash = strrchr(object->path, '/');

    return !*glob || fnmatch(glob, object->function, 0) == 0 ||
           fnmatch(glob, slash ? slash + 1 : object->path, 0) == 0;
}

static void describe(struct site *site, const struct chain *chain)
{
    struct mm_messages_site entry = {.key = 3};
    struct mm_frames_object object;
    int number = 0;

    for (int i = 0; i < chain->count; i++) {
        mm_frames_object_of(chain->pcs[i] - 1, &object);
        entry.key = key_of(entry.key, &object);
        if (i == 0)
            site->passes = glob_passes(&object);
        if (number >= 0)
            number = mm_keep_object(pmpi_messages.keep, object.path, object.build_id,
                                    object.build_id_bytes);
        if (number < 0)
            continue;
        entry.frame[i].object = (uint32_t)number;
        entry.frame[i].offset = object.offset;
        entry.frames++;
    }
    entry.key += entry.key == 0;
    site->key = entry.key;
    if (number >= 0)
        mm_keep_site(pmpi_messages.keep, &entry);
}

static const struct site *site_of(void *address)
{
    static const struct site nowhere;
    struct chain chain;
    struct site *site;
    uint64_t hash;

    walk_chain(&chain, address);
    hash = hash_of(&chain);
    site = find(hash);
    if (site && __atomic_load_n(&site->chain, __ATOMIC_ACQUIRE) == hash)
        return site;
    if (!site || __atomic_load_n(&full, __ATOMIC_RELAXED) >= SITES / 2)
        return &nowhere;
    while (__atomic_exchange_n(&locked, 1, __ATOMIC_ACQUIRE))
        sched_yield();
    site = find(hash);
    if (site && !site->chain) {
        full++;
        describe(site, &chain);
        __atomic_store_n(&site->chain, hash, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&locked, 0, __ATOMIC_RELEASE);
    return site ? site : &nowhere;
}

/* Number of a thread's most recent callsites whose keys are remembered: most calls come
 * from few places. */
enum { LAST = 16 };
static __thread __attribute__((tls_model("initial-exec"))) struct {
    void *address;
    const struct site *site;
} last[LAST];

static const struct site *last_site(void *address)
{
    size_t at = ((uintptr_t)address ^ (uintptr_t)address >> 4) % LAST;

    /* with one frame the address is sufficient; with more the callers may differ */
    if (__builtin_expect(last[at].address != address || pmpi_messages.request.frames > 1,
                         0)) {
        last[at].site = site_of(address);
        last[at].address = address;
    }
    return last[at].site;
}

uint64_t pmpi_site_key(void *site)
{
    return last_site(site)->key;
}

int pmpi_site_passes(void *site)
{
    return !*pmpi_messages.request.site || last_site(site)->passes;
}

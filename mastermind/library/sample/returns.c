/* SPDX-License-Identifier: BSD-3-Clause */
/* returns.c: read slots of a process, and choose the return addresses of a stack. */
#include "mastermind/library/sample/returns.h"

#include <string.h>
#include <sys/uio.h>

#include "common/hash.h"

/* The first words of a slot, and the address of its entry. */
struct slot {
    uint64_t back, place, entry;
};

/* The function of an entry; 0: it cannot be read. */
static uint64_t function_of(struct sample_returns *known,
                            const struct mm_sample_returns *where, pid_t pid,
                            uint64_t entry)
{
    size_t at = (entry >> 4) % SAMPLE_KNOWN_ENTRIES;
    uint64_t function = 0;
    struct iovec here = {&function, sizeof function};
    struct iovec there = {(void *)(uintptr_t)(entry + where->site_at), sizeof function};

    if (!entry)
        return 0;
    if (known->entries[at].entry == entry)
        return known->entries[at].function;
    if (process_vm_readv(pid, &here, 1, &there, 1, 0) != sizeof function)
        return 0;
    known->entries[at].entry = entry;
    known->entries[at].function = function;
    return function;
}

/* Find the stubs in a stack, and the addresses of their slots. */
static void find_stubs(const struct mm_sample_returns *where, struct sample_stack *stack,
                       uint64_t slots[SAMPLE_MOST_RETURNS])
{
    uint64_t base = stack->base, word;

    for (size_t at = 0;
         at + sizeof word <= stack->size && stack->return_count < SAMPLE_MOST_RETURNS;
         at += sizeof word) {
        memcpy(&word, stack->bytes + at, sizeof word);
        if (word < stack->stubs || word >= stack->stubs_end ||
            (word - stack->stubs) % where->stub_bytes)
            continue;
        slots[stack->return_count] =
            where->slots + (word - stack->stubs) / where->stub_bytes * where->slot_bytes;
        stack->returns[stack->return_count++] =
            (struct sample_return){.place = base + at};
    }
}

void sample_returns_read(struct sample_returns *known,
                         const struct mm_sample_returns *where, pid_t pid,
                         struct sample_stack *stack)
{
    struct slot read[SAMPLE_MOST_RETURNS];
    uint64_t slots[SAMPLE_MOST_RETURNS];
    struct iovec here[2 * SAMPLE_MOST_RETURNS], there[2 * SAMPLE_MOST_RETURNS];
    size_t count, two = 2 * sizeof(uint64_t);
    ssize_t bytes;

    stack->stubs = where->stubs;
    stack->stubs_end = where->stubs + (uint64_t)where->count * where->stub_bytes;
    find_stubs(where, stack, slots);
    count = stack->return_count;
    for (size_t i = 0; i < count; i++) {
        here[2 * i] = (struct iovec){&read[i], two};
        there[2 * i] = (struct iovec){(void *)(uintptr_t)slots[i], two};
        here[2 * i + 1] = (struct iovec){&read[i].entry, sizeof read[i].entry};
        there[2 * i + 1] = (struct iovec){(void *)(uintptr_t)(slots[i] + where->entry_at),
                                          sizeof read[i].entry};
    }
    bytes = count ? process_vm_readv(pid, here, 2 * count, there, 2 * count, 0) : 0;
    for (size_t i = 0;
         i < count && (i + 1) * sizeof *read <= (size_t)(bytes > 0 ? bytes : 0); i++) {
        if (read[i].place != stack->returns[i].place)
            continue;
        stack->returns[i].back = read[i].back;
        stack->returns[i].function = function_of(known, where, pid, read[i].entry);
    }
}

/* The latest return address of a call of the function at this place. */
static struct sample_return *latest_at(struct sample_returns *known, uint64_t place,
                                       int (*is_callee)(void *context, uint64_t function),
                                       void *context, int is_new)
{
    enum { TRIES = 4 };
    size_t at = (size_t)(cca_hash_bytes(CCA_HASH_START, &place, sizeof place) &
                         (SAMPLE_KNOWN_RETURNS - 1));
    struct sample_return *found = NULL;

    for (size_t i = 0; i < TRIES; i++) {
        struct sample_return *one = &known->latest[(at + i) % SAMPLE_KNOWN_RETURNS];

        if (one->place == place && is_callee(context, one->function))
            return one;
        if (is_new && (!one->place || (!found && i + 1 == TRIES)))
            found = found ? found : one;
    }
    return found;
}

const struct sample_return *
sample_returns_find(struct sample_returns *known, const struct sample_stack *stack,
                    uint64_t place, int (*is_callee)(void *context, uint64_t function),
                    void *context)
{
    for (size_t i = 0; i < stack->return_count; i++) {
        const struct sample_return *one = &stack->returns[i];
        struct sample_return *latest;

        if (one->place != place)
            continue;
        if (!one->back || !is_callee(context, one->function))
            return latest_at(known, one->place, is_callee, context, 0);
        latest = latest_at(known, one->place, is_callee, context, 1);
        if (latest)
            *latest = *one;
        return one;
    }
    return NULL;
}

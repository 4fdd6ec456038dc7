/* SPDX-License-Identifier: BSD-3-Clause */
/* waiting.c: records that wait for their counterpart. */
#include "messages/join/waiting.h"

#include "messages/join/parts.h"

#include <errno.h>

static size_t entry_bytes(const struct mm_waiting *waiting)
{
    return (waiting->capacity + 1) * sizeof *waiting->entries;
}

static size_t head_bytes(const struct mm_waiting *waiting)
{
    return (waiting->mask + 1) * sizeof *waiting->heads;
}

int mm_waiting_init(struct mm_waiting *waiting, size_t capacity)
{
    size_t chains = 16;

    while (chains < 2 * capacity)
        chains *= 2;
    *waiting = (struct mm_waiting){.capacity = capacity, .mask = chains - 1};
    waiting->entries = mm_memory_new(entry_bytes(waiting));
    waiting->heads = mm_memory_new(head_bytes(waiting));
    return waiting->entries && waiting->heads ? 0 : -ENOMEM;
}

void mm_waiting_done(struct mm_waiting *waiting)
{
    mm_memory_free(waiting->entries, entry_bytes(waiting));
    mm_memory_free(waiting->heads, head_bytes(waiting));
    *waiting = (struct mm_waiting){0};
}

static uint32_t take_free(struct mm_waiting *waiting)
{
    uint32_t number = waiting->free;

    if (!number)
        return ++waiting->fresh;
    waiting->free = waiting->entries[number].chain;
    return number;
}

int mm_waiting_add(struct mm_waiting *waiting, const struct mm_messages_half *half)
{
    int full = waiting->count == waiting->capacity;
    struct mm_waiting_entry *entry;
    uint32_t number, *link;

    if (full)
        mm_waiting_remove(waiting, waiting->oldest);
    number = take_free(waiting);
    entry = &waiting->entries[number];
    entry->half = *half;
    entry->older = waiting->newest;
    entry->newer = 0;
    entry->chain = 0;
    if (waiting->newest)
        waiting->entries[waiting->newest].newer = number;
    else
        waiting->oldest = number;
    waiting->newest = number;
    /* append to the chain: chains are short, and equal keys stay in order */
    for (link = mm_waiting_chain(waiting, half->key); *link;)
        link = &waiting->entries[*link].chain;
    *link = number;
    waiting->count++;
    return full;
}

void mm_waiting_remove(struct mm_waiting *waiting, uint32_t number)
{
    struct mm_waiting_entry *entry = &waiting->entries[number];
    uint32_t *link = mm_waiting_chain(waiting, entry->half.key);

    while (*link != number)
        link = &waiting->entries[*link].chain;
    *link = entry->chain;
    if (entry->older)
        waiting->entries[entry->older].newer = entry->newer;
    else
        waiting->oldest = entry->newer;
    if (entry->newer)
        waiting->entries[entry->newer].older = entry->older;
    else
        waiting->newest = entry->older;
    entry->chain = waiting->free;
    waiting->free = number;
    waiting->count--;
}

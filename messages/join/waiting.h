/* SPDX-License-Identifier: BSD-3-Clause */
/* waiting.h: records that wait for their counterpart: found by key, the oldest is
 * displaced.
 *
 *   entries   [capacity] records; freed entries are reused, the last freed one first,
 *             so that few are touched if few records wait
 *   order     all waiting records form a list from the oldest to the newest
 *   heads     [2^n] first entry of each chain of the hash table
 *
 * Inside of messages/join. No locks. */
#ifndef MESSAGES_JOIN_WAITING_H
#define MESSAGES_JOIN_WAITING_H

#include <stddef.h>
#include <stdint.h>

#include "mastermind/format/messages_file.h"

struct mm_waiting_entry {
    struct mm_messages_half half;
    /* numbers of other entries: the next older and the next newer one, and the next entry
     * in the hash chain or among free entries */
    uint32_t older, newer, chain;
    uint32_t unused;
};

struct mm_waiting {
    /* [capacity + 1] records that wait; entry 0 is unused */
    struct mm_waiting_entry *entries;
    uint32_t *heads;
    size_t capacity, mask;
    size_t count;
    /* numbers of entries: the oldest, the newest, the first free one; fresh: how many
     * entries were used so far */
    uint32_t oldest, newest, free, fresh;
};

/* Initialise the struct. Returns 0 or -ENOMEM. `capacity` is 1 to 2^30. */
int mm_waiting_init(struct mm_waiting *waiting, size_t capacity);
/* Free the entries. A struct of zeros is accepted, too. */
void mm_waiting_done(struct mm_waiting *waiting);
/* Add a copy of a record. Returns 1 if the oldest record was displaced, else 0. */
int mm_waiting_add(struct mm_waiting *waiting, const struct mm_messages_half *half);
/* The head of the hash chain of a key. Keys of samples are below p * 2^64, but their low
 * bits are random. */
static inline uint32_t *mm_waiting_chain(const struct mm_waiting *waiting, uint64_t key)
{
    return &waiting->heads[key & waiting->mask];
}

/* Number of the entry with this key that has waited longest; 0: none. */
static inline uint32_t mm_waiting_find(const struct mm_waiting *waiting, uint64_t key)
{
    uint32_t number = *mm_waiting_chain(waiting, key);

    while (number && waiting->entries[number].half.key != key)
        number = waiting->entries[number].chain;
    return number;
}

void mm_waiting_remove(struct mm_waiting *waiting, uint32_t entry);

#endif

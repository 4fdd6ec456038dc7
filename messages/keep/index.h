/* SPDX-License-Identifier: BSD-3-Clause */
/* index.h: a hash table from hashes to entries: private memory, open addressing, grows.
 *
 * Entries are never removed. For the files of messages/keep. No locks. */
#ifndef MESSAGES_KEEP_INDEX_H
#define MESSAGES_KEEP_INDEX_H

#include <stddef.h>
#include <stdint.h>

struct mm_index_place {
    uint64_t hash;
    uint64_t offset; /* offset of the entry in the region; 0: the slot is empty */
};

struct mm_index {
    struct mm_index_place *places;
    size_t mask, count;
};

void mm_index_done(struct mm_index *index);
/* The next entry of `hash` after `after` (NULL: the first), or NULL: there are no
 * more. */
static inline const struct mm_index_place *
mm_index_next(const struct mm_index *index, uint64_t hash,
              const struct mm_index_place *after)
{
    size_t at;

    if (!index->places)
        return NULL;
    at = after ? (size_t)(after - index->places) + 1 : (size_t)hash;
    for (at &= index->mask; index->places[at].offset; at = (at + 1) & index->mask)
        if (index->places[at].hash == hash)
            return &index->places[at];
    return NULL;
}

/* Add an entry. Returns 0 or -ENOMEM. `offset` is not 0. */
int mm_index_add(struct mm_index *index, uint64_t hash, uint64_t offset);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* pieces.h: state of a keep: its region, the current piece of each type, indices.
 *
 * For the files of messages/keep. The functions expect the lock to be held. */
#ifndef MESSAGES_KEEP_PIECES_H
#define MESSAGES_KEEP_PIECES_H

#include "messages/join/parts.h"
#include "messages/join/join.h"
#include "messages/keep/index.h"
#include "messages/keep/keep.h"
#include "messages/keep/region.h"

enum { MM_KEEP_TYPES = MM_MESSAGES_COLLECTIVES + 1 };

struct mm_keep {
    struct mm_region region;
    struct mm_messages_head *head; /* header of the file, at region.base */
    struct mm_messages_piece *open[MM_KEEP_TYPES];
    size_t kept[MM_KEEP_TYPES]; /* by type: total bytes of its pieces */
    size_t entries[MM_KEEP_TYPES];
    struct mm_index sites, objects, comms, classes;
    struct mm_messages_class *others; /* the class for messages that have no class of
                                         their own; NULL: none yet */
    size_t most_classes;
    /* offset in the file beyond which no rows are added, only tables */
    size_t rows_limit;
    double last_p, last_weight; /* probability of the latest sample; last_weight: 1 /
                                   last_p, or 0 if last_p is 0 */
    int analysis, locked;
    int closed; /* the file was sealed or given up: nothing is added any more */
    uint32_t lock;
};

static inline void mm_keep_lock(struct mm_keep *keep)
{
    if (keep->locked)
        mm_lock_take(&keep->lock);
}

static inline void mm_keep_unlock(struct mm_keep *keep)
{
    if (keep->locked)
        mm_lock_give(&keep->lock);
}

/* Room for one more entry of a type, zeroed and not counted yet; NULL: none. Fill it,
 * then call mm_keep_entry_done. */
void *mm_keep_entry(struct mm_keep *keep, enum mm_messages_type type);
void mm_keep_entry_done(struct mm_keep *keep, enum mm_messages_type type);
/* Add a message to its class; the keep's analysis is STAT or FREQ. */
void mm_keep_class_add(struct mm_keep *keep, const struct mm_messages_half *send,
                       const struct mm_messages_half *recv,
                       const struct mm_message_times *times);

static inline void *mm_keep_at(const struct mm_keep *keep, uint64_t offset)
{
    return keep->region.base + offset;
}

static inline uint64_t mm_keep_offset(const struct mm_keep *keep, const void *entry)
{
    return (uint64_t)((const unsigned char *)entry - keep->region.base);
}

static inline void mm_keep_count(struct mm_keep *keep, enum mm_messages_count which)
{
    mm_messages_add(&keep->head->counts[which], 1, keep->locked);
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* pieces.c: pieces of the file, and their entries. */
#include "messages/keep/pieces.h"

enum { PIECE_BYTES = 4096, MOST_PIECE_BYTES = 1 << 20 };

/* Minimum size in bytes of the first piece of each type. */
static const size_t first_bytes[MM_KEEP_TYPES] = {
    [MM_MESSAGES_CLASSES] = 4 * PIECE_BYTES,
    [MM_MESSAGES_RECORDS] = 16 * PIECE_BYTES,
    [MM_MESSAGES_HALVES] = 16 * PIECE_BYTES};

static size_t entry_bytes(const struct mm_keep *keep, enum mm_messages_type type)
{
    switch (type) {
    case MM_MESSAGES_COMMS:
        return sizeof(struct mm_messages_comm);
    case MM_MESSAGES_OBJECTS:
        return sizeof(struct mm_messages_object);
    case MM_MESSAGES_SITES:
        return sizeof(struct mm_messages_site);
    case MM_MESSAGES_CHANNELS:
        return sizeof(struct mm_messages_channel);
    case MM_MESSAGES_CLASSES:
        return keep->head->class_bytes;
    case MM_MESSAGES_RECORDS:
        return sizeof(struct mm_messages_record);
    case MM_MESSAGES_HALVES:
        return sizeof(struct mm_messages_half);
    case MM_MESSAGES_COLLECTIVES:
        return sizeof(struct mm_messages_collective);
    }
    return 0;
}

/* Whether entries of this type are rows, of which each message may add one; rows leave
 * room for the tables. */
static int is_row(enum mm_messages_type type)
{
    return type >= MM_MESSAGES_RECORDS;
}

/* Each further piece of a type doubles its size, so that a long run has few pieces. */
static size_t next_bytes(const struct mm_keep *keep, enum mm_messages_type type)
{
    size_t bytes = keep->kept[type];

    if (bytes < first_bytes[type])
        bytes = first_bytes[type];
    if (bytes < PIECE_BYTES)
        bytes = PIECE_BYTES;
    return bytes < MOST_PIECE_BYTES ? bytes : MOST_PIECE_BYTES;
}

static struct mm_messages_piece *new_piece(struct mm_keep *keep,
                                           enum mm_messages_type type)
{
    size_t end = keep->head->end, usable, bytes = next_bytes(keep, type),
           most = is_row(type) ? keep->rows_limit : keep->region.limit;
    struct mm_messages_piece *piece;

    if (end >= most)
        return NULL;
    if (end + bytes > most)
        bytes = (most - end) / PIECE_BYTES * PIECE_BYTES;
    if (bytes < sizeof *piece + entry_bytes(keep, type))
        return NULL;
    /* a disk that is nearly full may still have room for a small piece */
    if (mm_region_grow(&keep->region, end + bytes, end + PIECE_BYTES, &usable))
        return NULL;
    if (bytes > usable - end)
        bytes = (usable - end) / PIECE_BYTES * PIECE_BYTES;
    piece = mm_keep_at(keep, end);
    piece->entry_bytes = (uint32_t)entry_bytes(keep, type);
    piece->bytes = bytes;
    piece->capacity = (uint32_t)((bytes - sizeof *piece) / piece->entry_bytes);
    piece->check = mm_messages_piece_check(type, piece);
    __atomic_store_n(&piece->type, (uint32_t)type, __ATOMIC_RELEASE);
    __atomic_store_n(&keep->head->end, end + bytes, __ATOMIC_RELEASE);
    keep->kept[type] += bytes;
    keep->open[type] = piece;
    return piece;
}

void *mm_keep_entry(struct mm_keep *keep, enum mm_messages_type type)
{
    struct mm_messages_piece *piece = keep->open[type];

    if (keep->closed)
        return NULL;
    if (!piece || piece->count == piece->capacity)
        piece = new_piece(keep, type);
    return piece
               ? (unsigned char *)(piece + 1) + (size_t)piece->count * piece->entry_bytes
               : NULL;
}

void mm_keep_entry_done(struct mm_keep *keep, enum mm_messages_type type)
{
    struct mm_messages_piece *piece = keep->open[type];

    __atomic_store_n(&piece->count, piece->count + 1, __ATOMIC_RELEASE);
    keep->entries[type]++;
}

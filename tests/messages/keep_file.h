/* SPDX-License-Identifier: BSD-3-Clause */
/* keep_file.h: a file of messages as a test reads it: whole, each rule of the layout
 * tested on the way, in the words of mastermind/format/messages_file.h alone. */
#ifndef TESTS_MESSAGES_KEEP_FILE_H
#define TESTS_MESSAGES_KEEP_FILE_H

#include "tests/lib/test.h"

#include "mastermind/format/messages_file.h"

enum { FILE_TYPES = MM_MESSAGES_COLLECTIVES + 1, FILE_MOST_PIECES = 512 };

struct keep_file {
    unsigned char *bytes;
    size_t size;
    struct mm_messages_head *head;
    const unsigned char *pieces[FILE_TYPES][FILE_MOST_PIECES]; /* first entries */
    uint32_t in_piece[FILE_TYPES][FILE_MOST_PIECES];
    size_t entry_bytes[FILE_TYPES], count[FILE_TYPES];
    int piece_count[FILE_TYPES];
    const char *wrong; /* NULL: nothing */
};

static const void *file_entry(const struct keep_file *file, int type, size_t number)
{
    for (int i = 0; i < file->piece_count[type]; i++) {
        if (number < file->in_piece[type][i])
            return file->pieces[type][i] + number * file->entry_bytes[type];
        number -= file->in_piece[type][i];
    }
    return NULL;
}

/* Where an entry's check lies; SIZE_MAX: it has none. */
static inline size_t file_check_at(int type)
{
    switch (type) {
    case MM_MESSAGES_COMMS:
        return offsetof(struct mm_messages_comm, check);
    case MM_MESSAGES_OBJECTS:
        return offsetof(struct mm_messages_object, check);
    case MM_MESSAGES_SITES:
        return offsetof(struct mm_messages_site, check);
    case MM_MESSAGES_CLASSES:
        return offsetof(struct mm_messages_class, key_check);
    case MM_MESSAGES_RECORDS:
        return offsetof(struct mm_messages_record, check);
    case MM_MESSAGES_HALVES:
        return offsetof(struct mm_messages_half, check);
    case MM_MESSAGES_COLLECTIVES:
        return offsetof(struct mm_messages_collective, check);
    default:
        return SIZE_MAX;
    }
}

static inline int file_is_zero(const unsigned char *at, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (at[i])
            return 0;
    return 1;
}

/* One piece; its size, or 0 with file->wrong. */
static inline size_t file_piece(struct keep_file *file, size_t at, size_t end)
{
    struct mm_messages_piece piece;
    const unsigned char *entry = file->bytes + at + sizeof piece;
    size_t check_at;
    uint64_t check;

    memcpy(&piece, file->bytes + at, sizeof piece);
    if (!piece.type || piece.type >= FILE_TYPES || piece.bytes % 4096 ||
        piece.bytes > end - at || !piece.bytes ||
        piece.check != mm_messages_piece_check(piece.type, &piece))
        return file->wrong = "piece", 0;
    if (piece.count > piece.capacity ||
        sizeof piece + (uint64_t)piece.capacity * piece.entry_bytes > piece.bytes)
        return file->wrong = "count", 0;
    check_at = file_check_at((int)piece.type);
    for (uint32_t i = 0; i < piece.count && check_at != SIZE_MAX; i++) {
        memcpy(&check, entry + i * piece.entry_bytes + check_at, sizeof check);
        if (check != mm_messages_check(entry + i * piece.entry_bytes, check_at))
            return file->wrong = "check", 0;
    }
    /* One entry may be written and not counted yet. */
    if (piece.count + 1 < piece.capacity &&
        !file_is_zero(entry + (piece.count + 1) * piece.entry_bytes,
                      (piece.capacity - piece.count - 1) * piece.entry_bytes))
        return file->wrong = "not zero", 0;
    file->entry_bytes[piece.type] = piece.entry_bytes;
    file->pieces[piece.type][file->piece_count[piece.type]] = entry;
    file->in_piece[piece.type][file->piece_count[piece.type]++] = piece.count;
    file->count[piece.type] += piece.count;
    return piece.bytes;
}

/* Read a file that nobody changes. `file` is zeros or was read before; free `bytes` at
 * the end. */
static inline void file_read(struct keep_file *file, const char *path)
{
    struct stat st;
    size_t at = 4096, piece;
    int fd = open(path, O_RDONLY);

    free(file->bytes);
    memset(file, 0, sizeof *file);
    assert_true(fd >= 0 && !fstat(fd, &st));
    file->size = (size_t)st.st_size;
    file->bytes = calloc(1, file->size + 1);
    assert_non_null(file->bytes);
    assert_int_equal(read(fd, file->bytes, file->size), (ssize_t)file->size);
    close(fd);
    file->head = (void *)file->bytes;
    if (file->size < 4096 || memcmp(file->head->magic, MM_MESSAGES_MAGIC, 8)) {
        file->wrong = "magic";
        return;
    }
    if (file->head->end > file->size || file->head->end % 4096)
        file->wrong = "end";
    if (file->head->state == MM_MESSAGES_SEALED &&
        (file->size != file->head->end ||
         file->head->check != mm_messages_check(file->bytes + 64, file->size - 64)))
        file->wrong = "seal";
    while (!file->wrong && at < file->head->end &&
           (piece = file_piece(file, at, file->head->end)))
        at += piece;
    if (!file->wrong && file->head->state != MM_MESSAGES_SEALED &&
        file->head->state != MM_MESSAGES_LIVE)
        file->wrong = "state";
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* file.h: read the file of one process's messages: finished, growing, or left by a killed
 * process.
 *
 * Nothing in it is trusted. The check values of a sealed file cover all of it. In an
 * unsealed file each entry has a check value; entries with a wrong one are left out and
 * counted. Memory does not grow with the number of entries. */
#ifndef MESSAGES_READ_FILE_H
#define MESSAGES_READ_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "mastermind/format/messages_file.h"
#include "ports/cca_error.h"

enum { MM_MESSAGES_TYPES = MM_MESSAGES_COLLECTIVES + 1 };

/* Counts of questionable entries of an unsealed file. */
struct mm_messages_odd {
    uint64_t torn; /* number of classes whose process was killed while it updated them;
                    * they are used as they are */
    uint64_t left[MM_MESSAGES_TYPES]; /* by type: number of entries that are left out,
                                       * because they have no valid check value */
};

struct mm_messages_piece_at {
    uint64_t at; /* offset of the piece's first entry in the file */
    uint32_t type, count;
};

struct mm_messages_file {
    const char *path; /* path of the file, borrowed */
    int fd;
    int sealed;
    struct mm_messages_head head; /* header of the file when it was opened */
    struct mm_messages_piece_at *pieces;
    size_t piece_count;
    uint64_t entries[MM_MESSAGES_TYPES]; /* by type: number of entries, including entries
                                          * that will be left out */
    uint32_t entry_bytes[MM_MESSAGES_TYPES];
};

/* Open the file at `path`, of process `rank`; `path` must outlive the file.
 *
 * Returns 0; -ENOENT without a message; -EAGAIN without a message: the file is not
 * complete yet; -EBADMSG: damaged ("file: offset N: found, expected"); -EIO, -ENOMEM.
 * Call mm_messages_file_close in any case. */
int mm_messages_file_open(struct mm_messages_file *file, const char *path, int rank,
                          struct cca_error *err);
void mm_messages_file_close(struct mm_messages_file *file);

/* Called with each valid entry, its number among all of its type, and the context; the
 * entry is borrowed for the call. Non-zero ends the walk. */
typedef int (*mm_messages_entry_function)(void *context, const void *entry,
                                          uint64_t number);

/* Walk the entries of a type. Unused channels are skipped. Counts of left-out entries are
 * added to `odd` (may be NULL). Returns 0, the function's return value, or -EBADMSG,
 * -EIO, -ENOMEM with `err`. */
int mm_messages_file_walk(const struct mm_messages_file *file, enum mm_messages_type type,
                          mm_messages_entry_function function, void *context,
                          struct mm_messages_odd *odd, struct cca_error *err);

/* Set the error "path: offset N: found X, expected Y". Returns -EBADMSG. */
int mm_messages_damaged(const struct mm_messages_file *file, uint64_t offset,
                        struct cca_error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* experiment_ring.h: a copy of a thread's ring; the thread may be running. */
#ifndef MASTERMIND_READER_EXPERIMENT_RING_H
#define MASTERMIND_READER_EXPERIMENT_RING_H

#include "mastermind/format/layout.h"
#include "ports/cca_error.h"

struct mm_ring_copy {
    struct mm_file_head head;
    struct mm_ring_live live;
    int moving; /* true if the ring changed during the copy */
    char *windows;
    struct mm_frame *frames; /* open frames, outermost first */
    size_t frame_count;
};

/* Check the file head of `path`: its magic must be `magic` or the magic of an older
 * version down to `oldest`. Returns 0 or -EBADMSG. */
int mm_file_head_check(const struct mm_file_head *head, uint64_t magic, uint64_t oldest,
                       uint32_t thread, const char *path, struct cca_error *err);
/* Read the ring's counters of calls until two readings agree, or give up if the thread is
 * too fast. `path` is for messages. Returns 0, -EBADMSG or -EIO. */
int mm_ring_live_read(int fd, struct mm_ring_live *live, const char *path,
                      struct cca_error *err);
/* Read up to `bytes` bytes at `offset`. Returns the number of bytes read, which is less
 * at the end of the file, or a negative errno. */
long long mm_file_read(int fd, void *to, size_t bytes, uint64_t offset);

/* Copy the ring at `path`. Returns 0; -ENOENT without a message: no ring; -EBADMSG, -EIO,
 * -ENOMEM. Free `copy` in any case. */
int mm_ring_copy(struct mm_ring_copy *copy, const char *path, uint32_t thread,
                 struct cca_error *err);
/* Read the frames of a ring again some time after the copy, and keep only the copied
 * frames that are still open. */
int mm_ring_still_open(struct mm_ring_copy *copy, const char *path,
                       struct cca_error *err);
void mm_ring_free(struct mm_ring_copy *copy);

/* Return the window with sequence number `seq` of a ring copy, or NULL. */
const struct mm_window_head *mm_ring_window(const struct mm_ring_copy *copy,
                                            uint64_t seq);
/* Check the row or reading that begins at `at` in a window; `number` is the number of
 * this row, or, for a reading, of the next row. Returns how many words it has, 0 at the
 * end of the rows. */
size_t mm_ring_row(const struct mm_ring_copy *copy, const struct mm_window_head *window,
                   const uint64_t *at, uint64_t number);
/* True if a window of the copy has a row with status longjmp. */
int mm_ring_longjmps(const struct mm_ring_copy *copy);
/* 1 + the number of the last row in the ring copy; 0: no window is complete. */
uint64_t mm_ring_end(const struct mm_ring_copy *copy);

#endif

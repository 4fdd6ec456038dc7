/* SPDX-License-Identifier: BSD-3-Clause */
/* experiment_ring.h: a copy of a thread's ring, taken while its owner may be at work. */
#ifndef MASTERMIND_READER_EXPERIMENT_RING_H
#define MASTERMIND_READER_EXPERIMENT_RING_H

#include "mastermind/format/layout.h"
#include "ports/cca_error.h"

struct mm_ring_copy {
    struct mm_file_head head;
    struct mm_ring_live live;
    int moving; /* it changed while it was copied */
    char *windows;
    struct mm_frame *frames; /* the open ones, outermost first */
    size_t frame_count;
};

/* Check a head as read from `path`. Returns 0 or -EBADMSG. */
int mm_file_head_check(const struct mm_file_head *head, uint64_t magic, uint32_t thread,
                       const char *path, struct cca_error *err);
/* The counters of the ring at `path`, the same twice in a row where their owner lets us.
 * 0, -EBADMSG or -EIO. */
int mm_ring_live_read(int fd, struct mm_ring_live *live, const char *path,
                      struct cca_error *err);
/* Read all of `bytes` at `offset`: the number read, less at the end of the file, or
 * -errno. */
long long mm_file_read(int fd, void *to, size_t bytes, uint64_t offset);

/* Copy the ring at `path`. Returns 0; -ENOENT without words: there is none; -EBADMSG,
 * -EIO, -ENOMEM. `copy` is to be freed in each case. */
int mm_ring_copy(struct mm_ring_copy *copy, const char *path, uint32_t thread,
                 struct cca_error *err);
/* Look at the frames again, later: those that have been open all the time stay, as they
 * are now. */
int mm_ring_still_open(struct mm_ring_copy *copy, const char *path,
                       struct cca_error *err);
void mm_ring_free(struct mm_ring_copy *copy);

/* The window with number `seq`, or NULL. */
const struct mm_window_head *mm_ring_window(const struct mm_ring_copy *copy,
                                            uint64_t seq);
/* The next row of a window that starts at `at`: its words, or 0 where the rows end. */
size_t mm_ring_row(const struct mm_ring_copy *copy, const struct mm_window_head *window,
                   const uint64_t *at, uint64_t number);
/* Whether a window has a row of that status. */
int mm_ring_longjmps(const struct mm_ring_copy *copy);
/* One more than the number of the last row in the copy; 0: no window is whole. */
uint64_t mm_ring_end(const struct mm_ring_copy *copy);

#endif

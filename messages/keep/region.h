/* SPDX-License-Identifier: BSD-3-Clause */
/* region.h: the image of a file in memory, before and after the file exists.
 *
 * All addresses are reserved at once, so that data in the region never moves: byte i of
 * the file is base[i]. The part in use is private memory first, later the mapped file.
 * The file is opened by its path each time, because the program may close any descriptor.
 * For the files of messages/keep. No locks. */
#ifndef MESSAGES_KEEP_REGION_H
#define MESSAGES_KEEP_REGION_H

#include <limits.h>
#include <stddef.h>

struct mm_region {
    unsigned char *base; /* start of the memory, page-aligned; NULL: none */
    size_t limit;        /* bytes reserved */
    size_t mapped;       /* bytes that may be used, zero until written */
    size_t page;
    unsigned char *shadow; /* second address of the first page, from before the file
                            * existed */
    int filed;             /* 1: the region is mapped from its file */
    /* after a failure to grow, the next `skip` attempts are skipped */
    unsigned pause, skip;
    char path[PATH_MAX];
};

/* Reserve `limit` bytes and allocate `first` of them. Returns 0 or -ENOMEM. */
int mm_region_init(struct mm_region *region, size_t limit, size_t first);
void mm_region_done(struct mm_region *region);
/* Make bytes 0 to `end` usable, or if that fails, 0 to `least`; *usable is the result.
 * Returns 0; -ENOSPC: the limit; another negative errno. After a failure nothing is tried
 * for a while: a full disk must not cost system calls with each message. */
int mm_region_grow(struct mm_region *region, size_t end, size_t least, size_t *usable);
/* Move the region into a new file, whose first 8 bytes are stored last. Stores into the
 * region meanwhile are lost, except increments of words of the first page between the
 * offsets `counts` and `counts_end`. Returns 0; or a negative errno, and the region is
 * still private memory. */
int mm_region_file(struct mm_region *region, const char *path, size_t counts,
                   size_t counts_end);
/* Make the region private memory again, with the same bytes: in a forked child, or at the
 * end of the run. */
void mm_region_detach(struct mm_region *region);

#endif

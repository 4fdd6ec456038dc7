/* SPDX-License-Identifier: BSD-3-Clause */
/* region.h: an image of a file in memory, before there is a file and while there is one.
 *
 * All addresses are reserved at once, so that what lies in the region never moves: byte
 * i of the file is base[i]. The part in use is private memory first, then the file,
 * mapped. The file is opened by its path each time: the program may close any
 * descriptor. Inside of messages/keep. No locks. */
#ifndef MESSAGES_KEEP_REGION_H
#define MESSAGES_KEEP_REGION_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

struct mm_region {
    unsigned char *base; /* page-aligned; NULL: none */
    size_t limit;        /* bytes reserved */
    size_t mapped;       /* bytes in use, zeros until they are written */
    size_t page;
    unsigned char *shadow; /* of the first page, from before the file */
    int filed;             /* there is a file */
    unsigned pause, skip;  /* after a failure the next `skip` attempts are none */
    char path[PATH_MAX];
};

/* Reserve `limit` bytes, and take `first` of them. 0 or -ENOMEM. */
int mm_region_init(struct mm_region *region, size_t limit, size_t first);
void mm_region_done(struct mm_region *region);
/* Make bytes 0 to `end` usable, or where that fails, 0 to `least`; `usable` is then how
 * many are. 0; -ENOSPC: the limit; another negative errno. Nothing is tried for a while
 * after a failure: a full disk must not cost system calls with each message. */
int mm_region_grow(struct mm_region *region, size_t end, size_t least, size_t *usable);
/* Make a new file of it, whose first 8 bytes are stored last. What is written to the
 * region meanwhile is lost, but for words of the first page between the offsets `counts`
 * and `counts_end`, which may be added to. 0 or a negative errno: private as before. */
int mm_region_file(struct mm_region *region, const char *path, size_t counts,
                   size_t counts_end);
/* Private memory again, with the same bytes: in a forked child, or at the end. */
void mm_region_detach(struct mm_region *region);

#endif

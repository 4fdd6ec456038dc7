/* SPDX-License-Identifier: BSD-3-Clause */
/* keep.h: the file of a process's messages (mastermind/format/messages_file.h).
 *
 * Counting begins before the experiment's directory exists: the first pieces are in
 * private memory, and mm_keep_file moves them into the file, at the same addresses.
 * Further pieces are added during the run. No file stays open; disk blocks are reserved
 * before they are mapped. No memory comes from the heap. With `locked` any thread, else
 * one at a time.
 *
 * These functions count MM_MESSAGES_FOLDED, _SUSPECT and _DROPPED_LIMIT in the header;
 * callers count all else. */
#ifndef MESSAGES_KEEP_KEEP_H
#define MESSAGES_KEEP_KEEP_H

#include <stddef.h>
#include <stdint.h>

#include "mastermind/format/messages_file.h"
#include "ports/cca_error.h"

struct mm_message_request; /* defined in messages/words/words.h */
struct mm_message_times;   /* defined in messages/join/join.h */
struct mm_keep;

struct mm_keep_options {
    /* the request, of which only the analysis is used; not kept after the call */
    const struct mm_message_request *request;
    size_t limit; /* limit of the file's size, at least 64 KiB; 0: 64 MiB, and 512 MiB
                   * with WRITE or via=files. Sample records, half records and
                   * collectives may use three quarters of it */
    /* limit of classes of messages besides the class for all others; 0: 4096 */
    size_t classes;
    int locked;
};

/* Make a keep: the image of the file in private memory. NULL with `err`: out of
 * memory. */
struct mm_keep *mm_keep_new(const struct mm_keep_options *options, struct cca_error *err);
/* Free a keep; its file stays as it is. NULL is fine. */
void mm_keep_free(struct mm_keep *keep);
/* The header. The caller fills in all but magic, state, check, end and class_bytes; its
 * address never changes. */
struct mm_messages_head *mm_keep_head(struct mm_keep *keep);
/* Keep all data in a new file at the absolute `path` from now on; the file is valid once
 * its magic is there. Meanwhile other threads may use the keep if it is `locked`, and may
 * add to the header's counts atomically. Other stores into the header or into channels
 * between copying and mapping are lost: store whole numbers again instead of adding.
 * Returns 0; -EALREADY: it has a file, or is sealed or forgotten; another negative errno:
 * still in memory, no file. */
int mm_keep_file(struct mm_keep *keep, const char *path);
/* In a forked child: the file belongs to the parent. The memory stays, private; nothing
 * is added any more. */
void mm_keep_forget(struct mm_keep *keep);
/* Seal the file at the regular end of the process. Later stores into the memory are not
 * in the file, and nothing is added any more. Returns 0; -ENOENT: there is no file;
 * -EALREADY; another negative errno: the file stays unsealed. */
int mm_keep_seal(struct mm_keep *keep);

/* Add a zeroed entry of a channel, whose address never changes; NULL: the file is at its
 * limit, or out of memory. */
struct mm_messages_channel *mm_keep_channel(struct mm_keep *keep);
/* Describe a communicator; only the first description of an id is kept. `name` may be
 * NULL. */
void mm_keep_comm(struct mm_keep *keep, uint64_t id, uint32_t size, uint32_t flags,
                  const char *name);
/* Describe a callsite; its `check` is set here. Only the first one of a key is kept. */
void mm_keep_site(struct mm_keep *keep, const struct mm_messages_site *site);
/* Number of an object's entry, found by path and build id (NULL, 0: none; at most 20
 * bytes) or added; -1: no room. */
int mm_keep_object(struct mm_keep *keep, const char *path, const uint8_t *build_id,
                   uint32_t build_id_bytes);

/* Add a joined message as the request's analysis demands: STAT and FREQ add it to a class
 * with the sender's p, unless it is suspect; WRITE adds a sample record; OFF does
 * nothing. */
void mm_keep_sample(struct mm_keep *keep, const struct mm_messages_half *send,
                    const struct mm_messages_half *recv,
                    const struct mm_message_times *times);
/* Add the record of one end, for via=files; its `check` is set here. */
void mm_keep_half(struct mm_keep *keep, const struct mm_messages_half *half);
/* Add a collective call; its `check` is set here. */
void mm_keep_collective(struct mm_keep *keep, const struct mm_messages_collective *part);

/* mm_messages_bucket returns the bucket of a latency: each bucket is a quarter of an
 * octave, bucket 1 starts at 16 ns; bucket 0 is for smaller and negative values and NaN,
 * the last bucket for values above 48 s. mm_messages_bucket_ns returns the lower end of a
 * bucket in ns, 0 for bucket 0. */
int mm_messages_bucket(double latency_ns);
double mm_messages_bucket_ns(int bucket);

#endif

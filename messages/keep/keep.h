/* SPDX-License-Identifier: BSD-3-Clause */
/* keep.h: the file of a process's messages (mastermind/format/messages_file.h).
 *
 * Counting begins before there is a directory: pieces begin in private memory, and
 * mm_keep_file moves them into the file, at the same addresses. Pieces are added while
 * it runs; no file stays open; blocks are reserved before they are mapped. Nothing comes
 * from the heap. With `locked` any thread, else one at a time.
 *
 * Counted in the head: _FOLDED, _SUSPECT and _DROPPED_LIMIT. All else the callers
 * count. */
#ifndef MESSAGES_KEEP_KEEP_H
#define MESSAGES_KEEP_KEEP_H

#include <stddef.h>
#include <stdint.h>

#include "mastermind/format/messages_file.h"
#include "ports/cca_error.h"

struct mm_message_request; /* messages/words/words.h */
struct mm_message_times;   /* messages/join/join.h */
struct mm_keep;

struct mm_keep_options {
    const struct mm_message_request *request; /* its analysis; not kept */
    size_t limit;   /* most bytes of the file, at least 64 KiB; 0: 64 MiB, and
                       512 MiB with WRITE or via=files. Records, halves
                       and collectives have three quarters of it */
    size_t classes; /* most classes beside that of all others; 0: 4096 */
    int locked;
};

/* New keep in private memory; NULL with err: memory. */
struct mm_keep *mm_keep_new(const struct mm_keep_options *options, struct cca_error *err);
/* Unmaps; the file stays as it is. NULL is fine. */
void mm_keep_free(struct mm_keep *keep);
/* The head, to be filled but for magic, state, check, end and class_bytes; at the same
 * address for the life of the keep. */
struct mm_messages_head *mm_keep_head(struct mm_keep *keep);
/* Keep all in a new file at the absolute `path` from now on; the file is valid once its
 * magic is there. Other threads may use the keep meanwhile where it is `locked`, and add
 * to the head's counts atomically. What else they store into the head or into channels
 * between copying and mapping is lost: store whole numbers again, do not add.
 * 0; -EALREADY: has a file, or is sealed or forgotten; another negative errno: memory as
 * before, no file. */
int mm_keep_file(struct mm_keep *keep, const char *path);
/* In a forked child: the file is its parent's. The memory stays, private; nothing is
 * added any more. */
void mm_keep_forget(struct mm_keep *keep);
/* Seal the file: the process ends in order. Later stores into the memory are not in the
 * file, and nothing is added any more. 0; -ENOENT: there is no file; -EALREADY; another
 * negative errno: the file stays a live one. */
int mm_keep_seal(struct mm_keep *keep);

/* A new entry, zeroed; NULL: limit or memory. Its address stays. */
struct mm_messages_channel *mm_keep_channel(struct mm_keep *keep);
/* Describe a communicator; the first description of an id stays. `name` may be NULL. */
void mm_keep_comm(struct mm_keep *keep, uint64_t id, uint32_t size, uint32_t flags,
                  const char *name);
/* Describe a callsite; its `check` is set here. The first of a key stays. */
void mm_keep_site(struct mm_keep *keep, const struct mm_messages_site *site);
/* Entry number of an object, new or found by path and build id (NULL, 0: none; at most 20
 * bytes); -1: no room. */
int mm_keep_object(struct mm_keep *keep, const char *path, const uint8_t *build_id,
                   uint32_t build_id_bytes);

/* A joined message, by the request's analysis: STAT and FREQ add to a class with the
 * sender's p, but for a suspect one, WRITE adds a record, OFF nothing. */
void mm_keep_sample(struct mm_keep *keep, const struct mm_messages_half *send,
                    const struct mm_messages_half *recv,
                    const struct mm_message_times *times);
/* A half, for via=files; its `check` is set here. */
void mm_keep_half(struct mm_keep *keep, const struct mm_messages_half *half);
/* `check` is set here. */
void mm_keep_collective(struct mm_keep *keep, const struct mm_messages_collective *part);

/* Bucket of a latency: a quarter of an octave each, bucket 1 from 16 ns on; 0 below, also
 * what is negative or no number, the last all above 48 s. And the lower bound of a bucket
 * in ns, 0 of bucket 0. */
int mm_messages_bucket(double latency_ns);
double mm_messages_bucket_ns(int bucket);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* keep.h: the file of a process's messages (mastermind/format/messages_file.h).
 *
 * Counting begins before there is a directory: pieces begin in private memory, and
 * mm_keep_file moves them into the file, at the same addresses. Pieces are added while
 * it runs; no file stays open; blocks are reserved before they are mapped. Nothing comes
 * from the heap. With `locked` any thread. */
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
    const struct mm_message_request *request;
    size_t limit;   /* most bytes of the file; 0: default */
    size_t classes; /* most classes; 0: default */
    int locked;
};

struct mm_keep *mm_keep_new(const struct mm_keep_options *options, struct cca_error *err);
void mm_keep_free(struct mm_keep *keep); /* unmaps; the file stays as it is */
/* The head, to be filled but for magic, state, check and end. */
struct mm_messages_head *mm_keep_head(struct mm_keep *keep);
/* Keep all in a new file at the absolute `path` from now on. Nobody may use the keep
 * meanwhile where it is not locked. 0; -EALREADY; another negative errno: memory. */
int mm_keep_file(struct mm_keep *keep, const char *path);
/* In a forked child: the file is its parent's. */
void mm_keep_forget(struct mm_keep *keep);
/* Seal the file: the process ends in order. 0 or a negative errno. */
int mm_keep_seal(struct mm_keep *keep);

/* A new entry, zeroed; NULL: limit or memory. The channel's own address stays. */
struct mm_messages_channel *mm_keep_channel(struct mm_keep *keep);
/* Describe a communicator once. */
void mm_keep_comm(struct mm_keep *keep, uint64_t id, uint32_t size, uint32_t flags,
                  const char *name);
/* A callsite by its key, known already: cheap. */
int mm_keep_has_site(const struct mm_keep *keep, uint64_t key);
void mm_keep_site(struct mm_keep *keep, const struct mm_messages_site *site);
/* Entry number of an object, new or found by path and build id; -1: no room. */
int mm_keep_object(struct mm_keep *keep, const char *path, const uint8_t *build_id,
                   uint32_t build_id_bytes);

/* A joined message, by the request's analysis: STAT and FREQ add to a class, WRITE adds
 * a record, OFF counts. */
void mm_keep_sample(struct mm_keep *keep, const struct mm_messages_half *send,
                    const struct mm_messages_half *recv,
                    const struct mm_message_times *times);
/* A half, for via=files. */
void mm_keep_half(struct mm_keep *keep, const struct mm_messages_half *half);
void mm_keep_collective(struct mm_keep *keep, const struct mm_messages_collective *part);

/* Bucket of a latency: a quarter of an octave each, from 16 ns; [0] below, the last
 * above. And the lower bound of a bucket, ns. */
int mm_messages_bucket(double latency_ns);
double mm_messages_bucket_ns(int bucket);

#endif

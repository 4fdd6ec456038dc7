/* SPDX-License-Identifier: BSD-3-Clause */
/* batch.h: halves of sends on their way to the receiving processes, in batches.
 *
 * The transport is the caller's: tau_port/pmpi sends with PMPI on a communicator of its
 * own. A batch never waits: without a free buffer its halves are dropped and counted.
 * The receiver gets an array of struct mm_messages_half, and gives each to mm_join_send.
 * A process's halves for itself are better given there at once. */
#ifndef MESSAGES_JOIN_BATCH_H
#define MESSAGES_JOIN_BATCH_H

#include <stddef.h>
#include <stdint.h>

#include "mastermind/format/messages_file.h"
#include "ports/cca_error.h"

enum { MM_BATCH_HALVES = 64, MM_BATCH_BUFFERS = 8 };

struct mm_batches;

/* Called with the batches' lock held: they must not come back. */
struct mm_batch_transport {
    /* Start sending `bytes` of `data`, at most MM_BATCH_HALVES halves, to `process` from
     * buffer number `buffer`, below MM_BATCH_BUFFERS, which stays untouched until `done`
     * says so. 0, or a negative errno: dropped. */
    int (*start)(void *context, int process, int buffer, const void *data, size_t bytes);
    /* True if the buffer's sending is complete; not asked again then until the next
     * start. Never waits. */
    int (*done)(void *context, int buffer);
    void *context;
};

/* Batches to `processes` others. Memory by the number of them is one byte each; at most
 * 72 batches of 7 KiB are there at once: where halves for more than 64 processes wait,
 * the fullest goes before it is full. `counts`: of the head, borrowed; NULL with err:
 * memory. */
struct mm_batches *mm_batches_new(const struct mm_batch_transport *transport,
                                  int processes, int locked, uint64_t *counts,
                                  struct cca_error *err);
/* NULL is fine. Nothing may be under way. */
void mm_batches_free(struct mm_batches *batches);
/* Add a half for its dst, copied; a full batch is started. Counts _BATCHES, and halves
 * that are dropped: _DROPPED_POOL, or _DROPPED_FOREIGN where dst is none of the
 * processes. With `locked` any thread. */
void mm_batches_add(struct mm_batches *batches, const struct mm_messages_half *half);
/* Start those that are not full, too: at the end and on a tick. Returns the number of
 * batches that wait for a buffer or are under way; at the end call it until that is 0. */
int mm_batches_flush(struct mm_batches *batches);

#endif

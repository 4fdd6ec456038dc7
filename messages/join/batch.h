/* SPDX-License-Identifier: BSD-3-Clause */
/* batch.h: halves of sends on their way to the receiving processes, in batches.
 *
 * The transport is the caller's: tau_port/pmpi sends with PMPI on a communicator of its
 * own. A batch never waits: without a free buffer its halves are dropped and counted. */
#ifndef MESSAGES_JOIN_BATCH_H
#define MESSAGES_JOIN_BATCH_H

#include <stddef.h>
#include <stdint.h>

#include "mastermind/format/messages_file.h"
#include "ports/cca_error.h"

enum { MM_BATCH_HALVES = 64, MM_BATCH_BUFFERS = 8 };

struct mm_batches;

struct mm_batch_transport {
    /* Start sending `bytes` of `data` to `process` from buffer number `buffer`, which
     * stays untouched until `done` says so. 0, or a negative errno: dropped. */
    int (*start)(void *context, int process, int buffer, const void *data, size_t bytes);
    /* True if the buffer's sending is complete. Never waits. */
    int (*done)(void *context, int buffer);
    void *context;
};

struct mm_batches *mm_batches_new(const struct mm_batch_transport *transport,
                                  int processes, int locked, uint64_t *counts,
                                  struct cca_error *err);
void mm_batches_free(struct mm_batches *batches);
/* Add a half for its dst; a full batch is started. */
void mm_batches_add(struct mm_batches *batches, const struct mm_messages_half *half);
/* Start those that are not full, too: at the end and on a tick. Returns the number of
 * batches that wait for a buffer or are under way. */
int mm_batches_flush(struct mm_batches *batches);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* batch.h: carry records of sends to the receiving processes, in batches.
 *
 * The caller provides the transport: tau_port/pmpi sends with PMPI on a communicator of
 * its own. A batch never waits: if there is no free buffer, its records are dropped and
 * counted. The receiver gets an array of struct mm_messages_half, and passes each to
 * mm_join_send. Records of messages to the same process should be passed to mm_join_send
 * directly. */
#ifndef MESSAGES_JOIN_BATCH_H
#define MESSAGES_JOIN_BATCH_H

#include <stddef.h>
#include <stdint.h>

#include "mastermind/format/messages_file.h"
#include "ports/cca_error.h"

enum { MM_BATCH_HALVES = 64, MM_BATCH_BUFFERS = 8 };

struct mm_batches;

/* Called with the batches' lock held: must not call functions of this file. */
struct mm_batch_transport {
    /* Start sending `bytes` of `data`, at most MM_BATCH_HALVES records, to `process` from
     * buffer number `buffer`, below MM_BATCH_BUFFERS. The data stays untouched until
     * `done` returns true. Returns 0, or a negative errno: dropped. */
    int (*start)(void *context, int process, int buffer, const void *data, size_t bytes);
    /* Whether sending from the buffer is complete; then not called again before the next
     * start. Never waits. */
    int (*done)(void *context, int buffer);
    void *context;
};

/* Batches for `processes` processes. Memory grows by one byte per process; there are at
 * most 72 batches of 7 KiB: if records for more than 64 processes wait, the fullest batch
 * is sent before it is full. `counts`: the counts in the header of the file of messages,
 * borrowed. Returns NULL with `err` if out of memory. */
struct mm_batches *mm_batches_new(const struct mm_batch_transport *transport,
                                  int processes, int locked, uint64_t *counts,
                                  struct cca_error *err);
/* Free the batches; no batch may be on its way. NULL is fine. */
void mm_batches_free(struct mm_batches *batches);
/* Add a record for its dst, copied; a full batch is sent. Counts MM_MESSAGES_BATCHES, and
 * dropped records: _DROPPED_POOL, or _DROPPED_FOREIGN if dst is none of the processes.
 * With `locked` any thread. */
void mm_batches_add(struct mm_batches *batches, const struct mm_messages_half *half);
/* Send batches that are not full, too: at the end and on a tick. Returns the number of
 * batches that wait for a buffer or are under way; at the end call it until that is 0. */
int mm_batches_flush(struct mm_batches *batches);

#endif

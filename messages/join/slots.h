/* SPDX-License-Identifier: BSD-3-Clause */
/* slots.h: send records in a table that the processes of a node share.
 *
 * The sender writes its record before it sends the message, so that the receiver finds it
 * when its receive returns. Until the receiver takes the record, the sender may complete
 * it (t_end) or take it back. No lock, no call waits; any thread of any process.
 *
 *   the leader of a node   mm_slots_make(), broadcasts the name
 *   the others             mm_slots_open(name)
 *   a barrier              all have opened it, or failed to
 *   the leader             mm_slots_unlink()
 *
 * The memory has no name in any file system, so that a killed job leaves nothing behind.
 * Records of dead processes are displaced when their slots are needed. */
#ifndef MESSAGES_JOIN_SLOTS_H
#define MESSAGES_JOIN_SLOTS_H

#include <stddef.h>
#include <stdint.h>

#include "mastermind/format/messages_file.h"
#include "ports/cca_error.h"

enum {
    MM_SLOTS_NAME = 64, /* room for a name, with the terminating zero */
    /* recommended number of slots: they take 128 KiB per process */
    MM_SLOTS_PER_PROCESS = 1024
};

struct mm_slots;

/* Make the table of this job and node, with at least `slots` slots of 128 bytes (at most
 * 2^26). The node's other processes open it by `name` until mm_slots_unlink. NULL with
 * err. */
struct mm_slots *mm_slots_make(size_t slots, char name[MM_SLOTS_NAME],
                               struct cca_error *err);
/* Map a table that another process has made. NULL with err: no such name, or another
 * layout. */
struct mm_slots *mm_slots_open(const char *name, struct cca_error *err);
/* Remove the name; the memory stays mapped. Has an effect only in the process that made
 * the table. */
void mm_slots_unlink(struct mm_slots *slots);
/* Unmap the table; in the process that made it also remove the name. NULL is fine. */
void mm_slots_close(struct mm_slots *slots);
/* Write a record; its t_end is 0 until mm_slots_sent. If its slots are full, the oldest
 * record among them is displaced, and counted by mm_slots_pushed. Returns the number of
 * the slot, or -1: all its slots are being written at this moment, the record is
 * dropped. */
int64_t mm_slots_put(struct mm_slots *slots, const struct mm_messages_half *half);
/* Number of records that this process has displaced so far; the caller counts them as
 * MM_MESSAGES_DROPPED_POOL. */
uint64_t mm_slots_pushed(const struct mm_slots *slots);
/* Complete a record with the time when the sending call returned, or take it back if
 * `keep` is 0. No effect if the receiver has taken the record, or it was displaced. */
void mm_slots_sent(struct mm_slots *slots, int64_t slot, uint64_t key, uint64_t t_end,
                   int keep);
/* Take the record of a key out of the table. Returns 1; or 0 if it is not there, and
 * `half` is untouched. */
int mm_slots_take(struct mm_slots *slots, uint64_t key, struct mm_messages_half *half);

#endif

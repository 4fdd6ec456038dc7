/* SPDX-License-Identifier: BSD-3-Clause */
/* slots.h: halves of sends in a table that the processes of a node share.
 *
 * The sender writes its half before the message goes out, so that the receiver finds it
 * when its receive returns. The sender may complete (t_end) or take back its half until
 * it is taken. No lock, nothing waits; any thread of any process.
 *
 *   the leader of a node   mm_slots_make(), broadcasts the name
 *   the others             mm_slots_open(name)
 *   a barrier              all have it, or could not
 *   the leader             mm_slots_unlink()
 *
 * The memory has no name in any file system, so that nothing is left of a job that is
 * killed, whenever that is. What dead processes leave in the table is pushed out when its
 * places are needed. */
#ifndef MESSAGES_JOIN_SLOTS_H
#define MESSAGES_JOIN_SLOTS_H

#include <stddef.h>
#include <stdint.h>

#include "mastermind/format/messages_file.h"
#include "ports/cca_error.h"

enum {
    MM_SLOTS_NAME = 64,         /* room for a name, with its end */
    MM_SLOTS_PER_PROCESS = 1024 /* a good number: 128 KiB each */
};

struct mm_slots;

/* Make the table of this job and node, of at least `slots` places of 128 bytes (at most
 * 2^26); `name` is how the node's other processes open it, until mm_slots_unlink. NULL
 * with err. */
struct mm_slots *mm_slots_make(size_t slots, char name[MM_SLOTS_NAME],
                               struct cca_error *err);
/* Map a table that another process has made. NULL with err: no such name, or of another
 * layout. */
struct mm_slots *mm_slots_open(const char *name, struct cca_error *err);
/* Nobody opens the table any more; the memory lives on. By who made it; else nothing. */
void mm_slots_unlink(struct mm_slots *slots);
/* Also unlinks. NULL is fine. */
void mm_slots_close(struct mm_slots *slots);
/* Write a half; its t_end is 0 until mm_slots_sent. Where its places are full, the half
 * that was sent first among them is pushed out, and counted by mm_slots_pushed. Returns
 * the number of the slot, or -1: all places are being written at this moment: dropped. */
int64_t mm_slots_put(struct mm_slots *slots, const struct mm_messages_half *half);
/* How many halves this process has pushed out so far, _DROPPED_POOL for the caller. */
uint64_t mm_slots_pushed(const struct mm_slots *slots);
/* The sender's call has returned; `keep` 0: take the half back. No effect where the
 * receiver has it already, or it was pushed out. */
void mm_slots_sent(struct mm_slots *slots, int64_t slot, uint64_t key, uint64_t t_end,
                   int keep);
/* Take the half of a key: 1, or 0: not there, `half` is untouched. */
int mm_slots_take(struct mm_slots *slots, uint64_t key, struct mm_messages_half *half);

#endif

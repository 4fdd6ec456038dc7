/* SPDX-License-Identifier: BSD-3-Clause */
/* slots.h: halves of sends in a table that the processes of a node share.
 *
 * The sender writes its half before the message goes out, so that the receiver finds it
 * when its receive returns. Full: dropped and counted. The sender may complete (t_end)
 * or take back its half until it is taken. */
#ifndef MESSAGES_JOIN_SLOTS_H
#define MESSAGES_JOIN_SLOTS_H

#include <stddef.h>
#include <stdint.h>

#include "mastermind/format/messages_file.h"
#include "ports/cca_error.h"

struct mm_slots;

/* Map the table of this job and node: the first makes it. `name`: of a shared memory
 * object, the same on the node's processes of the job. NULL with err. */
struct mm_slots *mm_slots_open(const char *name, size_t slots, struct cca_error *err);
/* The name is removed at once where all have opened it; the memory lives on. */
void mm_slots_unlink(struct mm_slots *slots);
void mm_slots_close(struct mm_slots *slots);
/* Number of the slot, or -1: full. */
int64_t mm_slots_put(struct mm_slots *slots, const struct mm_messages_half *half);
/* The sender's call has returned; `keep` 0: take the half back. No effect where the
 * receiver has it already. */
void mm_slots_sent(struct mm_slots *slots, int64_t slot, uint64_t key, uint64_t t_end,
                   int keep);
/* Take the half of a key: 1, or 0: not there. */
int mm_slots_take(struct mm_slots *slots, uint64_t key, struct mm_messages_half *half);

#endif

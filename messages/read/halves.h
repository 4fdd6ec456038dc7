/* SPDX-License-Identifier: BSD-3-Clause */
/* halves.h: join the send and receive records in the files of processes. */
#ifndef MESSAGES_READ_HALVES_H
#define MESSAGES_READ_HALVES_H

#include "messages/read/parts.h"

/* Called with both records of a message; non-zero ends the walk. */
typedef int (*mm_message_pair_function)(void *context,
                                        const struct mm_messages_half *send,
                                        const struct mm_messages_half *recv);

/* Join by key, one range of keys at a time, so that at most `memory` bytes of records are
 * in memory. Counts records without counterpart (half, unanswered) and mismatched pairs,
 * which are not passed to the function. 0, the function's return value, or a negative
 * errno with `err`. */
int mm_messages_halves(const struct mm_messages *messages, size_t memory,
                       mm_message_pair_function function, void *context,
                       struct mm_messages_joined *joined, struct cca_error *err);

#endif

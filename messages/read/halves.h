/* SPDX-License-Identifier: BSD-3-Clause */
/* halves.h: join the halves that processes have left in their files. */
#ifndef MESSAGES_READ_HALVES_H
#define MESSAGES_READ_HALVES_H

#include "messages/read/parts.h"

/* Called with the halves of a message; non-zero ends. */
typedef int (*mm_message_pair_function)(void *context,
                                        const struct mm_messages_half *send,
                                        const struct mm_messages_half *recv);

/* Join by key, a range of keys at a time, so that at most `memory` bytes of halves are
 * held. Counts half, unanswered, and mismatched pairs, which are not handed on. 0, what
 * the function returned, or a negative errno with `err`. */
int mm_messages_halves(const struct mm_messages *messages, size_t memory,
                       mm_message_pair_function function, void *context,
                       struct mm_messages_joined *joined, struct cca_error *err);

#endif

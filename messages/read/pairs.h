/* SPDX-License-Identifier: BSD-3-Clause */
/* pairs.h: exact counts of messages, and samples, for each pair of processes. */
#ifndef MESSAGES_READ_PAIRS_H
#define MESSAGES_READ_PAIRS_H

#include "messages/read/read.h"

struct mm_message_pairs;

/* Counts of all channels, as the receivers have them. New, or NULL with `err`. */
struct mm_message_pairs *mm_message_pairs_new(const struct mm_messages *messages,
                                              struct cca_error *err);
void mm_message_pairs_free(struct mm_message_pairs *pairs);
/* Add samples of a pair; src -1: of no known pair. 0 or -ENOMEM. */
int mm_message_pairs_sampled(struct mm_message_pairs *pairs, int src, int dst,
                             uint64_t count);
/* Messages for each sample: of the pair, or of all where it is not known. */
double mm_message_pairs_factor(const struct mm_message_pairs *pairs, int src, int dst);

#endif

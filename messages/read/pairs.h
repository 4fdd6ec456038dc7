/* SPDX-License-Identifier: BSD-3-Clause */
/* pairs.h: exact numbers of messages, and numbers of samples, for each pair of
 * processes. */
#ifndef MESSAGES_READ_PAIRS_H
#define MESSAGES_READ_PAIRS_H

#include "messages/read/read.h"

struct mm_message_pairs;

/* Counts over all channels, from the receivers. New, or NULL with `err`. */
struct mm_message_pairs *mm_message_pairs_new(const struct mm_messages *messages,
                                              struct cca_error *err);
void mm_message_pairs_free(struct mm_message_pairs *pairs);
/* Add samples of a pair; src -1: unknown pair. 0 or -ENOMEM. */
int mm_message_pairs_sampled(struct mm_message_pairs *pairs, int src, int dst,
                             uint64_t count);
/* Messages per sample: of the pair, or of all pairs if the pair is unknown. */
double mm_message_pairs_factor(const struct mm_message_pairs *pairs, int src, int dst);

#endif

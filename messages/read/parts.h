/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h: all samples of an experiment, one part after the other: classes as the run has
 * summed them up, and single messages, from records or joined here from halves. */
#ifndef MESSAGES_READ_PARTS_H
#define MESSAGES_READ_PARTS_H

#include "messages/join/join.h"
#include "messages/read/read.h"

/* Sums over samples; zeros at first. */
struct mm_message_sums {
    uint64_t count;
    double weight, weight_variance; /* as in struct mm_messages_class */
    uint64_t bytes;
    double min_ns, max_ns; /* latency; of count > 0 */
    struct mm_messages_sum latency, late_sender, late_receiver, transfer;
    int no_p; /* samples whose probability is not known (T): scaled by the exact counts of
                 their processes, so no variance is known */
};

void mm_message_sums_add(struct mm_message_sums *sums,
                         const struct mm_message_sums *more);

/* Samples of equal key. */
struct mm_message_part {
    int32_t src, dst; /* -1 where `other` */
    uint64_t send_site, recv_site;
    const struct mm_method_info *send_method, *recv_method; /* NULL: none, or unknown */
    uint32_t size_class;
    int other; /* what found no room in the table of a process */
    struct mm_message_sums sums;
    const uint32_t *buckets; /* [MM_MESSAGES_BUCKETS] of latency, or NULL */
    int bucket;              /* where it is a single message: its bucket, else -1 */
    /* A single message, else NULL. */
    const struct mm_messages_half *send, *recv;
    const struct mm_message_times *times;
};

/* What became of samples while their parts were made. */
struct mm_messages_joined {
    uint64_t joined;                 /* here, from halves */
    uint64_t half;                   /* halves of sends without the other half */
    uint64_t unanswered;             /* halves of receives without the other half */
    uint64_t unverified, mismatched; /* joined, and left out */
    uint64_t suspect; /* records or joined, latency below zero by more than the bound */
    struct mm_messages_odd odd;
};

/* Called with each part, which is borrowed for the call; non-zero ends the walk. */
typedef int (*mm_message_part_function)(void *context,
                                        const struct mm_message_part *part);

/* Walk all parts. Single messages that are unverified, mismatched or suspect are left out
 * and counted; with `suspects` the last come, too, with times->suspect. Halves are joined
 * a range of keys at a time, `memory` bytes of them at most (0: 64 MiB).
 *
 * Returns 0, what the function returned, or a negative errno with `err`. */
int mm_messages_parts(const struct mm_messages *messages, int suspects, size_t memory,
                      mm_message_part_function function, void *context,
                      struct mm_messages_joined *joined, struct cca_error *err);

/* How the clock of `src` is turned into that of `dst` about the time of a message. */
void mm_messages_clocks(const struct mm_messages *messages, int src, int dst,
                        uint64_t sent_ticks, uint64_t received_ticks,
                        struct mm_message_clocks *clocks);
/* Time of a process's tick, in ns since the epoch of process 0, or of the first process
 * that there is; `bound_ns` (may be NULL) is how wrong it may be. */
double mm_messages_common_ns(const struct mm_messages *messages, int process,
                             uint64_t ticks, double *bound_ns);

#endif

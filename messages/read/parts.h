/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h: read all samples of an experiment, one part after the other: classes that were
 * summed during the run, and single messages, from sample records or joined here. */
#ifndef MESSAGES_READ_PARTS_H
#define MESSAGES_READ_PARTS_H

#include "messages/join/join.h"
#include "messages/read/read.h"

/* Sums over samples; initialise with zeros. */
struct mm_message_sums {
    uint64_t count;
    /* sums of weights 1/p and of their variances, as in struct mm_messages_class */
    double weight, weight_variance;
    uint64_t bytes;
    double min_ns, max_ns; /* minimum and maximum of the latency, valid if count > 0 */
    struct mm_messages_sum latency, late_sender, late_receiver, transfer;
    int no_p; /* samples with unknown probability (T): scaled by the exact counts of their
               * processes, so the variance is unknown */
};

void mm_message_sums_add(struct mm_message_sums *sums,
                         const struct mm_message_sums *more);

/* Samples with equal keys. */
struct mm_message_part {
    int32_t src, dst; /* sending and receiving process; -1 if `other` */
    uint64_t send_site, recv_site;
    /* methods at both ends; NULL: none, or unknown */
    const struct mm_method_info *send_method, *recv_method;
    uint32_t size_class;
    int other; /* 1: the samples for which a process's table of classes had no room */
    struct mm_message_sums sums;
    /* [MM_MESSAGES_BUCKETS] numbers of samples by latency, or NULL */
    const uint32_t *buckets;
    int bucket; /* bucket of the latency of a single message, else -1 */
    /* Records of a single message, else NULL. */
    const struct mm_messages_half *send, *recv;
    const struct mm_message_times *times;
};

/* Counts of samples while parts were made. */
struct mm_messages_joined {
    /* number of messages whose records this reader joined */
    uint64_t joined;
    uint64_t half;       /* number of send records without receive record */
    uint64_t unanswered; /* number of receive records without send record */
    /* numbers of joined messages that were left out, by reason */
    uint64_t unverified, mismatched;
    /* number of messages with a latency below zero by more than the clocks' bound */
    uint64_t suspect;
    struct mm_messages_odd odd;
};

/* Called with each part, which is borrowed for the call; non-zero ends the walk. */
typedef int (*mm_message_part_function)(void *context,
                                        const struct mm_message_part *part);

/* Walk all parts. Single messages that are unverified, mismatched or suspect are left out
 * and counted; with `suspects` suspect ones are passed on, too, with times->suspect.
 * Records are joined by ranges of keys, with at most `memory` bytes of records in memory
 * (0: 64 MiB).
 *
 * Returns 0, the function's return value, or a negative errno with `err`. */
int mm_messages_parts(const struct mm_messages *messages, int suspects, size_t memory,
                      mm_message_part_function function, void *context,
                      struct mm_messages_joined *joined, struct cca_error *err);

/* Set the conversion of times of `src` to the clock of `dst`, valid around the time of a
 * message. */
void mm_messages_clocks(const struct mm_messages *messages, int src, int dst,
                        uint64_t sent_ticks, uint64_t received_ticks,
                        struct mm_message_clocks *clocks);
/* Time of a process's tick, in ns since the epoch of process 0, or of the first process
 * with a file; *bound_ns (may be NULL) is its maximum error. */
double mm_messages_common_ns(const struct mm_messages *messages, int process,
                             uint64_t ticks, double *bound_ns);

#endif

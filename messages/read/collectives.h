/* SPDX-License-Identifier: BSD-3-Clause */
/* collectives.h: sampled collective calls: which process came last, how long others
 * waited.
 *
 * The same instances are sampled on all processes of a communicator. A process waits from
 * its entry to the entry of the last process, but at most until it leaves: in a call with
 * a root some processes do not wait. An instance is the unit of sampling: the sum of its
 * waiting times at one callsite is one value. Times are converted to one clock, so an
 * instance's waiting times may be wrong by the clocks' bounds. */
#ifndef MESSAGES_READ_COLLECTIVES_H
#define MESSAGES_READ_COLLECTIVES_H

#include "messages/read/estimate.h"
#include "messages/read/parts.h"

/* Waiting times at one callsite in one function. */
struct mm_collective_group {
    char function[24];
    uint64_t site;
    const struct mm_method_info *method; /* method that called the function; NULL: none */
    uint64_t instances;                  /* number of sampled instances */
    uint64_t calls;                      /* calls of all processes in these instances */
    /* sums over instances with probability p: of 1/p; of (1 - p)/p^2 */
    double weight, weight_variance;
    uint64_t bytes;
    /* sums over waiting times w: of w/p; of w^2 (1 - p)/p^2; of (w/p)^2 */
    double total_ns, variance, squares;
    uint64_t positive; /* number of instances with a waiting time > 0 */
    double max_ns;     /* longest waiting time of one process */
    int32_t last; /* process that came last most often: `last_count` of `instances` */
    uint64_t last_count;
};

struct mm_collectives {
    struct mm_word_table table; /* table of struct mm_collective_group */
    uint64_t instances;         /* number of sampled instances that were used */
    uint64_t incomplete; /* number of instances left out because some process has no
                          * finished part in them */
    struct mm_messages_odd odd;
};

/* Join all parts; at most `memory` bytes of instances are in memory at a time (0: 64
 * MiB). `takes` (may be NULL) selects parts by process, callsite and method. Returns 0 or
 * a negative errno with `err`; call mm_collectives_done in any case. */
int mm_collectives_read(struct mm_collectives *collectives,
                        const struct mm_messages *messages, size_t memory,
                        int (*takes)(void *context, int process, uint64_t site,
                                     const struct mm_method_info *method),
                        void *context, struct cca_error *err);
void mm_collectives_done(struct mm_collectives *collectives);
/* Estimate the waiting time of all processes in all instances, sampled or not. */
struct mm_message_estimate mm_collective_wait(const struct mm_collective_group *group);

#endif

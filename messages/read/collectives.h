/* SPDX-License-Identifier: BSD-3-Clause */
/* collectives.h: sampled collective calls: who came last, who waited how long.
 *
 * The same instances are sampled on all processes of a communicator. A process waited
 * from its entry to the entry of the last, but at most until it left: of a call with a
 * root not all wait for all. An instance is the unit of sampling: what all its processes
 * waited at one callsite is one value. Clocks are put on one line; an instance's waits
 * may be wrong by the clocks' bounds. */
#ifndef MESSAGES_READ_COLLECTIVES_H
#define MESSAGES_READ_COLLECTIVES_H

#include "messages/read/estimate.h"
#include "messages/read/table.h"

/* Waits at one callsite in one function. */
struct mm_collective_group {
    char function[24];
    uint64_t site;
    const struct mm_method_info *method; /* NULL: none */
    uint64_t instances;                  /* sampled */
    uint64_t calls;                      /* of processes, in these */
    double weight, weight_variance;      /* sum of 1/p; of (1 - p)/p^2: instances */
    uint64_t bytes;
    double total_ns, variance, squares; /* waits: sums of w/p, w^2 (1 - p)/p^2, (w/p)^2 */
    uint64_t positive;                  /* instances with a wait > 0 */
    double max_ns;                      /* longest wait of one process */
    int32_t last; /* process that came last most often, in `last_count` of `instances` */
    uint64_t last_count;
};

struct mm_collectives {
    struct mm_word_table table; /* of struct mm_collective_group */
    uint64_t instances;         /* used */
    uint64_t incomplete;        /* left out: not all processes have left their part */
    struct mm_messages_odd odd;
};

/* Join all parts; `memory` bytes of instances are held at a time (0: 64 MiB). `takes`
 * (may be NULL) chooses parts by process, callsite and method. 0 or a negative errno with
 * `err`; mm_collectives_done in any case. */
int mm_collectives_read(struct mm_collectives *collectives,
                        const struct mm_messages *messages, size_t memory,
                        int (*takes)(void *context, int process, uint64_t site,
                                     const struct mm_method_info *method),
                        void *context, struct cca_error *err);
void mm_collectives_done(struct mm_collectives *collectives);
/* The waiting of all processes in all instances, those sampled and the others. */
struct mm_estimate mm_collective_wait(const struct mm_collective_group *group);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* join.h: the halves of sampled messages meet in the receiving process.
 *
 * The receiver's halves wait in a ring; the sender's come in batches (batch.h) or lie in
 * the slots of a node (slots.h), and wait, too, where they come first. The key joins
 * them. One thread at a time unless `locked`. Nothing is allocated after
 * mm_join_new. */
#ifndef MESSAGES_JOIN_JOIN_H
#define MESSAGES_JOIN_JOIN_H

#include <stddef.h>
#include <stdint.h>

#include "mastermind/format/messages_file.h"
#include "ports/cca_error.h"

/* Times of a joined message in ns. */
struct mm_message_times {
    double latency;       /* t_end of the receive - t_start of the send */
    double late_sender;   /* max(0, min(ts, t_end) - t_enter of the completing call) */
    double late_receiver; /* max(0, t_start of the receive (posted) - ts): only where the
                             sender blocked, or the message is larger than eager */
    double transfer;      /* t_end - max(ts, t_enter) */
    double bound;         /* by which the clocks' offset may be wrong; 0: same clock */
    int suspect;          /* latency < -bound: not to be summed */
};

/* Conversion of the sender's ticks to the receiver's: same clock, or a line. */
struct mm_message_clocks {
    int same; /* ticks of both can be subtracted */
    double ns_per_tick;
    /* else: receiver's ns = sender's ns + offset_ns, at most bound_ns wrong */
    double sender_ns_per_tick, offset_ns, bound_ns;
    uint64_t sender_epoch, epoch;
};

/* messages.md, section 4. `times` is filled. */
void mm_message_times(const struct mm_messages_half *send,
                      const struct mm_messages_half *recv,
                      const struct mm_message_clocks *clocks,
                      struct mm_message_times *times);

struct mm_join;

struct mm_join_options {
    size_t ring;       /* halves of receives that wait; 0: default */
    int remembers_all; /* most halves of receives are never asked for */
    int locked;
    uint64_t *counts; /* [MM_MESSAGES_COUNTS], of the head */
    /* A joined message. Called with the join's lock held: it must not come back. */
    void (*joined)(void *context, const struct mm_messages_half *send,
                   const struct mm_messages_half *recv);
    void *context;
};

struct mm_join *mm_join_new(const struct mm_join_options *options, struct cca_error *err);
void mm_join_free(struct mm_join *join);
/* Copies the half; joins at once where the other is there. */
void mm_join_receive(struct mm_join *join, const struct mm_messages_half *half);
void mm_join_send(struct mm_join *join, const struct mm_messages_half *half);
/* The end: halves that wait for their other half are counted as half or dropped. */
void mm_join_end(struct mm_join *join);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* join.h: join the two records of a sampled message, one per end, in the receiving
 * process. The code calls a record a half.
 *
 * Receive records wait in a ring. Send records come in batches (batch.h) or from the
 * slots of a node (slots.h), and wait, too, if they come first. Records with the same key
 * are joined. One thread at a time unless `locked`. Nothing is allocated after
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
    double late_sender;   /* max(0, min(ts, t_end) - t_enter of the completing call), with
                           * ts = t_start of the send */
    double late_receiver; /* max(0, t_start of the receive (posted) - ts) if the sender
                           * was in its call until then; 0 if its call had returned
                           * before, or does not block */
    double transfer;      /* t_end of the receive - the later of t_start of the send and
                           * t_enter of the receive */
    double bound; /* maximum error of the offset between the two clocks; 0: both ends use
                   * the same clock */
    int suspect;  /* 1: latency < -bound, so the times must not be summed. Negative values
                   * within the bound are summed as they are */
};

/* Conversion of the sender's ticks to the receiver's clock: the same clock, or a linear
 * function. */
struct mm_message_clocks {
    int same; /* 1: sender and receiver read the same clock */
    double ns_per_tick;
    /* if not: receiver's ns = sender's ns + offset_ns, with an error of at most
     * bound_ns */
    double sender_ns_per_tick, offset_ns, bound_ns;
    uint64_t sender_epoch, epoch;
};

/* Compute the latency as defined by Vetter (2001), from the start of the send to the end
 * of the completing receive; Late Sender and Late Receiver as defined in trace analysis.
 *
 *   send, recv  in   the records of one message, times in ticks of each process
 *   clocks      in   conversion of the sender's ticks to the receiver's
 *   times       out  all fields
 *
 * A send record whose t_end is 0 was taken before the sending call returned. Any
 * thread. */
void mm_message_times(const struct mm_messages_half *send,
                      const struct mm_messages_half *recv,
                      const struct mm_message_clocks *clocks,
                      struct mm_message_times *times);

struct mm_join;

struct mm_join_options {
    size_t ring; /* limit of waiting receive records, and of send records; 0: 16384, or
                  * 65536 if remembers_all; 128 bytes each, allocated when first used */
    int remembers_all; /* 1: all receives leave records, most of which are never joined */
    int locked;
    uint64_t *counts; /* [MM_MESSAGES_COUNTS], in the file's header; borrowed */
    /* Called for a joined message of a verified channel whose records agree. The join's
     * lock is held: it must not call functions of this file. */
    void (*joined)(void *context, const struct mm_messages_half *send,
                   const struct mm_messages_half *recv);
    void *context;
};

/* Make a join; NULL with err: out of memory. */
struct mm_join *mm_join_new(const struct mm_join_options *options, struct cca_error *err);
/* Free a join, without counting the records that wait. NULL is fine. */
void mm_join_free(struct mm_join *join);
/* Add a copy of a receive record or a send record; it is joined at once if the message's
 * other record is there. Joined pairs are counted as MM_MESSAGES_JOINED, and also as
 * _UNVERIFIED (a record has the flag) or _MISMATCHED. If there is no room, the record
 * that has waited longest is dropped: counted as _UNANSWERED (receive) or _DROPPED_RING
 * (send). So after mm_join_end
 *
 *   receive records  =  _JOINED + _UNANSWERED
 *   send records     =  _JOINED + _DROPPED_RING + _HALF */
void mm_join_receive(struct mm_join *join, const struct mm_messages_half *half);
void mm_join_send(struct mm_join *join, const struct mm_messages_half *half);
/* At the end: count the records that still wait. A send record counts as _DROPPED_RING as
 * long as there are displaced receive records, since its counterpart is most likely among
 * them; otherwise as _HALF. */
void mm_join_end(struct mm_join *join);

#endif

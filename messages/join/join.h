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
    double late_receiver; /* max(0, t_start of the receive (posted) - ts) where the sender
                             was in its call until then: one that returned before, or
                             does not block, did not wait there: 0 */
    double transfer;      /* t_end - max(ts, t_enter) */
    double bound;         /* by which the clocks' offset may be wrong; 0: same clock */
    int suspect;          /* latency < -bound: not to be summed; all else may be negative
                             by the bound, and is summed as it is */
};

/* Conversion of the sender's ticks to the receiver's: same clock, or a line. */
struct mm_message_clocks {
    int same; /* ticks of both can be subtracted */
    double ns_per_tick;
    /* else: receiver's ns = sender's ns + offset_ns, at most bound_ns wrong */
    double sender_ns_per_tick, offset_ns, bound_ns;
    uint64_t sender_epoch, epoch;
};

/* Latency as Vetter (2001) defines it, start of the send to end of the completing
 * receive; Late Sender and Late Receiver as the patterns of trace analysis have them.
 *
 *   send, recv  in   halves of one message, stamps in ticks of each process
 *   clocks      in   how the sender's ticks become the receiver's
 *   times       out  all fields
 *
 * A send half whose t_end is 0 was taken before its call returned. Any thread. */
void mm_message_times(const struct mm_messages_half *send,
                      const struct mm_messages_half *recv,
                      const struct mm_message_clocks *clocks,
                      struct mm_message_times *times);

struct mm_join;

struct mm_join_options {
    size_t ring; /* most halves of receives that wait, and of sends; 0: 16384, or 65536
                    where remembers_all; 128 bytes each, taken when they are used */
    int remembers_all; /* most halves of receives are never asked for */
    int locked;
    uint64_t *counts; /* [MM_MESSAGES_COUNTS], of the head; borrowed */
    /* A joined message, of a verified channel, whose halves agree. Called with the join's
     * lock held: it must not come back. */
    void (*joined)(void *context, const struct mm_messages_half *send,
                   const struct mm_messages_half *recv);
    void *context;
};

/* New join; NULL with err: memory. */
struct mm_join *mm_join_new(const struct mm_join_options *options, struct cca_error *err);
/* NULL is fine. Counts nothing. */
void mm_join_free(struct mm_join *join);
/* Give a half, which is copied; it joins at once where the other is there. What meets is
 * counted as _JOINED, some of it as _UNVERIFIED (a half has the flag) or _MISMATCHED,
 * too. Where there is no room the half that has waited longest goes: _UNANSWERED of
 * receives, _DROPPED_RING of sends. So after mm_join_end
 *
 *   halves of receives  =  _JOINED + _UNANSWERED
 *   halves of sends     =  _JOINED + _DROPPED_RING + _HALF */
void mm_join_receive(struct mm_join *join, const struct mm_messages_half *half);
void mm_join_send(struct mm_join *join, const struct mm_messages_half *half);
/* The end: halves that still wait are counted. A send's is _DROPPED_RING while there are
 * halves of receives that had made room, as the one it waits for is most likely among
 * them, else _HALF. */
void mm_join_end(struct mm_join *join);

#endif

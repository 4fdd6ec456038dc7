/* SPDX-License-Identifier: BSD-3-Clause */
/* times.c: latency and waiting times of a joined message.
 *
 * Latency: Vetter (2001), start of the send to end of the completing receive. Waiting
 * times: Late Sender and Late Receiver of the performance properties, from the same time
 * stamps. */
#include "messages/join/join.h"

/* Difference of two ticks of one clock. */
static double ticks_between(uint64_t from, uint64_t to)
{
    return (double)(int64_t)(to - from);
}

/* Convert a time of the receiver, in ticks, to ns after the start of the send. */
static double since_send(const struct mm_messages_half *send, uint64_t ticks,
                         const struct mm_message_clocks *clocks)
{
    double sent, here;

    if (clocks->same)
        return ticks_between(send->t_start, ticks) * clocks->ns_per_tick;
    sent =
        ticks_between(clocks->sender_epoch, send->t_start) * clocks->sender_ns_per_tick +
        clocks->offset_ns;
    here = ticks_between(clocks->epoch, ticks) * clocks->ns_per_tick;
    return here - sent;
}

/* Time that a sender spent in its call because no receive was posted. A send that
 * returned before the receive was posted did not wait for it; a nonblocking send did not
 * wait in this call. If the record was taken before the sender returned, `t_end` is 0:
 * the sender was still in its call when the receive ended. */
static double waited_for_receiver(const struct mm_messages_half *send, double posted,
                                  const struct mm_message_clocks *clocks)
{
    double per_tick = clocks->same ? clocks->ns_per_tick : clocks->sender_ns_per_tick;

    if (posted <= 0 || send->flags & MM_HALF_NONBLOCKING)
        return 0;
    if (send->t_end && ticks_between(send->t_start, send->t_end) * per_tick <= posted)
        return 0;
    return posted;
}

void mm_message_times(const struct mm_messages_half *send,
                      const struct mm_messages_half *recv,
                      const struct mm_message_clocks *clocks,
                      struct mm_message_times *times)
{
    /* all times are measured from the start of the send */
    double end = since_send(send, recv->t_end, clocks),
           enter = since_send(send, recv->t_enter, clocks),
           posted = since_send(send, recv->t_start, clocks);
    double arrived = end < 0 ? end : 0;

    times->latency = end;
    times->late_sender = arrived > enter ? arrived - enter : 0;
    times->late_receiver = waited_for_receiver(send, posted, clocks);
    times->transfer = end - (enter > 0 ? enter : 0);
    times->bound = clocks->same ? 0 : clocks->bound_ns;
    times->suspect = end < -times->bound;
}

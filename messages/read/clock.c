/* SPDX-License-Identifier: BSD-3-Clause */
/* clock.c: convert times of different processes to one time line. */
#include "messages/clocks/clocks.h"
#include "messages/read/parts.h"

/* A tick value of a process as ns since the epoch of its own clock. */
static double own_ns(const struct mm_messages_process *p, uint64_t ticks)
{
    return (double)(int64_t)(ticks - p->epoch_ticks) * p->ns_per_tick;
}

static struct mm_clock_offset offset_at(const struct mm_messages_process *p,
                                        uint64_t ticks)
{
    struct mm_clock_offset offset = {0};

    if (mm_clocks_at(p->points, (int)p->point_count, p->ns_per_tick, ticks, &offset))
        offset.offset_ns = offset.bound_ns = 0;
    return offset;
}

void mm_messages_clocks(const struct mm_messages *m, int src, int dst,
                        uint64_t sent_ticks, uint64_t received_ticks,
                        struct mm_message_clocks *clocks)
{
    const struct mm_messages_process *a = &m->process[src], *b = &m->process[dst];
    struct mm_clock_offset from, to;

    *clocks = (struct mm_message_clocks){.same = 1, .ns_per_tick = b->ns_per_tick};
    if (!a->present || a->node == b->node)
        return;
    from = offset_at(a, sent_ticks);
    to = offset_at(b, received_ticks);
    clocks->same = 0;
    clocks->sender_ns_per_tick = a->ns_per_tick;
    clocks->sender_epoch = a->epoch_ticks;
    clocks->epoch = b->epoch_ticks;
    clocks->offset_ns = from.offset_ns - to.offset_ns;
    clocks->bound_ns = from.bound_ns + to.bound_ns;
}

double mm_messages_common_ns(const struct mm_messages *m, int process, uint64_t ticks,
                             double *bound_ns)
{
    const struct mm_messages_process *p = &m->process[process];
    struct mm_clock_offset offset;
    int first = 0;

    while (!m->process[first].present)
        first++;
    if (bound_ns)
        *bound_ns = 0;
    /* both processes use the same clock; they have only calibrated it at different times
     * and with different quality */
    if (p->node == m->process[first].node)
        return own_ns(
            &(struct mm_messages_process){.epoch_ticks = m->process[first].epoch_ticks,
                                          .ns_per_tick = m->process[first].ns_per_tick},
            ticks);
    offset = offset_at(p, ticks);
    if (bound_ns)
        *bound_ns = offset.bound_ns;
    return own_ns(p, ticks) + offset.offset_ns;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* clocks.c: clock offsets from round trips, linear interpolation between them. */
#include "messages/clocks/clocks.h"

#include <math.h>

void mm_clocks_measure(const struct mm_ping *pings, int count,
                       struct mm_clock_offset *offset)
{
    const struct mm_ping *best = pings;

    for (int i = 1; i < count; i++)
        if (pings[i].back_ns - pings[i].sent_ns < best->back_ns - best->sent_ns)
            best = &pings[i];
    offset->at_ns = best->sent_ns + (best->back_ns - best->sent_ns) / 2;
    offset->offset_ns = best->there_ns - offset->at_ns;
    offset->bound_ns = (best->back_ns - best->sent_ns) / 2;
}

struct mm_clock_offset mm_clocks_add(const struct mm_clock_offset *near,
                                     const struct mm_clock_offset *far, double apart_ns)
{
    return (struct mm_clock_offset){
        .at_ns = near->at_ns,
        .offset_ns = near->offset_ns + far->offset_ns,
        .bound_ns = near->bound_ns + far->bound_ns + fabs(apart_ns) * MM_CLOCKS_DRIFT,
    };
}

/* The signed difference of two values of a tick counter, converted to ns. */
static double ns_from(uint64_t from, uint64_t to, double ns_per_tick)
{
    return (double)(int64_t)(to - from) * ns_per_tick;
}

static void extend(const struct mm_messages_clock_point *point, double ns_per_tick,
                   uint64_t ticks, struct mm_clock_offset *offset)
{
    double away_ns = ns_from(point->ticks, ticks, ns_per_tick);

    offset->offset_ns = point->offset_ns;
    offset->bound_ns = point->bound_ns + fabs(away_ns) * MM_CLOCKS_DRIFT;
}

int mm_clocks_at(const struct mm_messages_clock_point *points, int count,
                 double ns_per_tick, uint64_t ticks, struct mm_clock_offset *offset)
{
    const struct mm_messages_clock_point *a, *b;
    double length, along;
    int i = 0;

    if (count < 1)
        return -1;
    while (i < count && (int64_t)(ticks - points[i].ticks) >= 0)
        i++;
    if (i == 0 || i == count) {
        extend(&points[i ? count - 1 : 0], ns_per_tick, ticks, offset);
        return 0;
    }
    a = &points[i - 1];
    b = &points[i];
    length = ns_from(a->ticks, b->ticks, ns_per_tick);
    along = length > 0 ? ns_from(a->ticks, ticks, ns_per_tick) / length : 0;
    offset->offset_ns = a->offset_ns + along * (b->offset_ns - a->offset_ns);
    offset->bound_ns = a->bound_ns + along * (b->bound_ns - a->bound_ns);
    return 0;
}

/* Binomial tree: a parent's number is the node's number without its lowest set bit. */
int mm_clocks_parent(int node)
{
    return node & (node - 1);
}

int mm_clocks_child(int node, int count, int child)
{
    int step = child ? (child - node) / 2 : node ? (node & -node) / 2 : 1 << 30;

    while (step > 0 && step >= count - node)
        step /= 2;
    return step > 0 ? node + step : 0;
}

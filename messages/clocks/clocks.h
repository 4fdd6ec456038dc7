/* SPDX-License-Identifier: BSD-3-Clause */
/* clocks.h: offset and drift between the clocks of nodes, as numbers.
 *
 * Two processes play ping-pong. The reading of the other's clock came somewhere between
 * sending and return, so the offset from the middle is wrong by at most half the round
 * trip; the shortest round trip gives the best offset (F. Cristian, Probabilistic Clock
 * Synchronization, 1989). Between two such points the offset is a line, as crystals drift
 * at constant rates for minutes. */
#ifndef MESSAGES_CLOCKS_CLOCKS_H
#define MESSAGES_CLOCKS_CLOCKS_H

#include <stdint.h>

#include "mastermind/format/messages_file.h"

/* By how much two clocks may drift apart where nothing better is known: crystals are
 * good to 50 parts per million each. */
#define MM_CLOCKS_DRIFT 100e-6

/* One round trip, ns: own clock at sending and return, the other's in between. */
struct mm_ping {
    double sent_ns, there_ns, back_ns;
};

/* Other's ns = own ns + offset_ns, at most bound_ns wrong, at own time at_ns. */
struct mm_clock_offset {
    double at_ns, offset_ns, bound_ns;
};

/* The offset by the shortest of `count` > 0 round trips. */
void mm_clocks_measure(const struct mm_ping *pings, int count,
                       struct mm_clock_offset *offset);

/* A chain: `near` is our offset to a process, `far` that process's offset to a third, at
 * a time of its own that is `apart_ns` from ours. Our offset to the third. */
struct mm_clock_offset mm_clocks_add(const struct mm_clock_offset *near,
                                     const struct mm_clock_offset *far, double apart_ns);

/* The offset at `ticks`, between or beyond points of a head, which are in order.
 *
 *   points, count   in   count >= 0
 *   ns_per_tick     in   of the ticks
 *   offset          out  at_ns is not used
 *
 * Beyond the points, and where there is one alone, it is that of the nearest, and the
 * bound grows by MM_CLOCKS_DRIFT. 0; -1: no points. */
int mm_clocks_at(const struct mm_messages_clock_point *points, int count,
                 double ns_per_tick, uint64_t ticks, struct mm_clock_offset *offset);

/* In a tree of `count` nodes, 0 the root, where the path to the root has at most
 * log2(count) steps: the parent of node > 0, and its next child after `child` (0: the
 * first), or 0: no more. A child of more nodes comes earlier. */
int mm_clocks_parent(int node);
int mm_clocks_child(int node, int count, int child);

#endif

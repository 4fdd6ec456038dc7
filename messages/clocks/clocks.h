/* SPDX-License-Identifier: BSD-3-Clause */
/* clocks.h: compute offset and drift between the clocks of nodes.
 *
 * Two processes play ping-pong. The other clock is read at an unknown time between
 * sending and return. If the middle is assumed, the offset is wrong by at most half the
 * round trip, so the shortest round trip gives the best offset (F. Cristian,
 * Probabilistic Clock Synchronization, 1989). Between two such points the offset is
 * interpolated linearly, since crystals drift at constant rates for minutes. */
#ifndef MESSAGES_CLOCKS_CLOCKS_H
#define MESSAGES_CLOCKS_CLOCKS_H

#include <stdint.h>

#include "mastermind/format/messages_file.h"

/* Assumed maximum drift between two clocks: crystals are good to 50 parts per million
 * each. */
#define MM_CLOCKS_DRIFT 100e-6

/* One round trip: times in ns of the own clock at sending and at return, and of the other
 * process's clock in between. */
struct mm_ping {
    double sent_ns, there_ns, back_ns;
};

/* Offset between two clocks: when the own clock shows at_ns, the other clock shows at_ns
 * + offset_ns, with an error of at most bound_ns. */
struct mm_clock_offset {
    double at_ns, offset_ns, bound_ns;
};

/* Compute the offset from the shortest of `count` > 0 round trips. */
void mm_clocks_measure(const struct mm_ping *pings, int count,
                       struct mm_clock_offset *offset);

/* Add offsets: `near` is our offset to a process, `far` that process's offset to a third
 * one, measured `apart_ns` from ours in time. Returns our offset to the third process. */
struct mm_clock_offset mm_clocks_add(const struct mm_clock_offset *near,
                                     const struct mm_clock_offset *far, double apart_ns);

/* The offset at `ticks`, from the points of a file header, which are in order of time.
 *
 *   points, count   in   count >= 0
 *   ns_per_tick     in   of the ticks
 *   offset          out  at_ns is not used
 *
 * Beyond the points, or with a single point, it is the offset of the nearest point, and
 * the bound grows by MM_CLOCKS_DRIFT. Returns 0; -1: no points. */
int mm_clocks_at(const struct mm_messages_clock_point *points, int count,
                 double ns_per_tick, uint64_t ticks, struct mm_clock_offset *offset);

/* A tree of `count` nodes with root 0, in which a path to the root has at most
 * log2(count) steps. The functions return the parent of a node > 0, and the next child of
 * a node after `child` (0: the first child), or 0: there are no more. Children with
 * larger subtrees come first. */
int mm_clocks_parent(int node);
int mm_clocks_child(int node, int count, int child);

#endif

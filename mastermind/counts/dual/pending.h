/* SPDX-License-Identifier: BSD-3-Clause */
/* pending.h: sums for invocations whose own row has not arrived.
 *
 * Rows arrive callee before caller. Each open caller has one tally of its finished
 * callees: memory grows with the depth of the calls and the number of methods, never with
 * the number of rows. */
#ifndef MASTERMIND_COUNTS_DUAL_PENDING_H
#define MASTERMIND_COUNTS_DUAL_PENDING_H

#include <stddef.h>
#include <stdint.h>

#include "mastermind/counts/dual/off_core.h"

/* Sums over the calls of one method that a pending caller (its row has not arrived) made,
 * directly or through other calls. */
struct mm_tally {
    size_t method;
    /* number of calls made directly by the caller whose row has not arrived */
    uint64_t calls;
    int64_t calls_ns;     /* inclusive time of these calls, less recording cost */
    int64_t outermost_ns; /* inclusive time of the method's outermost calls (not inside
                             another call of it) */
    int64_t outermost_mpi_ns;
    struct mm_off_core outermost_off;
};

struct mm_pending {
    uint64_t caller;        /* invocation number of this caller */
    uint64_t calls;         /* number of direct callees */
    uint64_t below;         /* number of recorded callees, direct and indirect */
    int64_t wall_ns;        /* wall time of the direct callees, as measured */
    uint64_t raised_ns;     /* part of wall_ns added because callees took longer by
                               rounding */
    int64_t mpi_ns;         /* time inside MPI of the direct callees */
    struct mm_off_core off; /* time off the core of the direct callees, with their own
                               callees */
    int64_t overhead_ns;    /* recording cost of direct and indirect callees, within the
                               callees' times */
    double
        rest_ns; /* recording cost of the direct callees, within the caller's own time */
    struct mm_tally *tallies; /* sums by method, ascending */
    size_t tally_count;
};

/* The pending callers of one thread, ascending by number: the deepest is the last. */
struct mm_pending_stack {
    struct mm_pending *items;
    size_t count, capacity;
};

void mm_pending_done(struct mm_pending_stack *stack);

/* The position of `caller` in the stack, or the position at which to insert it. */
size_t mm_pending_position(const struct mm_pending_stack *stack, uint64_t caller);
/* Find or make the sums of `caller`; NULL: out of memory. Borrowed until the next
 * call. */
struct mm_pending *mm_pending_of(struct mm_pending_stack *stack, uint64_t caller);
/* Find the sums of `caller`; NULL if absent. */
struct mm_pending *mm_pending_find(struct mm_pending_stack *stack, uint64_t caller);
/* Drop `item` and the deeper callers, which follow it in the stack. */
void mm_pending_drop(struct mm_pending_stack *stack, struct mm_pending *item);

/* Find or make a caller's tally (sums) of one method; NULL: out of memory. */
struct mm_tally *mm_pending_tally(struct mm_pending *pending, size_t method);
/* Add the tallies (sums by method) of a finished callee, except for its own method.
 * Returns 0 or -ENOMEM. */
int mm_pending_merge(struct mm_pending *into, const struct mm_pending *from,
                     size_t method);

#endif

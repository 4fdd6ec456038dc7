/* SPDX-License-Identifier: BSD-3-Clause */
/* pending.h: what is known of invocations whose own row has not come yet.
 *
 * Rows come callee before caller. Each open caller has one tally of what its finished
 * callees left: memory grows with the depth of the calls and the number of methods, never
 * with the number of rows. */
#ifndef MASTERMIND_COUNTS_DUAL_PENDING_H
#define MASTERMIND_COUNTS_DUAL_PENDING_H

#include <stddef.h>
#include <stdint.h>

#include "mastermind/counts/dual/off_core.h"

/* One method below a pending caller. */
struct mm_tally {
    size_t method;
    uint64_t calls;   /* called directly by the pending caller */
    int64_t calls_ns; /* their inclusive time, corrected */
    int64_t
        outermost_ns; /* inclusive time of activations without the same method above */
    int64_t outermost_mpi_ns;
    struct mm_off_core outermost_off;
};

struct mm_pending {
    uint64_t caller;        /* its invocation number */
    uint64_t calls;         /* direct callees */
    uint64_t below;         /* all recorded invocations below */
    int64_t wall_ns;        /* wall time of the direct callees, as measured */
    int64_t mpi_ns;         /* time inside MPI of the direct callees */
    struct mm_off_core off; /* of the direct callees, theirs included */
    int64_t overhead_ns; /* recording cost below, as far as the callees' times hold it */
    double rest_ns; /* recording cost of the direct callees, as far as the caller's own
                       time holds it */
    struct mm_tally *tallies; /* ascending by method */
    size_t tally_count;
};

/* The pending callers of one thread, ascending by number: the deepest is the last. */
struct mm_pending_stack {
    struct mm_pending *items;
    size_t count, capacity;
};

void mm_pending_done(struct mm_pending_stack *stack);

/* The position of `caller`, or where it belongs. */
size_t mm_pending_position(const struct mm_pending_stack *stack, uint64_t caller);
/* The tally of `caller`, made if absent; NULL: out of memory. Borrowed until the next
 * call. */
struct mm_pending *mm_pending_of(struct mm_pending_stack *stack, uint64_t caller);
/* Like mm_pending_of, but NULL where there is none. */
struct mm_pending *mm_pending_find(struct mm_pending_stack *stack, uint64_t caller);
/* Drop the callers from `item` upwards. */
void mm_pending_drop(struct mm_pending_stack *stack, struct mm_pending *item);

/* The tally of one method, made if absent; NULL: out of memory. */
struct mm_tally *mm_pending_tally(struct mm_pending *pending, size_t method);
/* Add what a finished callee has below itself, without its own method. 0 or -ENOMEM. */
int mm_pending_merge(struct mm_pending *into, const struct mm_pending *from,
                     size_t method);

#endif

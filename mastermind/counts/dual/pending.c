/* SPDX-License-Identifier: BSD-3-Clause */
/* pending.c: tallies of callers whose rows have not arrived. */
#include "mastermind/counts/dual/pending.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/find.h"

void mm_pending_done(struct mm_pending_stack *stack)
{
    for (size_t i = 0; i < stack->capacity; i++)
        free(stack->items[i].tallies);
    free(stack->items);
    *stack = (struct mm_pending_stack){0};
}

size_t mm_pending_position(const struct mm_pending_stack *stack, uint64_t caller)
{
    size_t at = stack->count;

    /* the caller is nearly always at the end of the stack */
    if (!at || stack->items[at - 1].caller < caller)
        return at;
    CCA_FIND_FIRST(at, stack->count, stack->items[at].caller < caller);
    return at;
}

struct mm_pending *mm_pending_find(struct mm_pending_stack *stack, uint64_t caller)
{
    size_t at = mm_pending_position(stack, caller);

    return at < stack->count && stack->items[at].caller == caller ? &stack->items[at]
                                                                  : NULL;
}

struct mm_pending *mm_pending_of(struct mm_pending_stack *stack, uint64_t caller)
{
    size_t at = mm_pending_position(stack, caller);
    struct mm_pending fresh;

    if (at < stack->count && stack->items[at].caller == caller)
        return &stack->items[at];
    if (cca_array_extend(&stack->items, &stack->capacity, sizeof *stack->items,
                         stack->count + 1))
        return NULL;
    fresh = stack->items[stack->count]; /* reuse the memory of a dropped tally */
    fresh = (struct mm_pending){.caller = caller, .tallies = fresh.tallies};
    memmove(stack->items + at + 1, stack->items + at,
            (stack->count - at) * sizeof *stack->items);
    stack->items[at] = fresh;
    stack->count++;
    return &stack->items[at];
}

void mm_pending_drop(struct mm_pending_stack *stack, struct mm_pending *item)
{
    stack->count = (size_t)(item - stack->items);
}

struct mm_tally *mm_pending_tally(struct mm_pending *pending, size_t method)
{
    size_t at;

    CCA_FIND_FIRST(at, pending->tally_count, pending->tallies[at].method < method);
    if (at < pending->tally_count && pending->tallies[at].method == method)
        return &pending->tallies[at];
    if (cca_array_reserve(&pending->tallies, pending->tally_count,
                          sizeof *pending->tallies))
        return NULL;
    memmove(pending->tallies + at + 1, pending->tallies + at,
            (pending->tally_count - at) * sizeof *pending->tallies);
    pending->tallies[at] = (struct mm_tally){.method = method};
    pending->tally_count++;
    return &pending->tallies[at];
}

int mm_pending_merge(struct mm_pending *into, const struct mm_pending *from,
                     size_t method)
{
    for (size_t i = 0; i < from->tally_count; i++) {
        const struct mm_tally *tally = &from->tallies[i];
        struct mm_tally *sum;

        if (tally->method == method)
            continue;
        sum = mm_pending_tally(into, tally->method);
        if (!sum)
            return -ENOMEM;
        sum->outermost_ns += tally->outermost_ns;
        sum->outermost_mpi_ns += tally->outermost_mpi_ns;
        mm_off_core_add(&sum->outermost_off, &tally->outermost_off);
    }
    return 0;
}

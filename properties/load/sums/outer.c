/* SPDX-License-Identifier: BSD-3-Clause */
/* outer.c: sums over outermost activations, with the past that open frames may ask for.
 */
#include "properties/load/sums/outer.h"

#include <errno.h>
#include <string.h>

#include "common/array.h"

static int begin(struct mm_outer *outer)
{
    if (outer->count)
        return 0;
    if (cca_array_extend(&outer->past, &outer->room, sizeof *outer->past, 1))
        return -ENOMEM;
    outer->past[0] = (struct mm_outer_past){0};
    outer->count = 1;
    return 0;
}

/* Forget sums that no open frame can ask for: those from after the youngest has begun,
 * but for the sum now. */
static void forget(struct mm_outer *outer, uint64_t youngest_open)
{
    size_t last = outer->count - 1;

    while (outer->count > 1 && outer->past[outer->count - 2].from > youngest_open)
        outer->count--;
    if (outer->count <= last)
        outer->past[outer->count - 1] = outer->past[last];
}

int mm_outer_add(struct mm_outer *outer, uint64_t began, uint64_t now,
                 uint64_t youngest_open, const int64_t *value, int64_t *delta,
                 size_t count)
{
    struct mm_outer_past *top;

    if (begin(outer))
        return -ENOMEM;
    top = &outer->past[outer->count - 1];
    for (size_t i = 0; i < count; i++)
        delta[i] = value[i] - top->sum[i];
    while (top->from > began) {
        top--;
        outer->count--;
    }
    if (youngest_open >= top->from) { /* somebody may ask for the sum before this call */
        if (cca_array_extend(&outer->past, &outer->room, sizeof *outer->past,
                             outer->count + 1))
            return -ENOMEM;
        top = &outer->past[outer->count++];
        top[0] = top[-1];
    }
    top->from = now;
    for (size_t i = 0; i < count; i++) {
        top->sum[i] += value[i];
        delta[i] = top->sum[i] + delta[i] - value[i];
    }
    forget(outer, youngest_open);
    return 0;
}

void mm_outer_done(struct mm_outer *outer)
{
    free(outer->past);
    *outer = (struct mm_outer){0};
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* alike.c: runs that are alike but for the class in a slot. */
#include "mastermind/forecast/composite/flow/alike.h"

#include <math.h>
#include <string.h>

int mm_runs_alike(const struct mm_donor *donor, const struct mm_donor *peer,
                  const struct mm_substitution *substitution)
{
    const struct mm_wiring *a = donor->profile->wiring, *b = peer->profile->wiring;

    return a && b &&
           !mm_wiring_compare(a, b, mm_substitute(donor->profile, substitution),
                              substitution->instance)
                .differs;
}

int mm_calls_alike(const struct mm_donor *donor, const struct mm_donor *peer,
                   size_t vertex)
{
    const struct mm_counts *counts = &peer->profile->counts;
    const struct mm_count *items, *end = counts->items + counts->count;
    struct mm_call_node first = {peer->vertex_of[vertex], 0};
    int alike = 0;

    if (first.vertex == MM_NO_VERTEX)
        return 0;
    for (items = mm_counts_from(counts, &first);
         items < end && items->caller.vertex == first.vertex;) {
        struct mm_call_node caller = items->caller, base;
        struct mm_rates rates;

        while (items < end && mm_node_order(&items->caller, &caller) == 0)
            items++;
        if (!mm_donor_base_node(peer, &caller, &base) ||
            mm_rates_init(&rates, &base, 0, &donor, 1, &peer, 1) < 0)
            return 0;
        alike = rates.members[0] && rates.members[1] && !mm_rates_differ(&rates);
        mm_rates_done(&rates);
        if (!alike)
            return 0;
    }
    return alike;
}

int mm_constant_rates(const struct mm_donor *donor, size_t at, double *rates,
                      double *work)
{
    const struct mm_counts *counts = &donor->profile->counts;
    const struct mm_count *items, *end = counts->items + counts->count;
    size_t vertices = donor->base->dual->vertex_count, groups = 0, all;
    struct mm_call_node first = {donor->vertex_of[at], 0};

    memset(rates, 0, vertices * sizeof *rates);
    if (first.vertex >= donor->profile->source.method_count)
        return 0;
    all = donor->profile->points[first.vertex].count;
    for (items = mm_counts_from(counts, &first);
         items < end && items->caller.vertex == first.vertex;) {
        struct mm_call_node caller = items->caller;
        const struct mm_point *point = mm_donor_point(donor, &caller);

        if (!point)
            return 0;
        memset(work, 0, vertices * sizeof *work);
        for (; items < end && mm_node_order(&items->caller, &caller) == 0; items++) {
            size_t callee = donor->base_of[items->callee.vertex];

            if (callee == MM_NO_VERTEX)
                return 0;
            work[callee] += (double)items->calls / (double)point->calls;
        }
        for (size_t i = 0; i < vertices && groups; i++)
            if (fabs(work[i] - rates[i]) > .005 * fmax(work[i], rates[i]))
                return 0;
        memcpy(rates, work, vertices * sizeof *rates);
        groups++;
    }
    return groups == all || groups == 0;
}

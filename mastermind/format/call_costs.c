/* SPDX-License-Identifier: BSD-3-Clause */
/* call_costs.c: compute the cost of recording one call as a sum of parts. */
#include "mastermind/format/call_costs.h"

const char *const mm_entry_names[MM_ENTRIES + 1] = {"proxy", "interposer", "patched",
                                                    "instrumented", "region"};
const char *const mm_row_names[MM_ROW_KINDS + 1] = {"pair", "integers", "mixed", "wide"};

enum mm_row_kind mm_row_kind_of(size_t ints, size_t values, size_t outs)
{
    return ints < values              ? MM_ROW_MIXED
           : values == 2 && outs == 0 ? MM_ROW_PAIR
                                      : MM_ROW_INTEGERS;
}

void mm_call_cost_scale(struct mm_call_cost *cost, double factor)
{
    cost->loop_ns *= factor;
    cost->cold_ns *= factor;
    cost->loop_within_ns *= factor;
    cost->cold_within_ns *= factor;
}

void mm_call_costs_scale(struct mm_call_costs *costs, double factor)
{
    for (int kind = 0; kind < MM_ROW_KINDS; kind++) {
        mm_call_cost_scale(&costs->rows[kind], factor);
        mm_call_cost_scale(&costs->sums[kind], factor);
    }
    for (int entry = 0; entry < MM_ENTRIES; entry++)
        mm_call_cost_scale(&costs->entries[entry], factor);
    costs->value_ns *= factor;
}

struct mm_call_cost mm_call_costs_of(const struct mm_call_costs *costs,
                                     enum mm_entry_kind entry, enum mm_row_kind kind,
                                     size_t values, int sums)
{
    const struct mm_call_cost *base = sums ? &costs->sums[kind] : &costs->rows[kind];
    const struct mm_call_cost *more = &costs->entries[entry];
    double other = kind == MM_ROW_PAIR ? 0 : (double)values * costs->value_ns;

    return (struct mm_call_cost){
        .loop_ns = base->loop_ns + more->loop_ns + other,
        .cold_ns = base->cold_ns + more->cold_ns + other,
        .loop_within_ns = base->loop_within_ns + more->loop_within_ns,
        .cold_within_ns = base->cold_within_ns + more->cold_within_ns,
    };
}

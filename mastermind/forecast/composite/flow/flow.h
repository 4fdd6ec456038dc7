/* SPDX-License-Identifier: BSD-3-Clause */
/* flow.h: how often each method of a run would be called with other classes in its slots.
 *
 *   counts of the base ──┐
 *   counts of donors ────┴─ compared caller by caller ─▶ calls per invocation ─▶ flow
 *
 * Calls per invocation of each caller are compared between experiments that had either
 * class, at equal in-values and equal run parameters. Where they differ, those of the
 * experiment that ran the class are used, and all below follows. */
#ifndef MASTERMIND_FORECAST_COMPOSITE_FLOW_FLOW_H
#define MASTERMIND_FORECAST_COMPOSITE_FLOW_FLOW_H

#include "mastermind/forecast/composite/flow/donor.h"
#include "mastermind/counts/dual/notes.h"

struct mm_flow_node {
    struct mm_call_node node;      /* of the base */
    const union monitor_value *in; /* in-values of the base's method; NULL: unknown */
    double was, now;               /* calls in the base; calls with the classes */
    double spread;                 /* of now: half of what donors differ by */
    const struct mm_point *point;  /* of the base; NULL: none */
    const struct mm_point *given;  /* of the donor whose counts apply; NULL: none */
    union monitor_value *owned;    /* in-values of a node that the base has not */
    int changed;                   /* its calls make other calls than in the base */
    size_t first, count;           /* of its calls in mm_flow.calls */
};

struct mm_flow_call {
    size_t callee; /* index of a node */
    double rate;   /* calls per invocation of the caller */
};

struct mm_flow {
    struct mm_flow_node *nodes; /* those of the base ascending, then further ones */
    size_t count, base_count;
    uint32_t *further; /* indexes + 1 of further nodes, open addressing */
    size_t further_size;
    struct mm_flow_call *calls;
    size_t call_count;
    int changed; /* `now` differs from `was` somewhere */
    int doubted; /* counts could not be compared, or differ for an unknown reason */
    int without_donors; /* of some class: no experiment ran it in its slot */
    double beside_ns;   /* calls of methods that the base lacks, at the donor's mean */
};

/* The flow of `base` with `substitutions`, compared with all
 * `profiles`, which may contain `base`. Adds to `notes`. New, or NULL: out of memory. */
struct mm_flow *mm_flow_new(const struct mm_profile *base,
                            struct mm_profile *const *profiles, size_t profile_count,
                            const struct mm_substitution *substitutions, size_t count,
                            struct mm_notes *notes);
void mm_flow_free(struct mm_flow *flow);

/* The node of `vertex` after `before`, NULL: the first one. NULL: there are no more. */
const struct mm_flow_node *mm_flow_next(const struct mm_flow *flow, size_t vertex,
                                        const struct mm_flow_node *before);
/* The calls of a vertex with the classes. */
double mm_flow_calls(const struct mm_flow *flow, size_t vertex);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* rates.h: calls per invocation of a node, as several experiments had them. */
#ifndef MASTERMIND_FORECAST_COMPOSITE_FLOW_RATES_H
#define MASTERMIND_FORECAST_COMPOSITE_FLOW_RATES_H

#include "mastermind/forecast/composite/flow/donor.h"

/* Calls of one callee per invocation: those of two groups of experiments. */
struct mm_rate {
    struct mm_call_node callee; /* of the base; its vertex is MM_NO_VERTEX for all methods
                              that the base lacks */
    double mean[2], least[2], most[2];
    double beside_ns; /* inclusive time per invocation of methods that the base lacks */
};

struct mm_rates {
    struct mm_rate *items;
    size_t count;
    size_t members[2]; /* experiments in each group that have the node */
};

/* Take the rates of node `base` of two groups of donors. With `whole` those of the whole
 * vertex instead, all its nodes together. 0 or -ENOMEM; mm_rates_done. */
int mm_rates_init(struct mm_rates *rates, const struct mm_call_node *base, int whole,
                  const struct mm_donor *const *group0, size_t count0,
                  const struct mm_donor *const *group1, size_t count1);
void mm_rates_done(struct mm_rates *rates);
/* True where the groups' rates of some callee lie apart. */
int mm_rates_differ(const struct mm_rates *rates);

#endif

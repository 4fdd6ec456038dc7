/* SPDX-License-Identifier: BSD-3-Clause */
/* alike.h: do runs that differ in the class of a slot call alike? */
#ifndef MASTERMIND_FORECAST_COMPOSITE_FLOW_ALIKE_H
#define MASTERMIND_FORECAST_COMPOSITE_FLOW_ALIKE_H

#include "mastermind/forecast/composite/flow/rates.h"

/* True where two runs, one of either class, have equal parameters but those of the slot.
 */
int mm_runs_alike(const struct mm_donor *donor, const struct mm_donor *peer,
                  const struct mm_substitution *substitution);
/* Compare a vertex of the base in two runs, node by node. 1: all calls are alike; 0: some
 * differ, or there is nothing to compare. */
int mm_calls_alike(const struct mm_donor *donor, const struct mm_donor *peer,
                   size_t vertex);
/* Calls per invocation of each method of the base by vertex `at`, where all its nodes
 * have the same: 1 with `rates`; 0 where they differ. `rates` and `work` have room for
 * the vertices of the base. */
int mm_constant_rates(const struct mm_donor *donor, size_t at, double *rates,
                      double *work);

#endif

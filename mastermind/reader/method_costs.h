/* SPDX-License-Identifier: BSD-3-Clause */
/* method_costs.h: what recording a call of each method costs, from experiment.json. */
#ifndef MASTERMIND_READER_METHOD_COSTS_H
#define MASTERMIND_READER_METHOD_COSTS_H

#include "mastermind/reader/experiment.h"

#include <jansson.h>

/* Read the member `overhead` of experiment.json, also of one without kinds. */
void mm_call_costs_read(const json_t *overhead, struct mm_call_costs *costs);
/* The cost of a method by its entry and values. */
struct mm_method_cost mm_method_cost_of(const struct mm_call_costs *costs,
                                        const struct mm_method_info *method);
/* Set method_costs once all methods are read; NULL where nothing was measured. 0, or -1:
 * out of memory. */
int mm_method_costs_fill(struct mm_experiment *experiment);

#endif

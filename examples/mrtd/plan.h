/* SPDX-License-Identifier: BSD-3-Clause */
/* plan.h: when cells get other owners, and which owners: from a schedule in a file, or a
 * policy that is queried during the run. All ranks make the same queries and get the same
 * answers, so nothing is communicated. One thread at a time. */
#ifndef EXAMPLES_MRTD_PLAN_H
#define EXAMPLES_MRTD_PLAN_H

#include <stdint.h>

#include "examples/mrtd/options.h"

struct mrtd_plan;

/* Make a plan from o->schedule, or from o->policy and o->partitioner. Returns NULL if one
 * of them is wrong, with one line on standard error if `speak`. mrtd_plan_free frees it;
 * NULL is fine. */
struct mrtd_plan *mrtd_plan_new(const struct mrtd_options *o, int32_t ranks, int speak);
void mrtd_plan_free(struct mrtd_plan *plan);

/* Write the owners at step 0 into owner[cells]. Returns 0 or -ENOMEM. */
int mrtd_plan_first(struct mrtd_plan *plan, int32_t *owner);

/* Call before each step from 1 on. Returns 0: owners stay; 1: call mrtd_plan_next, with
 * `work` NULL; 2: call it with the work of all cells. */
int mrtd_plan_asks(struct mrtd_plan *plan, int32_t step);

/* Get the owners from `step` on, after mrtd_plan_asks returned 1 or 2. `owner` contains
 * the current owners. work[cells]: work of all cells in the previous step, or NULL.
 * Returns 1: `owner` was changed; 0: owners stay; -ENOMEM. */
int mrtd_plan_next(struct mrtd_plan *plan, int32_t step, const unsigned char *work,
                   int32_t *owner);

#endif

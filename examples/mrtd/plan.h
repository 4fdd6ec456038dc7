/* SPDX-License-Identifier: BSD-3-Clause */
/* plan.h: when cells get other owners, and which: a schedule in a file, or a policy that
 * is asked live. All ranks ask alike and get the same answers: nothing is sent. One
 * thread at a time. */
#ifndef EXAMPLES_MRTD_PLAN_H
#define EXAMPLES_MRTD_PLAN_H

#include <stdint.h>

#include "examples/mrtd/options.h"

struct mrtd_plan;

/* New, by o->schedule or o->policy and o->partitioner. NULL where either is wrong, with
 * one line on standard error where `speak`. Freed by mrtd_plan_free, NULL is fine. */
struct mrtd_plan *mrtd_plan_new(const struct mrtd_options *o, int32_t ranks, int speak);
void mrtd_plan_free(struct mrtd_plan *plan);

/* The owners at step 0, into owner[cells]. 0 or -ENOMEM. */
int mrtd_plan_first(struct mrtd_plan *plan, int32_t *owner);

/* Ask before each step from 1 on. 0: owners stay; 1: call mrtd_plan_next, without work;
 * 2: with it. */
int mrtd_plan_asks(struct mrtd_plan *plan, int32_t step);

/* The owners from `step` on, after mrtd_plan_asks was not 0: `owner` has the present
 * ones. work[cells]: of all cells in the step before, or NULL. 1: they are new; 0: they
 * stay; -ENOMEM. */
int mrtd_plan_next(struct mrtd_plan *plan, int32_t step, const unsigned char *work,
                   int32_t *owner);

#endif

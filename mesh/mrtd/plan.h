/* SPDX-License-Identifier: BSD-3-Clause */
/* plan.h: when cells get other owners, and which: a schedule in a file, or a policy that
 * is asked live. All ranks ask alike and get the same answers: nothing is sent. One
 * thread at a time. */
#ifndef MESH_MRTD_PLAN_H
#define MESH_MRTD_PLAN_H

#include <stdint.h>

#include "mesh/mrtd/options.h"

struct mrtd_plan;

/* New, by o->schedule or o->policy and o->partitioner. NULL where either is wrong, with
 * one line on standard error where `speak`. Freed by mrtd_plan_free, NULL is fine. */
struct mrtd_plan *mrtd_plan_new(const struct mrtd_options *o, int32_t ranks, int speak);
void mrtd_plan_free(struct mrtd_plan *plan);

/* The owners at step 0, into owner[cells]. 0 or -ENOMEM. */
int mrtd_plan_first(struct mrtd_plan *plan, int32_t *owner);

/* 1 where mrtd_plan_due needs the loads of ranks, or mrtd_plan_next the work of cells. */
int mrtd_plan_wants_loads(const struct mrtd_plan *plan);
int mrtd_plan_wants_work(const struct mrtd_plan *plan);

/* Ask before each step from 1 on: 1 where owners are to change. loads[ranks]: work of
 * each rank in the step before; NULL where not wanted. */
int mrtd_plan_due(struct mrtd_plan *plan, int32_t step, const int64_t *loads);

/* The new owners, after mrtd_plan_due was 1 for `step`: in `owner` are the present ones.
 * work[cells]: of all cells in the step before; NULL where not wanted. 0 or -ENOMEM. */
int mrtd_plan_next(struct mrtd_plan *plan, int32_t step, const unsigned char *work,
                   int32_t *owner);

#endif

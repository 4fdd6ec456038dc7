/* SPDX-License-Identifier: BSD-3-Clause */
/* visit.h: expressions of an element, and what is in an expression. */
#ifndef ACTIVITY_CHECK_VISIT_H
#define ACTIVITY_CHECK_VISIT_H

#include "activity/check/check.h"

/* Call `function` for each expression of an element itself, as a process evaluates them:
 * not those of do { }, nor of elements within. */
void act_visit_expressions(const struct act_element *e,
                           void (*function)(void *context, const struct act_expr *e),
                           void *context);
/* Call `function` for an expression and all that is in it, functions' bodies included. */
void act_visit_inner(const struct act_expr *e,
                     void (*function)(void *context, const struct act_expr *e),
                     void *context);

/* The rules, a file each. */
void act_check_guards(struct act_findings *f, const struct act_model *model);
void act_check_order(struct act_findings *f, const struct act_model *model);
void act_check_shape(struct act_findings *f, const struct act_model *model);

#endif

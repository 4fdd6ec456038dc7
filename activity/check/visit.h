/* SPDX-License-Identifier: BSD-3-Clause */
/* visit.h: visit the expressions of an element, and the subexpressions of an
 * expression. */
#ifndef ACTIVITY_CHECK_VISIT_H
#define ACTIVITY_CHECK_VISIT_H

#include "activity/check/check.h"

/* Call `function` for each expression of the element itself, in the order of evaluation,
 * but not for expressions in its do { } or in elements of its body. */
void act_visit_expressions(const struct act_element *e,
                           void (*function)(void *context, const struct act_expr *e),
                           void *context);
/* Call `function` for an expression and all its subexpressions, including the bodies of
 * cost functions that it calls. */
void act_visit_inner(const struct act_expr *e,
                     void (*function)(void *context, const struct act_expr *e),
                     void *context);

/* The checks of a model's text, each in the file of its name. */
void act_check_guards(struct act_findings *f, const struct act_model *model);
void act_check_order(struct act_findings *f, const struct act_model *model);
void act_check_shape(struct act_findings *f, const struct act_model *model);

#endif

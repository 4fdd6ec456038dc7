/* SPDX-License-Identifier: BSD-3-Clause */
/* eval.h: evaluation of expressions. A long has 64 bits; overflow is an error, as is a
 * division by zero, also of doubles. */
#ifndef ACTIVITY_RUN_EVAL_H
#define ACTIVITY_RUN_EVAL_H

#include "activity/run/program.h"

/* Context in which an expression is evaluated. */
struct act_scope {
    union act_number *slots;
    const struct act_system *system;
    int64_t pid, tid, nthread;
    const char *fault; /* message of the first error; NULL: none */
    struct act_place place;
};

/* The value in the type of the expression; 0 after an error. */
union act_number act_eval(const struct act_expr *e, struct act_scope *scope);
/* The value as a double. */
double act_eval_real(const struct act_expr *e, struct act_scope *scope);
/* Whether the value is not 0. */
int act_eval_true(const struct act_expr *e, struct act_scope *scope);
/* Set a variable; a whole number is converted if the variable is a double. */
void act_eval_set(const struct act_variable *variable, const struct act_expr *value,
                  struct act_scope *scope);

#endif

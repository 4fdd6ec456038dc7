/* SPDX-License-Identifier: BSD-3-Clause */
/* eval.h: values of expressions. long is 64 bits and wraps nowhere: what does not fit is
 * an error; so is a division by zero, of doubles, too. */
#ifndef ACTIVITY_RUN_EVAL_H
#define ACTIVITY_RUN_EVAL_H

#include "activity/run/program.h"

/* What an expression is of. */
struct act_scope {
    union act_number *slots;
    const struct act_system *system;
    int64_t pid, tid, nthread;
    const char *fault; /* what went wrong first; NULL: nothing */
    struct act_place place;
};

/* The value, in the type of the expression; 0 after a fault. */
union act_number act_eval(const struct act_expr *e, struct act_scope *scope);
/* As a double. */
double act_eval_real(const struct act_expr *e, struct act_scope *scope);
/* Whether it is not 0. */
int act_eval_true(const struct act_expr *e, struct act_scope *scope);
/* Set a variable, widened where it is a double. */
void act_eval_set(const struct act_variable *variable, const struct act_expr *value,
                  struct act_scope *scope);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* emit_core.h: state of the C writer, shared by its files. */
#ifndef ACTIVITY_COMPILE_EMIT_CORE_H
#define ACTIVITY_COMPILE_EMIT_CORE_H

#include "activity/compile/emit.h"

enum { ACT_EMIT_TURNS = 256 };

struct act_emit {
    const struct act_model *model;
    const char *suffix;
    int lines;
    FILE *out;
    int indent;
    int label;    /* number of the last `case` label that was written */
    int elements; /* number of elements written so far */
    const struct act_function *function; /* function whose body is being
                                          * written, or NULL */
    /* [slots] variable of each slot; NULL: the slot is a function's parameter */
    const struct act_variable **variables;
    const struct act_activity *activity;              /* activity whose elements are being
                                                       * written */
    const struct act_variable *turns[ACT_EMIT_TURNS]; /* variables of the enclosing
                                                       * loops */
    int turn_count;
    int failed;
};

/* --- names.c: names in C. A result is valid for eight calls. --- */

/* The name of a variable's member in the struct of a process; unique in the model. */
const char *act_emit_variable(const struct act_emit *m, const struct act_variable *v);
/* The C name of a function or table, or of a parameter within its function. */
const char *act_emit_name(const struct act_emit *m, const char *name);
const char *act_emit_parameter(const char *name);

/* --- emit_expression.c --- */

void act_emit_expression(const struct act_emit *m, const struct act_expr *e);

#endif

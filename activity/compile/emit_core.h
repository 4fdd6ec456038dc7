/* SPDX-License-Identifier: BSD-3-Clause */
/* emit_core.h: the state of what writes C, for its files. */
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
    int label;                                        /* the last that was used */
    int elements;                                     /* so far */
    const struct act_function *function;              /* whose body is written, or NULL */
    const struct act_variable **variables;            /* by slot; NULL: of a function */
    const struct act_activity *activity;              /* whose elements are written */
    const struct act_variable *turns[ACT_EMIT_TURNS]; /* of loops around */
    int turn_count;
    int failed;
};

/* --- names.c: names in C. In a ring of buffers: good for the next eight calls. --- */

/* A variable's member of the struct of a process; unique in the model. */
const char *act_emit_variable(const struct act_emit *m, const struct act_variable *v);
/* Of functions and tables; parameters within their function. */
const char *act_emit_name(const struct act_emit *m, const char *name);
const char *act_emit_parameter(const char *name);

/* --- emit_expression.c --- */

void act_emit_expression(const struct act_emit *m, const struct act_expr *e);

#endif

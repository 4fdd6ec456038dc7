/* SPDX-License-Identifier: BSD-3-Clause */
/* print.h: parts of a model as text, for forms that keep them as such. Each returns 0 or
 * a negative errno of the stream. */
#ifndef ACTIVITY_MODEL_PRINT_H
#define ACTIVITY_MODEL_PRINT_H

#include "activity/model/tree.h"

/* All before the first activity but the model's name: stereotypes, globals, tables, cost
 * functions, a line each. */
int act_print_declarations(const struct act_model *model, FILE *out);
/* The locals of an activity, a line each. */
int act_print_locals(const struct act_activity *activity, FILE *out);
/* The statements of do { } or code { }, without the braces. */
int act_print_code(const struct act_element *e, FILE *out);
/* " <<Kernel flops = 1.5>>", or nothing. */
int act_print_applied(const struct act_applied *applied, FILE *out);
/* "S, R" of a wait, "pid - 1, pid + 1" of an exchange. */
int act_print_peers(const struct act_element *e, FILE *out);

#endif

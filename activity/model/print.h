/* SPDX-License-Identifier: BSD-3-Clause */
/* print.h: print parts of a model, for output formats that keep them as text. Each
 * function returns 0 or a negative errno of the stream. */
#ifndef ACTIVITY_MODEL_PRINT_H
#define ACTIVITY_MODEL_PRINT_H

#include "activity/model/tree.h"

/* Print all declarations after the model's name: stereotypes, globals, tables, cost
 * functions, a line each. */
int act_print_declarations(const struct act_model *model, FILE *out);
/* Print the locals of an activity, a line each. */
int act_print_locals(const struct act_activity *activity, FILE *out);
/* Print the statements of do { } or code { }, without the braces. */
int act_print_code(const struct act_element *e, FILE *out);
/* Print " <<Kernel flops = 1.5>>", or nothing. */
int act_print_applied(const struct act_applied *applied, FILE *out);
/* Print "S, R" of a wait, "pid - 1, pid + 1" of an exchange. */
int act_print_peers(const struct act_element *e, FILE *out);

#endif

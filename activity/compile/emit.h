/* SPDX-License-Identifier: BSD-3-Clause */
/* emit.h: a model as C that resembles Figure 4.2 of Pllana's paper and can be suspended
 * anywhere: a switch on the program counter of a process, without a stack. Activities are
 * inlined at each call. */
#ifndef ACTIVITY_COMPILE_EMIT_H
#define ACTIVITY_COMPILE_EMIT_H

#include <stdio.h>

#include "activity/model/tree.h"

enum {
    ACT_EMIT_MOST = 100000
}; /* limit of elements; an activity's elements count at
    * each call */

/* Write the C of a model. `suffix` is appended to the names it defines, for several
 * models in one file (usually ""). With `lines` it has #line directives to the model's
 * file. The text of act_emit_prelude must precede it. Returns 0; -EINVAL with `err`: more
 * than ACT_EMIT_MOST elements; an error of the stream. */
int act_emit(const struct act_model *model, const char *suffix, int lines, FILE *out,
             struct cca_error *err);

/* Write the beginning of a generated file: the structs of program.h, and checked
 * functions. Returns 0 or a negative errno of the stream. */
int act_emit_prelude(FILE *out);

#endif

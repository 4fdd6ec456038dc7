/* SPDX-License-Identifier: BSD-3-Clause */
/* emit.h: a model as C that reads like Figure 4.2 of the paper and can stop anywhere: a
 * switch on the place where a process is, without a stack. Activities stand where they
 * are called. */
#ifndef ACTIVITY_COMPILE_EMIT_H
#define ACTIVITY_COMPILE_EMIT_H

#include <stdio.h>

#include "activity/model/tree.h"

enum { ACT_EMIT_MOST = 100000 }; /* elements, those of activities at each call */

/* Write C of a model. `suffix` ends the names of what it defines, for several models in
 * one file ("" usually). With `lines` it has #line directives to the model's file. The
 * text needs that of act_emit_prelude before it. 0; -EINVAL with `err`: more than
 * ACT_EMIT_MOST elements; an error of the stream. */
int act_emit(const struct act_model *model, const char *suffix, int lines, FILE *out,
             struct cca_error *err);

/* Write what a generated file begins with: the structs of program.h, checked functions. 0
 * or a negative errno of the stream. */
int act_emit_prelude(FILE *out);

#endif

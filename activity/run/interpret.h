/* SPDX-License-Identifier: BSD-3-Clause */
/* interpret.h: a program that walks the tree of a model; needs no compiler. */
#ifndef ACTIVITY_RUN_INTERPRET_H
#define ACTIVITY_RUN_INTERPRET_H

#include "activity/run/program.h"

/* Make a program of `model`, which is borrowed, as is `costs` (NULL: none). New, freed by
 * act_interpret_free (NULL is fine); NULL with `err`: -EINVAL: the model has C of its
 * own, which has to be compiled; -ENOMEM. */
struct act_program *act_interpret_new(const struct act_model *model,
                                      const struct act_costs *costs,
                                      struct cca_error *err);
void act_interpret_free(struct act_program *program);

#endif

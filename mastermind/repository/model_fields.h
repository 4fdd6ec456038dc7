/* SPDX-License-Identifier: BSD-3-Clause */
/* model_fields.h: the members of a fitted model in its file. */
#ifndef MASTERMIND_REPOSITORY_MODEL_FIELDS_H
#define MASTERMIND_REPOSITORY_MODEL_FIELDS_H

#include "mastermind/cost/cost.h"
#include "mastermind/repository/fields.h"

/* All of struct mm_model except method, modes, low and high, which files contain by name.
 */
extern const struct mm_field mm_model_fields[];

/* Check a model that was read: no index, count or kind may lead to wrong predictions.
 * Returns 0, or -EBADMSG with "found ..., expected ...". */
int mm_model_check(const struct mm_model *model, struct cca_error *err);

#endif

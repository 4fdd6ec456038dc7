/* SPDX-License-Identifier: BSD-3-Clause */
/* model_fields.h: the members of a fitted model that its file has. */
#ifndef MASTERMIND_REPOSITORY_MODEL_FIELDS_H
#define MASTERMIND_REPOSITORY_MODEL_FIELDS_H

#include "mastermind/cost/model.h"
#include "mastermind/repository/fields.h"

/* All of struct mm_model but method, modes, low and high, which files have by name. */
extern const struct mm_field mm_model_fields[];

/* Check what was read: no index, count or kind that would lead answers astray. 0, or
 * -EBADMSG with "found ..., expected ...". */
int mm_model_check(const struct mm_model *model, struct cca_error *err);

#endif

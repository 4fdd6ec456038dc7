/* SPDX-License-Identifier: BSD-3-Clause */
/* model_fields.h: the table of a fitted model's members in its file. */
#ifndef MASTERMIND_REPOSITORY_MODEL_FIELDS_H
#define MASTERMIND_REPOSITORY_MODEL_FIELDS_H

#include "mastermind/cost/cost.h"
#include "mastermind/repository/fields.h"

/* All members of struct mm_model except `method`, `modes`, `low` and `high`, which files
 * list under the names of the
 * values. */
extern const struct mm_field mm_model_fields[];

/* Check a model that was read from a file: indexes, counts and kinds must be valid.
 * Returns 0, or -EBADMSG with "found ..., expected ...". */
int mm_model_check(const struct mm_model *model, struct cca_error *err);

#endif

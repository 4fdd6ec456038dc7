/* SPDX-License-Identifier: BSD-3-Clause */
/* asked.h: the runs of a question as tables of the connection, and what they lack.
 *
 * temp.asked(experiment, basis, basis_unit): each parallel run, the region of its basis
 * and the unit that was in that longest. temp.sequential(experiment). temp.member:
 * answers of members (members.h). */
#ifndef PROPERTIES_EVALUATE_ASKED_H
#define PROPERTIES_EVALUATE_ASKED_H

#include "properties/evaluate/evaluate.h"
#include "properties/evaluate/select.h"

/* Make and fill the tables. 0; -EINVAL: a run that the store has not; -EIO, -ENOMEM. */
int mm_asked_set(struct mm_store *store, const struct mm_property_question *question,
                 struct cca_error *err);

/* Why a value could not be computed, in the caller's buffer: the first column of
 * `severity` that a bit of `nulls` names, with what the table `missing` says of it for
 * this run; without one, that a number was not finite. 0 or -EIO, -ENOMEM. */
int mm_asked_reason(struct mm_store *store, const struct mm_property *property,
                    const struct mm_expression *severity, int64_t experiment,
                    int64_t nulls, char *text, size_t size);
/* Why a run has nothing in a column of rs, or in a table: "was not measured" where
 * nothing is said. */
void mm_asked_missing(struct mm_store *store, int64_t experiment, const char *column,
                      char *text, size_t size);
/* For a run without an answer: why the tables that the property needs have no rows. 1
 * with a reason; 0: they have, so no row passed `where:` or the regions asked for. */
int mm_asked_emptiness(struct mm_store *store, const struct mm_property *property,
                       unsigned words, int64_t experiment, char *text, size_t size);

#endif

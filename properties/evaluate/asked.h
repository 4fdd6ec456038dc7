/* SPDX-License-Identifier: BSD-3-Clause */
/* asked.h: tables of the connection with the runs of a question, and reasons for missing
 * data.
 *
 * temp.asked(experiment, basis, basis_unit): each parallel run, the region of its basis,
 * and the unit that spent most time in it. temp.sequential(experiment). temp.member:
 * answers of members (members.h). */
#ifndef PROPERTIES_EVALUATE_ASKED_H
#define PROPERTIES_EVALUATE_ASKED_H

#include "properties/evaluate/evaluate.h"
#include "properties/evaluate/select.h"

/* Make the tables with a question's runs and fill them. 0; -EINVAL: the store lacks a
 * run; -EIO, -ENOMEM. */
int mm_asked_set(struct mm_store *store, const struct mm_property_question *question,
                 struct cca_error *err);

/* Write the reason why a value could not be computed into the caller's buffer: the first
 * column of `severity` with a bit in `nulls`, and the text of table `missing` for it and
 * this run; without such a column, that a number was not finite. 0 or -EIO, -ENOMEM. */
int mm_asked_reason(struct mm_store *store, const struct mm_property *property,
                    const struct mm_expression *severity, int64_t experiment,
                    int64_t nulls, char *text, size_t size);
/* The reason why a run has no data in a column of rs, or in a table: "was not measured"
 * if the store has no reason. */
void mm_asked_missing(struct mm_store *store, int64_t experiment, const char *column,
                      char *text, size_t size);
/* For a run without an answer: why the tables that the property needs have no rows. 1
 * with a reason; 0: they have rows, so none passed `where:` or the region filter. */
int mm_asked_emptiness(struct mm_store *store, const struct mm_property *property,
                       unsigned words, int64_t experiment, char *text, size_t size);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* members.h: the answers of a Metaproperty's members as a table.
 *
 * Source: Metaproperty, Figure 6 of Fahringer and Seragiotto: add() evaluates a member
 * for each set of arguments, and statistics are over those that hold. Here `over: all` is
 * the usual, and `over: holding` is the paper's. */
#ifndef PROPERTIES_EVALUATE_MEMBERS_H
#define PROPERTIES_EVALUATE_MEMBERS_H

#include "properties/evaluate/evaluate.h"

/* Evaluate the members that `of:` names and fill the table mm_member, which is this
 * connection's alone, with their answers: severity and confidence are NULL of a member
 * that does not hold, under `over: holding`; of one that was not evaluated, holds is
 * NULL, too. 0; -EBADMSG: no such property, or a circle; as mm_property_evaluate. */
int mm_members_set(struct mm_store *store, const struct mm_property *property,
                   const struct mm_property_question *question, struct cca_error *err);
/* Make mm_member an empty table. 0; -EIO. */
int mm_members_none(struct mm_store *store, struct cca_error *err);
/* Check that all members are there, without a circle. 0 or -EBADMSG. */
int mm_members_check(const struct mm_property *property,
                     const struct mm_property *const *library, size_t library_count,
                     struct cca_error *err);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* members.h: a table with the answers of a Metaproperty's members.
 *
 * Source: Metaproperty, Figure 6 of Fahringer and Seragiotto: add() evaluates a member
 * for each set of arguments, and statistics are over members that hold. Here `over: all`
 * is the default; `over: holding` is the paper's definition. */
#ifndef PROPERTIES_EVALUATE_MEMBERS_H
#define PROPERTIES_EVALUATE_MEMBERS_H

#include "properties/evaluate/evaluate.h"

/* Evaluate the members named by `of:` and fill table mm_member of this connection with
 * their answers. Under `over: holding`, severity and confidence are NULL for a member
 * that does not hold; for one that was not evaluated, holds is NULL, too. 0; -EBADMSG: no
 * such property, or a cycle; as mm_property_evaluate. */
int mm_members_set(struct mm_store *store, const struct mm_property *property,
                   const struct mm_property_question *question, struct cca_error *err);
/* Make mm_member an empty table. 0; -EIO. */
int mm_members_none(struct mm_store *store, struct cca_error *err);
/* Check that all members exist, without a cycle. 0 or -EBADMSG. */
int mm_members_check(const struct mm_property *property,
                     const struct mm_property *const *library, size_t library_count,
                     struct cca_error *err);

#endif

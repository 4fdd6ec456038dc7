/* SPDX-License-Identifier: BSD-3-Clause */
/* select.h: the best two assemblies of all candidates. */
#ifndef MASTERMIND_ANALYSIS_COMPOSITE_SELECT_H
#define MASTERMIND_ANALYSIS_COMPOSITE_SELECT_H

#include "mastermind/analysis/composite/choose.h"

/* Set `chosen`, `found`, `second` and `has_second` of a choice that has its slots: the
 * assemblies that meet the requirements at least cost, where each slot's difference is
 * added to the run. Candidates without a model are in none.
 *
 * 0; with `err`: -EBADMSG instances compose a required quality by different rules; -E2BIG
 * the best was not proven with MM_CHOOSE_MOST steps; -ENOMEM. */
int mm_select_best(struct mm_choice *choice, const struct mm_wiring *wiring,
                   const struct mm_requirement *requirements, size_t requirement_count,
                   struct cca_error *err);

#endif

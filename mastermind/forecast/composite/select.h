/* SPDX-License-Identifier: BSD-3-Clause */
/* select.h: the best assemblies of all candidates. */
#ifndef MASTERMIND_FORECAST_COMPOSITE_SELECT_H
#define MASTERMIND_FORECAST_COMPOSITE_SELECT_H

#include "mastermind/forecast/composite/choose.h"

/* Set `chosen`, `found`, `second`, `has_second` and `ties`, these being the
 * MM_CHOICE_RIVALS assemblies behind the best one, of a choice that has its slots: the
 * assemblies that meet the requirements at least cost, where each slot's difference is
 * added to the run. Candidates without a model are in none.
 *
 * 0; with `err`: -EBADMSG instances compose a required quality by different rules; -E2BIG
 * the best was not proven with MM_CHOOSE_MOST steps; -ENOMEM. */
int mm_select_best(struct mm_choice *choice, const struct mm_wiring *wiring,
                   const struct mm_requirement *requirements, size_t requirement_count,
                   struct cca_error *err);
/* Set `listed` of a choice without predicting the items. As
 * mm_select_best; -ENOENT no class states the quality of the front. */
int mm_select_list(struct mm_choice *choice, const struct mm_wiring *wiring,
                   const struct mm_requirement *requirements, size_t requirement_count,
                   const struct mm_choice_query *query, struct cca_error *err);

#endif

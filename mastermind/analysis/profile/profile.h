/* SPDX-License-Identifier: BSD-3-Clause */
/* profile.h: all that the analysis keeps of an experiment, from one walk over its rows.
 */
#ifndef MASTERMIND_ANALYSIS_PROFILE_PROFILE_H
#define MASTERMIND_ANALYSIS_PROFILE_PROFILE_H

#include "mastermind/analysis/profile/counts.h"
#include "mastermind/analysis/dual.h"
#include "mastermind/analysis/models/calls/points.h"
#include "mastermind/analysis/ranks.h"
#include "mastermind/reader/wiring.h"

struct mm_profile {
    struct mm_row_source source;
    struct mm_dual *dual;
    struct mm_points *points; /* [method_count] */
    struct mm_ranks ranks;
    uint32_t *numbers; /* [method_count] calls seen in the thread of the walk: */
    int at_rank, at_thread;
    struct mm_counts counts;        /* of calls, node by node */
    const struct mm_wiring *wiring; /* NULL where the run had not written it yet */
};

/* Walk `source`; it and `wiring` (may be NULL) are borrowed for the profile's life. New,
 * or NULL with `err`. */
struct mm_profile *mm_profile_new(const struct mm_row_source *source,
                                  const struct mm_wiring *wiring, struct cca_error *err);
void mm_profile_free(struct mm_profile *profile);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* profile.h: the data that the analysis keeps of an experiment, from one walk over its
 * rows. */
#ifndef MASTERMIND_COUNTS_PROFILE_PROFILE_H
#define MASTERMIND_COUNTS_PROFILE_PROFILE_H

#include "mastermind/counts/profile/counts.h"
#include "mastermind/counts/profile/stretch.h"
#include "mastermind/counts/dual/dual.h"
#include "mastermind/cost/cost.h"
#include "mastermind/counts/dual/ranks.h"
#include "mastermind/reader/wiring.h"

struct mm_profile {
    struct mm_row_source source;
    struct mm_dual *dual;
    struct mm_points *points; /* [method_count] calls of each method, for its cost
                                 model */
    struct mm_ranks ranks;
    /* wall time and own time of calls with rows, by windows of time; only if the source
     * has `less_host` set */
    struct mm_stretch_windows windows;
    uint32_t *numbers; /* [method_count] number of calls so far in the thread of the
                          walk */
    int at_rank, at_thread;
    struct mm_counts counts;            /* numbers of calls by caller and callee */
    const struct mm_wiring *wiring;     /* connections of the instances; NULL if the
                                           run has not written them yet */
    const struct mm_profile_walk *walk; /* callbacks of the current walk; NULL: none */
    uint64_t random;                    /* state of the random sample */
};

/* Walk `source`; it and `wiring` (may be NULL) are borrowed for the profile's life. The
 * result is new, or NULL with `err`. */
struct mm_profile *mm_profile_new(const struct mm_row_source *source,
                                  const struct mm_wiring *wiring, struct cca_error *err);

/* Callbacks for a walk, and a limit on the kept rows. */
struct mm_profile_walk {
    /* Called for each row and aggregate like the functions of mm_dual_new; may be NULL.
     */
    mm_joined_function row;
    mm_joined_aggregate_function aggregate;
    void *context;
    /* [method_count] sampling interval n of each method: one row of n, chosen at random,
     * becomes a point, and `counts` stays empty; NULL: every row becomes a point. */
    const uint64_t *one_in;
};
/* Like mm_profile_new; `walk` is borrowed until it returns. */
struct mm_profile *mm_profile_follow(const struct mm_row_source *source,
                                     const struct mm_wiring *wiring,
                                     const struct mm_profile_walk *walk,
                                     struct cca_error *err);
void mm_profile_free(struct mm_profile *profile);

#endif

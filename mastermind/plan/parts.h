/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h: functions that the files of a plan share. */
#ifndef MASTERMIND_PLAN_PARTS_H
#define MASTERMIND_PLAN_PARTS_H

#include <stddef.h>
#include <stdint.h>

#include "common/random.h"
#include "mastermind/plan/plan.h"

/* --- design.c ------------------------------------------------------------ */

/* Values and pairs of values that occur in the points chosen so far. */
struct mm_cover {
    const struct mm_plan *plan;
    size_t first[MM_PLAN_AXES + 1]; /* index of an axis' first value among all values */
    unsigned char *values;          /* [all values] true if a point has the value */
    unsigned char *pairs; /* [all values][all values] true if a point has the pair of
                             values; only for coarse values (mm_plan_is_coarse) */
    size_t pairs_left;
};

/* Set up a cover without points. Returns 0 or -ENOMEM; call mm_cover_done in any case. */
int mm_cover_init(struct mm_cover *cover, const struct mm_plan *plan);
void mm_cover_done(struct mm_cover *cover);
/* Mark the values and pairs of a point, whose positions on the axes are
 * point[axis_count]. */
void mm_cover_point(struct mm_cover *cover, const size_t *point);
/* Return how many of a point's values, and of its pairs of coarse values, no earlier
 * point has. */
size_t mm_cover_new_values(const struct mm_cover *cover, const size_t *point);
size_t mm_cover_new_pairs(const struct mm_cover *cover, const size_t *point);

/* Return the distance of two points of a plan: the sum of their distances on the axes,
 * each from 0 to 1. */
double mm_point_distance(const struct mm_plan *plan, const size_t *a, const size_t *b);

/* Set the points of a plan with axes, as the full grid or as a design. */
int mm_plan_set_grid(struct mm_plan *plan, struct cca_error *err);
int mm_plan_set_design(struct mm_plan *plan, uint64_t *random, struct cca_error *err);

/* order.c: set the order of the runs of a plan with points. Returns 0 or -ENOMEM. */
int mm_plan_set_order(struct mm_plan *plan, uint64_t *random, struct cca_error *err);

/* --- estimate.c ---------------------------------------------------------- */

/* Estimate the logarithm of the time of every point: from its completed runs and from the
 * fit to all others (see mm_plan_estimate).
 *
 *   seconds   in   [run_count] as in mm_plan_estimate
 *   mean, sd  out  [point_count] of the logarithm; NAN: no run is completed
 *
 * Returns 0 or -ENOMEM. */
int mm_plan_know(const struct mm_plan *plan, const double *seconds, double *mean,
                 double *sd);

/* --- random -------------------------------------------------------------- */

/* Return a random number in 0 .. below - 1. `below` is far below 2^64, so remainders are
 * nearly uniform. */
static inline size_t mm_random_below(uint64_t *state, size_t below)
{
    return (size_t)(cca_random_next(state) % below);
}

/* Shuffle numbers (Fisher and Yates). */
static inline void mm_random_shuffle(uint64_t *state, size_t *items, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        size_t k = mm_random_below(state, i), item = items[i - 1];

        items[i - 1] = items[k];
        items[k] = item;
    }
}

#endif

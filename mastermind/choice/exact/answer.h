/* SPDX-License-Identifier: BSD-3-Clause */
/* answer.h: the best assignments of a problem, found exactly by branch and bound.
 *
 * Costs count in whole units of at most 2^-53 of the sum of the largest magnitudes, so
 * bounds are exact and nothing depends on the order of additions; assignments that differ
 * by a rounding of each cost are equal. Which of several that cost the same are found is
 * fixed by the problem, and not specified.
 *
 * Lower bounds come from mini-bucket elimination along a min-fill order (Dechter and
 * Rish 2003), with costs shifted between the parts of a bucket so that their
 * min-marginals agree (Ihler et al. 2012). They are exact where no table overflows
 * its share, and are refined as the search goes on. Bounds on sums, products and counts
 * enter by Lagrange multipliers.
 *
 * Memory: tables of at most MM_ANSWER_TABLE_BYTES, or of one slot's choices for each
 * coupling where that is more; a copy of the problem; nine bytes for each two slots; and
 * the assignments asked for, two bytes a slot in the search and a size_t in the answer.
 */
#ifndef MASTERMIND_CHOICE_EXACT_ANSWER_H
#define MASTERMIND_CHOICE_EXACT_ANSWER_H

#include <stdint.h>

#include "mastermind/choice/exact/problem.h"

#define MM_ANSWER_TABLE_BYTES (64u << 20)

struct mm_assignment {
    size_t *classes; /* [slot_count] index of the class in each slot */
    double cost;     /* mm_problem_cost */
    double value;    /* of the front's quality, else NaN */
};

struct mm_answer {
    struct mm_assignment *items; /* ascending by cost */
    size_t count;                /* 0: no assignment is within the bounds, if `proven` */
    int proven;     /* 0: the node budget ended first; items may not be the best */
    int more;       /* within, front: there are more than limits->most */
    double lower;   /* lower bound of the costs within the bounds, but for the rounding of
                       sums; INFINITY: no assignment */
    uint64_t nodes; /* that were opened */
};

struct mm_answer_limits {
    size_t most;    /* number of assignments to keep, >= 1 */
    uint64_t nodes; /* to open, at most; 0: no limit */
};

/* Each: a new answer, to be freed with mm_answer_free; or NULL with `err`: as
 * mm_problem_check; -EINVAL limits->most is 0, or an argument as named; -ENOMEM. `limits`
 * may be NULL: the best one or, for within and front, 1000, without a limit of nodes. */

/* The limits->most assignments that cost least. */
struct mm_answer *mm_answer_best(const struct mm_problem *problem,
                                 const struct mm_answer_limits *limits,
                                 struct cca_error *err);
/* All assignments that cost at most `factor` times the least cost, or (2 - factor) times
 * where that is negative; -EINVAL factor < 1 or not finite. The cheapest limits->most of
 * them, with `more` where there are others. Where that is not proven, the best alone. */
struct mm_answer *mm_answer_within(const struct mm_problem *problem, double factor,
                                   const struct mm_answer_limits *limits,
                                   struct cca_error *err);
/* The Pareto front of cost against a quality: one assignment for each pair of cost and
 * value such that no other one within the bounds has both as good and one better. A
 * greater value is better with `greater`, else a smaller one. Its cheap end, with `more`,
 * where it has more than limits->most. Assignments without a value are not on it.
 * Where it is not proven, the first items are proven, the last one may not be on it. */
struct mm_answer *mm_answer_front(const struct mm_problem *problem, size_t quality,
                                  int greater, const struct mm_answer_limits *limits,
                                  struct cca_error *err);
void mm_answer_free(struct mm_answer *answer);

#endif

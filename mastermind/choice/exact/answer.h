/* SPDX-License-Identifier: BSD-3-Clause */
/* answer.h: the best assignments of a problem, found exactly by branch and bound.
 *
 * Costs are whole numbers of units of at most 2^-53 of the sum of the largest magnitudes.
 * So bounds are exact and independent of the order of additions; assignments that differ
 * only by rounding are equal. Of several assignments with equal cost, the result is
 * deterministic but unspecified.
 *
 * Lower bounds come from mini-bucket elimination along a min-fill order (Dechter and Rish
 * 2003), with costs shifted between the parts of a bucket so that their min-marginals
 * agree (Ihler et al. 2012). They are exact where no table overflows its share, and are
 * refined as the search goes on. Bounds on sums, products and counts enter by Lagrange
 * multipliers.
 *
 * Memory: tables of at most MM_ANSWER_TABLE_BYTES, or of one slot's choices for each
 * coupling if that is more; a copy of the problem; nine bytes for each pair of slots; and
 * the requested assignments, two bytes for each slot in the search and a size_t in the
 * answer. */
#ifndef MASTERMIND_CHOICE_EXACT_ANSWER_H
#define MASTERMIND_CHOICE_EXACT_ANSWER_H

#include <stdint.h>

#include "mastermind/choice/exact/problem.h"

#define MM_ANSWER_TABLE_BYTES (64u << 20)

struct mm_assignment {
    size_t *classes; /* [slot_count] index of the class in each slot */
    double cost;     /* cost of the assignment by mm_problem_cost */
    double value;    /* value of the quality of a front, else NaN */
};

struct mm_answer {
    struct mm_assignment *items; /* assignments, ascending by cost */
    size_t count;                /* number of assignments; 0: no assignment meets the
                                    bounds, if `proven` */
    int proven;   /* true if the search is complete; false if the limit on nodes was
                     reached: `items` may then not be the best */
    int more;     /* mm_answer_within, mm_answer_front: true if there are more items than
                     limits->most */
    double lower; /* lower bound of the costs of assignments that meet the bounds,
                     apart from rounding; INFINITY: no assignment */
    uint64_t nodes; /* number of nodes that the search opened */
};

struct mm_answer_limits {
    size_t most;    /* number of assignments to keep, >= 1 */
    uint64_t nodes; /* largest number of nodes to open; 0: no limit */
};

/* Each function returns a new answer, to be freed with mm_answer_free; or NULL with
 * `err`: the errors of mm_problem_check; -EINVAL: limits->most is 0, or an invalid
 * argument as stated; -ENOMEM. `limits` may be NULL: one item or, for within and front,
 * 1000, and no limit of nodes. */

/* Find the limits->most assignments with the least costs. */
struct mm_answer *mm_answer_best(const struct mm_problem *problem,
                                 const struct mm_answer_limits *limits,
                                 struct cca_error *err);
/* All assignments that cost at most `factor` times the least cost, or (2 - factor) times
 * if that is negative; -EINVAL: factor < 1 or not finite. The answer has the cheapest
 * limits->most of them, with `more` set if there are others; if it is not `proven`, only
 * the best one.
 */
struct mm_answer *mm_answer_within(const struct mm_problem *problem, double factor,
                                   const struct mm_answer_limits *limits,
                                   struct cca_error *err);
/* The Pareto front of cost against a quality: one assignment for each pair of cost and
 * value that is not dominated within the bounds (no other is at least as good in both and
 * better in one). A greater value is better with `greater`, else a smaller one. If it has
 * more than limits->most items, the answer has its cheap end, with `more` set.
 * Assignments without a value are omitted. If not `proven`, only the last item may be
 * wrong. */
struct mm_answer *mm_answer_front(const struct mm_problem *problem, size_t quality,
                                  int greater, const struct mm_answer_limits *limits,
                                  struct cca_error *err);
void mm_answer_free(struct mm_answer *answer);

#endif

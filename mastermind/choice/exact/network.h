/* SPDX-License-Identifier: BSD-3-Clause */
/* network.h: a problem as whole numbers: offered classes that may meet the bounds, costs
 * in units of 2^-exponent, one link for each pair of coupled slots.
 *
 * A choice is one class of one slot; choices are numbered consecutively, slot by slot. */
#ifndef MASTERMIND_CHOICE_EXACT_NETWORK_H
#define MASTERMIND_CHOICE_EXACT_NETWORK_H

#include <stdint.h>

#include "mastermind/choice/exact/problem.h"

struct mm_bound {
    int active;       /* true if classes without a value of the quality are excluded */
    double low, high; /* ends of the range that the quality must have; may be infinite */
};

/* Range of a quality's values from low to high; empty where low > high. */
struct mm_hull {
    double low, high;
};

struct mm_rounding {
    double absolute, relative;
};

struct mm_link {
    size_t slots[2];
    int64_t *costs; /* [sizes[slots[0]]][sizes[slots[1]]] cost of each pair of choices */
};

struct mm_network {
    const struct mm_problem *problem; /* problem that was converted; borrowed */
    struct mm_bound *bounds;          /* [quality_count] bound of each quality */
    size_t slot_count, quality_count, choice_count;
    size_t *first;    /* [slot_count + 1] index of a slot's first choice */
    size_t *class_at; /* [choice_count] index of the class in the problem's slot */
    int64_t *costs;   /* [choice_count] cost of each choice */
    double *values;   /* [quality_count][choice_count] value of each choice; NaN: not
                         stated */
    struct mm_link *links;
    size_t link_count;
    int exponent;
    int empty; /* true if a slot has no choice left, so no assignment meets the bounds */
};

/* Convert a problem. The result is new; NULL: out of memory. The problem must have passed
 * mm_problem_check. `bounds` has one element for each quality; copied. */
struct mm_network *mm_network_new(const struct mm_problem *problem,
                                  const struct mm_bound *bounds);
void mm_network_free(struct mm_network *network);

size_t mm_network_size(const struct mm_network *network, size_t slot);
/* The cost of an assignment [slot_count], given as choice indexes within the slots. */
int64_t mm_network_cost(const struct mm_network *network, const size_t *chosen);
/* The composed quality of an assignment; NaN: the assignment has no value. */
double mm_network_value(const struct mm_network *network, size_t quality,
                        const size_t *chosen);

/* The range of a slot's values of a quality; low is NaN if no choice states a value. */
struct mm_hull mm_network_hull(const struct mm_network *network, size_t quality,
                               size_t slot);
/* The range of the values that two ranges may give when composed; either part may have no
 * value. */
struct mm_hull mm_hull_compose(enum mm_composition rule, struct mm_hull a,
                               struct mm_hull b);
/* True if a value of the range `hull` may meet the bound, up to rounding. */
int mm_hull_meets(struct mm_hull hull, const struct mm_bound *bound,
                  struct mm_rounding rounding);
/* Largest error of a quality that is composed in another order than by slot. */
struct mm_rounding mm_network_rounding(const struct mm_network *network, size_t quality);

#endif

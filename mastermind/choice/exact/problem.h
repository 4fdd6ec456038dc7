/* SPDX-License-Identifier: BSD-3-Clause */
/* problem.h: the choice of a class for every slot, as numbers: no files, no models.
 *
 * A slot takes one of its classes. An assignment has a class for every slot and costs the
 * sum of the classes' costs in their slots and of all couplings: the cost of class a in
 * one slot together with class b in another. Costs may be negative. A class without a
 * cost is not offered: it keeps its index and is in no assignment.
 *
 * A quality composes over the slots in the order in which they were added: as the
 * largest, the least, the sum or the product of the values that the classes state. A
 * bound on a quality restricts the assignments. An assignment fails it if a class does
 * not state the quality though another class of its slot does, or if no class states it.
 * Slots without any value take no part. Parts of the assembly that do not change are
 * slots with one class.
 *
 * Slots, classes and qualities are counted from 0. Not collective. One problem belongs to
 * one thread at a time. */
#ifndef MASTERMIND_CHOICE_EXACT_PROBLEM_H
#define MASTERMIND_CHOICE_EXACT_PROBLEM_H

#include <float.h>
#include <stddef.h>

#include "ports/cca_error.h"

#define MM_PROBLEM_SLOTS 1024   /* largest number of slots of a problem */
#define MM_PROBLEM_CLASSES 1024 /* largest number of classes of a slot */
/* Largest relative error of a composed value: each of MM_PROBLEM_SLOTS values, products
 * or logarithms is rounded once or twice. */
#define MM_PROBLEM_ROUNDING (4 * MM_PROBLEM_SLOTS * DBL_EPSILON)

enum mm_composition {
    MM_COMPOSITION_MAX,
    MM_COMPOSITION_MIN,
    MM_COMPOSITION_SUM,
    MM_COMPOSITION_PRODUCT
};

struct mm_problem_class {
    const char *name;
    double cost;
    int offered; /* false if the class has no cost */
};

struct mm_problem_slot {
    const char *name;
    struct mm_problem_class *classes;
    size_t class_count;
    int coupled; /* true if costs depend on another slot as well, so the number of classes
                    is fixed */
};

struct mm_problem_coupling {
    size_t slots[2];
    double *costs; /* [classes of slots[0]][classes of slots[1]] cost of each pair */
};

struct mm_problem_value {
    size_t slot, class_at;
    double value;
};

struct mm_problem_quality {
    const char *name;
    enum mm_composition rule;
    struct mm_problem_value *values;
    size_t value_count;
    int bounded;
    double low, high; /* smallest and largest allowed value, valid if `bounded` */
};

/* Slots, couplings and qualities of a problem; may be read, but modified only by the
 * functions below. */
struct mm_problem {
    struct mm_problem_slot *slots;
    size_t slot_count;
    struct mm_problem_coupling *couplings;
    size_t coupling_count;
    struct mm_problem_quality *qualities;
    size_t quality_count;
};

/* Make an empty problem. The result is new; NULL: out of memory. Names are borrowed and
 * must outlive the problem. */
struct mm_problem *mm_problem_new(void);
void mm_problem_free(struct mm_problem *problem);

/* Add a slot. Returns its index; -E2BIG: more than MM_PROBLEM_SLOTS; -ENOMEM. */
int mm_problem_add_slot(struct mm_problem *problem, const char *name,
                        struct cca_error *err);
/* Add a class with a finite cost in `slot`. Returns its index in the slot; -EINVAL: no
 * such slot, a cost that is not finite, or the slot is coupled; -E2BIG: more than
 * MM_PROBLEM_CLASSES; -ENOMEM. */
int mm_problem_add_class(struct mm_problem *problem, size_t slot, const char *name,
                         double cost, struct cca_error *err);
/* Like mm_problem_add_class for a class with an unknown cost. */
int mm_problem_add_missing(struct mm_problem *problem, size_t slot, const char *name,
                           struct cca_error *err);
/* Add the costs of two slots' classes together.
 *
 *   costs  in  [classes of a][classes of b], row-major; copied. Entries of classes that
 *              are not offered are not read.
 *
 * Two slots may be coupled more than once: such costs add up. Returns 0; -EINVAL no such
 * slot, a slot without classes or coupled with itself, or a cost that is not finite;
 * -ENOMEM. */
int mm_problem_couple(struct mm_problem *problem, size_t a, size_t b, const double *costs,
                      struct cca_error *err);

/* Add a quality. Returns its index, or -ENOMEM. */
int mm_problem_add_quality(struct mm_problem *problem, const char *name,
                           enum mm_composition rule, struct cca_error *err);
/* Set the value of a class in a slot; a later value replaces it. Returns 0; -EINVAL: no
 * such quality, slot or class, or a value that is not finite; -ENOMEM. */
int mm_problem_set_value(struct mm_problem *problem, size_t quality, size_t slot,
                         size_t class_at, double value, struct cca_error *err);
/* Bound a quality to low <= value <= high; infinite: no bound on that side. Several
 * bounds are intersected. Returns 0; -EINVAL: no such quality, or a bound is NaN. */
int mm_problem_bound(struct mm_problem *problem, size_t quality, double low, double high,
                     struct cca_error *err);

/* Check the complete problem. Returns 0; -EINVAL: no slot, or a slot without classes;
 * -ENODATA: no class of a slot has a cost; -ERANGE: sums of the largest costs, or sums or
 * products of a quality, overflow. */
int mm_problem_check(const struct mm_problem *problem, struct cca_error *err);

/* The cost of an assignment [slot_count] of offered classes: first the slots, then the
 * couplings, each in order of addition. */
double mm_problem_cost(const struct mm_problem *problem, const size_t *classes);
/* The composed quality of an assignment; NaN: no class states it, or a class lacks it
 * although another class of its slot has it. */
double mm_problem_value(const struct mm_problem *problem, size_t quality,
                        const size_t *classes);

/* Compose two values of a quality by its rule. */
double mm_composition_apply(enum mm_composition rule, double a, double b);

#endif

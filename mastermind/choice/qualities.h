/* SPDX-License-Identifier: BSD-3-Clause */
/* qualities.h: qualities of classes, and requirements on them, as parts of a problem. */
#ifndef MASTERMIND_CHOICE_QUALITIES_H
#define MASTERMIND_CHOICE_QUALITIES_H

#include "mastermind/choice/exact/problem.h"
#include "mastermind/choice/requirement.h"
#include "mastermind/reader/wiring.h"

/* Index of the quality with this name, which is added if it is not there; -ENOMEM. The
 * first class that states it gives it its rule. */
int mm_problem_quality(struct mm_problem *problem, const char *name,
                       struct cca_error *err);
/* Bound a quality of the problem. Call it before slots are added. 0 or -ENOMEM; the name
 * of the requirement is borrowed. */
int mm_problem_require(struct mm_problem *problem,
                       const struct mm_requirement *requirement, struct cca_error *err);
/* State what an instance of a class states of the problem's qualities. 0; -EBADMSG it
 * composes one by another rule than classes before it; or as mm_problem_set_value. */
int mm_problem_state(struct mm_problem *problem, const struct mm_instance *instance,
                     size_t slot, size_t class_at, struct cca_error *err);

#endif

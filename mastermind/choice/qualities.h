/* SPDX-License-Identifier: BSD-3-Clause */
/* qualities.h: qualities of classes, and requirements on them, as parts of a problem. */
#ifndef MASTERMIND_CHOICE_QUALITIES_H
#define MASTERMIND_CHOICE_QUALITIES_H

#include "mastermind/choice/exact/problem.h"
#include "mastermind/choice/requirement.h"
#include "mastermind/reader/wiring.h"

/* Find or add the quality with this name. Returns its index or -ENOMEM. The first class
 * with this quality that mm_problem_state gets determines the rule of composition (sum,
 * largest value etc. over the instances). */
int mm_problem_quality(struct mm_problem *problem, const char *name,
                       struct cca_error *err);
/* Bound a quality of the problem; to be called before slots are added. Returns 0 or
 * -ENOMEM; the name of the requirement is borrowed. */
int mm_problem_require(struct mm_problem *problem,
                       const struct mm_requirement *requirement, struct cca_error *err);
/* Set the problem's qualities to the values stated by the class of an instance. Returns
 * 0; -EBADMSG: a class given in an earlier call composes a quality by another rule; or an
 * error of mm_problem_set_value.
 */
int mm_problem_state(struct mm_problem *problem, const struct mm_instance *instance,
                     size_t slot, size_t class_at, struct cca_error *err);

#endif

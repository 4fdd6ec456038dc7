/* SPDX-License-Identifier: BSD-3-Clause */
/* assembly_problem.h: effects and requirements as a problem in numbers. */
#ifndef MASTERMIND_CHOICE_ASSEMBLY_PROBLEM_H
#define MASTERMIND_CHOICE_ASSEMBLY_PROBLEM_H

#include "mastermind/choice/effects.h"
#include "mastermind/choice/exact/answer.h"

/* Three or more interacting slots get an additional joint slot, whose classes are all
 * combinations of theirs, each with its forecast; contradictory classes cost `forbidden`.
 * So costs are exact for any interaction. A group with too many combinations gets pair
 * couplings. */
struct mm_assembly_problem {
    struct mm_problem *problem;
    size_t *slot; /* [slot_count of the choice] index of each slot in the problem */
    double forbidden;
    size_t front; /* index of the quality that the query's front uses */
    size_t joint; /* most slots of a group of interacting slots */
};

/* Build the problem. 0; with `err`: -ENOENT: no class states the quality of a requirement
 * or a front; -EBADMSG: instances compose it by different rules; -ENOMEM. Call
 * mm_assembly_problem_done in any case. */
int mm_assembly_problem_init(struct mm_assembly_problem *p,
                             const struct mm_open_choice *choice,
                             const struct mm_open_asked *asked,
                             const struct mm_effects *effects, struct mm_tally *tally,
                             struct cca_error *err);
void mm_assembly_problem_done(struct mm_assembly_problem *p);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* why.h: the causes of findings, down: property, then region, then unit. */
#ifndef PROPERTIES_CAUSES_WHY_H
#define PROPERTIES_CAUSES_WHY_H

#include "properties/causes/findings.h"

/* A line of `--why`: a finding under the one that it is a cause of. */
struct mm_cause {
    const struct mm_finding *finding;
    const struct mm_finding *above; /* its own cause, where that has a line before this
                                       one; NULL: it follows, or there is none */
    int depth; /* 0: a line of its own, 1: "because", 2: because of that */
};

struct mm_causes {
    struct mm_cause
        *all; /* in order of printing: first causes follow what they explain */
    size_t count;
};

/* The lines of `findings`, which must stay. A finding whose severity is nearly all (80 %)
 * in a region inside that holds too has no line: the inner one has. Under each line its
 * first cause: a property that its `because` names and that holds, of the same runs and
 * not of waiting,
 *   1. in the same region or inside, the one with the greatest weight; else
 *   2. anywhere else, if it weighs at least a quarter of what it explains: who waits in
 *      one method waits for another. First the one whose contexts have most in common
 *      with it, then the one with the greatest weight.
 * A cause of a confident finding is confident, or nothing is known of its noise.
 * What weighs is the severity times its weight. Each finding has at most one line, none
 * is a cause of itself. 0, -ENOMEM; call mm_causes_free in any case. */
int mm_causes_make(struct mm_causes *causes, const struct mm_findings *findings);
void mm_causes_free(struct mm_causes *causes);

#endif

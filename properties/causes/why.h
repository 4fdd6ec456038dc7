/* SPDX-License-Identifier: BSD-3-Clause */
/* why.h: the causes of findings, down: property, then region, then unit. */
#ifndef PROPERTIES_CAUSES_WHY_H
#define PROPERTIES_CAUSES_WHY_H

#include "properties/causes/findings.h"

/* A line of `--why`: a finding under the one that it is a cause of. */
struct mm_cause {
    const struct mm_finding *finding;
    int depth; /* 0: a finding of its own, 1: "because", 2: because of that */
};

struct mm_causes {
    struct mm_cause
        *all; /* in order of printing: first causes follow what they explain */
    size_t count;
};

/* The tree of `findings`: under each one its first cause,
 *   1. a property that its `because` names and that holds in the same region or inside,
 *      the one with the largest severity x share of time; else
 *   2. one such elsewhere inside what is around the region, nearest around first (who
 * waits in one method waits for another); else
 *   3. the same property in one region inside that has nearly all of it.
 * Each finding comes at most once, and none under itself. Findings that are the cause of
 * another have no line of their own; nor have those of the same property in regions
 * around or inside one that has a line, where their severity is nearly the same. 0,
 * -ENOMEM; call mm_causes_free in any case. */
int mm_causes_make(struct mm_causes *causes, const struct mm_findings *findings);
void mm_causes_free(struct mm_causes *causes);

/* The last cause below findings->all[0] (itself where it has none), with region and unit:
 * what to look at first. NULL: nothing found. */
const struct mm_finding *mm_causes_first(const struct mm_causes *causes);

#endif

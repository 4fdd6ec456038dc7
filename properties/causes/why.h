/* SPDX-License-Identifier: BSD-3-Clause */
/* why.h: causes of findings, top down: property, then region, then unit. */
#ifndef PROPERTIES_CAUSES_WHY_H
#define PROPERTIES_CAUSES_WHY_H

#include "properties/causes/findings.h"

/* A line of `--why`: a finding below the finding that it causes. */
struct mm_cause {
    const struct mm_finding *finding;
    /* cause of this finding, if the cause has an earlier line; NULL: the cause has the
     * next line, or there is none */
    const struct mm_finding *above;
    /* depth of the line: 0: a finding, 1: its cause ("because"), 2: the cause of a
     * cause */
    int depth;
};

struct mm_causes {
    struct mm_cause
        *all; /* all lines in the order of printing: a finding, then its best cause */
    size_t count;
};

/* Make the lines of `findings`, which must outlive them. A finding whose severity is
 * nearly all (80 %) in an inner region that is a finding, too, has no line: only the
 * inner one has. Below each line is its best cause: a finding of a property in its
 * `because`, from the same runs and not of waiting,
 *   1. in the same region or inside, the one with the greatest weight; else
 *   2. anywhere else, if its weight is at least a quarter of the explained finding's: a
 *      rank that waits in one method waits for another method. The best one has the
 *      longest common path with the explained finding, then the greatest weight.
 * A cause of a confident finding is confident, or nothing is known of its noise. "Weight"
 * here is severity times weight. Each finding has at most one line, and none is its own
 * cause. Returns 0, -ENOMEM; call mm_causes_free in any case. */
int mm_causes_make(struct mm_causes *causes, const struct mm_findings *findings);
void mm_causes_free(struct mm_causes *causes);

#endif

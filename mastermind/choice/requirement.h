/* SPDX-License-Identifier: BSD-3-Clause */
/* requirement.h: a bound on a quality of an assembly, "sod_l1_200 <= .0026". */
#ifndef MASTERMIND_CHOICE_REQUIREMENT_H
#define MASTERMIND_CHOICE_REQUIREMENT_H

#include "ports/cca_error.h"

enum mm_relation { MM_LESS, MM_LESS_EQUAL, MM_EQUAL, MM_GREATER_EQUAL, MM_GREATER };

struct mm_requirement {
    char quality[128];
    enum mm_relation relation;
    double bound;
};

/* Parse QUALITY, one of < <= == = >= >, and a number. Returns 0 or -EINVAL with `err`. */
int mm_requirement_parse(struct mm_requirement *requirement, const char *text,
                         struct cca_error *err);
const char *mm_relation_text(enum mm_relation relation);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* law_forms.h: the members of a scaling function, private to this folder. */
#ifndef MASTERMIND_COUNTS_LAWS_LAW_FORMS_H
#define MASTERMIND_COUNTS_LAWS_LAW_FORMS_H

#include "mastermind/counts/laws/parts.h"
#include "mastermind/counts/laws/trend.h"

struct mm_law {
    struct mm_law_data data;
    enum mm_law_kind kind;
    struct mm_law_exact exact;
    struct mm_law_trend trend;
};

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* law_forms.h: the inside of a law. */
#ifndef MASTERMIND_ANALYSIS_LAWS_LAW_FORMS_H
#define MASTERMIND_ANALYSIS_LAWS_LAW_FORMS_H

#include "mastermind/analysis/laws/exact.h"
#include "mastermind/analysis/laws/trend.h"

struct mm_law {
    struct mm_law_data data;
    enum mm_law_kind kind;
    struct mm_law_exact exact;
    struct mm_law_trend trend;
};

#endif

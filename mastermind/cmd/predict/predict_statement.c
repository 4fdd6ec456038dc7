/* SPDX-License-Identifier: BSD-3-Clause */
/* predict_statement.c: a prediction for a measured base as a statement of the ledger. */
#include <math.h>

#include "mastermind/cmd/predict/forecast_verb.h"

#define MEASURED_LEVEL .95 /* of intervals about a measured base */

void mm_prediction_keep(struct mm_keeper *keeper, const struct mm_input *input,
                        const struct mm_prediction *p, const struct mm_substitution *sets,
                        size_t count)
{
    double low = p->total_ns - p->half_ns, high = p->total_ns + p->half_ns;
    struct mm_statement s;
    int result;

    mm_keeper_recalibrate(keeper, MEASURED_LEVEL, p->total_ns, &low, &high);
    if (!keeper->path || p->unknown_calls || !p->part_count)
        return;
    result = mm_statement_begin(&s, "predict", input);
    for (size_t i = 0; i < count && result < 0; i++)
        mm_statement_set(&s, &s.entry.run.classes, sets[i].instance, sets[i].class_name);
    for (size_t i = 0; i < p->part_count && result < 0; i++) {
        s.entry.beyond = fmax(s.entry.beyond, p->parts[i].beyond);
        mm_statement_add(&s, "calls", p->parts[i].method->name, p->parts[i].calls_now,
                         NAN, NAN);
    }
    mm_statement_total(&s, keeper, MEASURED_LEVEL, p->total_ns,
                       "a model knows too little, or calls cannot be compared");
    if (result < 0)
        mm_keeper_keep(keeper, &s);
    else
        keeper->failed = result;
    mm_statement_done(&s);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* estimate.c: answers of a model about one call. */
#include "mastermind/analysis/models/estimate.h"

#include <math.h>

void mm_model_estimate(const struct mm_model *model, const union monitor_value *in,
                       struct mm_estimate *estimate)
{
    struct mm_estimate *e = estimate;
    double half;

    *e = (struct mm_estimate){.rival = NAN, .q50 = NAN, .q90 = NAN, .q99 = NAN};
    e->beyond = mm_model_beyond(model, in, &e->parameter);
    e->flags = e->beyond > 1 ? MM_BEYOND : 0;
    if (mm_model_is_lacking(model, in)) {
        e->flags |= MM_LACKING;
        e->typ = e->mean = model->lacking_ns;
        e->sd = e->low = e->high = e->fit_low = e->fit_high = e->mean_half = NAN;
        return;
    }
    e->typ = mm_model_typical_ns(model, in);
    e->mean = mm_model_mean_ns(model, in);
    e->sd = mm_model_sd_ns(model, in);
    half = mm_model_half_ns(model, e->typ);
    e->fit_low = fmax(e->typ - half, 0);
    e->fit_high = e->typ + half;
    e->mean_half = half;
    half = sqrt(half * half + 4 * e->sd * e->sd);
    e->low = fmax(e->typ - half, 0);
    e->high = e->typ + half;
}

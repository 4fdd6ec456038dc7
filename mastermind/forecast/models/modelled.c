/* SPDX-License-Identifier: BSD-3-Clause */
/* modelled.c: cost of a measured run's calls, summed up by their models. */
#include "mastermind/forecast/models/modelled.h"

#include <math.h>

#include "mastermind/forecast/models/sum.h"
#include "common/statistics.h"

/* Relative difference between the models' sum over all fitted calls and the measured cost
 * of these calls, without time attributed to the host. */
static double own_disagreement(const struct mm_model_set *set)
{
    double own_ns = set->measured_ns - set->host_ns;

    return set->modelled_ns > 0 ? fabs(set->modelled_ns - own_ns) / set->modelled_ns : 0;
}

/* Set the result. Calls with unknown values get the mean cost of the others. */
static void take_sum(struct mm_modelled *m, const struct mm_cost_sum *sum, double unknown)
{
    double errors = fmax(mm_cost_sum_half(sum), own_disagreement(m->set) * sum->cost_ns);

    m->cost_ns = sum->cost_ns;
    m->half_ns =
        isfinite(errors)
            ? sqrt(errors * errors + CCA_NORMAL_95 * CCA_NORMAL_95 * sum->variance_ns2)
            : NAN;
    if (!(unknown > 0))
        return;
    if (sum->calls > 0)
        m->cost_ns *= 1 + unknown / sum->calls;
    else
        m->unknown_calls += unknown;
    m->half_ns = NAN;
}

int mm_modelled_find(struct mm_modelled *m, const struct mm_library *library,
                     const struct mm_profile *profile, size_t vertex)
{
    const struct mm_method_info *method = profile->source.methods[vertex];
    const struct mm_points *points = &profile->points[vertex];
    struct mm_cost_sum sum = {.own = 1};
    struct mm_notes none = {0};
    double unknown = (double)profile->dual->vertices[vertex].calls;
    int result;

    *m = (struct mm_modelled){.half_ns = NAN};
    result = mm_library_match(library, method->class_name, method->build_id, method,
                              profile, &none, &m->set);
    mm_notes_done(&none);
    if (!m->set || result) {
        m->unknown_calls = unknown;
        return result;
    }
    for (size_t i = 0; i < points->count && !result; i++) {
        union monitor_value mapped[MONITOR_MAX_IN];
        double calls = (double)points->points[i].calls;
        const char *missing;
        const struct mm_model *model =
            mm_model_set_find(m->set, method, points->points[i].in, mapped, &missing);

        unknown -= calls;
        if (model && mm_model_knows(model, mapped))
            result = mm_cost_sum_add(&sum, model, mapped, calls);
        else
            m->unknown_calls += calls;
    }
    take_sum(m, &sum, unknown);
    mm_cost_sum_done(&sum);
    return result;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* interval.c: effect of the uncertainty of the Mastermind's models on the total time of a
 * run. */
#include <math.h>

#include "activity/cmd/run/run_verb.h"

/* Total time of the run if the mean of cost model `i` is shifted by `way` times half of
 * its 95 % interval. */
static int moved(struct act_program *program, const struct act_run_options *options,
                 struct act_cost *cost, int i, double way, double *total,
                 struct cca_error *err)
{
    struct act_result result;
    int rc;

    act_cost_move(cost, i, way);
    rc = act_run(program, options, &result, err);
    act_cost_move(cost, -1, 0);
    if (rc)
        return rc;
    *total = result.makespan_s;
    act_result_free(&result);
    return 0;
}

/* The error of one model is common to all its calls; errors of different models are
 * independent. */
int run_interval(struct act_program *program, const struct act_run_options *options,
                 struct act_cost *cost, struct run_found *found, struct cca_error *err)
{
    int count = cost ? act_cost_asked(cost) : 0, rc = 0;
    double total = found->result.makespan_s, below = 0, above = 0;

    found->low_s = found->high_s = NAN;
    found->unsure = cost ? act_cost_unsure(cost) : NULL;
    if (!count || found->unsure)
        return 0;
    for (int i = 0; i < count && !rc; i++) {
        double more = total, less = total;

        rc = moved(program, options, cost, i, 1, &more, err);
        rc = rc ? rc : moved(program, options, cost, i, -1, &less, err);
        above = hypot(above, fmax(fmax(more, less) - total, 0));
        below = hypot(below, fmax(total - fmin(more, less), 0));
    }
    found->low_s = fmax(total - below, 0);
    found->high_s = total + above;
    return rc;
}

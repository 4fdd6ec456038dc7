/* SPDX-License-Identifier: BSD-3-Clause */
/* sum.h: the cost of many calls of one method by its models, and how far it may be off.
 *
 * Errors of a model are common to all its calls: those of the curve add up through the
 * covariance of its coefficients, those by rival forms and populations one by one. Sizes
 * scatter about the curve independently, and so do models of different modes. The spread
 * of single calls averages out. A size that the class was measured at often enough counts
 * with its mean: no curve is needed there. */
#ifndef MASTERMIND_FORECAST_MODELS_SUM_H
#define MASTERMIND_FORECAST_MODELS_SUM_H

#include "mastermind/forecast/models/library.h"
#include "mastermind/cost/estimate.h"

/* Standard errors that a model contributes. */
struct mm_model_sum {
    const struct mm_model *model;
    double slope[MM_FORM_TERMS]; /* of the sum by each coefficient of the best form */
    double scatter2; /* of sizes about the curve, which are independent: squared */
    double count_ns; /* rare costs were counted, which is common, too */
    double rest_ns;  /* all other errors, which are common; NaN: unknown */
};

struct mm_cost_sum {
    int own; /* the run's own calls: a mean of calls that lack a parameter is exact */
    struct mm_model_sum *models;
    size_t model_count;
    double cost_ns, calls; /* of the calls that are known */
    double direct2;        /* squared half of 95 % of calls whose mean was measured */
    double variance_ns2;   /* of the sum, by the spread of single calls */
};

/* Add `calls` calls with in-values `in` of model->method. 0 or -ENOMEM. */
int mm_cost_sum_add(struct mm_cost_sum *sum, const struct mm_model *model,
                    const union monitor_value *in, double calls);
/* Add `calls` calls at a size that the set itself has, with the mean that was measured:
 * 1; or 0 where it was called too seldom for that, the host had a part in it, or rare
 * costs come by the number of the call: the model knows their number better. */
int mm_cost_sum_direct(struct mm_cost_sum *sum, const struct mm_model *model,
                       const struct mm_point *point, double calls);
/* Half of the 95 % interval by errors of the models; NaN: unknown. */
double mm_cost_sum_half(const struct mm_cost_sum *sum);
void mm_cost_sum_done(struct mm_cost_sum *sum);

#endif

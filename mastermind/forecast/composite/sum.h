/* SPDX-License-Identifier: BSD-3-Clause */
/* sum.h: the cost of many calls of one method by its models, and how far it may be off.
 *
 * Errors of a model are common to all its calls: those of the curve add up through the
 * covariance of its coefficients, those by rival forms and populations one by one. Sizes
 * scatter about the curve independently, and so do models of different modes. The spread
 * of single calls averages out. A size that the class was measured at often enough counts
 * with its mean: no curve is needed there. */
#ifndef MASTERMIND_FORECAST_COMPOSITE_SUM_H
#define MASTERMIND_FORECAST_COMPOSITE_SUM_H

#include "mastermind/forecast/composite/library.h"
#include "mastermind/cost/estimate.h"

#define MM_Z95 1.959964

/* What a model contributes: standard errors. */
struct mm_model_sum {
    const struct mm_model *model;
    double slope[MM_FORM_TERMS]; /* of the sum by each coefficient of the best form */
    double scatter2; /* of sizes about the curve, which are independent: squared */
    double count_ns; /* rare costs were counted, which is common, too */
    double rest_ns;  /* all other errors, which are common; NaN: unknown */
};

struct mm_cost_sum {
    int own;   /* the base's own calls: a mean of calls that lack a parameter is exact */
    int check; /* models are to be compared with what was measured: none of the latter */
    struct mm_model_sum *models;
    size_t model_count;
    double cost_ns, calls; /* of the calls that are known */
    double unknown;        /* calls that no model knows */
    double direct2; /* squared half of 95 % of calls whose mean was measured directly */
    double direct_calls;
    double variance_ns2; /* of the sum, by the spread of single calls */
    double error_ns;     /* out-of-sample errors, weighted by cost; NaN: unknown */
    double beyond_calls, beyond; /* calls outside the sizes seen; 1, or how far */
    const char *beyond_name;
    unsigned flags;  /* enum mm_estimate_flag of any call */
    double rival_ns; /* the sum by rivals where MM_RIVALS */
    /* The parameters that contribute most to the interval. */
    double doubt_ns;
    union monitor_value doubt[MONITOR_MAX_IN];
    const struct mm_model *doubt_model;
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

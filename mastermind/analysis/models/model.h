/* SPDX-License-Identifier: BSD-3-Clause */
/* model.h: the exclusive time of one method of one class in one mode, as a function of
 * its parameters: c0 + c1 * term(parameter), or a constant.
 *
 * The formula is of the typical cost: the one-sided robust mean of each point. A sum over
 * many calls is `inflation` times that: it has in it what a method does now and then, but
 * not the pauses of the host. What was cut is told in `disturbed` and `excess_ns`. */
#ifndef MASTERMIND_ANALYSIS_MODELS_MODEL_H
#define MASTERMIND_ANALYSIS_MODELS_MODEL_H

#include "mastermind/analysis/models/points.h"
#include "mastermind/analysis/models/term.h"

#define MM_MODEL_POOR .5 /* error of a model that says next to nothing of other sizes */

enum mm_model_form { MM_MODEL_CONSTANT, MM_MODEL_TERM };

/* sd_ns = factor * (mean_ns)^power */
struct mm_spread {
    int known;
    double factor, power;
};

struct mm_model {
    const struct mm_method_info *method; /* names and kinds of the in-values; borrowed */
    union monitor_value modes[MONITOR_MAX_IN]; /* at the indexes of modes; else 0 */
    enum mm_model_form form;
    size_t parameter; /* index of the in-value of a term */
    struct mm_term term;
    double constant_ns, factor_ns;
    double
        least_ns; /* the smallest cost seen: what a prediction never falls below 0 to */
    double low[MONITOR_MAX_IN], high[MONITOR_MAX_IN]; /* range seen, of parameters */
    int narrow;   /* no parameter varied enough to say anything of other sizes */
    size_t lacks; /* 1 + index of a parameter that no call has: a constant, without any
                     range; 0: none */
    uint64_t n;   /* invocations */
    size_t sizes; /* distinct tuples of parameters */
    double error; /* median relative error of points left out, NaN where too few */
    struct mm_spread spread;
    double inflation; /* mean over typical cost, >= 1 */
    double disturbed; /* share of invocations that were cut for the typical cost */
    double excess_ns; /* their mean excess */
    int counts;       /* of a count, not of time: nanoseconds are that */
};

/* True of a parameter that is an expression over arguments, and not just an argument. */
int mm_value_is_derived(const struct mm_value_info *value);

/* Fit the points of `points` whose modes are those of `modes` (indexes of modes count).
 *
 * Returns 0; -ENODATA where none of them has a timed invocation; -ENOMEM. */
int mm_model_fit(struct mm_model *model, const struct mm_points *points,
                 const union monitor_value *modes, struct cca_error *err);

/* Typical cost of one invocation, > 0 or the least seen. `in` as model->method has it. */
double mm_model_typical_ns(const struct mm_model *model, const union monitor_value *in);
/* Mean cost: what sums are made of. */
double mm_model_mean_ns(const struct mm_model *model, const union monitor_value *in);
/* Standard deviation of one invocation, NaN where it is not known. */
double mm_model_sd_ns(const struct mm_model *model, const union monitor_value *in);
/* How far the parameter that decides is beyond the range: 1 inside, 4: four times the
 * largest, or a fourth of the smallest. A constant or a narrow model is asked for all
 * parameters. `*parameter` is the index of the worst. */
double mm_model_beyond(const struct mm_model *model, const union monitor_value *in,
                       size_t *parameter);

/* False where nothing is known at `in`: the model is narrow and `in` is not near what it
 * saw, or `in` has the parameter that all calls seen lacked. */
int mm_model_knows(const struct mm_model *model, const union monitor_value *in);

/* "0.9 us + 0.0161 us * Q" */
int mm_model_print(const struct mm_model *model, char *text, size_t size);
/* Half the width of the 95 % interval of the error that `cost_ns`, a sum of this model at
 * sizes that it knows, has because the model is not exact; NaN where that is not known: a
 * size seen once. It takes all errors for one and the same, so it is rather too wide. */
double mm_model_half_ns(const struct mm_model *model, double cost_ns);

/* "0.031 * typical", "1.2 us", or "unknown" */
int mm_spread_print(const struct mm_model *model, char *text, size_t size);

#endif

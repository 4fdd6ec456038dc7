/* SPDX-License-Identifier: BSD-3-Clause */
/* sum.c: sums of models over calls. */
#include "mastermind/forecast/models/sum.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/statistics.h"

#define FEW_CALLS 8 /* number of calls; a size with fewer calls may miss rare costs */
/* If the sd of a call in a sum (`sum_sd`) is a smaller share of the sd of a single call,
 * rare costs recur by call number. */
#define BY_NUMBER .9

static struct mm_model_sum *model_sum(struct mm_cost_sum *sum,
                                      const struct mm_model *model)
{
    struct mm_model_sum *added;

    for (size_t i = sum->model_count; i-- > 0;)
        if (sum->models[i].model == model)
            return &sum->models[i];
    added = cca_array_add(&sum->models, &sum->model_count, sizeof *added);
    if (added)
        added->model = model;
    return added;
}

/* Add the models' errors of `calls` calls with in-values `in`. */
static void add_errors(const struct mm_cost_sum *sum, struct mm_model_sum *of,
                       const union monitor_value *in, double calls,
                       const struct mm_estimate *e)
{
    const struct mm_form *form = &of->model->forms.form[0];
    double x[MONITOR_MAX_IN], ratio = e->typ > 0 ? e->mean / e->typ : 1;
    double t, all, curve, scatter, half2;

    if (e->flags & MM_LACKING && sum->own)
        return;
    if (!isfinite(e->mean_half)) {
        of->rest_ns = NAN;
        return;
    }
    mm_model_tuple(of->model, in, x);
    t = cca_student_quantile(.975, mm_model_freedom(of->model));
    half2 = e->mean_half * e->mean_half - pow(CCA_NORMAL_95 * e->count_sd, 2);
    all = fmax(half2, 0) / (t * t);
    curve = ratio * ratio * mm_form_variance(form, x);
    scatter = pow(ratio * MM_SIZES_SCATTER * of->model->scatter * e->typ, 2);
    if (!(curve + scatter <= all)) /* curve and scatter are not finite, or exceed `all`
                                      by rounding */
        curve = scatter = 0;
    of->count_ns += calls * e->count_sd;
    of->scatter2 += calls * calls * scatter;
    of->rest_ns += calls * sqrt(fmax(all - curve - scatter, 0));
    for (size_t k = 0; curve > 0 && k < form->count; k++)
        of->slope[k] += calls * ratio * mm_basis_value(&form->basis[k], x);
}

int mm_cost_sum_add(struct mm_cost_sum *sum, const struct mm_model *model,
                    const union monitor_value *in, double calls)
{
    struct mm_model_sum *of = model_sum(sum, model);
    struct mm_estimate e;

    if (!of)
        return -ENOMEM;
    mm_model_estimate(model, in, &e);
    if (!isfinite(e.mean))
        return 0;
    sum->cost_ns += calls * e.mean;
    sum->calls += calls;
    if (isfinite(e.sum_sd))
        sum->variance_ns2 += calls * e.sum_sd * e.sum_sd;
    add_errors(sum, of, in, calls, &e);
    return 0;
}

int mm_cost_sum_direct(struct mm_cost_sum *sum, const struct mm_model *model,
                       const struct mm_point *point, double calls)
{
    struct mm_estimate e;
    double n = (double)point->n, mean = mm_point_own_ns(point), variance, half;

    if (point->n < FEW_CALLS || point->sums_only || !(mean > 0))
        return 0;
    mm_model_estimate(model, point->in, &e);
    if (e.flags & MM_NOISY && point->evidence < point->n)
        return 0; /* the mean includes time attributed to the host */
    if (e.sum_sd < BY_NUMBER * e.sd)
        return 0; /* rare costs recur by call number, and this size has a random number
                     of them */
    /* A size may lack rare costs that other sizes have. */
    variance = fmax(mm_point_own_variance(point), isfinite(e.sd) ? e.sd * e.sd : 0);
    half = cca_student_quantile(.975, n - 1) * sqrt(variance / n);
    sum->cost_ns += calls * mean;
    sum->calls += calls;
    sum->variance_ns2 += calls * variance;
    sum->direct2 += calls * calls * half * half;
    return 1;
}

double mm_cost_sum_half(const struct mm_cost_sum *sum)
{
    double squares = sum->direct2;

    for (size_t i = 0; i < sum->model_count; i++) {
        const struct mm_model_sum *of = &sum->models[i];
        const struct mm_form *form = &of->model->forms.form[0];
        double t = cca_student_quantile(.975, mm_model_freedom(of->model)), curve = 0;

        for (size_t j = 0; j < form->count; j++)
            for (size_t k = 0; k < form->count; k++)
                if (of->slope[j] != 0 && of->slope[k] != 0)
                    curve += of->slope[j] * of->slope[k] * form->cov[j][k];
        squares += t * t * (fmax(curve, 0) + of->scatter2 + of->rest_ns * of->rest_ns);
        squares += pow(CCA_NORMAL_95 * of->count_ns, 2);
    }
    return sqrt(squares);
}

void mm_cost_sum_done(struct mm_cost_sum *sum)
{
    free(sum->models);
    *sum = (struct mm_cost_sum){0};
}

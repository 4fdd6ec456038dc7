/* SPDX-License-Identifier: BSD-3-Clause */
/* model.c: fit and choose a one-term model on points. */
#include "mastermind/analysis/models/model.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/analysis/models/fit.h"
#include "mastermind/analysis/models/spread.h"

#define LEAST_ERROR .004 /* relative; no point is trusted to be more exact */
#define PSEUDO_SAMPLES 6 /* weight of the pooled spread against a point's own */
#define DRIFT .01 /* relative; sizes differ by this much for other reasons than size */
#define WIDE 1.5  /* largest over smallest size that tells of others */
#define NEAR 1.25 /* factor beyond its sizes up to which a narrow model is believed */
/* Relative spread where no point was seen twice; only ratios of weights matter. */
#define UNKNOWN_CV .02
/* A poor formula is believed below this share of a constant's error. */
#define BETTER .75
#define FAR 1.5          /* a constant this far from the mean gives wrong sums */
#define LOST_WEIGHT 1e-6 /* weight of a point that is taken for disturbed */
#define EXACT 1e-12      /* squared, in LEAST_ERRORs; below it residuals are rounding */

/* The points of one mode as columns. */
struct table {
    size_t count;
    double *memory;
    double *typ, *weight, *n, *sd, *g, *ones, *loo, *work;
    double *scale;    /* the cost, but at least floor_ns; errors are relative to it */
    const double **x; /* [in_count] */
    double floor;     /* misfit per point that the noise of the points explains */
    double floor_ns;  /* differences below it may come from measuring */
    int counts;       /* a count: the host does not disturb it, and 0 is a value */
};

static int is_parameter(const struct mm_method_info *method, size_t index)
{
    return method->values[index].kind == MONITOR_PARAM;
}

int mm_same_modes(const struct mm_method_info *method, const union monitor_value *a,
                  const union monitor_value *b)
{
    for (size_t i = 0; i < method->in_count; i++) {
        if (!is_parameter(method, i) && a[i].i != b[i].i)
            return 0;
    }
    return 1;
}

/* 1 + index of a parameter that `in` lacks, 0: it has all. */
static size_t missing_parameter(const struct mm_method_info *method,
                                const union monitor_value *in)
{
    for (size_t i = 0; i < method->in_count; i++)
        if (is_parameter(method, i) &&
            monitor_value_absent(in[i], method->values[i].type))
            return i + 1;
    return 0;
}

/* True for a point that `model` is fitted to. A point that lacks a parameter counts only
 * where all points do. */
static int counts_for(const struct mm_point *point, const struct mm_model *model)
{
    return point->n && mm_same_modes(model->method, point->in, model->modes) &&
           (model->lacks || !missing_parameter(model->method, point->in));
}

/* The number of points that `model` is fitted to. */
static size_t count_points(const struct mm_points *points, const struct mm_model *model)
{
    size_t count = 0;

    for (size_t i = 0; i < points->count; i++)
        count += (size_t)counts_for(&points->points[i], model);
    return count;
}

static void table_done(struct table *t)
{
    free(t->memory);
    free(t->x);
}

static int table_init(struct table *t, size_t count, size_t in_count)
{
    /* 8 columns, a work space of 3, and the parameters */
    double *next;

    *t = (struct table){.count = count};
    t->memory = calloc(count * (11 + in_count), sizeof *t->memory);
    t->x = calloc(in_count + 1, sizeof *t->x);
    if (!t->memory || !t->x) {
        table_done(t);
        return -ENOMEM;
    }
    next = t->memory;
    t->typ = next;
    t->weight = next += count;
    t->n = next += count;
    t->sd = next += count;
    t->g = next += count;
    t->ones = next += count;
    t->loo = next += count;
    t->scale = next += count;
    t->work = next += count;
    next += 3 * count;
    for (size_t i = 0; i < in_count; i++, next += count)
        t->x[i] = next;
    return 0;
}

/* Typical cost of a point. The upper tail is cut, because the host makes calls slower.
 * With `whole` (a count, or calls of unknown size) and where a point has only sums,
 * nothing is cut. */
static struct mm_robust typical_of(const struct mm_point *point, int whole,
                                   double *values)
{
    double sd = point->sums_only ? NAN
                : point->n > 1   ? sqrt(fmax(point->m2_ns2, 0) / (double)(point->n - 1))
                                 : 0;

    if (whole || !point->sample_count)
        return (struct mm_robust){
            .mean = point->mean_ns, .sd = sd, .mean_all = point->mean_ns};
    memcpy(values, point->sample, point->sample_count * sizeof *values);
    return mm_robust_of(values, point->sample_count);
}

/* Fill in the typical cost of each point and what was cut from it. */
static int table_fill(struct table *t, struct mm_model *model,
                      const struct mm_points *points)
{
    double *values = malloc(MM_POINT_SAMPLE * sizeof *values);
    double cut = 0, excess = 0, typical = 0, all = 0;
    size_t row = 0;

    if (!values)
        return -ENOMEM;
    for (size_t i = 0; i < points->count; i++) {
        const struct mm_point *point = &points->points[i];
        struct mm_robust robust;
        double lost, least = t->counts ? 0 : 1; /* the clock's resolution */

        if (!counts_for(point, model))
            continue;
        robust = typical_of(point, t->counts || model->lacks, values);
        t->typ[row] = fmax(robust.mean, least);
        t->scale[row] = fmax(fmax(robust.mean, t->floor_ns), 1);
        t->sd[row] = robust.sd;
        t->n[row] = (double)point->n;
        t->ones[row] = 1;
        lost = !robust.kept
                   ? 0
                   : (double)point->n * (double)(point->sample_count - robust.kept) /
                         (double)point->sample_count;
        cut += lost;
        excess += lost * robust.excess;
        typical += (double)point->n * robust.mean;
        all += (double)point->n * robust.mean_all;
        model->n += point->n;
        for (size_t k = 0; k < points->method->in_count; k++)
            ((double *)t->x[k])[row] = mm_in_value(points->method, point->in, k);
        row++;
    }
    free(values);
    model->disturbed = cut / (double)model->n;
    model->excess_ns = cut > 0 ? excess / cut : 0;
    model->inflation = cut > 0 && all > typical ? all / typical : 1;
    return 0;
}

/* Weights of relative errors. A point's own spread is shrunk towards the pooled spread.
 * Differences below the floor may come from measuring: they must not turn a constant into
 * a line. */
static void table_weigh(struct table *t)
{
    double squares = 0, freedom = 0, pooled;

    for (size_t i = 0; i < t->count; i++) {
        if (t->n[i] < 2 || isnan(t->sd[i]))
            continue;
        squares += (t->n[i] - 1) * (t->sd[i] / t->scale[i]) * (t->sd[i] / t->scale[i]);
        freedom += t->n[i] - 1;
    }
    pooled = freedom > 0 ? squares / freedom : UNKNOWN_CV * UNKNOWN_CV;
    for (size_t i = 0; i < t->count; i++) {
        double seen = isnan(t->sd[i]) ? 0 : t->n[i] - 1;
        double own = seen > 0 ? (t->sd[i] / t->scale[i]) * (t->sd[i] / t->scale[i]) : 0;
        double cv2 = (seen * own + PSEUDO_SAMPLES * pooled) / (seen + PSEUDO_SAMPLES);
        double square = t->scale[i] * t->scale[i], noise = t->floor_ns * t->floor_ns;

        t->weight[i] = 1 / (square * (cv2 / t->n[i] + LEAST_ERROR * LEAST_ERROR) + noise);
        if (pooled > 0 && freedom > 0)
            noise += square * (cv2 / t->n[i] + DRIFT * DRIFT);
        t->floor += noise * t->weight[i] / (double)t->count;
    }
}

/* True if parameter `k` varies enough for a cost to depend on it. */
static int is_wide(const struct mm_model *model, size_t k)
{
    return model->high[k] >= WIDE * model->low[k] && model->high[k] > model->low[k];
}

static void set_ranges(struct mm_model *model, const struct table *t)
{
    size_t parameters = 0, wide = 0;

    model->least_ns = INFINITY;
    for (size_t i = 0; i < t->count; i++) {
        if (t->typ[i] < model->least_ns)
            model->least_ns = t->typ[i];
    }
    for (size_t k = 0; k < model->method->in_count; k++) {
        if (!is_parameter(model->method, k))
            continue;
        model->low[k] = INFINITY;
        model->high[k] = -INFINITY;
        for (size_t i = 0; i < t->count && !model->lacks; i++) {
            if (t->x[k][i] < model->low[k])
                model->low[k] = t->x[k][i];
            if (t->x[k][i] > model->high[k])
                model->high[k] = t->x[k][i];
        }
        parameters++;
        wide += (size_t)is_wide(model, k);
    }
    model->narrow = parameters && !wide && !model->lacks;
}

/* The worth of a fit, less is better: leave-one-out misfit and a price for its shape.
 * Misfit below the noise is luck: without the floor a term that follows one noisy point
 * would win. */
static double score_of(const struct table *t, const struct mm_fit *fit, size_t columns,
                       double surprise)
{
    double d = (double)t->count;

    return d * log(fit->press / d + t->floor + EXACT) +
           ((double)columns + surprise) * log(d + 1);
}

struct best {
    double score;
    struct mm_fit fit;
    int with_constant, with_term;
    size_t parameter;
    const struct mm_term *term;
};

int mm_value_is_derived(const struct mm_value_info *value)
{
    return value->kind == MONITOR_PARAM && value->expression &&
           strcmp(value->expression, value->name) != 0;
}

/* The price of a parameter. One that the port's author wrote as an expression is free; a
 * plain argument beside it has a price. */
static double price_of(const struct mm_method_info *method, size_t parameter)
{
    if (mm_value_is_derived(&method->values[parameter]))
        return 0;
    for (size_t i = 0; i < method->in_count; i++) {
        if (mm_value_is_derived(&method->values[i]))
            return 1;
    }
    return 0;
}

/* True if so many sizes can tell the term from others. A parameter that varies by less
 * than half allows a line only. */
static int is_tellable(const struct table *t, const struct mm_model *model,
                       size_t parameter, const struct mm_term *term)
{
    if (t->count < 6 && price_of(model->method, parameter) > 0)
        return 0;
    if (t->count < 4 || !is_wide(model, parameter))
        return term->surprise == 0;
    return t->count >= 5 || term->surprise <= .5;
}

/* Try c0 + c1 g, or c1 g. The term must grow, and the cost must be positive at every size
 * seen. */
static void try_term(struct table *t, const struct mm_model *model, int with_constant,
                     size_t parameter, const struct mm_term *term, struct best *best)
{
    const double *columns[2] = {t->g, t->ones};
    size_t count = with_constant ? 2 : 1;
    struct mm_fit fit;
    double score;

    if (mm_fit_linear(t->count, count, columns, t->typ, t->weight, t->work, &fit, NULL) <
        0)
        return;
    if (!(fit.coefficient[0] > 0))
        return;
    for (size_t i = 0; with_constant && i < t->count; i++) {
        double cost = fit.coefficient[1] + fit.coefficient[0] * t->g[i];

        if (!(cost > 0) && !(t->counts && t->typ[i] <= 0))
            return;
    }
    score = score_of(t, &fit, count, term->surprise + price_of(model->method, parameter));
    if (score < best->score)
        *best = (struct best){score, fit, with_constant, 1, parameter, term};
}

/* True if any two sizes differ by more than measuring does. */
static int sizes_differ(const struct table *t)
{
    double least = t->typ[0], most = t->typ[0];

    for (size_t i = 1; i < t->count; i++) {
        least = fmin(least, t->typ[i]);
        most = fmax(most, t->typ[i]);
    }
    return most - least > t->floor_ns || !(t->floor_ns > 0);
}

static void search_terms(struct table *t, const struct mm_model *model, struct best *best)
{
    const double *ones[1] = {t->ones};
    struct mm_fit fit;

    *best = (struct best){
        .score = INFINITY, .fit = {.coefficient = {t->typ[0]}}, .with_constant = 1};
    if (mm_fit_linear(t->count, 1, ones, t->typ, t->weight, t->work, &fit, NULL) == 0)
        *best = (struct best){
            .score = score_of(t, &fit, 1, 0), .fit = fit, .with_constant = 1};
    for (size_t k = 0; k < model->method->in_count && sizes_differ(t); k++) {
        if (!is_parameter(model->method, k) || !(model->low[k] < model->high[k]))
            continue;
        for (size_t j = 0; j < mm_term_count; j++) {
            if (!is_tellable(t, model, k, &mm_terms[j]) ||
                !mm_term_defined(&mm_terms[j], model->low[k], model->high[k]))
                continue;
            for (size_t i = 0; i < t->count; i++)
                t->g[i] = mm_term_value(&mm_terms[j], t->x[k][i]);
            try_term(t, model, 0, k, &mm_terms[j], best);
            if (t->count >= 3)
                try_term(t, model, 1, k, &mm_terms[j], best);
        }
    }
}

static void adopt_fit(struct mm_model *model, const struct best *best)
{
    model->form = best->with_term ? MM_MODEL_TERM : MM_MODEL_CONSTANT;
    model->parameter = best->parameter;
    model->factor_ns = best->with_term ? best->fit.coefficient[0] : 0;
    model->constant_ns = best->with_constant ? best->fit.coefficient[best->with_term] : 0;
    if (best->with_term)
        model->term = *best->term;
}

static double fitted_cost(const struct mm_model *model, const struct table *t, size_t row)
{
    if (model->form == MM_MODEL_CONSTANT)
        return model->constant_ns;
    return model->constant_ns +
           model->factor_ns * mm_term_value(&model->term, t->x[model->parameter][row]);
}

/* Judge points that were seen too seldom for a robust mean of their own by the other
 * points. Returns how many lost their weight. */
static size_t drop_disturbed(struct table *t, const struct mm_model *model)
{
    size_t dropped = 0;
    double median, scale;

    if (t->count < 6 || t->counts)
        return 0;
    for (size_t i = 0; i < t->count; i++)
        t->loo[i] = t->typ[i] / fitted_cost(model, t, i) - 1;
    memcpy(t->work, t->loo, t->count * sizeof *t->work);
    median = mm_median(t->work, t->count);
    scale = 1.4826 * (median - mm_median_sorted(t->work, (t->count + 1) / 2));
    if (scale < .01)
        scale = .01;
    for (size_t i = 0; i < t->count; i++)
        dropped += t->n[i] < 4 && t->loo[i] > median + 4 * scale;
    if (4 * dropped > t->count)
        return 0;
    for (size_t i = 0; i < t->count; i++) {
        if (t->n[i] < 4 && t->loo[i] > median + 4 * scale)
            t->weight[i] *= LOST_WEIGHT;
    }
    return dropped;
}

/* Estimate the error at left-out points; t->loo then has relative residuals. */
static void estimate_error(struct mm_model *model, struct table *t)
{
    const double *columns[2] = {t->g, t->ones};
    size_t count = model->form == MM_MODEL_TERM ? (model->constant_ns != 0 ? 2 : 1) : 1;
    struct mm_fit fit;

    model->error = NAN;
    for (size_t i = 0; i < t->count; i++)
        t->g[i] = model->form == MM_MODEL_TERM
                      ? mm_term_value(&model->term, t->x[model->parameter][i])
                      : 1;
    if (t->count < 2 || mm_fit_linear(t->count, count, columns, t->typ, t->weight,
                                      t->work, &fit, t->loo) < 0)
        return;
    for (size_t i = 0; i < t->count; i++)
        t->work[i] = fabs(t->loo[i]) / (t->typ[i] > 0 ? t->typ[i] : 1);
    model->error = mm_median(t->work, t->count);
}

/* Make the model the mean of all invocations, with its error at left-out sizes. */
static void adopt_mean(struct mm_model *model, struct table *t)
{
    double sum = 0, n = 0;

    for (size_t i = 0; i < t->count; i++) {
        sum += t->n[i] * t->typ[i];
        n += t->n[i];
    }
    for (size_t i = 0; i < t->count; i++) {
        double others = (sum - t->n[i] * t->typ[i]) / (n - t->n[i]);

        t->work[i] = fabs(t->typ[i] - others) / (t->typ[i] > 0 ? t->typ[i] : 1);
    }
    model->form = MM_MODEL_CONSTANT;
    model->factor_ns = 0;
    model->constant_ns = sum / n;
    model->error = mm_median(t->work, t->count);
}

/* True for a constant that is far from the mean: most sizes agree on it, but the costly
 * ones do not. Only points seen often enough not to be pauses of the host count. */
static int misses_sum(const struct mm_model *model, const struct table *t)
{
    double sum = 0, n = 0, ratio = 1;

    for (size_t i = 0; i < t->count; i++) {
        if (t->n[i] < 4)
            continue;
        sum += t->n[i] * t->typ[i];
        n += t->n[i];
    }
    if (sum > 0)
        ratio = model->constant_ns > 0 ? sum / n / model->constant_ns : INFINITY;
    return model->form == MM_MODEL_CONSTANT && (ratio > FAR || ratio < 1 / FAR);
}

/* Where the best formula is wrong by half at left-out sizes, and a constant is hardly
 * worse, the parameters do not determine the cost. The mean then keeps at least the sums
 * right. */
static void doubt_formula(struct mm_model *model, struct table *t)
{
    const double *ones[1] = {t->ones};
    struct mm_model plain = *model;
    struct mm_fit fit;

    if (!(model->error >= MM_MODEL_POOR) && !misses_sum(model, t))
        return;
    if (model->form == MM_MODEL_TERM &&
        mm_fit_linear(t->count, 1, ones, t->typ, t->weight, t->work, &fit, NULL) == 0) {
        plain.form = MM_MODEL_CONSTANT;
        plain.constant_ns = fit.coefficient[0];
        estimate_error(&plain, t);
        if (model->error < BETTER * plain.error)
            return;
    }
    adopt_mean(model, t);
}

/* The scatter about the model serves as the spread where no size was seen twice. */
static struct mm_spread scatter_spread(const struct mm_model *model, struct table *t)
{
    double squares = 0,
           freedom = (double)t->count - (model->form == MM_MODEL_TERM ? 2 : 1);

    if (freedom < 2)
        return (struct mm_spread){0};
    for (size_t i = 0; i < t->count; i++) {
        double rest = (t->typ[i] - fitted_cost(model, t, i)) / t->scale[i];

        squares += rest * rest;
    }
    return (struct mm_spread){.known = 1, .factor = sqrt(squares / freedom), .power = 1};
}

/* Calls that lack a parameter, while others of their modes have all: their mean. */
static double mean_of_lacking(const struct mm_points *points,
                              const struct mm_model *model)
{
    double sum = 0, n = 0;

    for (size_t i = 0; i < points->count && !model->lacks; i++) {
        const struct mm_point *point = &points->points[i];

        if (!point->n || !mm_same_modes(model->method, point->in, model->modes) ||
            !missing_parameter(model->method, point->in))
            continue;
        sum += (double)point->n * point->mean_ns;
        n += (double)point->n;
    }
    return n > 0 ? sum / n : NAN;
}

int mm_model_fit(struct mm_model *model, const struct mm_points *points,
                 const union monitor_value *modes, struct cca_error *err)
{
    const struct mm_method_info *method = points->method;
    struct table t;
    struct best best;
    size_t count;
    int twice = 0, summed = 0;

    *model = (struct mm_model){.method = method, .error = NAN, .counts = points->counts};
    for (size_t i = 0; i < method->in_count; i++) {
        if (!is_parameter(method, i))
            model->modes[i] = modes[i];
    }
    count = count_points(points, model);
    for (size_t i = 0; i < points->count && !count && !model->lacks; i++)
        if (points->points[i].n &&
            mm_same_modes(method, points->points[i].in, model->modes))
            model->lacks = missing_parameter(method, points->points[i].in);
    if (model->lacks)
        count = count_points(points, model);
    model->lacking_ns = mean_of_lacking(points, model);
    if (!count)
        return cca_error_set(err, -ENODATA, "no finished invocation");
    if (table_init(&t, count, method->in_count) < 0)
        return cca_no_memory(err);
    t.floor_ns = points->floor_ns;
    t.counts = points->counts;
    if (table_fill(&t, model, points) < 0) {
        table_done(&t);
        return cca_no_memory(err);
    }
    model->sizes = count;
    table_weigh(&t);
    set_ranges(model, &t);
    model->constant_ns = t.typ[0];
    if (count > 1 && model->lacks) {
        adopt_mean(model, &t);
    } else if (count > 1) {
        search_terms(&t, model, &best);
        adopt_fit(model, &best);
        if (drop_disturbed(&t, model)) {
            search_terms(&t, model, &best);
            adopt_fit(model, &best);
        }
        estimate_error(model, &t);
        doubt_formula(model, &t);
    }
    for (size_t i = 0; i < count; i++) {
        twice |= t.n[i] >= 2 && !isnan(t.sd[i]);
        summed |= t.n[i] >= 2;
    }
    if (twice)
        model->spread = mm_spread_fit(t.typ, t.sd, t.n, count);
    else if (!summed) /* means of many calls tell little of one call */
        model->spread = scatter_spread(model, &t);
    table_done(&t);
    return 0;
}

double mm_model_typical_ns(const struct mm_model *model, const union monitor_value *in)
{
    double value = model->constant_ns;

    if (model->form == MM_MODEL_TERM) {
        double x = mm_in_value(model->method, in, model->parameter);

        if (!mm_term_defined(&model->term, x, x))
            return model->least_ns;
        value += model->factor_ns * mm_term_value(&model->term, x);
    }
    return value > 0 ? value : model->least_ns;
}

int mm_model_is_lacking(const struct mm_model *model, const union monitor_value *in)
{
    return !model->lacks && missing_parameter(model->method, in) != 0;
}

double mm_model_mean_ns(const struct mm_model *model, const union monitor_value *in)
{
    if (mm_model_is_lacking(model, in))
        return model->lacking_ns;
    return model->inflation * mm_model_typical_ns(model, in);
}

double mm_model_sd_ns(const struct mm_model *model, const union monitor_value *in)
{
    if (!model->spread.known || mm_model_is_lacking(model, in))
        return NAN;
    return model->spread.factor *
           pow(mm_model_typical_ns(model, in), model->spread.power);
}

double mm_model_beyond(const struct mm_model *model, const union monitor_value *in,
                       size_t *parameter)
{
    double worst = 1;

    *parameter = model->parameter;
    if (model->lacks || mm_model_is_lacking(model, in))
        return 1;
    for (size_t k = 0; k < model->method->in_count; k++) {
        double x, beyond = 1;

        if (!is_parameter(model->method, k) ||
            (model->form == MM_MODEL_TERM && !model->narrow && k != model->parameter))
            continue;
        x = mm_in_value(model->method, in, k);
        if (x > model->high[k])
            beyond = model->high[k] > 0 ? x / model->high[k] : INFINITY;
        else if (x < model->low[k])
            beyond = x > 0 ? model->low[k] / x : INFINITY;
        if (beyond > worst) {
            worst = beyond;
            *parameter = k;
        }
    }
    return worst;
}

int mm_model_knows(const struct mm_model *model, const union monitor_value *in)
{
    size_t parameter;

    if (model->lacks)
        return missing_parameter(model->method, in) != 0;
    if (mm_model_is_lacking(model, in))
        return !isnan(model->lacking_ns);
    return !model->narrow || mm_model_beyond(model, in, &parameter) <= NEAR;
}

/* Student's t, 97.5 %. */
static double t_975(size_t freedom)
{
    static const double t[] = {INFINITY, 12.71, 4.303, 3.182, 2.776, 2.571,
                               2.447,    2.365, 2.306, 2.262, 2.228};

    return freedom < sizeof t / sizeof *t ? t[freedom] : 1.96 + 2.7 / (double)freedom;
}

double mm_model_half_ns(const struct mm_model *model, double cost_ns)
{
    size_t columns =
        1 + (size_t)(model->form == MM_MODEL_TERM && model->constant_ns != 0);
    double sd; /* relative */

    if (cost_ns == 0)
        return 0;
    if (model->sizes > columns &&
        isfinite(model->error)) /* a median of absolute errors */
        return cost_ns * t_975(model->sizes - columns) *
               fmax(1.4826 * model->error, LEAST_ERROR);
    if (model->sizes != 1 || model->n < 2 || !model->spread.known)
        return NAN;
    sd = model->spread.factor * pow(model->constant_ns, model->spread.power - 1);
    return cost_ns * t_975((size_t)model->n - 1) *
           fmax(sd / sqrt((double)model->n), LEAST_ERROR);
}

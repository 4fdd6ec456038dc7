/* SPDX-License-Identifier: BSD-3-Clause */
/* model_fields.c: the table of a fitted model's members in its file. */
#include "mastermind/repository/model_fields.h"

#include <errno.h>
#include <math.h>

#define MOST_LOGS 64
#define MOST_POWER 1000.

static const struct mm_field factor_fields[] = {
    MM_VALUE(struct mm_factor, parameter, MM_FIELD_SIZE),
    MM_VALUE(struct mm_factor, power, MM_FIELD_DOUBLE),
    MM_VALUE(struct mm_factor, logs, MM_FIELD_INT),
    {0},
};

static const struct mm_field basis_fields[] = {
    MM_VALUE(struct mm_basis, kind, MM_FIELD_INT),
    MM_VALUE(struct mm_basis, factors, MM_FIELD_SIZE),
    MM_STRUCTS(struct mm_basis, factor, factor_fields, MM_BASIS_FACTORS, factors),
    MM_VALUE(struct mm_basis, at, MM_FIELD_DOUBLE),
    {0},
};

/* A row of the covariance matrix, for a table of members. */
struct covariance {
    double row[MM_FORM_TERMS];
};

static const struct mm_field covariance_fields[] = {
    MM_WHOLE(struct covariance, row, MM_FIELD_DOUBLE, MM_FORM_TERMS),
    {0},
};

static const struct mm_field form_fields[] = {
    MM_VALUE(struct mm_form, count, MM_FIELD_SIZE),
    MM_STRUCTS(struct mm_form, basis, basis_fields, MM_FORM_TERMS, count),
    MM_COUNTED(struct mm_form, a, MM_FIELD_DOUBLE, MM_FORM_TERMS, count),
    MM_STRUCTS(struct mm_form, cov, covariance_fields, MM_FORM_TERMS, count),
    MM_VALUE(struct mm_form, weight, MM_FIELD_DOUBLE),
    MM_VALUE(struct mm_form, score, MM_FIELD_DOUBLE),
    MM_VALUE(struct mm_form, error, MM_FIELD_DOUBLE),
    {0},
};

static const struct mm_field forms_fields[] = {
    MM_VALUE(struct mm_forms, count, MM_FIELD_SIZE),
    MM_STRUCTS(struct mm_forms, form, form_fields, MM_FORMS, count),
    MM_VALUE(struct mm_forms, tau, MM_FIELD_DOUBLE),
    {0},
};

static const struct mm_field spread_fields[] = {
    MM_VALUE(struct mm_spread, known, MM_FIELD_INT),
    MM_VALUE(struct mm_spread, factor, MM_FIELD_DOUBLE),
    MM_VALUE(struct mm_spread, power, MM_FIELD_DOUBLE),
    MM_VALUE(struct mm_spread, knots, MM_FIELD_SIZE),
    MM_COUNTED(struct mm_spread, at, MM_FIELD_DOUBLE, MM_SPREAD_KNOTS, knots),
    MM_COUNTED(struct mm_spread, correction, MM_FIELD_DOUBLE, MM_SPREAD_KNOTS, knots),
    {0},
};

static const struct mm_field rule_fields[] = {
    MM_VALUE(struct mm_rule, kind, MM_FIELD_INT),
    MM_VALUE(struct mm_rule, value, MM_FIELD_SIZE),
    MM_VALUE(struct mm_rule, period, MM_FIELD_UNSIGNED),
    MM_VALUE(struct mm_rule, phase, MM_FIELD_UNSIGNED),
    MM_VALUE(struct mm_rule, at, MM_FIELD_DOUBLE),
    MM_VALUE(struct mm_rule, above, MM_FIELD_INT),
    MM_VALUE(struct mm_rule, precision, MM_FIELD_DOUBLE),
    MM_VALUE(struct mm_rule, recall, MM_FIELD_DOUBLE),
    {0},
};

static const struct mm_field population_fields[] = {
    MM_VALUE(struct mm_population, calls, MM_FIELD_DOUBLE),
    MM_VALUE(struct mm_population, share, MM_FIELD_DOUBLE),
    MM_VALUE(struct mm_population, share_power, MM_FIELD_DOUBLE),
    MM_VALUE(struct mm_population, share_base, MM_FIELD_SIZE),
    MM_VALUE(struct mm_population, share_at, MM_FIELD_DOUBLE),
    MM_VALUE(struct mm_population, excess, MM_FIELD_DOUBLE),
    MM_VALUE(struct mm_population, factor, MM_FIELD_DOUBLE),
    MM_VALUE(struct mm_population, power, MM_FIELD_DOUBLE),
    MM_VALUE(struct mm_population, cv, MM_FIELD_DOUBLE),
    MM_WHOLE(struct mm_population, shape, MM_FIELD_DOUBLE, MM_SHAPE),
    MM_VALUE(struct mm_population, known, MM_FIELD_DOUBLE),
    MM_VALUE(struct mm_population, waits, MM_FIELD_INT),
    MM_STRUCT(struct mm_population, rule, rule_fields),
    {0},
};

static const struct mm_field populations_fields[] = {
    MM_VALUE(struct mm_populations, count, MM_FIELD_SIZE),
    MM_STRUCTS(struct mm_populations, item, population_fields, MM_POPULATIONS, count),
    MM_VALUE(struct mm_populations, calls, MM_FIELD_DOUBLE),
    MM_VALUE(struct mm_populations, sum, MM_FIELD_DOUBLE),
    MM_VALUE(struct mm_populations, error, MM_FIELD_DOUBLE),
    MM_VALUE(struct mm_populations, shift, MM_FIELD_DOUBLE),
    MM_VALUE(struct mm_populations, scale, MM_FIELD_DOUBLE),
    MM_STRUCT(struct mm_populations, spread, spread_fields),
    MM_VALUE(struct mm_populations, host_calls, MM_FIELD_DOUBLE),
    MM_VALUE(struct mm_populations, host_ns, MM_FIELD_DOUBLE),
    MM_VALUE(struct mm_populations, no_evidence, MM_FIELD_DOUBLE),
    MM_VALUE(struct mm_populations, waiting_calls, MM_FIELD_DOUBLE),
    {0},
};

static const struct mm_field quantiles_fields[] = {
    MM_WHOLE(struct mm_quantiles, z, MM_FIELD_DOUBLE, MM_LEVELS),
    MM_VALUE(struct mm_quantiles, freedom, MM_FIELD_DOUBLE),
    {0},
};

static const struct mm_field drift_fields[] = {
    MM_VALUE(struct mm_drift, known, MM_FIELD_INT),
    MM_VALUE(struct mm_drift, change, MM_FIELD_DOUBLE),
    MM_VALUE(struct mm_drift, error, MM_FIELD_DOUBLE),
    MM_VALUE(struct mm_drift, significant, MM_FIELD_INT),
    MM_VALUE(struct mm_drift, ascending, MM_FIELD_INT),
    {0},
};

static const struct mm_field runs_fields[] = {
    MM_VALUE(struct mm_run_spread, runs, MM_FIELD_SIZE),
    MM_VALUE(struct mm_run_spread, relative, MM_FIELD_DOUBLE),
    {0},
};

static const struct mm_field doubts_fields[] = {
    MM_WHOLE(struct mm_doubts, few, MM_FIELD_SIZE, MONITOR_MAX_IN),
    MM_WHOLE(struct mm_doubts, step, MM_FIELD_DOUBLE, MONITOR_MAX_IN),
    MM_VALUE(struct mm_doubts, category, MM_FIELD_SIZE),
    MM_VALUE(struct mm_doubts, end, MM_FIELD_INT),
    MM_VALUE(struct mm_doubts, coarse, MM_FIELD_INT),
    MM_VALUE(struct mm_doubts, level_error, MM_FIELD_DOUBLE),
    MM_VALUE(struct mm_doubts, unseen, MM_FIELD_DOUBLE),
    {0},
};

const struct mm_field mm_model_fields[] = {
    MM_STRUCT(struct mm_model, forms, forms_fields),
    MM_STRUCT(struct mm_model, populations, populations_fields),
    MM_STRUCT(struct mm_model, quantiles, quantiles_fields),
    MM_STRUCT(struct mm_model, drift, drift_fields),
    MM_STRUCT(struct mm_model, runs, runs_fields),
    MM_VALUE(struct mm_model, least_ns, MM_FIELD_DOUBLE),
    MM_WHOLE(struct mm_model, exponent_error, MM_FIELD_DOUBLE, MONITOR_MAX_IN),
    MM_STRUCT(struct mm_model, doubts, doubts_fields),
    MM_VALUE(struct mm_model, narrow, MM_FIELD_INT),
    MM_VALUE(struct mm_model, poor, MM_FIELD_INT),
    MM_VALUE(struct mm_model, lacks, MM_FIELD_SIZE),
    MM_VALUE(struct mm_model, lacking_ns, MM_FIELD_DOUBLE),
    MM_VALUE(struct mm_model, n, MM_FIELD_UINT64),
    MM_VALUE(struct mm_model, sizes, MM_FIELD_SIZE),
    MM_VALUE(struct mm_model, scatter, MM_FIELD_DOUBLE),
    MM_WHOLE(struct mm_model, cache_bytes, MM_FIELD_DOUBLE, MM_CACHE_LEVELS),
    MM_VALUE(struct mm_model, unit_bytes, MM_FIELD_NONZERO),
    MM_VALUE(struct mm_model, typical_sum_ns, MM_FIELD_DOUBLE),
    MM_VALUE(struct mm_model, counts, MM_FIELD_INT),
    {0},
};

static int is_parameter(const struct mm_model *model, size_t index)
{
    return index < model->method->in_count &&
           model->method->values[index].kind == MONITOR_PARAM;
}

static int basis_is_good(const struct mm_model *model, const struct mm_basis *basis)
{
    int one = basis->kind == MM_BASIS_ONE, product = basis->kind == MM_BASIS_PRODUCT;

    if ((unsigned)basis->kind > MM_BASIS_EXPONENTIAL || basis->factors > MM_BASIS_FACTORS)
        return 0;
    if (one ? basis->factors != 0 : basis->factors == 0)
        return 0;
    if (!one && !product && (basis->factors != 1 || !isfinite(basis->at)))
        return 0;
    for (size_t k = 0; k < basis->factors; k++)
        if (!is_parameter(model, basis->factor[k].parameter) ||
            !(fabs(basis->factor[k].power) <= MOST_POWER) || basis->factor[k].logs < 0 ||
            basis->factor[k].logs > MOST_LOGS)
            return 0;
    return 1;
}

static int form_is_good(const struct mm_model *model, const struct mm_form *form)
{
    if (form->count > MM_FORM_TERMS)
        return 0;
    for (size_t i = 0; i < form->count; i++)
        if (!basis_is_good(model, &form->basis[i]) || !isfinite(form->a[i]))
            return 0;
    return 1;
}

/* True if rules refer to values of the method, and shares are from 0 to 1. */
static int populations_are_good(const struct mm_model *model)
{
    const struct mm_populations *p = &model->populations;

    for (size_t i = 0; i < p->count; i++) {
        const struct mm_rule *rule = &p->item[i].rule;

        if ((unsigned)rule->kind > MM_RULE_OUT || !isfinite(p->item[i].excess) ||
            !(p->item[i].share >= 0 && p->item[i].share <= 1))
            return 0;
        if (rule->kind == MM_RULE_PARAMETER ? !is_parameter(model, rule->value)
            : rule->kind == MM_RULE_OUT     ? rule->value >= model->method->value_count
                                            : 0)
            return 0;
    }
    for (size_t i = 0; i < MM_LEVELS; i++)
        if (!isfinite(model->quantiles.z[i]))
            return 0;
    return isfinite(p->scale);
}

int mm_model_check(const struct mm_model *model, struct cca_error *err)
{
    if (!model->forms.count || model->forms.count > MM_FORMS)
        return cca_error_set(err, -EBADMSG, "found %zu forms, expected 1 to %d",
                             model->forms.count, MM_FORMS);
    for (size_t i = 0; i < model->forms.count; i++)
        if (!form_is_good(model, &model->forms.form[i]))
            return cca_error_set(err, -EBADMSG,
                                 "found a form that is no sum over the parameters");
    if (!populations_are_good(model))
        return cca_error_set(err, -EBADMSG, "found invalid populations");
    if (model->lacks && !is_parameter(model, model->lacks - 1))
        return cca_error_set(err, -EBADMSG, "found no parameter %zu, expected 'lacks'",
                             model->lacks);
    if (!(model->least_ns >= 0))
        return cca_error_set(err, -EBADMSG, "found a least cost below 0");
    for (size_t k = 0; k < model->method->in_count; k++)
        if (is_parameter(model, k) && !(model->low[k] <= model->high[k]))
            return cca_error_set(err, -EBADMSG,
                                 "found a range from %g to %g, expected an ascending one",
                                 model->low[k], model->high[k]);
    return 0;
}

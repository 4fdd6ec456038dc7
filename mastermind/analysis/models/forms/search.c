/* SPDX-License-Identifier: BSD-3-Clause */
/* search.c: choose a form: a constant, or one term of the family with or without one. */
#include "mastermind/analysis/models/forms/search.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/analysis/models/forms/fit.h"
#include "mastermind/analysis/models/forms/term.h"

#define LEAST_ERROR .004 /* relative; no size is trusted to be more exact */
#define DRIFT .01   /* relative; sizes differ by this much for other reasons than size */
#define WIDE 1.5    /* largest over smallest size that tells of others */
#define EXACT 1e-12 /* squared, in LEAST_ERRORs; below it residuals are rounding */

/* The working columns of a search. */
struct work {
    const struct mm_sample_table *table;
    double *memory, *weight, *g, *ones, *loo, *scratch;
    double floor; /* misfit per size that the noise of the sizes explains */
};

static int work_init(struct work *w, const struct mm_sample_table *t)
{
    double *next = calloc(t->count * 7, sizeof *next);

    if (!next)
        return -ENOMEM;
    *w = (struct work){.table = t, .memory = next, .weight = next};
    w->g = next += t->count;
    w->ones = next += t->count;
    w->loo = next += t->count;
    w->scratch = next += t->count;
    for (size_t i = 0; i < t->count; i++) {
        double scale = fmax(fmax(t->typ[i], t->floor_ns), 1), square = scale * scale;
        double noise = t->floor_ns * t->floor_ns;

        w->ones[i] = 1;
        w->weight[i] = 1 / (t->variance[i] + square * LEAST_ERROR * LEAST_ERROR + noise);
        if (t->variance[i] > 0)
            noise += t->variance[i] + square * DRIFT * DRIFT;
        w->floor += noise * w->weight[i] / (double)t->count;
    }
    return 0;
}

/* The worth of a fit, less is better: leave-one-out misfit and a price for its shape.
 * Misfit below the noise is luck: without the floor a term that follows one noisy size
 * would win. */
static double score_of(const struct work *w, const struct mm_fit *fit, size_t columns,
                       double surprise)
{
    double d = (double)w->table->count;

    return d * log(fit->press / d + w->floor + EXACT) +
           ((double)columns + surprise) * log(d + 1);
}

static int is_wide(const struct mm_sample_table *t, size_t k)
{
    return t->high[k] >= WIDE * t->low[k] && t->high[k] > t->low[k];
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
static int is_tellable(const struct mm_sample_table *t, size_t parameter,
                       const struct mm_term *term)
{
    if (t->count < 6 && price_of(t->method, parameter) > 0)
        return 0;
    if (t->count < 4 || !is_wide(t, parameter))
        return term->surprise == 0;
    return t->count >= 5 || term->surprise <= .5;
}

/* Try c0 + c1 g, or c1 g. The term must grow, and the cost must be positive at every size
 * seen. */
static void try_term(struct work *w, int with_constant, size_t parameter,
                     const struct mm_term *term, struct mm_form *best)
{
    const struct mm_sample_table *t = w->table;
    const double *columns[2] = {w->g, w->ones};
    size_t count = with_constant ? 2 : 1;
    struct mm_fit fit;
    double score;

    if (mm_fit_linear(t->count, count, columns, t->typ, w->weight, w->scratch, &fit,
                      NULL) < 0)
        return;
    if (!(fit.coefficient[0] > 0))
        return;
    for (size_t i = 0; with_constant && i < t->count; i++) {
        double cost = fit.coefficient[1] + fit.coefficient[0] * w->g[i];

        if (!(cost > 0) && !(t->counts && t->typ[i] <= 0))
            return;
    }
    score = score_of(w, &fit, count, term->surprise + price_of(t->method, parameter));
    if (!(score < best->score))
        return;
    *best = (struct mm_form){.count = count, .score = score, .weight = 1};
    best->basis[0] = (struct mm_basis){
        .kind = MM_BASIS_PRODUCT,
        .factor = {{parameter, (double)term->numerator / term->denominator, term->logs}},
        .factors = 1};
    best->basis[1] = (struct mm_basis){.kind = MM_BASIS_ONE};
    memcpy(best->a, fit.coefficient, count * sizeof *best->a);
}

/* True if any two sizes differ by more than measuring does. */
static int sizes_differ(const struct mm_sample_table *t)
{
    double least = t->typ[0], most = t->typ[0];

    for (size_t i = 1; i < t->count; i++) {
        least = fmin(least, t->typ[i]);
        most = fmax(most, t->typ[i]);
    }
    return most - least > t->floor_ns || !(t->floor_ns > 0);
}

static void search_terms(struct work *w, struct mm_form *best)
{
    const struct mm_sample_table *t = w->table;
    const double *ones[1] = {w->ones};
    struct mm_fit fit;

    *best = (struct mm_form){.count = 1, .score = INFINITY, .weight = 1};
    best->a[0] = t->typ[0];
    if (mm_fit_linear(t->count, 1, ones, t->typ, w->weight, w->scratch, &fit, NULL) ==
        0) {
        best->score = score_of(w, &fit, 1, 0);
        best->a[0] = fit.coefficient[0];
    }
    for (size_t k = 0; k < t->method->in_count && sizes_differ(t); k++) {
        if (!t->x[k] || !(t->low[k] < t->high[k]))
            continue;
        for (size_t j = 0; j < mm_term_count; j++) {
            if (!is_tellable(t, k, &mm_terms[j]) ||
                !mm_term_defined(&mm_terms[j], t->low[k], t->high[k]))
                continue;
            for (size_t i = 0; i < t->count; i++)
                w->g[i] = mm_term_value(&mm_terms[j], t->x[k][i]);
            try_term(w, 0, k, &mm_terms[j], best);
            if (t->count >= 3)
                try_term(w, 1, k, &mm_terms[j], best);
        }
    }
}

/* Estimate the error at left-out sizes. */
static void set_error(struct work *w, struct mm_form *form)
{
    const struct mm_sample_table *t = w->table;
    const double *columns[2] = {w->g, w->ones};
    struct mm_fit fit;

    form->error = NAN;
    for (size_t i = 0; i < MM_FORM_TERMS; i++)
        for (size_t k = 0; k < MM_FORM_TERMS; k++)
            form->cov[i][k] = NAN;
    for (size_t i = 0; i < t->count; i++) {
        double x[MONITOR_MAX_IN];

        mm_sample_table_tuple(t, i, x);
        w->g[i] = mm_basis_value(&form->basis[0], x);
    }
    if (t->count < 2 || mm_fit_linear(t->count, form->count, columns, t->typ, w->weight,
                                      w->scratch, &fit, w->loo) < 0)
        return;
    for (size_t i = 0; i < t->count; i++)
        w->scratch[i] = fabs(w->loo[i]) / (t->typ[i] > 0 ? t->typ[i] : 1);
    form->error = mm_median(w->scratch, t->count);
}

int mm_search(const struct mm_sample_table *table,
              const struct mm_search_options *options, struct mm_forms *forms)
{
    struct work w;

    (void)options;
    *forms = (struct mm_forms){.count = 1};
    if (work_init(&w, table) < 0)
        return -ENOMEM;
    search_terms(&w, &forms->form[0]);
    set_error(&w, &forms->form[0]);
    free(w.memory);
    return 0;
}

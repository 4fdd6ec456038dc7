/* SPDX-License-Identifier: BSD-3-Clause */
/* one_size.c: cells whose calls have one size in each run. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mastermind/forecast/cost.h"

/* True where all calls of a cell have the same sizes in each run. */
int mm_cell_has_one_size(const struct mm_cells *cells, size_t cell)
{
    const struct mm_cell *c = &cells->items[cell];

    for (size_t r = 0; r < cells->runs; r++)
        if (c->runs[r].count > 1 || c->runs[r].unknown > 0)
            return 0;
    return 1;
}

/* Add the sum of a basis function over calls of one size `x` [in_count of the cell's
 * method], with half-widths `half`. */
static void add_product(const struct mm_basis *basis, size_t in_count, const double *x,
                        const double *half, struct mm_forecast_cell *of)
{
    struct mm_amount *amount = &of->sums[of->sum_count++];
    double value = mm_basis_value(basis, x), own = 0, moved[MONITOR_MAX_IN];

    *amount = of->calls;
    for (size_t k = 0; k < in_count; k++) {
        memcpy(moved, x, sizeof moved);
        moved[k] += half[k];
        own += half[k] > 0 ? fabs(mm_basis_value(basis, moved) - value) : 0;
    }
    amount->number.value *= value;
    amount->number.low *= value;
    amount->number.high *= value;
    amount->own = hypot(amount->own * value, of->calls.number.value * own);
    amount->exact = amount->exact && own == 0;
    for (size_t d = 0; d < MM_DRIVERS; d++)
        amount->driver[d] *= value;
    if (basis->kind != MM_BASIS_ONE)
        snprintf(amount->law, sizeof amount->law, "calls of one size");
}

/* True if a form contains in-value `at` of the cell's method. */
static int is_used_by(const struct mm_form *form, const struct mm_method_info *from,
                      const struct mm_method_info *to, size_t at)
{
    for (size_t k = 0; k < from->in_count; k++)
        if (strcmp(from->values[k].name, to->values[at].name) == 0)
            return mm_form_uses(form, k);
    return 0;
}

/* True for a size that is certain enough for all calls: it has a closed form and is
 * within the measured sizes, or above them if the form has at least two terms fewer than
 * there are sizes. */
static int is_sure(const struct mm_forecaster *f, const struct mm_quantity *quantity,
                   const struct mm_amount *size)
{
    double least = INFINITY, most = 0;
    size_t sizes = 0, terms = 1;

    for (size_t r = 0; r < f->count; r++) {
        size_t k = 0;

        least = fmin(least, isnan(quantity->y[r]) ? INFINITY : quantity->y[r]);
        most = fmax(most, quantity->y[r]);
        while (k < r && quantity->y[k] != quantity->y[r])
            k++;
        sizes += k == r && !isnan(quantity->y[r]);
    }
    for (const char *at = size->law; *at; at++)
        terms += strncmp(at, " + ", 3) == 0 || strncmp(at, " - ", 3) == 0;
    return size->own == 0 && size->number.value >= least &&
           (size->number.value <= most || terms + 2 < sizes);
}

int mm_cell_one_size(struct mm_forecaster *f, const struct mm_asked *asked,
                     struct mm_forecast_cell *of, struct cca_error *err)
{
    const struct mm_method_info *method = mm_cell_method(&f->structure.cells, of->cell);
    const struct mm_form *form = &of->model->forms.form[0];
    double x[MONITOR_MAX_IN] = {0}, half[MONITOR_MAX_IN] = {0};
    struct mm_basis mapped[MM_FORM_TERMS];

    if (!mm_cell_has_one_size(&f->structure.cells, of->cell))
        return 0;
    for (size_t k = 0; k < method->in_count; k++) {
        struct mm_basis basis = {.factor[0] = {.parameter = k, .power = 1}, .factors = 1};
        struct mm_quantity *quantity =
            mm_structure_quantity(&f->structure, MM_QUANTITY_MOST, of->cell, &basis);
        struct mm_amount size;

        if (!quantity)
            return cca_no_memory(err);
        if (mm_structure_amount(&f->structure, quantity, asked, &size, err))
            return err->code;
        if (is_used_by(form, of->model->method, method, k) &&
            !is_sure(f, quantity, &size))
            return 0; /* the sums over the calls have more certain scaling functions */
        x[k] = size.number.value;
        half[k] = size.own;
    }
    for (size_t k = 0; k < form->count; k++)
        if (mm_cell_basis(&form->basis[k], of->model->method, method, &mapped[k]) ||
            !isfinite(mm_basis_value(&mapped[k], x)))
            return 0;
    for (size_t k = 0; k < form->count; k++)
        add_product(&mapped[k], method->in_count, x, half, of);
    return 1;
}

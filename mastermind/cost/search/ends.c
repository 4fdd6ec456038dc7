/* SPDX-License-Identifier: BSD-3-Clause */
/* ends.c: jumps to the smallest or largest size. */
#include "mastermind/cost/search/parts.h"

#include <math.h>

#define CALLS 4 /* least number of calls at the smallest or largest size */
/* least deviation of the mean of these calls from the form, in standard errors */
#define CLEAR 4.
/* least deviation from the form at the smallest size, as a factor: a cold cache may cause
 * a smaller deviation */
#define COLD 2.
/* largest ratio of the deviation of an end's cost to the cost by the form; where it is
 * larger, rounding of the residual would dominate */
#define MOST 1e6
#define HINGE_WEIGHT .5

/* True where row `row` alone has the smallest or largest size; `*next` gets the
 * neighbouring size. */
static int is_end(const struct mm_axis *axis, size_t rows, size_t row, double *next)
{
    double own = axis->x[row];

    if (own != axis->low && own != axis->high)
        return 0;
    *next = own == axis->low ? axis->high : axis->low;
    for (size_t i = 0; i < rows; i++) {
        if (i == row)
            continue;
        if (axis->x[i] == own)
            return 0;
        *next = own == axis->low ? fmin(*next, axis->x[i]) : fmax(*next, axis->x[i]);
    }
    return 1;
}

int mm_end_see(struct mm_end *end, const struct mm_sheet *sheet, size_t row,
               double residual)
{
    double next, error = sqrt(sheet->noise[row]);

    if (end->found || sheet->axes != 1 || sheet->table->count != sheet->rows ||
        sheet->table->n[row] < CALLS || !(fabs(residual) > CLEAR * error) ||
        !(fabs(residual) < MOST * (sheet->y[row] - residual)) ||
        !is_end(&sheet->axis[0], sheet->rows, row, &next))
        return 0;
    if (next > sheet->axis[0].x[row] && !(residual > COLD * (sheet->y[row] - residual)))
        return 0;
    *end = (struct mm_end){1, row, next};
    return 1;
}

static void add_basis(struct mm_form *form, const struct mm_basis *basis, double a,
                      double variance)
{
    size_t at = form->count++;

    for (size_t k = 0; k < form->count; k++)
        form->cov[at][k] = form->cov[k][at] = 0;
    form->basis[at] = *basis;
    form->a[at] = a;
    form->cov[at][at] = variance;
    if (at && form->basis[at - 1].kind == MM_BASIS_ONE) { /* the constant comes last */
        form->basis[at] = form->basis[at - 1];
        form->basis[at - 1] = *basis;
        form->a[at] = form->a[at - 1];
        form->a[at - 1] = a;
        for (size_t k = 0; k + 1 < at; k++) {
            form->cov[at][k] = form->cov[k][at] = form->cov[at - 1][k];
            form->cov[at - 1][k] = form->cov[k][at - 1] = 0;
        }
        form->cov[at][at] = form->cov[at - 1][at - 1];
        form->cov[at - 1][at - 1] = variance;
    }
}

/* Make `form` equal the cost at the end (smallest or largest size) by adding the jump or
 * hinge `basis`. Returns 1 or 0. */
static int form_meets_end(const struct mm_end *end, const struct mm_sheet *s,
                          struct mm_form *form, struct mm_basis *basis)
{
    const struct mm_axis *axis = &s->axis[0];
    double x[MONITOR_MAX_IN] = {0}, rest, at_end;
    static const struct mm_basis one = {.kind = MM_BASIS_ONE};

    x[axis->parameter] = axis->x[end->row];
    rest = s->y[end->row] * s->unit - mm_form_value(form, x);
    at_end = mm_basis_value(basis, x);
    if (form->count + 1 + (at_end == 0) > MM_FORM_TERMS || !isfinite(rest))
        return 0;
    if (at_end > 0) {
        add_basis(form, basis, rest / at_end, 0);
        return 1;
    }
    add_basis(form, basis, -rest, 0);
    if (form->basis[form->count - 1].kind == MM_BASIS_ONE)
        form->a[form->count - 1] += rest;
    else
        add_basis(form, &one, rest, 0);
    return 1;
}

/* Add the best form with a hinge at the neighbouring size as first alternative. */
static void add_hinge(const struct mm_end *end, const struct mm_sheet *s,
                      struct mm_forms *forms, const struct mm_form *before)
{
    struct mm_form form = *before;
    struct mm_basis hinge = {.kind = MM_BASIS_HINGE,
                             .factor = {{s->axis[0].parameter, 1, 0}},
                             .factors = 1,
                             .at = end->next};

    if (!form_meets_end(end, s, &form, &hinge))
        return;
    if (forms->count < MM_FORMS)
        forms->count++;
    for (size_t i = forms->count - 1; i > 1; i--)
        forms->form[i] = forms->form[i - 1];
    for (size_t i = 0; i < forms->count; i++)
        forms->form[i].weight *= 1 - HINGE_WEIGHT;
    form.weight = HINGE_WEIGHT;
    forms->form[1] = form;
}

void mm_end_add(const struct mm_end *end, const struct mm_sheet *sheet,
                struct mm_forms *forms)
{
    const struct mm_axis *axis = &sheet->axis[0];
    struct mm_form before = forms->form[0];
    double own = axis->x[end->row];
    struct mm_basis jump = {
        .kind = MM_BASIS_JUMP,
        .factor = {{axis->parameter, 0, 0}},
        .factors = 1,
        .at = mm_place_between(fmin(own, end->next), fmax(own, end->next), .5)};

    for (size_t i = 0; i < forms->count; i++)
        form_meets_end(end, sheet, &forms->form[i], &jump);
    if (own == axis->high)
        add_hinge(end, sheet, forms, &before);
}

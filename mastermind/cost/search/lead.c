/* SPDX-License-Identifier: BSD-3-Clause */
/* lead.c: residuals of a formula with one additional column. */
#include "mastermind/cost/search/lead.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "mastermind/cost/forms/dot.h"
#include "mastermind/cost/forms/fit.h"

/* Remove from `v` its component along the unit vector `u`. Returns the component. */
static double project(double *v, const double *u, size_t n)
{
    double part = mm_dot(v, u, n);

    for (size_t i = 0; i < n; i++)
        v[i] -= part * u[i];
    return part;
}

int mm_lead_init(struct mm_lead *lead, const struct mm_sheet *sheet)
{
    size_t n = sheet->rows;

    *lead = (struct mm_lead){.sheet = sheet};
    lead->memory = malloc((MM_FORM_TERMS + 2) * (n + 1) * sizeof *lead->memory);
    if (!lead->memory)
        return -ENOMEM;
    lead->q = lead->memory;
    lead->rest = lead->q + MM_FORM_TERMS * n;
    lead->column = lead->rest + n;
    return 0;
}

void mm_lead_done(struct mm_lead *lead)
{
    free(lead->memory);
    *lead = (struct mm_lead){0};
}

int mm_lead_set(struct mm_lead *lead, const struct mm_candidate *candidate)
{
    const struct mm_sheet *s = lead->sheet;
    size_t n = s->rows;

    lead->candidate = candidate;
    for (size_t k = 0; k < candidate->count; k++) {
        double *q = lead->q + k * n, length, own;

        if (!mm_sheet_evaluate(s, &candidate->basis[k], q))
            return 0;
        for (size_t i = 0; i < n; i++)
            q[i] *= s->root[i];
        own = mm_dot(q, q, n);
        for (size_t j = 0; j < 2 * k; j++) /* orthogonalise twice, against rounding
                                              errors */
            project(q, lead->q + j % k * n, n);
        length = mm_dot(q, q, n);
        if (!(length > MM_DEPENDENT * own) || !isfinite(length))
            return 0;
        for (size_t i = 0; i < n; i++)
            q[i] /= sqrt(length);
    }
    for (size_t i = 0; i < n; i++)
        lead->rest[i] = s->y[i] * s->root[i];
    for (size_t k = 0; k < candidate->count; k++)
        project(lead->rest, lead->q + k * n, n);
    lead->squares = mm_dot(lead->rest, lead->rest, n);
    return 1;
}

double mm_lead_rest(const struct mm_lead *lead, double *slope)
{
    size_t n = lead->sheet->rows;
    double own = mm_dot(lead->column, lead->column, n), length = own, product;

    for (size_t k = 0; k < lead->candidate->count; k++) {
        double part = mm_dot(lead->column, lead->q + k * n, n);

        length -= part * part;
    }
    if (!(length > MM_DEPENDENT * own))
        return INFINITY;
    /* No projection of the column is needed: the residuals are orthogonal to the lead. */
    product = mm_dot(lead->column, lead->rest, n);
    *slope = product / length;
    return fmax(lead->squares - product * *slope, 0);
}

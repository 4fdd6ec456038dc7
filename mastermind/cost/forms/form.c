/* SPDX-License-Identifier: BSD-3-Clause */
/* form.c: values and variances of fitted sums. */
#include "mastermind/cost/forms/form.h"

double mm_form_value(const struct mm_form *form, const double *x)
{
    double value = 0;

    for (size_t i = 0; i < form->count; i++)
        if (form->a[i] != 0)
            value += form->a[i] * mm_basis_value(&form->basis[i], x);
    return value;
}

double mm_form_variance(const struct mm_form *form, const double *x)
{
    double g[MM_FORM_TERMS], variance = 0;

    for (size_t i = 0; i < form->count; i++)
        g[i] = mm_basis_value(&form->basis[i], x);
    for (size_t i = 0; i < form->count; i++)
        for (size_t k = 0; k < form->count; k++)
            variance += g[i] * g[k] * form->cov[i][k];
    return variance < 0 ? 0 : variance;
}

int mm_form_is_constant(const struct mm_form *form)
{
    return form->count == 1 && form->basis[0].kind == MM_BASIS_ONE;
}

double mm_form_constant(const struct mm_form *form)
{
    for (size_t i = 0; i < form->count; i++)
        if (form->basis[i].kind == MM_BASIS_ONE)
            return form->a[i];
    return 0;
}

int mm_form_uses(const struct mm_form *form, size_t parameter)
{
    for (size_t i = 0; i < form->count; i++)
        for (size_t k = 0; k < form->basis[i].factors; k++)
            if (form->basis[i].factor[k].parameter == parameter)
                return 1;
    return 0;
}

int mm_form_has_break(const struct mm_form *form)
{
    for (size_t i = 0; i < form->count; i++)
        if (form->basis[i].kind == MM_BASIS_HINGE || form->basis[i].kind == MM_BASIS_JUMP)
            return 1;
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* law_text.c: Scaling functions (mm_law) are written as expressions. Axes are doubles,
 * nproc is a long. */
#include "activity/trip/text.h"

#include <math.h>
#include <string.h>

#include "mastermind/counts/counts.h"

/* Text of a variable as a factor; NULL: the activity language has no such function. */
static const char *text_of_variable(struct text *text, const struct mm_law *law, size_t v,
                                    const char *const *names)
{
    const struct mm_law_variable *variable = &law->data.variable[v];
    const char *a = names[variable->axis];
    const char *b =
        variable->divisor == MM_LAW_NO_AXIS ? "1.0" : names[variable->divisor];
    const char *other;

    if (strcmp(a, "nproc") == 0)
        a = "(1.0*nproc)";
    if (strcmp(b, "nproc") == 0)
        b = "(1.0*nproc)";
    switch (variable->kind) {
    case MM_LAW_AXIS:
        return a;
    case MM_LAW_CEILING:
        return text_print(text, "ceil(%s/%s)", a, b);
    case MM_LAW_INNER:
        return text_print(text, "max(0, ceil(%s/%s) - 2)", a, b);
    case MM_LAW_FLOOR:
        return text_print(text, "floor(%s/%s)", a, b);
    case MM_LAW_REMAINDER:
        return text_print(text, "(%s - %s*floor(%s/%s))", a, b, a, b);
    case MM_LAW_LEAST:
        return text_print(text, "min(%s, %s)", a, b);
    case MM_LAW_MOST:
        return text_print(text, "max(%s, %s)", a, b);
    case MM_LAW_EXP2:
        return text_print(text, "pow(2.0, %s)", a);
    case MM_LAW_BORDER:
        other = names[variable->other];
        return text_print(text,
                          "(ceil(%s/%s)*ceil(%s/%s) - max(0, ceil(%s/%s) - 2)*max(0, "
                          "ceil(%s/%s) - 2))",
                          a, b, other, b, a, b, other, b);
    case MM_LAW_PIECES:
    case MM_LAW_KINDS:
        break;
    }
    return NULL;
}

static const char *text_of_power(struct text *text, const char *variable, double power)
{
    if (power == 1)
        return text_print(text, "*%s", variable);
    if (power == 2)
        return text_print(text, "*%s*%s", variable, variable);
    if (power == -1)
        return text_print(text, "/%s", variable);
    return text_print(text, "*pow(%s, %.12g)", variable, power);
}

/* Text of a coefficient as a number of type double. */
static const char *text_of_coefficient(struct text *text, double value, int digits)
{
    const char *printed = text_print(text, "%.*g", digits, value);

    return strpbrk(printed, ".en") ? printed : text_print(text, "%s.0", printed);
}

/* How the terms of a sum are printed. */
struct printing {
    const struct mm_law *law;
    const char *const *names;
    /* axis of which one factor is left out of each term, or MM_LAW_NO_AXIS */
    size_t driver;
    double divisor; /* divides each coefficient */
    int digits;
};

static int is_driver(const struct printing *p, const struct mm_factor *factor)
{
    const struct mm_law_variable *variable = &p->law->data.variable[factor->parameter];

    return variable->kind == MM_LAW_AXIS && variable->axis == p->driver;
}

/* Text of the factors of a term after its coefficient; NULL: the activity language cannot
 * express them. `*drivers` counts occurrences of the axis `driver`. */
static const char *text_of_term(struct text *text, const struct printing *p,
                                const struct mm_basis *basis, int *drivers)
{
    const char *term = "";

    if (basis->kind == MM_BASIS_ONE)
        return term;
    if (basis->kind != MM_BASIS_PRODUCT)
        return NULL;
    for (size_t f = 0; f < basis->factors; f++) {
        const struct mm_factor *factor = &basis->factor[f];
        const char *variable;

        if (p->driver != MM_LAW_NO_AXIS && is_driver(p, factor)) {
            if (factor->power != 1 || factor->logs)
                return NULL;
            ++*drivers;
            continue;
        }
        variable = text_of_variable(text, p->law, factor->parameter, p->names);
        if (!variable)
            return NULL;
        if (factor->power != 0)
            term = text_print(text, "%s%s", term,
                              text_of_power(text, variable, factor->power));
        if (factor->logs)
            term = text_print(text, "%s%s", term,
                              text_of_power(text, text_print(text, "log2(%s)", variable),
                                            factor->logs));
    }
    return term;
}

/* Text of a sum of terms. `drivers` counts how often the exogenous count is a factor
 * outside of the sum; NULL: it is not a factor of each term exactly once in all. */
static const char *text_of_sum(struct text *text, const struct printing *p,
                               const struct mm_basis *basis, const double *a,
                               size_t count, int drivers)
{
    const char *sum = "";

    for (size_t k = 0; k < count; k++) {
        int of_term = drivers;
        const char *term = text_of_term(text, p, &basis[k], &of_term);

        if (!term || (p->driver != MM_LAW_NO_AXIS && of_term != 1))
            return NULL;
        sum = text_print(text, "%s%s%s%s", sum,
                         k          ? a[k] < 0 ? " - " : " + "
                         : a[k] < 0 ? "-"
                                    : "",
                         text_of_coefficient(text, fabs(a[k] / p->divisor), p->digits),
                         term);
    }
    return sum;
}

static const char *text_of_product(struct text *text, const struct mm_law *law,
                                   const struct mm_law_member *member,
                                   const char *const *names)
{
    const char *product = text_of_coefficient(text, exp(member->a[0]), 6);

    for (size_t k = 1; k < member->columns; k++) {
        const char *variable = text_of_variable(text, law, member->variable[k], names);

        if (!variable)
            return NULL;
        if (member->shape[k] == MM_LAW_LEVELLED)
            product =
                text_print(text, "%s*exp(%.6g/%s)", product, member->a[k], variable);
        else if (member->shape[k] == MM_LAW_SLOW)
            product = text_print(text, "%s*pow(log2(%s), %.4f)", product, variable,
                                 member->a[k]);
        else
            product =
                text_print(text, "%s*pow(%s, %.4f)", product, variable, member->a[k]);
    }
    for (size_t k = 0; k < member->fixed_count; k++) {
        const char *variable = text_of_variable(text, law, member->fixed[k], names);

        if (!variable)
            return NULL;
        product = text_print(text, "%s*%s", product, variable);
    }
    return product;
}

static const char *text_of_exact(struct text *text, const struct printing *p,
                                 const struct mm_law_form *form)
{
    int drivers = form->driver != MM_LAW_NO_AXIS;
    const struct mm_law_variable *each =
        drivers ? &p->law->data.variable[form->driver] : NULL;

    if (each && (each->kind != MM_LAW_AXIS || each->axis != p->driver))
        return NULL;
    return text_of_sum(text, p, form->form.basis, form->form.a, form->form.count,
                       drivers);
}

const char *text_of_form(struct text *text, const struct mm_law *law,
                         const char *const *names, size_t driver, double divisor)
{
    struct printing printing = {law, names, driver, divisor, 12};
    const char *found = NULL;

    if (law->kind == MM_LAW_EXACT)
        for (size_t i = 0; i < law->exact.count && !found; i++)
            found = text_of_exact(text, &printing, &law->exact.form[i]);
    for (size_t i = 0; law->kind == MM_LAW_TREND && i < law->trend.count && !found; i++) {
        const struct mm_law_member *member = &law->trend.member[i];

        found = member->is_sum ? text_of_sum(text, &printing, member->basis, member->a,
                                             member->columns, 0)
                               : text_of_product(text, law, member, names);
    }
    return found;
}

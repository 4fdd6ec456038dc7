/* SPDX-License-Identifier: BSD-3-Clause */
/* law_print.c: scaling functions as text. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "mastermind/counts/laws/law_forms.h"

struct text {
    char *to;
    size_t size, length;
};

__attribute__((format(printf, 2, 3))) static void text_add(struct text *text,
                                                           const char *format, ...)
{
    size_t left = text->length < text->size ? text->size - text->length : 0;
    va_list list;
    int length;

    va_start(list, format);
    length = vsnprintf(left ? text->to + text->length : NULL, left, format, list);
    va_end(list);
    if (length > 0)
        text->length += (size_t)length;
}

static void print_variable(struct text *text, const struct mm_law_data *data, size_t v)
{
    char name[200];

    mm_law_variable_print(&data->variable[v], data->name, name, sizeof name);
    text_add(text, "%s", name);
}

static void print_power(struct text *text, double power)
{
    int numerator, denominator;

    if (power == 1)
        return;
    if (mm_power_fraction(power, &numerator, &denominator) && denominator == 3)
        text_add(text, "^(%d/%d)", numerator, denominator);
    else
        text_add(text, "^%.4g", power);
}

static void print_factor(struct text *text, const struct mm_law_data *data,
                         const struct mm_factor *factor)
{
    if (factor->power != 0) {
        text_add(text, " %s ", factor->power == -1 ? "/" : "*");
        print_variable(text, data, factor->parameter);
        if (factor->power != -1)
            print_power(text, factor->power);
    }
    if (factor->logs) {
        text_add(text, " * log2(");
        print_variable(text, data, factor->parameter);
        text_add(text, ")");
        print_power(text, factor->logs);
    }
}

static void print_sum(struct text *text, const struct mm_law_data *data,
                      const struct mm_basis *basis, const double *a, size_t count,
                      int digits)
{
    for (size_t k = 0; k < count; k++) {
        text_add(text, "%s", k ? a[k] < 0 ? " - " : " + " : a[k] < 0 ? "-" : "");
        text_add(text, "%.*g", digits, fabs(a[k]));
        for (size_t f = 0; basis[k].kind == MM_BASIS_PRODUCT && f < basis[k].factors; f++)
            print_factor(text, data, &basis[k].factor[f]);
    }
}

static void print_product(struct text *text, const struct mm_law_data *data,
                          const struct mm_law_member *member)
{
    text_add(text, "%.4g", exp(member->a[0]));
    for (size_t k = 1; k < member->columns; k++) {
        if (member->shape[k] == MM_LAW_LEVELLED)
            text_add(text, " * exp(%.4g/", member->a[k]);
        else
            text_add(text, "%s", member->shape[k] == MM_LAW_SLOW ? " * log2(" : " * ");
        print_variable(text, data, member->variable[k]);
        text_add(text, "%s", member->shape[k] == MM_LAW_POWER ? "" : ")");
        if (member->shape[k] != MM_LAW_LEVELLED)
            text_add(text, "^%.3f", member->a[k]);
    }
    for (size_t k = 0; k < member->fixed_count; k++) {
        text_add(text, " * ");
        print_variable(text, data, member->fixed[k]);
    }
}

static void print_exact(struct text *text, const struct mm_law_data *data,
                        const struct mm_law_form *form)
{
    int is_each = form->driver != MM_LAW_NO_AXIS;

    if (is_each)
        print_variable(text, data, form->driver);
    text_add(text, is_each ? " * (" : "");
    print_sum(text, data, form->form.basis, form->form.a, form->form.count, 12);
    text_add(text, is_each ? ")" : "");
}

int mm_law_print(const struct mm_law *law, char *text, size_t size)
{
    struct text to = {text, size, 0};

    if (law->kind == MM_LAW_EXACT)
        print_exact(&to, &law->data, &law->exact.form[0]);
    else if (law->kind == MM_LAW_NONE)
        text_add(&to, "unknown: %zu runs", law->data.runs);
    else if (law->trend.member[0].is_sum)
        print_sum(&to, &law->data, law->trend.member[0].basis, law->trend.member[0].a,
                  law->trend.member[0].columns, 4);
    else
        print_product(&to, &law->data, &law->trend.member[0]);
    return (int)to.length;
}

int mm_law_print_reason(const struct mm_law_prediction *prediction, char *text,
                        size_t size)
{
    const char *axis = prediction->axis ? prediction->axis : "an axis";

    switch (prediction->reason) {
    case MM_LAW_IS_KNOWN:
        return snprintf(text, size, "known");
    case MM_LAW_AXIS_DID_NOT_VARY:
        return snprintf(text, size, "%s did not vary", axis);
    case MM_LAW_AXIS_NOT_ALONE:
        return snprintf(text, size, "%s varied in step with other parameters only", axis);
    case MM_LAW_TOO_FEW_RUNS:
        return snprintf(text, size, "fewer than 3 different runs");
    case MM_LAW_AXIS_OUTSIDE:
        return snprintf(text, size, "the scaling function has no value at this %s", axis);
    case MM_LAW_AXIS_IS_ZERO:
        return snprintf(text, size, "%s = 0 may mean no bound, and no run had it", axis);
    }
    return snprintf(text, size, "unknown");
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* model_print.c: models as text. */
#include <stdio.h>

#include <math.h>

#include "mastermind/analysis/models/model.h"

/* Print three digits, without an exponent for numbers of usual size. */
static int print_cost(int counts, double ns, char *text, size_t size)
{
    double us = ns / 1000;

    if (counts)
        return snprintf(text, size, fabs(ns) >= 100 && fabs(ns) < 1e7 ? "%.0f" : "%.3g",
                        ns);
    if (us != 0 && fabs(us) < .01) /* such as a factor of an area */
        return snprintf(text, size, fabs(ns) < 1e-4 ? "%.2e ns" : "%.3g ns", ns);
    if (fabs(us) >= 1e7)
        return snprintf(text, size, "%.2e us", us);
    if (fabs(us) >= 100)
        return snprintf(text, size, "%.0f us", us);
    return snprintf(text, size, "%.3g us", us);
}

static int print_factor(const struct mm_factor *factor, const char *x, char *text,
                        size_t size)
{
    char power[200] = "", logs[200] = "";
    int numerator, denominator;

    if (factor->power == 1)
        snprintf(power, sizeof power, "%s", x);
    else if (!mm_power_fraction(factor->power, &numerator, &denominator))
        snprintf(power, sizeof power, "%s^%.4g", x, factor->power);
    else if (denominator != 1)
        snprintf(power, sizeof power, "%s^(%d/%d)", x, numerator, denominator);
    else if (numerator)
        snprintf(power, sizeof power, "%s^%d", x, numerator);
    if (factor->logs == 1)
        snprintf(logs, sizeof logs, "log2(%s)", x);
    else if (factor->logs)
        snprintf(logs, sizeof logs, "log2(%s)^%d", x, factor->logs);
    return snprintf(text, size, "%s%s%s", power, *power && *logs ? " * " : "", logs);
}

static void print_basis(const struct mm_basis *basis, const struct mm_method_info *method,
                        char *text, size_t size)
{
    const char *name = method->values[basis->factor[0].parameter].name;
    size_t used = 0;
    char at[400];

    if (basis->kind == MM_BASIS_JUMP) {
        snprintf(text, size, "(%s > %.4g)", name, basis->at);
        return;
    }
    if (basis->kind == MM_BASIS_HINGE) {
        char here[400], place[32];

        snprintf(place, sizeof place, "%.4g", basis->at);
        print_factor(&basis->factor[0], name, here, sizeof here);
        print_factor(&basis->factor[0], place, at, sizeof at);
        snprintf(text, size, "max(0, %s - %s)", here, at);
        return;
    }
    for (size_t i = 0; i < basis->factors && used < size; i++) {
        name = method->values[basis->factor[i].parameter].name;
        print_factor(&basis->factor[i], name, at, sizeof at);
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? " * " : "", at);
    }
}

/* A term with its sign, which joins it to those before it. */
static int print_term(const struct mm_form *form, size_t i, int first,
                      const struct mm_method_info *method, int counts, char *text,
                      size_t size)
{
    char level[48], basis[900];
    const char *join = form->a[i] < 0 ? first ? "-" : " - " : first ? "" : " + ";

    print_cost(counts, fabs(form->a[i]), level, sizeof level);
    if (form->basis[i].kind == MM_BASIS_ONE)
        return snprintf(text, size, "%s%s", join, level);
    print_basis(&form->basis[i], method, basis, sizeof basis);
    return snprintf(text, size, "%s%s * %s", join, level, basis);
}

int mm_form_print(const struct mm_form *form, const struct mm_method_info *method,
                  int counts, char *text, size_t size)
{
    int used = 0, first = 1;

    if (size)
        text[0] = '\0';
    for (int constants = 1; constants >= 0; constants--) /* the constant comes first */
        for (size_t i = 0; i < form->count && (size_t)used < size; i++) {
            if ((form->basis[i].kind == MM_BASIS_ONE) != constants)
                continue;
            used += print_term(form, i, first, method, counts, text + used,
                               size - (size_t)used);
            first = 0;
        }
    return used;
}

int mm_model_print(const struct mm_model *model, char *text, size_t size)
{
    return mm_form_print(&model->forms.form[0], model->method, model->counts, text, size);
}

int mm_spread_print(const struct mm_model *model, char *text, size_t size)
{
    const struct mm_spread *spread = &model->spread;
    char level[48];

    if (!spread->known)
        return snprintf(text, size, "unknown");
    if (spread->factor == 0)
        return snprintf(text, size, "0");
    if (spread->power == 1)
        return snprintf(text, size, "%.2g * mean", spread->factor);
    if (spread->power == 0) {
        print_cost(model->counts, spread->factor, level, sizeof level);
        return snprintf(text, size, "%s", level);
    }
    if (model->counts)
        return snprintf(text, size, "%.2g * mean^%.3g", spread->factor, spread->power);
    /* In microseconds, like the means: factor ns^(1-p) becomes factor 1000^(p-1)
     * us^(1-p). */
    print_cost(model->counts, spread->factor * pow(1000, spread->power), level,
               sizeof level);
    return snprintf(text, size, "%s * (mean / us)^%.3g", level, spread->power);
}

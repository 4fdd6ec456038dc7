/* SPDX-License-Identifier: BSD-3-Clause */
/* model_print.c: models as text. */
#include <stdio.h>

#include <math.h>

#include "mastermind/analysis/models/model.h"

/* Print three digits, without an exponent for numbers of usual size. */
static int print_cost(const struct mm_model *model, double ns, char *text, size_t size)
{
    double us = ns / 1000;

    if (model->counts)
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

int mm_model_print(const struct mm_model *model, char *text, size_t size)
{
    char constant[48], factor[48], term[256];

    print_cost(model, fabs(model->constant_ns), constant, sizeof constant);
    if (model->form == MM_MODEL_CONSTANT)
        return snprintf(text, size, "%s", constant);
    print_cost(model, model->factor_ns, factor, sizeof factor);
    mm_term_print(&model->term, model->method->values[model->parameter].name, term,
                  sizeof term);
    if (model->constant_ns == 0)
        return snprintf(text, size, "%s * %s", factor, term);
    return snprintf(text, size, "%s%s + %s * %s", model->constant_ns < 0 ? "-" : "",
                    constant, factor, term);
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
        print_cost(model, spread->factor, level, sizeof level);
        return snprintf(text, size, "%s", level);
    }
    if (model->counts)
        return snprintf(text, size, "%.2g * mean^%.3g", spread->factor, spread->power);
    /* In microseconds, like the means: factor ns^(1-p) becomes factor 1000^(p-1)
     * us^(1-p). */
    print_cost(model, spread->factor * pow(1000, spread->power), level, sizeof level);
    return snprintf(text, size, "%s * (mean / us)^%.3g", level, spread->power);
}

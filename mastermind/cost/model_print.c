/* SPDX-License-Identifier: BSD-3-Clause */
/* model_print.c: models as text, functions and equations. */
#include "mastermind/cost/model_print.h"

#include <math.h>
#include <string.h>

#include "mastermind/cost/estimate.h"

#define CALLS 10. /* calls at one size that a user is assumed willing to measure */

/* The parameters of a form as arguments, "double nx, double ny". */
static void write_arguments(FILE *to, const struct mm_model *model, const char *type)
{
    const char *join = "";
    char name[MM_FORMULA_NAME];

    for (size_t i = 0; i < model->method->in_count; i++) {
        if (!mm_form_uses(&model->forms.form[0], i))
            continue;
        mm_formula_variable(model->method, i, name);
        fprintf(to, "%s%s%s", join, type, name);
        join = ", ";
    }
    if (!*join && *type)
        fputs("void", to);
}

void mm_formula_write_model(FILE *to, enum mm_formula_language language,
                            const struct mm_model *model, const char *name)
{
    const struct mm_form *form = &model->forms.form[0];
    char function[MM_FORMULA_NAME];

    mm_formula_identifier(name, function);
    if (language == MM_FORMULA_C) {
        fprintf(to, "double %s(", function);
        write_arguments(to, model, "double ");
        fputs(")\n{\n    double cost = ", to);
    } else if (language == MM_FORMULA_PYTHON) {
        fprintf(to, "def %s(", function);
        write_arguments(to, model, "");
        fputs("):\n    try:\n        cost = ", to);
    } else if (language == MM_FORMULA_LATEX) {
        mm_formula_write_latex_name(to, function);
        fputs(" = ", to);
    }
    mm_formula_write(to, language, form, model->method, model->counts);
    if (language == MM_FORMULA_C) {
        fputs(";\n\n    return cost > 0 && isfinite(cost) ? cost : ", to);
        mm_formula_write_exact(to, mm_model_floor_ns(model, form));
        fputs(";\n}", to);
    } else if (language == MM_FORMULA_PYTHON) {
        fputs(
            "\n    except (ValueError, OverflowError, ZeroDivisionError):\n        cost "
            "= 0\n    return cost if 0 < cost < math.inf else ",
            to);
        mm_formula_write_exact(to, mm_model_floor_ns(model, form));
    }
    fputc('\n', to);
}

int mm_model_print(const struct mm_model *model, char *text, size_t size)
{
    return mm_form_print(&model->forms.form[0], model->method, model->counts, text, size);
}

int mm_spread_print(const struct mm_model *model, char *text, size_t size)
{
    const struct mm_spread *spread = &model->populations.spread;
    char level[48];

    if (!spread->known)
        return snprintf(text, size, "unknown");
    if (spread->factor == 0)
        return snprintf(text, size, "0");
    if (spread->power == 1)
        return snprintf(text, size, "%.2g * mean", spread->factor);
    if (spread->power == 0) {
        mm_formula_print_cost(model->counts, spread->factor, level, sizeof level);
        return snprintf(text, size, "%s", level);
    }
    if (model->counts)
        return snprintf(text, size, "%.2g * mean^%.3g", spread->factor, spread->power);
    /* The formula prints microseconds: factor ns^(1-p) becomes factor * 1000^(p-1)
     * us^(1-p). */
    mm_formula_print_cost(model->counts, spread->factor * pow(1000, spread->power), level,
                          sizeof level);
    return snprintf(text, size, "%s * (mean / us)^%.3g", level, spread->power);
}

struct mm_sizes mm_model_sizes(const struct mm_model *model)
{
    double noise = model->forms.tau > 0 ? model->forms.tau : 0;

    if (model->populations.spread.known && model->populations.spread.power == 1)
        noise = hypot(noise, model->populations.spread.factor / sqrt(CALLS));
    return (struct mm_sizes){model->low, model->high, model->method->in_count,
                             model->least_ns, noise};
}

double mm_model_growth(const struct mm_model *model, size_t k)
{
    double x[MONITOR_MAX_IN], low = model->low[k], high = model->high[k], from, above;

    if (!mm_form_uses(&model->forms.form[0], k) || !(low > 0) || !(high > low))
        return NAN;
    from = fmax(sqrt(low * high), high / 4);
    memcpy(x, model->high, sizeof x);
    above = mm_form_value(&model->forms.form[0], x);
    x[k] = from;
    return log(above / mm_form_value(&model->forms.form[0], x)) / log(high / from);
}

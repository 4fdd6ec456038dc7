/* SPDX-License-Identifier: BSD-3-Clause */
/* emit_expression.c: write expressions in C. Precedence is the model's, which equals C's.
 * Operations that can fail in other ways than overflow or division by zero call functions
 * of the prelude. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "activity/compile/emit_core.h"

static int emit_number(const struct act_emit *m, const struct act_expr *e, int wide)
{
    if (e->type == ACT_LONG)
        fprintf(m->out, "%" PRId64 "%s", e->number.whole,
                wide || e->number.whole > INT32_MAX || e->number.whole < -INT32_MAX ? "L"
                                                                                    : "");
    else if (strpbrk(e->text, ".eE") && *e->text != '+')
        fputs(e->text, m->out);
    else if (e->number.real == floor(e->number.real) && fabs(e->number.real) < 1e15)
        fprintf(m->out, "%.1f", e->number.real);
    else
        fprintf(m->out, "%.17g", e->number.real);
    return 1;
}

static int emit_math(const struct act_emit *m, const struct act_expr *e)
{
    int whole = e->type == ACT_LONG && e->arguments[0]->type == ACT_LONG;

    if (whole && (e->which == ACT_FLOOR || e->which == ACT_CEIL))
        fputs("(int64_t)(", m->out);
    else
        fprintf(m->out, "act_%s%s(", act_math_names[e->which], whole ? "_long" : "");
    for (int i = 0; i < act_math_arguments(e->which); i++) {
        fputs(i ? ", " : "", m->out);
        act_emit_expression(m, e->arguments[i]);
    }
    fputc(')', m->out);
    return 1;
}

static int emit_call(const struct act_emit *m, const struct act_expr *e)
{
    fprintf(m->out, "%s(L", act_emit_name(m, e->function->name));
    for (int i = 0; i < e->function->parameter_count; i++) {
        fputs(", ", m->out);
        act_emit_expression(m, e->list[i]);
    }
    fputc(')', m->out);
    return 1;
}

static int emit_model(const struct act_emit *m, const struct act_expr *e)
{
    fprintf(m->out, "act_model(%d", e->model->number);
    if (e->model->count == 0)
        fputs(", 0", m->out);
    for (int i = 0; i < e->model->count; i++) {
        fputs(i ? ", " : ", (const double[]){", m->out);
        act_emit_expression(m, e->model->values[i]);
    }
    fputs(e->model->count ? "})" : ")", m->out);
    return 1;
}

static int emit_variable(const struct act_emit *m, const struct act_expr *e)
{
    const struct act_variable *v = m->function ? m->function->parameters : NULL;

    while (v && v != e->variable)
        v = v->next;
    if (v)
        fputs(act_emit_parameter(v->name), m->out);
    else
        fprintf(m->out, "L->%s", act_emit_variable(m, e->variable));
    return 1;
}

static int put(void *context, const struct act_expr *e, int wide)
{
    static const char *const builtins[ACT_BUILTINS] = {"PID",   "TID",   "UID",
                                                       "NPROC", "NNODE", "NTHREAD"};
    const struct act_emit *m = context;

    switch (e->kind) {
    case ACT_NUMBER:
        return emit_number(m, e, wide);
    case ACT_VARIABLE:
        return emit_variable(m, e);
    case ACT_BUILTIN:
        return fputs(builtins[e->which], m->out), 1;
    case ACT_CALL_FUNCTION:
        return emit_call(m, e);
    case ACT_CALL_MATH:
        return emit_math(m, e);
    case ACT_CALL_MODEL:
        return emit_model(m, e);
    case ACT_INDEX:
        fprintf(m->out, "%s[act_at(", act_emit_name(m, e->table->name));
        act_emit_expression(m, e->arguments[0]);
        fprintf(m->out, ", %" PRId64 ")]", e->table->count);
        return 1;
    default:
        return 0;
    }
}

void act_emit_expression(const struct act_emit *m, const struct act_expr *e)
{
    const struct act_expr_words words = {.context = (void *)m, .is_c = 1, .put = put};

    act_expr_print_as(e, &words, m->out);
}

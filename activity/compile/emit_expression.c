/* SPDX-License-Identifier: BSD-3-Clause */
/* emit_expression.c: expressions in C. They keep the model's precedence, which is C's;
 * what may fail in more ways than an overflow or a division goes through the prelude's
 * functions. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "activity/compile/emit_core.h"

static const int strength[] = {1, 2, 3, 3, 4, 4, 4, 4, 5, 5, 6, 6, 6, 7, 7};

/* Whether C would take this for an int: numbers alone, of which the sum might not fit. */
static int is_int(const struct act_expr *e)
{
    if (e->kind == ACT_NUMBER)
        return e->type == ACT_LONG;
    if (e->kind == ACT_UNARY || e->kind == ACT_BINARY)
        return is_int(e->arguments[0]) &&
               (e->kind == ACT_UNARY || is_int(e->arguments[1]));
    if (e->kind == ACT_CHOICE)
        return is_int(e->arguments[1]) && is_int(e->arguments[2]);
    return 0;
}

/* `wide`: a number has to say that it is a long. */
static void emit(const struct act_emit *m, const struct act_expr *e, int outer, int wide);

static void emit_number(const struct act_emit *m, const struct act_expr *e, int wide)
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
}

static void emit_binary(const struct act_emit *m, const struct act_expr *e, int wide)
{
    static const char *const wide_signs[] = {" || ", " && ", " == ", " != ", " < ",
                                             " <= ", " > ",  " >= ", " + ",  " - ",
                                             "*",    "/",    "%"};
    int own = strength[e->which], numbers = is_int(e) && e->which >= ACT_ADD;

    /* Where compilers want parentheses that C does not need, they get them. */

    emit(m, e->arguments[0],
         own == 1               ? 3
         : own == 3 || own == 4 ? 5
                                : own,
         wide || numbers);
    fputs(wide_signs[e->which], m->out);
    emit(m, e->arguments[1], own == 1 ? 3 : own == 3 ? 5 : own + 1, wide || numbers);
}

static void emit_operator(const struct act_emit *m, const struct act_expr *e, int outer,
                          int wide)
{
    int own = e->kind == ACT_CHOICE ? 0 : strength[e->which], closed = own < outer;

    if (closed)
        fputc('(', m->out);
    if (e->kind == ACT_UNARY) {
        fputs(e->which == ACT_NOT ? "!" : "-", m->out);
        emit(m, e->arguments[0], own + 1, wide || e->which == ACT_NEG);
    } else if (e->kind == ACT_BINARY) {
        emit_binary(m, e, wide);
    } else {
        emit(m, e->arguments[0], 1, 0);
        fputs(" ? ", m->out);
        emit(m, e->arguments[1], 1, wide);
        fputs(" : ", m->out);
        emit(m, e->arguments[2], 1, wide);
    }
    if (closed)
        fputc(')', m->out);
}

static void emit_math(const struct act_emit *m, const struct act_expr *e)
{
    int whole = e->type == ACT_LONG && e->arguments[0]->type == ACT_LONG;

    if (whole && (e->which == ACT_FLOOR || e->which == ACT_CEIL)) {
        fputc('(', m->out);
        emit(m, e->arguments[0], 0, 1);
    } else {
        fprintf(m->out, "act_%s%s(", act_math_names[e->which], whole ? "_long" : "");
        for (int i = 0; i < act_math_arguments(e->which); i++) {
            if (i)
                fputs(", ", m->out);
            emit(m, e->arguments[i], 0, 0);
        }
    }
    fputc(')', m->out);
}

static void emit_call(const struct act_emit *m, const struct act_expr *e)
{
    fprintf(m->out, "%s(L", act_emit_name(m, e->function->name));
    for (int i = 0; i < e->function->parameter_count; i++) {
        fputs(", ", m->out);
        emit(m, e->list[i], 0, 0);
    }
    fputc(')', m->out);
}

static void emit_model(const struct act_emit *m, const struct act_expr *e)
{
    fprintf(m->out, "act_model(%d", e->model->number);
    if (e->model->count == 0)
        fputs(", 0", m->out);
    for (int i = 0; i < e->model->count; i++) {
        fputs(i ? ", " : ", (const double[]){", m->out);
        emit(m, e->model->values[i], 0, 0);
    }
    fputs(e->model->count ? "})" : ")", m->out);
}

static void emit_variable(const struct act_emit *m, const struct act_expr *e)
{
    for (const struct act_variable *v = m->function ? m->function->parameters : NULL; v;
         v = v->next)
        if (v == e->variable) {
            fputs(act_emit_parameter(v->name), m->out);
            return;
        }
    fprintf(m->out, "L->%s", act_emit_variable(m, e->variable));
}

static void emit(const struct act_emit *m, const struct act_expr *e, int outer, int wide)
{
    static const char *const builtins[ACT_BUILTINS] = {"PID",   "TID",   "UID",
                                                       "NPROC", "NNODE", "NTHREAD"};

    switch (e->kind) {
    case ACT_NUMBER:
        emit_number(m, e, wide);
        break;
    case ACT_VARIABLE:
        emit_variable(m, e);
        break;
    case ACT_BUILTIN:
        fputs(builtins[e->which], m->out);
        break;
    case ACT_CALL_FUNCTION:
        emit_call(m, e);
        break;
    case ACT_CALL_MATH:
        emit_math(m, e);
        break;
    case ACT_CALL_MODEL:
        emit_model(m, e);
        break;
    case ACT_INDEX:
        fprintf(m->out, "%s[act_at(", act_emit_name(m, e->table->name));
        emit(m, e->arguments[0], 0, 0);
        fprintf(m->out, ", %" PRId64 ")]", e->table->count);
        break;
    default:
        emit_operator(m, e, outer, wide);
    }
}

void act_emit_expression(const struct act_emit *m, const struct act_expr *e)
{
    emit(m, e, 0, 0);
}

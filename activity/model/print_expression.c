/* SPDX-License-Identifier: BSD-3-Clause */
/* print_expression.c: print an expression, with the names of the text or replacements for
 * them. The parentheses of the text are kept, and others are added where operator
 * precedence needs them. */
#include <errno.h>
#include <stdio.h>

#include "activity/model/tree.h"

struct print {
    FILE *out;
    /* functions that replace names; NULL: keep the names */
    const struct act_expr_words *words;
    int wide; /* 1: write whole numbers as longs of C */
};

static const char *word(const struct print *p, const struct act_expr *e,
                        const char *usual)
{
    const char *other =
        p->words && p->words->word ? p->words->word(p->words->context, e) : NULL;

    return other ? other : usual;
}

/* Number of parentheses around the expression in the text. */
static int has_parentheses(const struct print *p, const struct act_expr *e)
{
    return p->words && p->words->put ? 0 : e->parentheses;
}

static void print_expr(const struct print *p, const struct act_expr *e, int outer);

static void print_list(const struct print *p, struct act_expr *const *list, int count)
{
    for (int i = 0; i < count; i++) {
        if (i)
            fputs(", ", p->out);
        print_expr(p, list[i], 0);
    }
}

/* Whether C would take this expression for an int: only numbers, whose sum might
 * overflow. */
static int is_int(const struct act_expr *e)
{
    switch (e->kind) {
    case ACT_UNARY:
        return is_int(e->arguments[0]);
    case ACT_BINARY:
        return is_int(e->arguments[0]) && is_int(e->arguments[1]);
    case ACT_CHOICE:
        return is_int(e->arguments[1]) && is_int(e->arguments[2]);
    default:
        return e->kind == ACT_NUMBER && e->type == ACT_LONG;
    }
}

/* The least precedence (strength) that an operand's own operator must have to be printed
 * without parentheses, left or right of its operator. Operands that compilers warn about
 * get parentheses, too; and "- -x" must not become "--x". */
static int operand_strength(const struct print *p, const struct act_expr *e, int right)
{
    int own = act_operator_strength[e->which];

    if (!p->words || !p->words->is_c)
        return own + right;
    if (e->which == ACT_OR)
        return own + 2;
    return e->which <= ACT_GE && e->which != ACT_AND
               ? act_operator_strength[ACT_ADD]
               : own + (right || e->kind == ACT_UNARY);
}

static void print_operator(const struct print *p, const struct act_expr *e, int outer)
{
    int own = e->kind == ACT_CHOICE ? 0 : act_operator_strength[e->which];
    int closed = own < outer && !has_parentheses(p, e);
    struct print inner = *p;

    inner.wide |= p->words && p->words->is_c && e->kind == ACT_BINARY && is_int(e);

    if (closed)
        fputc('(', p->out);
    if (e->kind == ACT_UNARY) {
        fputs(act_operator_texts[e->which], p->out);
        print_expr(&inner, e->arguments[0], operand_strength(p, e, 0));
    } else if (e->kind == ACT_BINARY) {
        print_expr(&inner, e->arguments[0], operand_strength(p, e, 0));
        fprintf(p->out, e->which >= ACT_MUL ? "%s" : " %s ",
                act_operator_texts[e->which]);
        print_expr(&inner, e->arguments[1], operand_strength(p, e, 1));
    } else {
        print_expr(&inner, e->arguments[0], 1);
        fputs(" ? ", p->out);
        print_expr(&inner, e->arguments[1], 0);
        fputs(" : ", p->out);
        print_expr(&inner, e->arguments[2], 0);
    }
    if (closed)
        fputc(')', p->out);
}

static void print_expr(const struct print *p, const struct act_expr *e, int outer)
{
    if (p->words && p->words->put && p->words->put(p->words->context, e, p->wide))
        return;
    for (int i = 0; i < has_parentheses(p, e); i++)
        fputc('(', p->out);
    switch (e->kind) {
    case ACT_NUMBER:
        fputs(e->text, p->out);
        if (p->wide && e->type == ACT_LONG)
            fputc('L', p->out);
        break;
    case ACT_VARIABLE:
        fputs(word(p, e, e->variable->name), p->out);
        break;
    case ACT_BUILTIN:
        fputs(word(p, e, act_builtin_names[e->which]), p->out);
        break;
    case ACT_CALL_FUNCTION:
        fprintf(p->out, "%s(", word(p, e, e->function->name));
        print_list(p, e->list, e->function->parameter_count);
        fputc(')', p->out);
        break;
    case ACT_CALL_MATH:
        fprintf(p->out, "%s(", word(p, e, act_math_names[e->which]));
        print_list(p, e->arguments, act_math_arguments(e->which));
        fputc(')', p->out);
        break;
    case ACT_CALL_MODEL:
        fprintf(p->out, "model(\"%s\"", e->model->method);
        for (int i = 0; i < e->model->count; i++) {
            fprintf(p->out, ", %s = ", e->model->names[i]);
            print_expr(p, e->model->values[i], 0);
        }
        fputc(')', p->out);
        break;
    case ACT_INDEX:
        fprintf(p->out, "%s[", word(p, e, e->table->name));
        print_expr(p, e->arguments[0], 0);
        fputc(']', p->out);
        break;
    default:
        print_operator(p, e, outer);
    }
    for (int i = 0; i < has_parentheses(p, e); i++)
        fputc(')', p->out);
}

int act_expr_print_as(const struct act_expr *e, const struct act_expr_words *words,
                      FILE *out)
{
    struct print p = {out, words, 0};

    print_expr(&p, e, 0);
    return ferror(out) ? -EIO : 0;
}

int act_expr_print(const struct act_expr *e, FILE *out)
{
    return act_expr_print_as(e, NULL, out);
}

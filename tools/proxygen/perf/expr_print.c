/* SPDX-License-Identifier: BSD-3-Clause */
/* expr_print.c: expressions as text of the language, and as C. */
#include <float.h>
#include <inttypes.h>
#include <string.h>

#include "tools/proxygen/perf/expr.h"

/* How tightly an operator binds. */
static int strength(enum pg_op op)
{
    switch (op) {
    case PG_ADD:
    case PG_SUB:
        return 1;
    case PG_MUL:
    case PG_DIV:
    case PG_MOD:
        return 2;
    case PG_NEG:
        return 3;
    default:
        return 4;
    }
}

static char sign(enum pg_op op)
{
    return op == PG_ADD ? '+' : op == PG_SUB ? '-' : op == PG_MUL ? '*' : op == PG_DIV ? '/' : '%';
}

/* Shortest text that reads back as the same double, and as a double. */
static void print_real(FILE *out, double d)
{
    char text[40];

    for (int digits = 1; digits <= DBL_DECIMAL_DIG; digits++) {
        double back;

        snprintf(text, sizeof text, "%.*g", digits, d);
        if (sscanf(text, "%lf", &back) == 1 && memcmp(&back, &d, sizeof d) == 0)
            break;
    }
    fprintf(out, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
}

static void print_in(FILE *out, const struct pg_expr *expr, const struct pg_method *method,
                     int least)
{
    int brackets = strength(expr->op) < least;

    if (brackets)
        fputc('(', out);
    switch (expr->op) {
    case PG_INT:
        fprintf(out, "%" PRId64, expr->i);
        break;
    case PG_REAL:
        print_real(out, expr->d);
        break;
    case PG_ARG:
        fputs(method->args[expr->arg].name, out);
        break;
    case PG_DEREF:
        fprintf(out, "*%s", method->args[expr->arg].name);
        break;
    case PG_NEG:
        fputc('-', out);
        print_in(out, expr->left, method, 4);
        break;
    default:
        print_in(out, expr->left, method, strength(expr->op));
        fprintf(out, " %c ", sign(expr->op));
        print_in(out, expr->right, method, strength(expr->op) + 1);
    }
    if (brackets)
        fputc(')', out);
}

void pg_expr_print(FILE *out, const struct pg_expr *expr, const struct pg_method *method)
{
    print_in(out, expr, method, 0);
}

/* --- As C ------------------------------------------------------------------------------- */

struct printer {
    FILE *out;
    const struct pg_method *method;
    const char *const *names;
    int checked; /* no pointer is NULL here */
};

static const struct pg_scalar *scalar_of(const struct printer *p, const struct pg_expr *expr)
{
    const struct pg_arg *arg = &p->method->args[expr->arg];

    return expr->op == PG_DEREF ? &arg->pointee : &arg->value;
}

static int at_most_63(int bits)
{
    return bits < 63 ? bits : 63;
}

static void print_c(const struct printer *p, const struct pg_expr *expr, int least);

/* b such that the integer value v of `expr` has |v| <= 2^b; 63: anything. */
static int magnitude(const struct printer *p, const struct pg_expr *expr)
{
    int left, right, bits = 0;

    switch (expr->op) {
    case PG_INT:
        while (bits < 63 && expr->i > INT64_C(1) << bits)
            bits++;
        return bits;
    case PG_ARG:
    case PG_DEREF:
        return at_most_63(scalar_of(p, expr)->bits - (scalar_of(p, expr)->is_signed != 0));
    case PG_NEG:
    case PG_DIV:
        return magnitude(p, expr->left);
    case PG_MOD:
        left = magnitude(p, expr->left);
        right = magnitude(p, expr->right);
        return left < right ? left : right;
    case PG_MUL:
        return at_most_63(magnitude(p, expr->left) + magnitude(p, expr->right));
    default:
        left = magnitude(p, expr->left);
        right = magnitude(p, expr->right);
        return at_most_63((left > right ? left : right) + 1);
    }
}

/* True where plain C arithmetic of the node cannot overflow or trap. */
static int safe(const struct printer *p, const struct pg_expr *expr)
{
    if (expr->op == PG_DIV || expr->op == PG_MOD)
        return expr->right->op == PG_INT && expr->right->i > 0;
    return magnitude(p, expr) < 63;
}

/* A leaf as a value of its class. `wide`: it must be an int64_t by its own type. */
static void print_leaf(const struct printer *p, const struct pg_expr *expr, int wide)
{
    const struct pg_scalar *scalar;
    const char *cast = "", *name;

    if (expr->op == PG_INT) {
        fprintf(p->out, "%s%" PRId64, wide ? "(int64_t)" : "", expr->i);
        return;
    }
    if (expr->op == PG_REAL) {
        print_real(p->out, expr->d);
        return;
    }
    scalar = scalar_of(p, expr);
    name = p->names[expr->arg];
    if (scalar->cls == PG_FLOATING)
        cast = scalar->bits == 64 ? "" : "(double)";
    else if (wide || (scalar->bits == 64 && !scalar->is_signed))
        cast = "(int64_t)";
    if (expr->op == PG_ARG)
        fprintf(p->out, "%s%s", cast, name);
    else if (p->checked)
        fprintf(p->out, "%s*%s", cast, name);
    else
        fprintf(p->out, "(%s ? %s*%s : 0)", name, cast, name);
}

static int leaf(const struct pg_expr *expr)
{
    return expr->op == PG_INT || expr->op == PG_REAL || expr->op == PG_ARG ||
           expr->op == PG_DEREF;
}

/* Print with the node's value being an int64_t, or a double, by its own type, so that C's
 * conversions make the arithmetic around it the same. */
static void print_typed(const struct printer *p, const struct pg_expr *expr, int least)
{
    if (!leaf(expr) || expr->cls == PG_FLOATING)
        print_c(p, expr, least);
    else
        print_leaf(p, expr, 1);
}

static void print_call(const struct printer *p, const struct pg_expr *expr)
{
    static const char *const functions[] = {
        [PG_NEG] = "proxy_sub(0, ", [PG_ADD] = "proxy_add(", [PG_SUB] = "proxy_sub(",
        [PG_MUL] = "proxy_mul(",    [PG_DIV] = "proxy_div(", [PG_MOD] = "proxy_mod(",
    };

    fputs(expr->cls == PG_FLOATING ? "proxy_ratio(" : functions[expr->op], p->out);
    print_c(p, expr->left, 0);
    if (expr->right) {
        fputs(", ", p->out);
        print_c(p, expr->right, 0);
    }
    fputc(')', p->out);
}

static int called(const struct printer *p, const struct pg_expr *expr)
{
    if (expr->cls == PG_FLOATING)
        return expr->op == PG_DIV && !(expr->right->op == PG_REAL || expr->right->op == PG_INT);
    return !safe(p, expr);
}

static void print_operation(const struct printer *p, const struct pg_expr *expr)
{
    int own = strength(expr->op);

    if (expr->op == PG_NEG) {
        fputc('-', p->out);
        print_typed(p, expr->left, 4);
        return;
    }
    /* Of a floating node an integer side would lose to C's own rules only if both sides were
     * integers, which they are not; an integer node is int64 by its left side. */
    if (expr->cls == PG_FLOATING)
        print_c(p, expr->left, own);
    else
        print_typed(p, expr->left, own);
    fprintf(p->out, " %c ", sign(expr->op));
    print_c(p, expr->right, own + 1);
}

static void print_c(const struct printer *p, const struct pg_expr *expr, int least)
{
    int brackets;

    if (leaf(expr)) {
        print_leaf(p, expr, 0);
        return;
    }
    if (called(p, expr)) {
        print_call(p, expr);
        return;
    }
    brackets = strength(expr->op) < least;
    if (brackets)
        fputc('(', p->out);
    print_operation(p, expr);
    if (brackets)
        fputc(')', p->out);
}

void pg_expr_print_c(FILE *out, const struct pg_expr *expr, const struct pg_method *method,
                     const char *const *names)
{
    struct printer printer = {.out = out, .method = method, .names = names};

    print_c(&printer, expr, 0);
}

int pg_expr_follows(const struct pg_expr *expr, size_t arg)
{
    return expr && ((expr->op == PG_DEREF && expr->arg == arg) ||
                    pg_expr_follows(expr->left, arg) || pg_expr_follows(expr->right, arg));
}

void pg_expr_print_c_or_absent(FILE *out, const struct pg_expr *expr,
                               const struct pg_method *method, const char *const *names)
{
    struct printer printer = {.out = out, .method = method, .names = names, .checked = 1};
    const char *between = "";

    for (size_t i = 0; i < method->arg_count; i++)
        if (pg_expr_follows(expr, i)) {
            fprintf(out, "%s%s", between, names[i]);
            between = " && ";
        }
    if (*between)
        fputs(" ? ", out);
    print_c(&printer, expr, 0);
    if (*between)
        fprintf(out, " : MONITOR_ABSENT%s", expr->cls == PG_FLOATING ? "_DOUBLE" : "");
}

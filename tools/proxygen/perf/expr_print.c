/* SPDX-License-Identifier: BSD-3-Clause */
/* expr_print.c: print expressions in the mark-up language. */
#include <float.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/proxygen/perf/expr.h"

/* Print the shortest text that reads back as the same double. */
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

static void print_in(FILE *out, const struct pg_expr *expr,
                     const struct pg_method *method, int least);

static void print_call(FILE *out, const char *name, const struct pg_expr *expr,
                       const struct pg_method *method)
{
    fprintf(out, "%s(", name);
    print_in(out, expr->left, method, 0);
    if (expr->right) {
        fputs(", ", out);
        print_in(out, expr->right, method, 0);
    }
    fputc(')', out);
}

static void print_operand(FILE *out, const struct pg_expr *expr,
                          const struct pg_method *method)
{
    int arrow;

    switch (expr->op) {
    case PG_ARG:
        fputs(method->args[expr->arg].name, out);
        break;
    case PG_RETURN:
        fputs("return", out);
        break;
    case PG_GOT:
        fputs(method->gets[expr->i].names[expr->arg].name, out);
        break;
    case PG_FIELD:
        arrow = expr->left->type->kind == PG_TYPE_POINTER;
        print_in(out, expr->left, method, PG_OPERAND);
        fprintf(out, "%s%s", arrow ? "->" : ".", expr->field->name);
        break;
    case PG_INDEX:
        print_in(out, expr->left, method, PG_OPERAND);
        fputc('[', out);
        print_in(out, expr->right, method, 0);
        fputc(']', out);
        break;
    case PG_REAL:
        print_real(out, expr->d);
        break;
    case PG_SIZEOF:
        if (expr->left)
            print_call(out, "sizeof", expr, method);
        else
            fprintf(out, "sizeof(%s)", expr->type->name);
        break;
    case PG_COUNTOF:
        print_call(out, "countof", expr, method);
        break;
    case PG_STRLEN:
        print_call(out, expr->right ? "strnlen" : "strlen", expr, method);
        break;
    case PG_UPPER:
        print_call(out, "upper", expr, method);
        break;
    case PG_MIN:
    case PG_MAX:
        print_call(out, expr->op == PG_MIN ? "min" : "max", expr, method);
        break;
    default:
        fprintf(out, "%" PRId64, expr->i);
    }
}

static void print_operator(FILE *out, const struct pg_expr *expr,
                           const struct pg_method *method)
{
    int own = pg_op_strength(expr->op);

    if (expr->op == PG_CHOOSE) {
        print_in(out, expr->left, method, own + 1);
        fputs(" ? ", out);
        print_in(out, expr->right, method, own);
        fputs(" : ", out);
        print_in(out, expr->third, method, own);
    } else if (expr->op == PG_RECALL) {
        fprintf(out, "recall %s on ",
                pg_port_keeper(method->port)->memories[expr->arg].name);
        print_in(out, expr->left, method, PG_SIGNS);
    } else if (!expr->right) {
        fputc(expr->op == PG_NEG ? '-' : expr->op == PG_NOT ? '!' : '*', out);
        print_in(out, expr->left, method,
                 expr->op == PG_NEG && expr->left->op == PG_NEG ? PG_OPERAND : PG_SIGNS);
    } else {
        print_in(out, expr->left, method, own);
        fprintf(out, " %s ", pg_operations[expr->op].sign);
        print_in(out, expr->right, method, own + 1);
    }
}

static void print_in(FILE *out, const struct pg_expr *expr,
                     const struct pg_method *method, int least)
{
    int own = pg_op_strength(expr->op);

    if (own < least)
        fputc('(', out);
    if (own == PG_OPERAND)
        print_operand(out, expr, method);
    else
        print_operator(out, expr, method);
    if (own < least)
        fputc(')', out);
}

void pg_expr_print(FILE *out, const struct pg_expr *expr, const struct pg_method *method)
{
    print_in(out, expr, method, 0);
}

void pg_expr_print_operand(FILE *out, const struct pg_expr *expr,
                           const struct pg_method *method)
{
    print_in(out, expr, method, PG_SIGNS);
}

char *pg_expr_text(const struct pg_expr *expr, const struct pg_method *method)
{
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);

    if (memory) {
        pg_expr_print(memory, expr, method);
        if (fclose(memory) == 0)
            return text;
    }
    free(text);
    return NULL;
}

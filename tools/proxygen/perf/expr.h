/* SPDX-License-Identifier: BSD-3-Clause */
/* expr.h: expressions over a method's arguments: "2 * nx * (ny + 1)", "strm->avail_in".
 *
 *     expression := either ['?' expression ':' expression]
 *     either     := operands and the operators of C, which bind as in C:
 *                   * / %   + -   << >>   < > <= >=   == !=   &   |   &&   ||
 *     unary      := ('-' | '+' | '!' | '*') unary | 'recall' [NAME] 'on' unary | primary
 *     primary    := NUMBER | 'C' | ENUMERATOR | '(' expression ')' | place | function
 *     place      := (ARGUMENT | 'return' | NAME of a get | '(' place ')') ('['
 *                   expression ']' | '.' FIELD | '->' FIELD)*
 *     function   := 'sizeof' '(' (TYPE | place) ')' | 'countof' '(' place ')'
 *                 | 'min' '(' expression ',' expression ')' | 'max' likewise
 *                 | 'upper' '(' expression ')' | 'strlen' '(' place ')'
 *                 | 'strnlen' '(' place ',' expression ')'
 *
 * Integers are computed as int64 and saturate, floating values as double; mixed: double.
 * `/` of integers cuts toward zero, division by zero gives 0; '%', shifts, '&' and '|'
 * are for integers. Where a pointer on the way to a place is NULL, or an index lies
 * outside the array that the header declares, a value is absent. */
#ifndef PROXYGEN_PERF_EXPR_H
#define PROXYGEN_PERF_EXPR_H

#include <stdio.h>

#include "proxies/proxy_memory.h"
#include "tools/proxygen/perf/lex.h"
#include "tools/proxygen/perf/model.h"

/* Parse from the current token to the end of the expression, and check it against the
 * arguments of `method` and their types. It must be a number, or for a mode a string.
 * Returns 0 and `*expr`, new; -EINVAL, -ENOMEM with the lexer's `err`. */
int pg_expr_parse(struct pg_lexer *lexer, const struct pg_method *method,
                  struct pg_expr **expr);
int pg_expr_parse_mode(struct pg_lexer *lexer, const struct pg_method *method,
                       struct pg_expr **expr);

/* True if a node of `expr` is `op`. */
int pg_expr_has(const struct pg_expr *expr, enum pg_op op);
/* True if evaluating the expression may raise floating-point exceptions. NULL: false. */
int pg_expr_computes(const struct pg_expr *expr);

/* --- As text (expr_print.c) ----------------------------------------------- */

/* Print in the mark-up language, with as few parentheses as keep the tree the same. */
void pg_expr_print(FILE *out, const struct pg_expr *expr, const struct pg_method *method);
/* Print an operand; in parentheses if it is more than an operand with its signs. */
void pg_expr_print_operand(FILE *out, const struct pg_expr *expr,
                           const struct pg_method *method);
/* The expression's text, new; NULL: out of memory. */
char *pg_expr_text(const struct pg_expr *expr, const struct pg_method *method);

/* --- Operations (expr_value.c) -------------------------------------------- */

enum { PG_SIGNS = 11, PG_OPERAND = 12 };

/* Text and functions of an operator; members that do not apply are 0. The functions are
 * in proxies/proxy_value.h. */
struct pg_operation {
    const char *sign; /* sign between two operands */
    int strength;     /* binding strength: from 1 for '?:' to PG_SIGNS */
    const char *whole_name, *real_name; /* names of its functions in C */
    int64_t (*whole)(int64_t a, int64_t b);
    double (*real)(double a, double b);
    int64_t (*holds)(double a, double b); /* for comparisons */
};
extern const struct pg_operation pg_operations[PG_OP_COUNT];

/* The binding strength of an operator, or PG_OPERAND. */
int pg_op_strength(enum pg_op op);

/* --- As C (expr_c.c) ------------------------------------------------------ */

/* Names in generated code. */
struct pg_c_names {
    const char *const *args; /* names of the arguments: args[i] of argument i */
    const char *result;      /* the name of the result */
    const char *memory; /* the first arguments of proxy_recall and similar functions */
    const char *target; /* the struct whose methods are called to get numbers; NULL: plain
                         * functions */
    int is_table;       /* 1: the target is a table, which its functions do not take as
                         * an argument */
};

/* Print a value as a C expression of type int64_t or double, according to
 * value->expr->cls. The code does not overflow or trap; it calls functions of
 * proxies/proxy_value.h. */
void pg_value_print_c(FILE *out, const struct pg_value *value,
                      const struct pg_method *method, const struct pg_c_names *names);

/* Print any expression as C. An unreachable place is 0; an expression without class is a
 * pointer, NULL if unreachable. Recalls and gets set the variable proxy_gone; with
 * _marking, unreachable places do so, too. */
void pg_expr_print_c(FILE *out, const struct pg_expr *expr,
                     const struct pg_method *method, const struct pg_c_names *names);
void pg_expr_print_c_marking(FILE *out, const struct pg_expr *expr,
                             const struct pg_method *method,
                             const struct pg_c_names *names);
/* Print a handle as the argument of proxy_memory.h functions. */
void pg_handle_print_c(FILE *out, const struct pg_expr *expr,
                       const struct pg_method *method, const struct pg_c_names *names);
/* True if the value may be missing although all its places are reachable, because it
 * recalls or gets values. */
int pg_expr_may_miss(const struct pg_expr *expr);

/* --- Value of an expression (expr_value.c) -------------------------------- */

/* The inputs of an expression. */
struct pg_frame {
    void *const *args; /* args[i] points to argument i */
    const void *result;
    int missing; /* set to 1 if memory that the expression reads is unreachable, or a
                  * value unknown */
    const union monitor_value *const *got; /* got[i][j]: value of variable j of `get` line
                                            * i; got[i] NULL: its call failed */
    const void *owner; /* owner of the remembered values in `memory` */
    struct proxy_memory *memory;
};

/* The value of an expression: `.i` or `.d` by expr->cls. An unreachable place is 0. A
 * pointer's `.i` is its address. */
union monitor_value pg_expr_value(const struct pg_expr *expr, struct pg_frame *frame);
/* Load or store a number with this scalar type at `at`, which need not be aligned. */
union monitor_value pg_scalar_load(const struct pg_scalar *scalar, const void *at);
void pg_scalar_store(const struct pg_scalar *scalar, enum pg_class cls,
                     union monitor_value value, void *at);

/* Value of a handle for proxy_memory.h; 0: none. */
uint64_t pg_handle_value(const struct pg_expr *expr, struct pg_frame *frame);
/* The value for a row: absent if an input is missing. */
union monitor_value pg_value_take(const struct pg_value *value, struct pg_frame *frame);

#endif

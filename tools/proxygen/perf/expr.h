/* SPDX-License-Identifier: BSD-3-Clause */
/* expr.h: expressions over a method's arguments: "2 * nx * (ny + 1)", "*iterations".
 *
 *     sum      := product (('+' | '-') product)*
 *     product  := unary (('*' | '/' | '%') unary)*
 *     unary    := '-' unary | '+' unary | '*' ARGUMENT | '*' '(' ARGUMENT ')' | primary
 *     primary  := NUMBER | ARGUMENT | '(' sum ')'
 *
 * Integers are computed as int64 and saturate, floating values as double; mixed: double. `/`
 * of integers cuts toward zero, division by zero gives 0, '%' is for integers. `*ARGUMENT`
 * is what a pointer points to; where it is NULL a parameter takes 0, an out-value is absent. */
#ifndef PROXYGEN_PERF_EXPR_H
#define PROXYGEN_PERF_EXPR_H

#include <stdio.h>

#include "tools/proxygen/perf/lex.h"
#include "tools/proxygen/perf/model.h"

/* Parse from the current token as far as an expression goes, and check it against the
 * arguments of `method`. 0 and `*expr`, new; -EINVAL, -ENOMEM with the lexer's `err`. */
int pg_expr_parse(struct pg_lexer *lexer, const struct pg_method *method,
                  struct pg_expr **expr);

/* Re-print in the language: as few parentheses as keep the tree the same. */
void pg_expr_print(FILE *out, const struct pg_expr *expr, const struct pg_method *method);

/* Print as C, an int64_t or a double according to expr->cls. names[i] is what argument i is
 * called in that code. Nothing it prints overflows or traps; proxies/proxy_value.h has the
 * functions that it calls. */
void pg_expr_print_c(FILE *out, const struct pg_expr *expr, const struct pg_method *method,
                     const char *const *names);

/* True where the value of `expr` is read through the pointer that argument `arg` is. */
int pg_expr_follows(const struct pg_expr *expr, size_t arg);

/* The same as pg_expr_print_c for an out-value: absent where a pointer that it follows is NULL. */
void pg_expr_print_c_or_absent(FILE *out, const struct pg_expr *expr,
                               const struct pg_method *method, const char *const *names);

/* The value of an expression; what[i].i or .d by the class of the argument (of what it points
 * to for '*'); NULL pointers are given as 0. `.i` or `.d` by expr->cls. */
union monitor_value pg_expr_value(const struct pg_expr *expr, const union monitor_value *what);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* expr.h: expressions over a method's arguments: "2 * nx * (ny + 1)", "strm->avail_in".
 *
 *     expression := either ['?' expression ':' expression]
 *     either     := operands and the operators of C, which bind as in C:
 *                   * / %   + -   << >>   < > <= >=   == !=   &   |   &&   ||
 *     unary      := ('-' | '+' | '!' | '*') unary | primary
 *     primary    := NUMBER | 'C' | ENUMERATOR | '(' expression ')' | place | function
 *     place      := (ARGUMENT | 'return' | '(' place ')') ('[' expression ']' | '.' FIELD
 *                   | '->' FIELD)*
 *     function   := 'sizeof' '(' (TYPE | place) ')' | 'countof' '(' place ')'
 *                 | 'min' '(' expression ',' expression ')' | 'max' likewise
 *                 | 'upper' '(' expression ')' | 'strlen' '(' place ')'
 *                 | 'strnlen' '(' place ',' expression ')'
 *
 * Integers are computed as int64 and saturate, floating values as double; mixed: double. `/`
 * of integers cuts toward zero, division by zero gives 0; '%', shifts, '&' and '|' are for
 * integers. Where a pointer on the way to a place is NULL, or an index lies outside the array
 * that the header declares, a parameter takes the place as 0, and an out-value is absent. */
#ifndef PROXYGEN_PERF_EXPR_H
#define PROXYGEN_PERF_EXPR_H

#include <stdio.h>

#include "tools/proxygen/perf/lex.h"
#include "tools/proxygen/perf/model.h"

/* Parse from the current token as far as an expression goes, and check it against the
 * arguments of `method` and their types: a number; or also a string, for a mode. 0 and `*expr`,
 * new; -EINVAL, -ENOMEM with the lexer's `err`. */
int pg_expr_parse(struct pg_lexer *lexer, const struct pg_method *method,
                  struct pg_expr **expr);
int pg_expr_parse_mode(struct pg_lexer *lexer, const struct pg_method *method,
                       struct pg_expr **expr);

/* True where a node of `expr` is `op`. */
int pg_expr_has(const struct pg_expr *expr, enum pg_op op);

/* --- As text (expr_print.c) --------------------------------------------------------------- */

/* Re-print in the language: as few parentheses as keep the tree the same. */
void pg_expr_print(FILE *out, const struct pg_expr *expr, const struct pg_method *method);
/* The same as a new string; NULL: out of memory. */
char *pg_expr_text(const struct pg_expr *expr, const struct pg_method *method);

/* How tightly an operator binds: 1 '?:' to 11 signs; 12 for operands. */
int pg_op_strength(enum pg_op op);
/* "+" of PG_ADD; NULL: no operator between two operands. */
const char *pg_op_sign(enum pg_op op);

/* --- As C (expr_c.c) ------------------------------------------------------------------------ */

/* What things are called in generated code. */
struct pg_c_names {
    const char *const *args; /* args[i]: argument i */
    const char *result;      /* what the method has returned */
};

/* Print a value as C, an int64_t or a double according to value->expr->cls. Nothing it prints
 * overflows or traps; proxies/proxy_value.h has the functions that it calls. */
void pg_value_print_c(FILE *out, const struct pg_value *value, const struct pg_method *method,
                      const struct pg_c_names *names);

/* --- Its value (expr_value.c) ---------------------------------------------------------------- */

/* What an expression is computed from. */
struct pg_frame {
    void *const *args; /* args[i] points to argument i */
    const void *result;
    int missing;       /* becomes 1 where a place cannot be reached */
};

/* The value of an expression: `.i` or `.d` by expr->cls. A place that cannot be reached is 0. */
union monitor_value pg_expr_value(const struct pg_expr *expr, struct pg_frame *frame);
/* That of a value of a row: absent where an out-value cannot be reached. */
union monitor_value pg_value_take(const struct pg_value *value, struct pg_frame *frame);

#endif

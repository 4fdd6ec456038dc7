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
 * are for integers. A value is absent if a pointer that leads to one of its places is
 * NULL, or if an index lies outside the array that the header declares. */
#ifndef PROXYGEN_PERF_EXPR_H
#define PROXYGEN_PERF_EXPR_H

#include <stdio.h>

#include "proxies/proxy_memory.h"
#include "tools/proxygen/perf/lex.h"
#include "tools/proxygen/perf/model.h"

/* Parse an expression from the current token on, and check it against the arguments of
 * `method` and their types. It must be a number, or for a mode a string. Returns 0 and a
 * new `*expr`; or -EINVAL or -ENOMEM with the lexer's `err`. */
int pg_expr_parse(struct pg_lexer *lexer, const struct pg_method *method,
                  struct pg_expr **expr);
int pg_expr_parse_mode(struct pg_lexer *lexer, const struct pg_method *method,
                       struct pg_expr **expr);

/* True if the expression has a node with the operation `op`. */
int pg_expr_has(const struct pg_expr *expr, enum pg_op op);
/* True if evaluating the expression may raise floating-point exceptions. NULL: false. */
int pg_expr_computes(const struct pg_expr *expr);

/* --- As text (expr_print.c) ----------------------------------------------- */

/* Print the expression in the mark-up language, with no more parentheses than are needed
 * to read the same tree back. */
void pg_expr_print(FILE *out, const struct pg_expr *expr, const struct pg_method *method);
/* Print the expression as an operand: in parentheses if it has operators other than
 * signs. */
void pg_expr_print_operand(FILE *out, const struct pg_expr *expr,
                           const struct pg_method *method);
/* Return the expression's text as a new string; NULL: out of memory. */
char *pg_expr_text(const struct pg_expr *expr, const struct pg_method *method);

/* --- Operations (expr_value.c) -------------------------------------------- */

enum { PG_SIGNS = 11, PG_OPERAND = 12 };

/* Text and functions of an operator; members that do not apply are 0. The functions are
 * in proxies/proxy_value.h. */
struct pg_operation {
    const char *sign; /* sign between two operands */
    int strength;     /* binding strength, from 1 for '?:' to PG_SIGNS for signs */
    /* names of the C functions that compute it, for integers and for floating numbers */
    const char *whole_name, *real_name;
    int64_t (*whole)(int64_t a, int64_t b);
    double (*real)(double a, double b);
    int64_t (*holds)(double a, double b); /* for comparisons */
};
extern const struct pg_operation pg_operations[PG_OP_COUNT];

/* Return the binding strength of an operator, or PG_OPERAND. */
int pg_op_strength(enum pg_op op);

/* --- As C (expr_c.c) ------------------------------------------------------ */

/* Names that expressions have in generated code. */
struct pg_c_names {
    const char *const *args; /* args[i] is the name of argument i */
    const char *result;      /* name of the variable with the method's result */
    /* text of the first arguments of proxy_recall and similar functions */
    const char *memory;
    /* name of the struct whose methods are called to get numbers; NULL: plain functions
     * are called */
    const char *target;
    /* true if `target` is a table, which its functions do not take as an argument */
    int is_table;
};

/* Print a value as a C expression of type int64_t or double, according to
 * value->expr->cls. The code does not overflow or trap; it calls functions of
 * proxies/proxy_value.h. */
void pg_value_print_c(FILE *out, const struct pg_value *value,
                      const struct pg_method *method, const struct pg_c_names *names);

/* Print any expression as C. The value of an unreachable place is 0; an expression that
 * is not a number is a pointer, NULL if unreachable. The code of `recall` and `get` sets
 * the variable proxy_gone if the value is missing; with pg_expr_print_c_marking,
 * unreachable places set it, too. */
void pg_expr_print_c(FILE *out, const struct pg_expr *expr,
                     const struct pg_method *method, const struct pg_c_names *names);
void pg_expr_print_c_marking(FILE *out, const struct pg_expr *expr,
                             const struct pg_method *method,
                             const struct pg_c_names *names);
/* Print a handle as an argument for the functions of proxy_memory.h. */
void pg_handle_print_c(FILE *out, const struct pg_expr *expr,
                       const struct pg_method *method, const struct pg_c_names *names);
/* True if the value may be missing although all its places are reachable, because it uses
 * `recall` or `get`. */
int pg_expr_may_miss(const struct pg_expr *expr);

/* --- Value of an expression (expr_value.c) -------------------------------- */

/* The inputs of an expression. */
struct pg_frame {
    void *const *args; /* args[i] points to argument i */
    const void *result;
    /* set to 1 if the expression reads unreachable memory or an unknown value */
    int missing;
    const union monitor_value *const *got; /* got[i][j]: value of variable j of `get` line
                                            * i; got[i] NULL: its call failed */
    const void *owner; /* address that distinguishes equal integer handles of several
                          libraries or ports in `memory` */
    struct proxy_memory *memory;
};

/* Evaluate an expression. Returns the value in `.d` if expr->cls is PG_FLOATING, else in
 * `.i`. The value of an unreachable place is 0, the value of a pointer its address. */
union monitor_value pg_expr_value(const struct pg_expr *expr, struct pg_frame *frame);
/* Load or store a number of the given scalar type at the address `at`, which need not be
 * aligned. */
union monitor_value pg_scalar_load(const struct pg_scalar *scalar, const void *at);
void pg_scalar_store(const struct pg_scalar *scalar, enum pg_class cls,
                     union monitor_value value, void *at);

/* Return the value of a handle for proxy_memory.h; 0: none. */
uint64_t pg_handle_value(const struct pg_expr *expr, struct pg_frame *frame);
/* Evaluate a marked value for a row; MONITOR_ABSENT if an input is missing. */
union monitor_value pg_value_take(const struct pg_value *value, struct pg_frame *frame);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* model.h: a port as proxygen knows it: methods, arguments, and the values marked in them.
 *
 * Header annotations, a sidecar file and a describe document all end as this; code and
 * describe documents are made from nothing else. */
#ifndef PROXYGEN_PERF_MODEL_H
#define PROXYGEN_PERF_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "ports/monitor_port.h"
#include "tools/proxygen/perf/layout.h"

/* What a type is to an expression. */
enum pg_class { PG_OTHER = 0, PG_INTEGER = 1, PG_FLOATING = 2 };

struct pg_scalar {
    enum pg_class cls;
    int bits;      /* of an integer: 1 for bool, 8 to 64; of a floating type: 32, 64 or more */
    int is_signed; /* integers */
};

struct pg_arg {
    char *name;
    char *type;               /* C spelling, checked by pg_type_check */
    struct pg_scalar value;   /* of the argument itself */
    struct pg_scalar pointee; /* of what it points to; PG_OTHER if it is no pointer to a number */
    struct pg_layout layout;  /* where `value` is PG_OTHER */
    int is_enum, points_to_const; /* of arguments of plain functions, for proposals */
};

enum pg_op {
    PG_INT,   /* i */
    PG_REAL,  /* d */
    PG_ARG,   /* argument `arg` */
    PG_DEREF, /* what argument `arg` points to, 0 where it is NULL */
    PG_NEG,   /* -left */
    PG_ADD,
    PG_SUB,
    PG_MUL,
    PG_DIV, /* of integers: toward zero; by zero: 0 */
    PG_MOD
};

struct pg_expr {
    enum pg_op op;
    enum pg_class cls; /* PG_INTEGER: int64 arithmetic; PG_FLOATING: double */
    int64_t i;
    double d;
    size_t arg;
    struct pg_expr *left, *right;
};

struct pg_label {
    int64_t value;
    char *text;
};

struct pg_value {
    char *name;
    enum monitor_kind kind;
    struct pg_expr *expr;
    struct pg_label *labels;
    size_t label_count;
};

struct pg_method {
    char *name;
    char *symbol; /* of a plain function: its name to the linker; else NULL */
    int has_return; /* the last argument is "return": what a plain function has returned */
    char *result; /* C spelling; "void" */
    struct pg_scalar result_value;
    struct pg_layout result_layout; /* where `result_value` is PG_OTHER */
    size_t offset;                  /* of its pointer in the struct of the port */
    int unmeasured;
    struct pg_arg *args; /* without self */
    size_t arg_count;
    struct pg_value *values; /* in-values in order, then out-values in order */
    size_t value_count;
};

struct pg_port {
    char *name;  /* of the struct: "flux_port" */
    char *type;  /* "shock.FluxPort/1" */
    size_t size; /* of the struct */
    int functions; /* plain functions of the header `name`, no struct; pg_method.symbol is set */
    struct pg_method *methods;
    size_t method_count;
};

void pg_expr_free(struct pg_expr *expr);
int pg_expr_equal(const struct pg_expr *a, const struct pg_expr *b);

void pg_value_done(struct pg_value *value);
void pg_method_done(struct pg_method *method);
void pg_method_clear_marks(struct pg_method *method); /* values and unmeasured */
void pg_port_free(struct pg_port *port);              /* NULL is fine */

/* New elements at the end, zeroed, borrowed until the next is added; NULL: out of memory. */
struct pg_method *pg_port_add_method(struct pg_port *port);
struct pg_arg *pg_method_add_arg(struct pg_method *method);

/* Put `value` (stolen, also on failure) among the values: in-values before out-values.
 * 0; -EEXIST a value of that name is there; -E2BIG beyond MONITOR_MAX_IN or _OUT; -ENOMEM. */
int pg_method_add_value(struct pg_method *method, struct pg_value *value);

size_t pg_method_in_count(const struct pg_method *method);
/* Index of the argument `name` (length given), or -1. */
ptrdiff_t pg_method_find_arg(const struct pg_method *method, const char *name, size_t length);
struct pg_method *pg_port_find_method(const struct pg_port *port, const char *name,
                                      size_t length);

/* True where both say the same of the same interface. */
int pg_port_equal(const struct pg_port *a, const struct pg_port *b);

#endif

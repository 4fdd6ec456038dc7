/* SPDX-License-Identifier: BSD-3-Clause */
/* model.h: a port in proxygen: methods, arguments, and the values marked in them.
 *
 * Header annotations, a sidecar file and a describe document are all read into this
 * model; code and describe documents are made from it alone. */
#ifndef PROXYGEN_PERF_MODEL_H
#define PROXYGEN_PERF_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "ports/monitor_port.h"
#include "tools/proxygen/perf/layout.h"
#include "tools/proxygen/perf/type.h"

struct pg_arg {
    char *name;
    char *type;             /* C spelling, checked by pg_type_check */
    char *plain;            /* of a port's method: `type` without typedefs; or NULL */
    struct pg_scalar value; /* of the argument itself */
    struct pg_scalar
        pointee; /* of its target; PG_OTHER unless it is a pointer to a number */
    struct pg_layout layout; /* where `value` is PG_OTHER */
    struct pg_type *of;      /* the whole type, borrowed from the port; NULL: `value` and
                                `pointee` are complete */
    int is_enum, points_to_const; /* of arguments of plain functions, for proposals */
};

/* Operations of expression nodes. The first are places in memory, which have a `type`. */
enum pg_op {
    PG_ARG,     /* argument `arg` */
    PG_RETURN,  /* the result of the method */
    PG_DEREF,   /* *left */
    PG_FIELD,   /* left.field, left->field where `left` is a pointer */
    PG_INDEX,   /* left[right] */
    PG_GOT,     /* name `arg` of get `i` of the method */
    PG_RECALL,  /* the value of memory `arg` for the handle `left` */
    PG_INT,     /* i */
    PG_REAL,    /* d */
    PG_SIZEOF,  /* i: the size of `type`, or of the place `left` */
    PG_COUNTOF, /* i: the elements of the array `left` */
    PG_STRLEN,  /* of the string `left`, at most `right` */
    PG_UPPER,   /* a character as a capital letter */
    PG_MIN,
    PG_MAX,
    PG_NEG, /* -left */
    PG_NOT, /* !left; `left` may be a pointer */
    PG_MUL,
    PG_DIV, /* of integers: toward zero; by zero: 0 */
    PG_MOD,
    PG_ADD,
    PG_SUB,
    PG_SHL,
    PG_SHR,
    PG_LT,
    PG_GT,
    PG_LE,
    PG_GE,
    PG_EQ,
    PG_NE,
    PG_BIT_AND,
    PG_BIT_OR,
    PG_BOTH,   /* left && right; either may be a pointer */
    PG_EITHER, /* left || right */
    PG_CHOOSE, /* left ? right : third */
    PG_OP_COUNT
};

struct pg_expr {
    enum pg_op op;
    enum pg_class cls; /* PG_INTEGER: int64; PG_FLOATING: double; PG_OTHER: no number, a
                          part of one */
    int64_t i;
    double d;
    size_t arg;
    struct pg_type *type; /* of a place, and of PG_SIZEOF; borrowed from the port */
    const struct pg_field *field; /* of the type of `left`, or of what that points to */
    struct pg_expr *left, *right, *third;
};

struct pg_value {
    char *name;
    enum monitor_kind kind;
    struct pg_expr *expr;
    struct pg_label *labels;
    size_t label_count;
    int strings; /* a mode whose value says which of the labels the string `expr` is: 0,
                    1, ... */
};

struct pg_port;

/* A number that a method gets from a function without side effects. */
struct pg_got {
    char *name;
    struct pg_type *type; /* borrowed from the port */
    size_t arg; /* of the call, which is given the address; beyond the last: what it
                   returns */
};

struct pg_get {
    size_t call; /* the function: pg_port_getter */
    struct pg_got *names;
    size_t name_count;
    struct pg_expr **args; /* of the call; NULL: the address of a name, or else NULL */
    size_t arg_count;
    struct pg_expr *only_if; /* of what the call returns; NULL: pg_get_checks */
    int after;               /* when the method has returned */
    int known;               /* its line has been read: its names may be used */
};

/* A value that a method remembers about a handle, or the end of a handle. */
struct pg_keep {
    struct pg_expr *handle; /* a pointer or an integer */
    struct pg_expr *what;   /* NULL: forget everything about the handle */
    size_t memory;          /* index in the port */
};

/* A name for remembered values. */
struct pg_memory {
    char *name;
    enum pg_class cls;
    int kept;         /* a line remembers it */
    int line, column; /* position of its first recall */
};

struct pg_method {
    struct pg_port *port; /* its port */
    char *name;
    char *symbol;  /* of a plain function: its name to the linker; else NULL */
    char *forward; /* of a variadic function: that which takes its arguments as a va_list,
                    */
    char *forward_symbol; /* and its name to the linker */
    int has_rest; /* of a variadic function: its last argument here is the one behind them
                   */
    char *result; /* C spelling; "void" */
    char *result_plain; /* as pg_arg.plain */
    struct pg_scalar result_value;
    struct pg_layout result_layout; /* where `result_value` is PG_OTHER */
    struct pg_type *result_of;      /* as of arguments */
    size_t offset;                  /* of its pointer in the struct of the port */
    int unmeasured;
    long since; /* of a member of a table: the version that has it first; 0: always there
                 */
    int no_return;       /* its type says that it does not return */
    int lengths;         /* of strings, which Fortran passes behind the arguments that are
                            declared */
    struct pg_arg *args; /* without self */
    size_t arg_count;
    struct pg_value *values; /* in-values in order, then out-values in order */
    size_t value_count;
    struct pg_get *gets;
    size_t get_count;
    struct pg_keep *keeps;
    size_t keep_count;
};

/* A quality attribute of a library, as in framework/cca.h. */
struct pg_quality {
    char *name;
    double value;
    int compose; /* 0 the largest, 1 the smallest, 2 the sum */
};

/* The header's reader, which answers questions of expressions. All return 0, -ENOENT
 * if the header has no such thing, -ENOMEM. */
struct pg_lookup {
    /* Fill in a type that is open. */
    int (*open)(struct pg_lookup *lookup, struct pg_port *port, struct pg_type *type);
    /* "double", "struct x", or a typedef. */
    int (*type_named)(struct pg_lookup *lookup, struct pg_port *port, const char *name,
                      struct pg_type **type);
    /* An enumerator, or a macro that is one integer. */
    int (*constant)(struct pg_lookup *lookup, const char *name, int64_t *value);
    /* A function of the library, as a getter of the port. Also -EINVAL with `err`. */
    int (*function)(struct pg_lookup *lookup, struct pg_port *port, const char *name,
                    struct pg_method *method, struct cca_error *err);
    void (*close)(struct pg_lookup *lookup);
};

struct pg_port {
    char *name;  /* of the struct: "flux_port" */
    char *type;  /* "shock.FluxPort/1" */
    size_t size; /* of the struct */
    char
        *signature; /* of a port: pg_port_signature, or what a document states; or NULL */
    int functions; /* plain functions of the header `name`, no struct; pg_method.symbol is
                      set */
    int members;   /* or those of a table in it, which are asked for numbers themselves */
    char *version; /* of such a table: the member that says which members are there, or
                      NULL */
    struct pg_port *keeper; /* the port whose memories it uses; NULL: its own */
    struct pg_method *methods;
    size_t method_count;
    struct pg_type **types; /* types that expressions have used */
    size_t type_count;
    struct pg_quality *qualities; /* of plain functions */
    size_t quality_count;
    struct pg_memory *memories;
    size_t memory_count;
    struct pg_method **getters; /* functions that are only called to get numbers */
    size_t getter_count;
    struct pg_lookup *lookup; /* closed with the port; NULL: `types` are all there is */
};

void pg_expr_free(struct pg_expr *expr);
int pg_expr_equal(const struct pg_expr *a, const struct pg_expr *b);

void pg_value_done(struct pg_value *value);
void pg_method_done(struct pg_method *method);
void pg_method_clear_marks(struct pg_method *method); /* all but its signature */
void pg_port_free(struct pg_port *port);              /* NULL is fine */

/* New elements at the end, zeroed, borrowed until the next is added; NULL: out of memory.
 */
struct pg_method *pg_port_add_method(struct pg_port *port);
struct pg_arg *pg_method_add_arg(struct pg_method *method);
struct pg_get *pg_method_add_get(struct pg_method *method);
struct pg_keep *pg_method_add_keep(struct pg_method *method);
struct pg_memory *pg_port_add_memory(struct pg_port *port);
struct pg_quality *pg_port_add_quality(struct pg_port *port);
void pg_port_clear_qualities(struct pg_port *port);
struct pg_method *pg_port_add_getter(struct pg_port *port);
struct pg_type *pg_port_add_type(struct pg_port *port, enum pg_type_kind kind,
                                 const char *name);

/* The type of an argument, built from its two scalars if nothing more is known; NULL:
 * out of memory. For a result: opaque for void. */
struct pg_type *pg_arg_type(struct pg_port *port, struct pg_arg *arg);
struct pg_type *pg_result_type(struct pg_method *method);
/* Read an open type from the header. 0 or -ENOMEM. */
int pg_port_open_type(struct pg_port *port, struct pg_type *type);

/* Put `value` (stolen, also on failure) among the values: in-values before out-values.
 * 0; -EEXIST a value of that name is there; -E2BIG beyond MONITOR_MAX_IN or _OUT;
 * -ENOMEM. */
int pg_method_add_value(struct pg_method *method, struct pg_value *value);

size_t pg_method_in_count(const struct pg_method *method);
/* Index of the argument `name` (length given), or -1. */
ptrdiff_t pg_method_find_arg(const struct pg_method *method, const char *name,
                             size_t length);
struct pg_method *pg_port_find_method(const struct pg_port *port, const char *name,
                                      size_t length);

/* True if the values that a call wrote through addresses count only when it returns 0. */
int pg_get_checks(const struct pg_get *get, const struct pg_method *call);

/* A hash of the prototypes of all methods, new: names, results, and types without
 * typedefs and names of arguments, in order. 16 hexadecimal digits; NULL: out of memory.
 */
char *pg_port_signature(const struct pg_port *port);

/* The port whose memories `port` uses. */
static inline struct pg_port *pg_port_keeper(struct pg_port *port)
{
    return port->keeper ? port->keeper : port;
}

/* The function of a get: a getter of plain functions, or a method or member of a struct.
 */
struct pg_method *pg_port_getter(const struct pg_port *port, size_t call);

#endif

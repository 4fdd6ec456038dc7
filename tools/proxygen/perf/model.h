/* SPDX-License-Identifier: BSD-3-Clause */
/* model.h: the model of a port in proxygen: methods, arguments, and marked values.
 *
 * Header annotations, sidecar files and describe documents are all read into this model;
 * code and describe documents are written from it alone. */
#ifndef PROXYGEN_PERF_MODEL_H
#define PROXYGEN_PERF_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "ports/monitor_port.h"
#include "tools/proxygen/perf/layout.h"
#include "tools/proxygen/perf/type.h"

struct pg_arg {
    char *name;
    char *type;               /* C type, checked by pg_type_check */
    char *plain;              /* `type` without typedefs, in methods of ports; or NULL */
    struct pg_scalar value;   /* type of the argument as a number */
    struct pg_scalar pointee; /* type of the number to which the argument points; PG_OTHER
                               * unless it is a pointer to a number */
    struct pg_layout layout;  /* layout of the argument, if `value` is PG_OTHER */
    struct pg_type *of;       /* the whole type, borrowed from the port; NULL: `value` and
                               * `pointee` are complete */
    int is_enum, points_to_const; /* 1: an enumeration; 1: a pointer to const. Set for
                                   * plain functions, for proposed marks */
};

/* Operations of expression nodes. The first ones are places in memory with a `type`. */
enum pg_op {
    PG_ARG,     /* argument number `arg` */
    PG_RETURN,  /* the result of the method */
    PG_DEREF,   /* *left */
    PG_FIELD,   /* left.field, or left->field if `left` is a pointer */
    PG_INDEX,   /* left[right] */
    PG_GOT,     /* variable number `arg` of the method's `get` line number `i` */
    PG_RECALL,  /* value remembered about the handle `left` in memory number `arg` */
    PG_INT,     /* the constant `i` */
    PG_REAL,    /* the constant `d` */
    PG_SIZEOF,  /* a sizeof: its value `i` is the size of `type`, or of the place
                 * `left` */
    PG_COUNTOF, /* a countof: its value `i` is the number of elements of the array
                 * `left` */
    PG_STRLEN,  /* length of the string `left`, at most `right` */
    PG_UPPER,   /* a character converted to upper case */
    PG_MIN,
    PG_MAX,
    PG_NEG, /* -left */
    PG_NOT, /* !left; `left` may be a pointer */
    PG_MUL,
    PG_DIV, /* integers round toward zero; division by zero is 0 */
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
    enum pg_class cls; /* PG_INTEGER: int64; PG_FLOATING: double; PG_OTHER: not a number,
                        * only a part of an expression */
    int64_t i;
    double d;
    size_t arg;
    struct pg_type *type; /* type of a place or of PG_SIZEOF; borrowed from the port */
    const struct pg_field *field; /* field of `left`, or of the struct it points to */
    struct pg_expr *left, *right, *third;
};

struct pg_value {
    char *name;
    enum monitor_kind kind;
    struct pg_expr *expr;
    struct pg_label *labels;
    size_t label_count;
    int strings; /* mode with a string `expr`: its value is the index of the matching
                  * label */
};

struct pg_port;

/* A variable that a `get` line fills with a number. */
struct pg_got {
    char *name;
    struct pg_type *type; /* type of the variable, borrowed from the port */
    size_t arg; /* index of the call's argument that is the variable's address; beyond
                 * the last: the variable gets the call's result */
};

struct pg_get {
    size_t call; /* index of the called function, for pg_port_getter */
    struct pg_got *names;
    size_t name_count;
    struct pg_expr **args; /* arguments of the call; NULL: the address of a variable, or a
                            * NULL */
    size_t arg_count;
    struct pg_expr *only_if; /* condition on the call's result; NULL: pg_get_checks */
    int after;               /* 1: the function is called after the method */
    int known;               /* 1: the `get` line has been parsed, so its names may be
                              * used */
};

/* A value that a method remembers about a handle; or the end of a handle. */
struct pg_keep {
    struct pg_expr *handle; /* expression of the handle, a pointer or an integer */
    struct pg_expr *what;   /* expression to remember; NULL: forget the handle */
    size_t memory;          /* index of the memory in the port */
};

/* A named memory of values about handles. */
struct pg_memory {
    char *name;
    enum pg_class cls;
    int kept;         /* 1: a `remember` line stores values in this memory */
    int line, column; /* position of the first recall from this memory */
};

struct pg_method {
    struct pg_port *port; /* its port */
    char *name;
    char *symbol;         /* linker's name of a plain function; else NULL */
    char *forward;        /* function that takes the arguments of a variadic function as a
                           * va_list */
    char *forward_symbol; /* linker's name of the function `forward` */
    int has_rest;         /* the last argument here is passed for the '...' of a variadic
                           * function */
    char *result;         /* C type of the result, or "void" */
    char *result_plain;   /* like pg_arg.plain */
    struct pg_scalar result_value;
    struct pg_layout result_layout; /* layout of the result, if `result_value` is
                                     * PG_OTHER */
    struct pg_type *result_of;      /* like pg_arg.of */
    size_t offset;                  /* offset of the method's pointer in the port's
                                     * struct */
    int unmeasured;
    long since;          /* in a table: first version with this member; 0: all */
    int no_return;       /* 1: the function is declared as not returning */
    int lengths;         /* number of string lengths that Fortran passes after the
                          * declared arguments */
    struct pg_arg *args; /* without self */
    size_t arg_count;
    struct pg_value *values; /* in-values, then out-values, each in order */
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
    int compose; /* combination of several values in an assembly: 0 the largest, 1 the
                  * smallest, 2 the sum */
};

/* Functions by which the header's reader answers requests of the expression parser. All
 * return 0, -ENOENT if the header has no such thing, -ENOMEM. */
struct pg_lookup {
    /* Read the contents of an open type. */
    int (*open)(struct pg_lookup *lookup, struct pg_port *port, struct pg_type *type);
    /* Find a type by name: "double", "struct x", or a typedef. */
    int (*type_named)(struct pg_lookup *lookup, struct pg_port *port, const char *name,
                      struct pg_type **type);
    /* Find an enumerator, or a macro that is one integer. */
    int (*constant)(struct pg_lookup *lookup, const char *name, int64_t *value);
    /* Add a function of the library to the port's getters. Also -EINVAL with `err`. */
    int (*function)(struct pg_lookup *lookup, struct pg_port *port, const char *name,
                    struct pg_method *method, struct cca_error *err);
    void (*close)(struct pg_lookup *lookup);
};

struct pg_port {
    char *name;  /* name of the struct: "flux_port" */
    char *type;  /* "shock.FluxPort/1" */
    size_t size; /* sizeof the struct */
    char
        *signature; /* pg_port_signature of a port, or the value in a document; or NULL */
    int functions;  /* 1: plain functions of the header `name`, not a struct;
                     * pg_method.symbol is set */
    int members;    /* 1: methods are members of a table, which can themselves be called
                     * to get numbers */
    char *version;  /* for a table: member with the version, which decides which members
                     * exist, or NULL */
    struct pg_port *keeper; /* port whose memories are used; NULL: this one's */
    struct pg_method *methods;
    size_t method_count;
    struct pg_type **types; /* types used by expressions */
    size_t type_count;
    struct pg_quality *qualities; /* qualities of a library */
    size_t quality_count;
    struct pg_memory *memories;
    size_t memory_count;
    struct pg_method **getters; /* functions that are called only to get numbers */
    size_t getter_count;
    struct pg_lookup *lookup; /* functions to read further types, freed with the port;
                               * NULL: `types` are complete */
};

void pg_expr_free(struct pg_expr *expr);
int pg_expr_equal(const struct pg_expr *a, const struct pg_expr *b);

void pg_value_done(struct pg_value *value);
void pg_method_done(struct pg_method *method);
void pg_method_clear_marks(struct pg_method *method); /* remove all marks of a method;
                                                       * keeps its signature */
void pg_port_free(struct pg_port *port);              /* NULL is allowed */

/* Append a new element, zeroed, borrowed until the next is appended; NULL: out of
 * memory. */
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

/* The type of an argument, built from its two scalars if nothing else is known; NULL: out
 * of memory. For a void result it is opaque. */
struct pg_type *pg_arg_type(struct pg_port *port, struct pg_arg *arg);
struct pg_type *pg_result_type(struct pg_method *method);
/* Read an open type from the header. Returns 0 or -ENOMEM. */
int pg_port_open_type(struct pg_port *port, struct pg_type *type);

/* Insert `value` (stolen, also on failure): in-values precede out-values. Returns 0;
 * -EEXIST there is a value of that name; -E2BIG more than MONITOR_MAX_IN or _OUT;
 * -ENOMEM. */
int pg_method_add_value(struct pg_method *method, struct pg_value *value);

size_t pg_method_in_count(const struct pg_method *method);
/* Index of the argument `name` (whose length is given), or -1. */
ptrdiff_t pg_method_find_arg(const struct pg_method *method, const char *name,
                             size_t length);
struct pg_method *pg_port_find_method(const struct pg_port *port, const char *name,
                                      size_t length);

/* True if the values that a call wrote are valid only when it returns 0. */
int pg_get_checks(const struct pg_get *get, const struct pg_method *call);

/* A hash of the prototypes of all methods, new: in order, their names, results, types
 * without typedefs, and argument names. 16 hexadecimal digits; NULL: out of memory. */
char *pg_port_signature(const struct pg_port *port);

/* The port whose memories `port` uses. */
static inline struct pg_port *pg_port_keeper(struct pg_port *port)
{
    return port->keeper ? port->keeper : port;
}

/* The function of a get: a getter of plain functions, or a method or member of a
 * struct. */
struct pg_method *pg_port_getter(const struct pg_port *port, size_t call);

#endif

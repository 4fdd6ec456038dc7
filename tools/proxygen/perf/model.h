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

/* How a method uses the array that an argument points to. */
enum pg_access { PG_UNKNOWN_ACCESS = 0, PG_READS, PG_WRITES, PG_UPDATES };

struct pg_arg {
    char *name;
    char *type;             /* C type of the argument, checked by pg_type_check */
    char *plain;            /* for methods of ports: `type` without typedefs; else NULL */
    struct pg_scalar value; /* type of the argument if it is a number, else PG_OTHER */
    struct pg_scalar pointee; /* type of the number to which the argument points; PG_OTHER
                               * unless it is a pointer to a number */
    struct pg_layout layout;  /* layout of the argument, if `value` is PG_OTHER */
    struct pg_type *of;       /* the whole type, borrowed from the port; NULL: `value` and
                               * `pointee` are complete */
    /* true for an enumeration, and for a pointer to const; set only for plain functions,
     * to propose marks */
    int is_enum, points_to_const;
    enum pg_access access;
    /* number of elements of the array, or of bytes behind a `void *`; NULL: one */
    struct pg_expr *count;
};

/* Operations of expression nodes. The first ones are places in memory with a `type`. */
enum pg_op {
    PG_ARG,     /* the argument with index `arg` */
    PG_RETURN,  /* the result of the method */
    PG_DEREF,   /* *left */
    PG_FIELD,   /* left.field, or left->field if `left` is a pointer */
    PG_INDEX,   /* left[right] */
    PG_GOT,     /* variable with index `arg` of the method's `get` line with index `i` */
    PG_RECALL,  /* value that the memory with index `arg` holds about the handle `left` */
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
    PG_NOT, /* not `left`, which may be a pointer */
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
    PG_BOTH,   /* left && right; both may be pointers */
    PG_EITHER, /* left || right */
    PG_CHOOSE, /* left ? right : third */
    PG_OP_COUNT
};

struct pg_expr {
    enum pg_op op;
    /* type of the value: PG_INTEGER: int64; PG_FLOATING: double; PG_OTHER: no number, so
     * that the node can only be a part of an expression */
    enum pg_class cls;
    int64_t i;
    double d;
    size_t arg;
    /* for a place in memory (see enum pg_op) its type, for PG_SIZEOF the type whose size
     * is meant; borrowed from the port */
    struct pg_type *type;
    const struct pg_field *field; /* field of `left`, or of the struct it points to */
    struct pg_expr *left, *right, *third;
};

struct pg_value {
    char *name;
    enum monitor_kind kind;
    struct pg_expr *expr;
    struct pg_label *labels;
    size_t label_count;
    /* true for a mode whose `expr` is a string: its value is the index of the label that
     * equals the string */
    int strings;
};

struct pg_port;

/* A variable that a `get` line fills with a number. */
struct pg_got {
    char *name;
    struct pg_type *type; /* type of the variable, borrowed from the port */
    /* index of the call's argument that is the variable's address; if it is the number of
     * arguments, the variable gets the call's result */
    size_t arg;
};

struct pg_get {
    size_t call; /* index of the called function, for pg_port_getter */
    struct pg_got *names;
    size_t name_count;
    /* arguments of the call; NULL for the address of a variable, and for the argument
     * NULL */
    struct pg_expr **args;
    size_t arg_count;
    /* condition on the call's result under which the numbers are valid; NULL: as
     * pg_get_checks decides */
    struct pg_expr *only_if;
    int after; /* true if the function is called after the method, not before it */
    int known; /* true if the `get` line has been parsed, so its names may be used */
};

/* A line `remember` of a method, which stores a value about a handle; or a line `forget`,
 * which ends a handle. */
struct pg_keep {
    struct pg_expr *handle; /* expression of the handle, a pointer or an integer */
    /* expression whose value is remembered; NULL: the handle is forgotten */
    struct pg_expr *what;
    size_t memory; /* index of the memory among the port's memories */
};

/* A named memory: it maps handles to values that were remembered about them. */
struct pg_memory {
    char *name;
    enum pg_class cls;
    int kept;         /* true if a `remember` line stores values in this memory */
    int line, column; /* position of the first `recall` from this memory */
};

struct pg_method {
    struct pg_port *port; /* its port */
    char *name;
    char *symbol;         /* linker's name of a plain function; else NULL */
    char *forward;        /* function that takes the arguments of a variadic function as a
                           * va_list */
    char *forward_symbol; /* linker's name of the function `forward` */
    /* true if the last one of `args` is passed for the '...' of a variadic function */
    int has_rest;
    char *result;       /* C type of the result, or "void" */
    char *result_plain; /* like pg_arg.plain */
    struct pg_scalar result_value;
    struct pg_layout result_layout; /* layout of the result, if `result_value` is
                                     * PG_OTHER */
    struct pg_type *result_of;      /* like pg_arg.of */
    size_t offset;                  /* offset of the method's pointer in the port's
                                     * struct */
    int unmeasured;
    /* in a table: first version of the table that has this member; 0: all have it */
    long since;
    int no_return;       /* true if the function is declared as not returning */
    int lengths;         /* number of string lengths that Fortran passes after the
                          * declared arguments */
    struct pg_arg *args; /* without self */
    size_t arg_count;
    /* in-values, then out-values, both in the order of the marks */
    struct pg_value *values;
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
    /* how the values of several components are combined for an assembly: 0: the largest,
     * 1: the smallest, 2: the sum */
    int compose;
};

/* Functions of the header's reader which the parser of expressions calls. All return 0;
 * -ENOENT if the header has no such item; or -ENOMEM. */
struct pg_lookup {
    /* Read the contents of an `open` type (type.h). */
    int (*open)(struct pg_lookup *lookup, struct pg_port *port, struct pg_type *type);
    /* Find a type by name: "double", "struct x", or a typedef. */
    int (*type_named)(struct pg_lookup *lookup, struct pg_port *port, const char *name,
                      struct pg_type **type);
    /* Find an enumerator, or a macro that is one integer. */
    int (*constant)(struct pg_lookup *lookup, const char *name, int64_t *value);
    /* Read a function of the library, to add it to the port's getters. May also return
     * -EINVAL, with `err`. */
    int (*function)(struct pg_lookup *lookup, struct pg_port *port, const char *name,
                    struct pg_method *method, struct cca_error *err);
    void (*close)(struct pg_lookup *lookup);
};

struct pg_port {
    char *name;  /* name of the struct: "flux_port" */
    char *type;  /* "shock.FluxPort/1" */
    size_t size; /* sizeof the struct */
    /* result of pg_port_signature for a port, or the value that a document has; or
     * NULL */
    char *signature;
    /* true for plain functions of the header `name`, which belong to no struct; then
     * pg_method.symbol is set */
    int functions;
    /* true if the methods are members of a table; `get` lines can call these members
     * themselves */
    int members;
    /* for a table: the member that holds its version number, which decides which members
     * exist; or NULL */
    char *version;
    struct pg_port *keeper; /* port whose memories this one uses; NULL: its own */
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

/* Append a zeroed element. Returns the element, borrowed until the next one is appended;
 * NULL: out of memory. */
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

/* Return the type of an argument or of the result; it is built from `value` and `pointee`
 * if nothing else is known. For a void result it is opaque. NULL: out of memory. */
struct pg_type *pg_arg_type(struct pg_port *port, struct pg_arg *arg);
struct pg_type *pg_result_type(struct pg_method *method);
/* Read the contents of an `open` type from the header. Returns 0 or -ENOMEM. */
int pg_port_open_type(struct pg_port *port, struct pg_type *type);

/* Insert `value` (stolen, also on failure); in-values precede hints, and hints other
 * out-values. Returns 0;
 * -EEXIST: there is a value of that name; -E2BIG: more values than MONITOR_MAX_IN or
 * MONITOR_MAX_OUT; or -ENOMEM. */
int pg_method_add_value(struct pg_method *method, struct pg_value *value);

size_t pg_method_in_count(const struct pg_method *method);
/* Return the number of values that are known before the call: in-values and hints. */
size_t pg_method_known_count(const struct pg_method *method);
/* Return the index of the argument `name` (whose length is given), or -1. */
ptrdiff_t pg_method_find_arg(const struct pg_method *method, const char *name,
                             size_t length);
struct pg_method *pg_port_find_method(const struct pg_port *port, const char *name,
                                      size_t length);

/* True if the numbers that a `get` line's call has written are valid only when the call
 * returns 0. */
int pg_get_checks(const struct pg_get *get, const struct pg_method *call);

/* Return a hash of the prototypes of all methods, in their order: names, types of results
 * and arguments without typedefs, and argument names. A new string of 16 hexadecimal
 * digits; NULL: out of memory. */
char *pg_port_signature(const struct pg_port *port);

/* Return the port whose memories `port` uses. */
static inline struct pg_port *pg_port_keeper(struct pg_port *port)
{
    return port->keeper ? port->keeper : port;
}

/* Return the function that a `get` line calls: one of the getters for plain functions,
 * else a method of the port or member of the table. */
struct pg_method *pg_port_getter(const struct pg_port *port, size_t call);

#endif

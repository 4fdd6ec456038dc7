/* SPDX-License-Identifier: BSD-3-Clause */
/* tree.h: an activity model as a tree: variables, cost functions, activities and their
 * elements, in the order of the text. The language is a text form of the UML activity
 * diagrams of "the paper": S. Pllana, S. Benkner, F. Xhafa, L. Barolli, "Automatic
 * Performance Model Transformation from a Human-Intuitive to a Machine-Efficient Form"
 * (2008). It is described in docs/reference/activity-language.md.
 *
 * All of a tree lies in one arena and is freed at once. Names are resolved by the parser:
 * an expression points to the variable, function or activity that it names. */
#ifndef ACTIVITY_MODEL_TREE_H
#define ACTIVITY_MODEL_TREE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "ports/cca_error.h"

enum act_type { ACT_LONG, ACT_DOUBLE };

/* A position in the text, counted from 1. */
struct act_place {
    int line, column;
};

union act_number {
    int64_t whole;
    double real;
};

struct act_variable {
    const char *name;
    enum act_type type;
    struct act_place place;
    const char *comment;    /* comment in whole lines before the declaration, or NULL;
                             * as in struct act_element */
    struct act_expr *value; /* initial value of the variable; NULL: 0 */
    int slot;               /* index of the variable among a process's variables */
    int used;               /* 1: some expression uses the variable */
    int is_turn;            /* 1: variable of a loop, to which code cannot assign */
    struct act_variable *next;
};

enum { ACT_PARAMETERS = 32 }; /* maximum number of a function's parameters */

struct act_function {
    const char *name;
    struct act_place place;
    const char *comment;
    struct act_variable *parameters; /* parameters of the function, with slots of their
                                      * own */
    int parameter_count;
    struct act_expr *body;
    int used;
    struct act_function *next;
};

/* A list of numbers, indexed from 0. */
struct act_table {
    const char *name;
    enum act_type type;
    struct act_place place;
    const char *comment;
    union act_number *values;
    const char **texts; /* numbers of the table as written */
    int64_t count;
    int number; /* number of the function, from 0 in the order of the text */
    int used;
    struct act_table *next;
};

/* A performance model of the Mastermind in a cost: model("flux.flux.compute", axis = 0, Q
 * = nx*ny). There is one struct for each occurrence in the text. */
struct act_model_call {
    const char *method;
    const char **names; /* [count] names of the call's parameters */
    struct act_expr **values;
    int count;
    int number; /* number of this occurrence, from 0 in the order of the text */
    struct act_place place;
    struct act_model_call *next;
};

enum act_builtin {
    ACT_PID,
    ACT_TID,
    ACT_UID,
    ACT_NPROC,
    ACT_NNODE,
    ACT_NTHREAD,
    ACT_BUILTINS
};

enum act_expr_kind {
    ACT_NUMBER,
    ACT_VARIABLE,
    ACT_BUILTIN,
    ACT_CALL_FUNCTION,
    ACT_CALL_MATH,  /* min, max, floor, ceil, sqrt, log2, log, exp, pow, abs */
    ACT_CALL_MODEL, /* model("..."): type double, seconds; allowed in costs only */
    ACT_INDEX,      /* an entry of a table */
    ACT_UNARY,      /* the operators - and ! */
    ACT_BINARY,
    ACT_CHOICE /* a ? b : c */
};

enum act_operator {
    ACT_OR,
    ACT_AND,
    ACT_EQ,
    ACT_NE,
    ACT_LT,
    ACT_LE,
    ACT_GT,
    ACT_GE,
    ACT_ADD,
    ACT_SUB,
    ACT_MUL,
    ACT_DIV,
    ACT_MOD,
    ACT_NEG,
    ACT_NOT
};

enum act_math {
    ACT_MIN,
    ACT_MAX,
    ACT_FLOOR,
    ACT_CEIL,
    ACT_SQRT,
    ACT_LOG2,
    ACT_LOG,
    ACT_EXP,
    ACT_POW,
    ACT_ABS,
    ACT_MATHS
};

struct act_expr {
    enum act_expr_kind kind;
    enum act_type type; /* type of the value; conditions have type long */
    struct act_place place;
    union act_number number;
    const char *text; /* text of a number, as written */
    int parentheses;  /* number of parentheses around the expression in the text */
    int which;        /* kind of builtin, operator or function: enum act_builtin,
                       * act_operator or act_math */
    struct act_variable *variable;
    struct act_function *function;
    struct act_table *table;
    struct act_model_call *model;
    struct act_expr *arguments[3]; /* operands of an operator, arguments of a math
                                    * function, or an index */
    struct act_expr **list;        /* arguments of a function: parameter_count */
};

/* --- The profile: stereotypes and their tags (the paper's Figure 2.1). --- */

enum act_tag_type { ACT_TAG_LONG, ACT_TAG_DOUBLE, ACT_TAG_TEXT };

struct act_tag {
    const char *name;
    enum act_tag_type type;
    const char *value; /* default value as written; NULL: the tag must be given */
    struct act_place place;
    struct act_tag *next;
};

/* "stereotype Kernel of action { double flops  text author = "nobody" }". */
struct act_stereotype {
    const char *name;
    const char *base; /* name of the kind of element to which it applies, or "activity" */
    struct act_place place;
    const char *comment;
    struct act_tag *tags;
    struct act_stereotype *next;
};

/* "<<Kernel flops = 12.0>>": a stereotype applied to an element or activity. */
struct act_applied {
    struct act_stereotype *stereotype;
    struct act_applied_tag {
        const struct act_tag *tag;
        const char *value; /* value as written; of a text, the characters between the
                            * quotes */
        struct act_applied_tag *next;
    } * tags;
    struct act_place place;
    struct act_applied *next;
};

/* --- Elements. --- */

enum act_kind {
    ACT_ACTION,
    ACT_CALL, /* call another activity */
    ACT_IF,
    ACT_LOOP,
    ACT_WHILE,
    ACT_SET, /* variable = value; only inside do { } */
    ACT_DO,  /* code { }: a do { } without an element, which takes no time */
    ACT_SEND,
    ACT_RECV,
    ACT_ISEND,
    ACT_IRECV,
    ACT_WAIT,
    ACT_EXCHANGE,
    ACT_BCAST,
    ACT_REDUCE,
    ACT_ALLREDUCE,
    ACT_BARRIER,
    ACT_ALLTOALL,
    ACT_PARALLEL, /* a body run by several threads, or a loop whose iterations threads
                   * share */
    ACT_CRITICAL, /* a body that one thread of a process at a time may run */
    ACT_FORK,     /* branches, each run by a thread, then a join */
    ACT_BRANCH,   /* only inside a fork */
    ACT_KINDS
};

enum act_collective { ACT_AS_USUAL, ACT_AS_COST, ACT_AS_EXPANDED };
enum act_schedule { ACT_STATIC, ACT_DYNAMIC };
enum { ACT_PEERS = 32 }; /* maximum neighbours of an exchange, requests of a wait */

struct act_element {
    enum act_kind kind;
    const char *name; /* name of the element; NULL: none */
    int64_t id;       /* -1: none */
    int number;       /* number of the element in the order of the text, from 0 */
    struct act_place place;
    const char *comment; /* comment in whole lines before the element, without "//",
                          * '\n' between; or NULL */
    const char *tail;    /* comment after the element in its line, or NULL */
    struct act_applied *applied; /* applied stereotypes */
    const char *type;   /* the paper's tag `type`, or NULL; with `method`, the class that
                         * provides the method */
    const char *method; /* method that the element represents,
                         * "instance.port.method", or NULL */
    /* the paper's tag `time`: a number, used as cost if there is no `cost` */
    struct act_expr *time;
    struct act_expr *cost;   /* cost of an action or collective, seconds; NULL: `time`,
                              * else 0 */
    struct act_expr *memory; /* bytes that an action reads and writes in memory; NULL:
                              * 0 */
    struct act_expr *bytes, *tag, *peer;   /* size, tag and peer of a message; NULL: 0;
                                            * peer is also the root of a collective */
    struct act_expr *peers[ACT_PEERS];     /* peers of an exchange; a peer outside of
                                            * 0..nproc-1 is skipped */
    struct act_element *waited[ACT_PEERS]; /* isends and irecvs of a wait; none given:
                                            * all */
    const char *waited_names[ACT_PEERS];
    int peer_count; /* number of `peers` or `waited` */
    enum act_collective as;
    struct act_element *code;      /* do { }: assignments and ifs that run before the cost
                                    * is charged */
    const char *raw;               /* C code between {{ and }}, or NULL; runs after
                                    * `code` */
    struct act_activity *activity; /* activity that an ACT_CALL calls */
    const char *called;            /* name of the called activity */
    struct act_variable *variable; /* variable of an assignment, a loop or a parallel
                                    * loop; NULL: a parallel region that is no loop */
    struct act_expr *value;        /* value of an assignment; first value of a loop; guard
                                    * of if and while */
    struct act_expr *last;         /* last value of a loop */
    struct act_expr *threads;      /* number of threads of a parallel region */
    enum act_schedule schedule;
    int schedule_given;
    struct act_expr *chunk; /* iterations per chunk of a parallel loop; NULL: 1 (dynamic),
                             * or blocks of equal size (static) */
    struct act_element *body; /* body of an if, loop, while, parallel, critical or branch;
                               * branches of a fork */
    const char *body_comment; /* comment before the closing brace of the body */
    struct act_element *otherwise; /* other branch of an if: the ACT_IF of elif, or the
                                    * body of else */
    const char *else_comment;      /* comment before the closing brace of else's body */
    int is_elif, has_else;         /* is_elif: `otherwise` is one ACT_IF, written as elif;
                                    * has_else: there is an else */
    struct act_element *next;
};

struct act_activity {
    const char *name;
    int64_t id; /* -1: none */
    struct act_place place;
    const char *comment;
    const char *method; /* method that the activity represents, as in an element; each
                         * call is an invocation of it */
    const char *type;   /* type as in an element; with `method`, the class that
                         * provides the method */
    struct act_applied *applied;
    struct act_variable *locals;
    struct act_element *body;
    const char *end_comment; /* comment before the activity's closing brace */
    int used;
    struct act_activity *next;
};

struct act_model {
    const char *file; /* name of the file in messages */
    const char *name;
    const char *comment; /* comment before the first line of the model */
    const char *end_comment;
    struct act_stereotype *stereotypes;
    struct act_variable *globals;
    struct act_table *tables;
    struct act_function *functions;
    struct act_model_call *models;
    struct act_activity *activities; /* activities of the model; processes start in
                                      * Main */
    struct act_activity *main;
    struct act_element **elements; /* [element_count] elements by their number */
    int element_count, table_count, model_count;
    int slots;       /* number of variables of a process */
    int has_raw;     /* 1: the model has C code {{ }}, which needs --allow-c */
    int has_threads; /* 1: the model has a parallel region or a fork */
    struct act_arena *arena;
};

/* Read a model from text of `size` bytes. `name` is its name in messages. New, freed by
 * act_model_free (NULL is fine); NULL with `err`: -EINVAL, "name:line:column: found,
 * expected"; -ENOMEM. */
struct act_model *act_model_read(const char *name, const char *text, size_t size,
                                 struct cca_error *err);
/* Read a model from a file. Returns as act_model_read does; also -EINVAL if the file is
 * larger than 16 MiB, or an I/O error. */
struct act_model *act_model_load(const char *path, struct cca_error *err);
void act_model_free(struct act_model *model);

/* Set the initial value of a global: `value` is a number as in a model's text, with or
 * without a sign. Returns 0; -ENOENT "no global NAME; is it NEAR?"; -EINVAL: not a number
 * of the variable's type; -ENOMEM. */
int act_model_set(struct act_model *model, const char *name, const char *value,
                  struct cca_error *err);

/* Whether a method, "flux.flux.compute" or NULL, belongs to an instance, "flux". */
int act_method_is_of(const char *method, const char *instance);
/* Use another class for an instance: set the `type` of activities and elements whose
 * method belongs to the instance. `class_name` is borrowed as long as the model lives. */
void act_model_set_class(struct act_model *model, const char *instance,
                         const char *class_name);

/* Print an expression as it is in the text. Returns 0 or a negative errno of the
 * stream. */
int act_expr_print(const struct act_expr *e, FILE *out);
/* Print an expression with replaced names: `word` returns the replacement for a variable,
 * builtin, function, math function or table, or NULL to keep the name. */
struct act_expr_words {
    void *context;
    const char *(*word)(void *context, const struct act_expr *e);
    int is_c; /* 1: add parentheses that avoid warnings of C compilers */
    /* Print a whole expression in another way; returns 0 to print it as usual, but
     * without the text's parentheses. `wide`: C would take the whole numbers for ints,
     * which might overflow. */
    int (*put)(void *context, const struct act_expr *e, int wide);
};
int act_expr_print_as(const struct act_expr *e, const struct act_expr_words *words,
                      FILE *out);

/* Print the model as text. Parsing the text gives the same tree, comments included. New,
 * freed by the caller; NULL: out of memory. */
char *act_model_print(const struct act_model *model);

/* The name of a kind: "action", "allreduce". */
const char *act_kind_name(enum act_kind kind);
extern const char *const act_builtin_names[ACT_BUILTINS];
extern const char *const act_math_names[ACT_MATHS];
extern const char *const act_operator_texts[];
/* precedence of each operator (enum act_operator); a larger value binds tighter */
extern const unsigned char act_operator_strength[];
/* Number of arguments of a math function. */
int act_math_arguments(int which);
/* The builtin variable (enum act_builtin) with this name, or -1. */
int act_builtin_named(const char *name);
/* Whether the name is reserved: a type, "model", a function. */
int act_name_is_own(const char *name);
/* Whether the name has a meaning in the language; it may still be allowed as a name. */
int act_name_is_word(const char *name);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* suggest.h: propose marks by names and types of arguments, printed as a sidecar. */
#ifndef TOOLS_PROXYGEN_SUGGEST_SUGGEST_H
#define TOOLS_PROXYGEN_SUGGEST_SUGGEST_H

#include <stdio.h>

#include "tools/proxygen/library/table.h"
#include "tools/proxygen/perf/model.h"

/* Propose marks from names and types, apply them, and print them to `out` as a sidecar
 * with a reason for each. Returns 0 or -ENOMEM. */
int pg_interpose_suggest(struct pg_port *port, FILE *out, struct cca_error *err);

/* Like pg_interpose_suggest, but for one function; `handling` is its use of handles, or
 * NULL. */
struct pg_handling;
int pg_suggest_function(struct pg_method *method, const struct pg_handling *handling,
                        FILE *out, struct cca_error *err);

/* Like pg_interpose_suggest, but for tables of functions. */
int pg_tables_suggest(struct pg_tables *tables, FILE *out, struct cca_error *err);

/* --- suggest_handles.c --------------------------------------------------- */

/* How a function uses a handle, which refers to an object of a library. */
struct pg_handling {
    /* expression for the size of a new object; NULL: the function makes no object */
    char *size;
    /* index of the argument that receives the new handle; arg_count: the function returns
     * it */
    size_t made;
    int derived; /* true if the new object gets its size from another handle's object */
    /* index of the argument that is the handle; valid with `uses` or `ends` */
    size_t arg;
    int uses, ends;
};

/* Find how each function of the port uses handles. The functions must already be marked
 * by their own arguments. A handle is a pointer, or an integer of a type of its own, that
 * one function returns or writes and that a function with a name like "destroy" takes.
 * New, freed by pg_handlings_free; NULL: out of memory. */
struct pg_handling *pg_handlings_find(struct pg_port *port);
/* Find functions that make, use or end integer handles (suggest_numbers.c). Returns 0
 * or -ENOMEM. */
int pg_number_handlings(const struct pg_port *port, struct pg_handling *handlings);
/* Return a new expression over a function's arguments that estimates the amount of its
 * work; NULL: unknown, or out of memory. */
char *pg_handling_size(const struct pg_method *method);
/* True if pg_handling_size finds an expression. */
int pg_handling_is_sized(const struct pg_method *method);
void pg_handlings_free(struct pg_handling *handlings, const struct pg_port *port);

/* Print the sidecar lines about handles for one function, with reasons. */
void pg_handling_tell(const struct pg_handling *handling, const struct pg_method *method,
                      FILE *out);

/* --- suggest_words.c ----------------------------------------------------- */

enum pg_meaning {
    PG_SAYS_NOTHING,
    PG_SAYS_COUNT,     /* a number of items */
    PG_SAYS_DIMENSION, /* a number of items in one dimension; several such numbers are
                          multiplied */
    PG_SAYS_LENGTH,    /* the size of one item, or of each of many items */
    PG_SAYS_STRIDE,    /* a distance between items */
    PG_SAYS_MODE,      /* a choice between a few behaviours of the function (mode) */
};

/* Return the meaning of an argument's name, with a description in `*why`, such as "a
 * length". Case and underscores at both ends are ignored. */
enum pg_meaning pg_suggest_meaning(const char *name, const char **why);

/* pg_suggest_ends: true if a function's name shows that it ends its object, as "destroy"
 * does. pg_suggest_begins: true if the name shows that it sets its object's members, as
 * "init" does. */
int pg_suggest_ends(const char *name);
int pg_suggest_begins(const char *name);

#endif

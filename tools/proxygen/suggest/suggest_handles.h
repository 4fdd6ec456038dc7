/* SPDX-License-Identifier: BSD-3-Clause */
/* suggest_handles.h: find functions that make a handle of a known size, use it, and end
 * it. */
#ifndef PROXYGEN_SUGGEST_HANDLES_H
#define PROXYGEN_SUGGEST_HANDLES_H

#include <stdio.h>

#include "tools/proxygen/perf/model.h"

/* A function's use of a handle. */
struct pg_handling {
    /* expression for the size of a new object; NULL: the function makes no object */
    char *size;
    /* index of the argument that receives the new handle; arg_count: the function returns
     * it */
    size_t made;
    int derived; /* 1: the new object's size is the size of another handle's object */
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
/* An expression for the amount of work in a function's arguments, new; NULL: unknown, or
 * out of memory. */
char *pg_handling_size(const struct pg_method *method);
/* True if pg_handling_size has an expression. */
int pg_handling_is_sized(const struct pg_method *method);
void pg_handlings_free(struct pg_handling *handlings, const struct pg_port *port);

/* Print the sidecar lines of one function, with reasons. */
void pg_handling_tell(const struct pg_handling *handling, const struct pg_method *method,
                      FILE *out);

#endif

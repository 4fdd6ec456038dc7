/* SPDX-License-Identifier: BSD-3-Clause */
/* suggest_handles.h: functions that make a handle of a certain size, use it, and end it.
 */
#ifndef PROXYGEN_SUGGEST_HANDLES_H
#define PROXYGEN_SUGGEST_HANDLES_H

#include <stdio.h>

#include "tools/proxygen/perf/model.h"

/* A function's use of a handle. */
struct pg_handling {
    char *size;  /* of the object that it makes: an expression; NULL: it makes none */
    size_t made; /* argument that receives the new handle; arg_count: the result */
    int derived; /* the size is that of another handle */
    size_t arg;  /* the handle it is given, where `uses` or `ends` */
    int uses, ends;
};

/* Of each function of the port, which are marked with what their own arguments say: new,
 * freed by pg_handlings_free; NULL where memory ran out. Pointers, and integers of a type
 * of their own, that one function returns or writes are handles where another is given
 * one and has a name as "destroy". */
struct pg_handling *pg_handlings_find(struct pg_port *port);
/* The part of it about integers (suggest_numbers.c). 0 or -ENOMEM. */
int pg_number_handlings(const struct pg_port *port, struct pg_handling *handlings);
/* An expression of how much a function is given to do, new; NULL: nothing says, or no
 * memory. */
char *pg_handling_size(const struct pg_method *method);
/* True if pg_handling_size has an expression. */
int pg_handling_is_sized(const struct pg_method *method);
void pg_handlings_free(struct pg_handling *handlings, const struct pg_port *port);

/* Print the sidecar lines of one function, with reasons. */
void pg_handling_tell(const struct pg_handling *handling, const struct pg_method *method,
                      FILE *out);

#endif

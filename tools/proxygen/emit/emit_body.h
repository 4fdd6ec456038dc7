/* SPDX-License-Identifier: BSD-3-Clause */
/* emit_body.h: shared code of proxies, interposers and tables: lists of arguments, and
 * the body that forwards a call and has it recorded. Names that the body adds begin with
 * "pg_". */
#ifndef PROXYGEN_EMIT_BODY_H
#define PROXYGEN_EMIT_BODY_H

#include <stdio.h>

#include "tools/proxygen/perf/expr.h"

/* How one kind of function forwards and is recorded. Strings are parts of C code. */
struct pg_emit_body {
    const struct pg_method *method;
    struct pg_c_names names; /* `args` and `target` in expressions and the inner call */
    const char *recorded;    /* condition of a recorded call; NULL: no call is recorded */
    const char *absent;   /* statement where `names.target` is NULL; NULL: it never is */
    const char *begin;    /* "TYPE pg_call = KIND_begin(MONITOR, METHOD" */
    const char *kind;     /* "proxy", "interpose": KIND_end, KIND_end_at, KIND_now */
    const char *function; /* the inner function: "target->solve" */
    const char *first;    /* its first argument: "target"; "" for none */
    const char *tail;     /* its last one: "pg_list"; "" for none */
    int ends;             /* the function is declared to not return */
    /* Write statements that follow the inner call; NULL: none. */
    void (*after)(FILE *out, const struct pg_emit_body *body, int indent);
    const void *context; /* for `after` */
};

/* Write the statements of the function that forwards a call. */
void pg_emit_body(FILE *out, const struct pg_emit_body *body);

/* Parameters of a declaration, or arguments of a call. */
struct pg_emit_list {
    const struct pg_method *method;
    const char *const *names; /* NULL: types alone */
    int types;                /* with types; an empty list is "void" */
    const char *first, *tail; /* around the method's; NULL: none */
};

/* Write the list, and the lengths of strings that Fortran passes, behind `column` columns
 * of a line. A list that is too long for the line begins on the next one, `indent`
 * columns in; if it is too long for that, too, each element has a line. Column 0: on one
 * line. */
void pg_emit_list(FILE *out, const struct pg_emit_list *list, int column, int indent);

/* Write `text`; "$NAME" in it stands for the string that follows "NAME" in the arguments,
 * which are pairs and end with NULL. */
void pg_emit_text(FILE *out, const char *text, ...) __attribute__((sentinel));

/* `name` in capitals, new, with '_' for characters that identifiers lack; NULL: out of
 * memory. */
char *pg_emit_upper(const char *name);

int pg_emit_is_void(const struct pg_method *method);

#endif

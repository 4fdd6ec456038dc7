/* SPDX-License-Identifier: BSD-3-Clause */
/* emit_body.h: shared code of proxies, interposers and tables: lists of arguments, and
 * the body that records a call and forwards it. Names that the body adds begin with
 * "pg_". */
#ifndef PROXYGEN_EMIT_BODY_H
#define PROXYGEN_EMIT_BODY_H

#include <stdio.h>

#include "tools/proxygen/perf/expr.h"

/* Describes how one kind of function is recorded and forwarded. Strings are parts of C
 * code. */
struct pg_emit_body {
    const struct pg_method *method;
    struct pg_c_names names; /* names of the arguments and the target in expressions and
                              * in the inner call */
    const char *recorded;    /* condition for recording a call; NULL: calls are not
                              * recorded */
    const char *absent;      /* statement for a NULL in `names.target`; NULL: cannot
                              * happen */
    const char *begin;       /* begin of the statement that opens a call: "TYPE pg_call =
                              * KIND_begin(MONITOR, METHOD" */
    const char *kind;        /* prefix KIND of the functions KIND_end, KIND_end_at,
                              * KIND_now: "proxy", "interpose" */
    const char *function;    /* function to call inside: "target->solve" */
    const char *first;       /* first argument of `function`: "target"; "" for none */
    const char *tail;        /* last argument of `function`: "pg_list"; "" for none */
    int ends;                /* 1: the function is declared as not returning */
    /* Write statements after the inner call; NULL: none. */
    void (*after)(FILE *out, const struct pg_emit_body *body, int indent);
    const void *context; /* passed to `after` */
};

/* Write the body of the function. */
void pg_emit_body(FILE *out, const struct pg_emit_body *body);

/* Parameters of a declaration, or arguments of a call. */
struct pg_emit_list {
    const struct pg_method *method;
    const char *const *names; /* names of the parameters; NULL: print types alone */
    int types;                /* print types, too; an empty list is then "void" */
    const char *first, *tail; /* items before and after the method's own; NULL: none */
};

/* Write the list, including string lengths that Fortran passes, after `column` columns of
 * a line. If the list does not fit on this line it begins on the next one, indented by
 * `indent`; if it does not fit there, each element has a line. Column 0: always on one
 * line. */
void pg_emit_list(FILE *out, const struct pg_emit_list *list, int column, int indent);

/* Write `text` with each "$NAME" replaced by the string that follows "NAME" in the
 * arguments, which are pairs and end with NULL. */
void pg_emit_text(FILE *out, const char *text, ...) __attribute__((sentinel));

/* `name` in capitals, new, with '_' for characters that identifiers must not have; NULL:
 * out of memory. */
char *pg_emit_upper(const char *name);

int pg_emit_is_void(const struct pg_method *method);

#endif

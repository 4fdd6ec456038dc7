/* SPDX-License-Identifier: BSD-3-Clause */
/* emit_body.h: shared code of proxies, interposers and tables: lists of arguments, and
 * the body that records a call and forwards it. Names that the body adds begin with
 * "pg_". */
#ifndef PROXYGEN_EMIT_BODY_H
#define PROXYGEN_EMIT_BODY_H

#include <stdio.h>

#include "tools/proxygen/perf/expr.h"

/* Description of how one kind of function is recorded and forwarded. Strings are parts of
 * C code. */
struct pg_emit_body {
    const struct pg_method *method;
    /* names of the arguments and of the target (on which the inner call is made) in
     * expressions and in the inner call */
    struct pg_c_names names;
    const char *recorded; /* condition for recording a call; NULL: calls are not
                           * recorded, or if `choose` is set, all are */
    /* statement to run if the variable `names.target` is NULL; NULL if it never is */
    const char *absent;
    /* statements that choose the target of the call, and that end the choice after the
     * inner call; "$in" and "$out" in them are the names of the arrays of values; NULL:
     * the target is fixed */
    const char *choose, *chosen;
    /* start of the statement that begins the recording of a call: "TYPE pg_call =
     * KIND_begin(MONITOR, METHOD" */
    const char *begin;
    const char *kind;     /* prefix KIND of the functions KIND_end, KIND_end_at,
                           * KIND_now: "proxy", "interpose" */
    const char *function; /* function of the inner call: "target->solve" */
    const char *first;    /* first argument of `function`: "target"; "" for none */
    const char *tail;     /* last argument of `function`: "pg_list"; "" for none */
    int ends;             /* true if the function is declared as not returning */
    /* Function that writes statements after the inner call; NULL: there are none. */
    void (*after)(FILE *out, const struct pg_emit_body *body, int indent);
    const void *context; /* data of the emitter, for `after` */
};

/* Write the body of a function as `body` describes it. */
void pg_emit_body(FILE *out, const struct pg_emit_body *body);

/* Parameters of a declaration, or arguments of a call. */
struct pg_emit_list {
    const struct pg_method *method;
    const char *const *names; /* names of the parameters; NULL: print types alone */
    int types; /* true to print types, too; then an empty list is printed as "void" */
    /* parameters before and after the method's own ones; NULL: none */
    const char *first, *tail;
};

/* Write the list, including string lengths that Fortran passes, on a line that has
 * `column` characters already. If the list does not fit on this line it begins on the
 * next one, indented by `indent`; if it does not fit there, each element has a line of
 * its own. If `column` is 0, the list is always on one line. */
void pg_emit_list(FILE *out, const struct pg_emit_list *list, int column, int indent);

/* Write `text`, a template: each "$NAME" in it is replaced. The arguments after `text`
 * are pairs of strings, "NAME" and its replacement, and end with NULL. */
void pg_emit_text(FILE *out, const char *text, ...) __attribute__((sentinel));

/* Return a new string: `name` in capitals, with '_' for characters that identifiers must
 * not have; NULL: out of memory. */
char *pg_emit_upper(const char *name);

int pg_emit_is_void(const struct pg_method *method);

#endif

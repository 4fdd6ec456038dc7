/* SPDX-License-Identifier: BSD-3-Clause */
/* emit_values.h: the values of a method as C: their tables, and the arrays of a call. */
#ifndef PROXYGEN_EMIT_VALUES_H
#define PROXYGEN_EMIT_VALUES_H

#include <stdio.h>

#include "tools/proxygen/perf/expr.h"

/* For each method of the port with values, write `static const struct monitor_value_decl
 * PREFIXvalues_INDEX[]` with its labels before it. 0 or -ENOMEM. */
int pg_emit_value_tables(FILE *out, const struct pg_port *port, const char *prefix);

/* Write `static const struct proxy_table_method PREFIXmethods[]`, and its arguments, for
 * tools; the values of method INDEX are in PREFIXvalues_INDEX. */
void pg_emit_method_table(FILE *out, const struct pg_port *port, const char *prefix);

/* Write the row of a struct interpose_function: NAME, SYMBOL (NULL: none), and the values
 * of method INDEX (NULL: none), whose tables begin with `prefix`. */
void pg_emit_function_row(FILE *out, const char *name, const char *symbol,
                          const struct pg_method *method, const char *prefix,
                          size_t index);

/* Write `const union monitor_value NAME[] = {...};` of `count` values from `first` on,
 * indented as in a function. */
void pg_emit_values(FILE *out, const struct pg_method *method,
                    const struct pg_c_names *names, const char *name, size_t first,
                    size_t count);

/* Write the calls that get numbers before or after the call, each name in a variable that
 * expressions know; with `kept_only`, the gets of remembered values alone. */
void pg_emit_gets(FILE *out, const struct pg_method *method,
                  const struct pg_c_names *names, int after, int kept_only, int indent);
/* True where the method gets something after the call. */
int pg_emit_gets_after(const struct pg_method *method);

/* True where a method of the port remembers, recalls or forgets. */
int pg_emit_keeps(const struct pg_port *port);

/* Write the forgets, before the call, and the remembers, after it. */
void pg_emit_forgets(FILE *out, const struct pg_method *method,
                     const struct pg_c_names *names, int indent);
void pg_emit_remembers(FILE *out, const struct pg_method *method,
                       const struct pg_c_names *names, int indent);

/* Pragmas against warnings about attributes of the header's functions: arrays, pointers
 * that are not NULL. */
void pg_emit_quiet(FILE *out);

/* The separator of a type and a name: a blank, or nothing behind '*'. */
const char *pg_emit_gap(const char *type);

#endif

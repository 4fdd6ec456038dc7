/* SPDX-License-Identifier: BSD-3-Clause */
/* emit_values.h: write the marked values of a method as C: tables, and the arrays of a
 * call. */
#ifndef PROXYGEN_EMIT_VALUES_H
#define PROXYGEN_EMIT_VALUES_H

#include <stdio.h>

#include "tools/proxygen/perf/expr.h"

/* For each method with values write `static const struct monitor_value_decl
 * PREFIXvalues_INDEX[]`, preceded by the labels of its modes. Returns 0 or -ENOMEM. */
int pg_emit_value_tables(FILE *out, const struct pg_port *port, const char *prefix);

/* Write the table `static const struct proxy_table_method PREFIXmethods[]`, and the
 * tables of arguments, for tools that read the compiled file. The values of the method
 * with this index are in PREFIXvalues_INDEX. */
void pg_emit_method_table(FILE *out, const struct pg_port *port, const char *prefix);

/* Write one initialiser of a struct interpose_function: the function's name, its linker
 * symbol (or NULL), and the values of `method` (or NULL), whose tables have names that
 * begin with `prefix`. */
void pg_emit_function_row(FILE *out, const char *name, const char *symbol,
                          const struct pg_method *method, const char *prefix,
                          size_t index);

/* Write `const union monitor_value pg_in[] = {...};`, the values that are known before
 * the call, and `pg_out[]`, the out-values: hints are copied from pg_in. */
void pg_emit_in_values(FILE *out, const struct pg_method *method,
                       const struct pg_c_names *names);
void pg_emit_out_values(FILE *out, const struct pg_method *method,
                        const struct pg_c_names *names);

/* Write the calls that get numbers (lines `get`), before or after the inner call, with a
 * variable for each of these numbers that expressions use. `kept_only`: only calls for
 * values that are remembered. */
void pg_emit_gets(FILE *out, const struct pg_method *method,
                  const struct pg_c_names *names, int after, int kept_only, int indent);
/* True if the method has `get` lines whose calls follow the inner call. */
int pg_emit_gets_after(const struct pg_method *method);

/* True if a method of the port has `remember`, `recall` or `forget` in its marks. */
int pg_emit_keeps(const struct pg_port *port);

/* Write the code for `forget`, which precedes the inner call, and for `remember`, which
 * follows it. */
void pg_emit_forgets(FILE *out, const struct pg_method *method,
                     const struct pg_c_names *names, int indent);
void pg_emit_remembers(FILE *out, const struct pg_method *method,
                       const struct pg_c_names *names, int indent);

/* Write pragmas against warnings that attributes of the header's functions cause (array
 * sizes, nonnull). */
void pg_emit_quiet(FILE *out);

/* Return the separator between a type and a name: a blank, or "" if the type ends with
 * '*'. */
const char *pg_emit_gap(const char *type);

#endif

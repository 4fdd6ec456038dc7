/* SPDX-License-Identifier: BSD-3-Clause */
/* lines.h: parsers of single sidecar lines. They begin at the line's first word and leave
 * the lexer behind the line's last word. All return 0; or -EINVAL with `file:line:column:
 * error: ...`; or -ENOMEM. */
#ifndef PROXYGEN_PERF_LINES_H
#define PROXYGEN_PERF_LINES_H

#include <stdio.h>

#include "tools/proxygen/perf/lex.h"
#include "tools/proxygen/perf/model.h"

/* Parse a line `get NAME, NAME via FUNCTION(ARGUMENT, &NAME, NULL) [if EXPRESSION]
 * [after]`. */
int pg_get_line(struct pg_lexer *lexer, struct pg_method *method);

/* True if a number from the method's `get` line with this index is remembered, either
 * itself, or because it is an argument of another `get` line whose number is
 * remembered. */
int pg_get_is_kept(const struct pg_method *method, size_t index);

/* Parse a line `reads ARGUMENT[COUNT]`; or `writes` or `updates`. */
int pg_array_line(struct pg_lexer *lexer, struct pg_method *method);

/* Check that every recalled value is remembered somewhere. Called after the last line. */
int pg_memories_check(const struct pg_lexer *lexer, const struct pg_port *port);
/* Return the number of the port's memories that hold floating numbers. */
size_t pg_floating_memories(const struct pg_port *port);

/* Parse any line of a method: a value, or a line `get`, `remember` or `forget`.
 * `functions` is true if the method is a plain function or the function of a table. */
int pg_mark_line(struct pg_lexer *lexer, struct pg_method *method, int functions);
/* Parse a line that begins with `get`, `remember` or `forget`. Returns 0; -ENOENT: the
 * line begins with another word. */
int pg_line_read(struct pg_lexer *lexer, struct pg_method *method);

/* Print a `get` line, or a `remember` or `forget` line, in the mark-up language, without
 * a newline. */
void pg_get_print(FILE *out, const struct pg_method *method, const struct pg_get *get);
void pg_keep_print(FILE *out, const struct pg_method *method, const struct pg_keep *keep);

#endif

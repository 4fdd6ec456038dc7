/* SPDX-License-Identifier: BSD-3-Clause */
/* lines.h: parsers of single sidecar lines. They begin at the line's first word and leave
 * the lexer behind its last. All return 0; -EINVAL with `file:line:column: error: ...`,
 * -ENOMEM. */
#ifndef PROXYGEN_PERF_LINES_H
#define PROXYGEN_PERF_LINES_H

#include <stdio.h>

#include "tools/proxygen/perf/lex.h"
#include "tools/proxygen/perf/model.h"

/* Parse the line get NAME, NAME via FUNCTION(ARGUMENT, &NAME, NULL) [if EXPRESSION]
 * [after]. */
int pg_get_line(struct pg_lexer *lexer, struct pg_method *method);

/* True if a value of get `index` is remembered, directly or through a further get whose
 * argument it is. */
int pg_get_is_kept(const struct pg_method *method, size_t index);

/* Check, after the last line, that every recalled value is remembered somewhere. */
int pg_memories_check(const struct pg_lexer *lexer, const struct pg_port *port);
/* The number of memories with floating numbers. */
size_t pg_floating_memories(const struct pg_port *port);

/* Parse any line of a method: a value, or one of the lines above; `functions`: the method
 * is a plain function or a table's. */
int pg_mark_line(struct pg_lexer *lexer, struct pg_method *method, int functions);
/* Parse a line that begins with get, remember or forget. Returns 0; -ENOENT: the line
 * begins with another word. */
int pg_line_read(struct pg_lexer *lexer, struct pg_method *method);

/* Print the line in the mark-up language, without a newline. */
void pg_get_print(FILE *out, const struct pg_method *method, const struct pg_get *get);
void pg_keep_print(FILE *out, const struct pg_method *method, const struct pg_keep *keep);

#endif

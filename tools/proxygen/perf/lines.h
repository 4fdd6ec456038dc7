/* SPDX-License-Identifier: BSD-3-Clause */
/* lines.h: parsers of single sidecar lines. The lexer is at their first word, and
 * afterwards behind their last. All return 0; -EINVAL with `file:line:column: error:
 * ...`, -ENOMEM. */
#ifndef PROXYGEN_PERF_LINES_H
#define PROXYGEN_PERF_LINES_H

#include <stdio.h>

#include "tools/proxygen/perf/lex.h"
#include "tools/proxygen/perf/model.h"

/* get NAME, NAME via FUNCTION(ARGUMENT, &NAME, NULL) [if EXPRESSION] [after] */
int pg_get_line(struct pg_lexer *lexer, struct pg_method *method);

/* True if a value of get `index` is remembered, or is an argument of a get for which
 * that is true. */
int pg_get_is_kept(const struct pg_method *method, size_t index);

/* remember EXPRESSION [as NAME] on HANDLE; forget HANDLE */
int pg_remember_line(struct pg_lexer *lexer, struct pg_method *method);
int pg_forget_line(struct pg_lexer *lexer, struct pg_method *method);
/* After the last line: check that every recalled value is remembered somewhere. */
int pg_memories_check(const struct pg_lexer *lexer, const struct pg_port *port);
/* The number of memories of floating numbers. */
size_t pg_floating_memories(const struct pg_port *port);

/* Parse any line of a method: the above and values; `functions`: the method is a plain
 * function or a table's. */
int pg_mark_line(struct pg_lexer *lexer, struct pg_method *method, int functions);
/* Parse one of the lines above. 0; -ENOENT: the first word is none of them. */
int pg_line_read(struct pg_lexer *lexer, struct pg_method *method);

/* Print the line again, without a newline. */
void pg_get_print(FILE *out, const struct pg_method *method, const struct pg_get *get);
void pg_keep_print(FILE *out, const struct pg_method *method, const struct pg_keep *keep);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* word.h: valid names and types of generated code, and spelling suggestions. */
#ifndef PROXYGEN_PERF_WORD_H
#define PROXYGEN_PERF_WORD_H

#include <stddef.h>
#include <stdio.h>

/* True for a letter or '_' followed by letters, digits and '_', at most 255 of them. */
int pg_word_ok(const char *name, size_t length);
/* True for a keyword of C11 or C++17, the alternative operators among them. */
int pg_word_keyword(const char *name, size_t length);
/* True if `name` may be declared in generated code: a word, no keyword. */
int pg_word_usable(const char *name);

/* True where a C type spelling holds nothing but names of types, qualifiers and '*', as
 * in "const struct mesh_patch *": no parentheses, brackets, attributes, anonymous types.
 */
int pg_type_ok(const char *spelling);

/* True where it holds words, '*', parentheses, brackets and commas only: also a pointer
 * to a function or an array, or a type of the compiler's own. Code has it inside
 * __typeof__(). */
int pg_type_spelled_ok(const char *spelling);
/* True for a type as generated code has it: one of the two. */
int pg_type_written_ok(const char *text);

/* A port type: "name/revision", printable, without blanks, quotes and backslashes. */
int pg_port_type_ok(const char *type);

/* The word that follows `*at` in a type spelling, its length in `*length`, and `*at`
 * moved behind it; NULL beyond the last. */
const char *pg_type_word(const char **at, size_t *length);

/* True if `candidate` is a likely intended spelling of `name`. */
int pg_word_near(const char *name, size_t length, const char *candidate);

/* `text` as a C string literal: everything that is not a plain printable character, and
 * every
 * '?' (trigraphs), as an octal escape. */
void pg_word_literal(FILE *out, const char *text);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* word.h: check names and types for generated code, and suggest spellings. */
#ifndef PROXYGEN_PERF_WORD_H
#define PROXYGEN_PERF_WORD_H

#include <stddef.h>
#include <stdio.h>

/* True for a letter or '_' followed by letters, digits and '_', at most 255
 * characters. */
int pg_word_ok(const char *name, size_t length);
/* True for a keyword of C11 or C++17, including alternative operators such as "and". */
int pg_word_keyword(const char *name, size_t length);
/* True if `name` may be declared in generated code: an identifier that is no keyword. */
int pg_word_usable(const char *name);

/* True if a C type consists of names of types, qualifiers and '*' only, as in "const
 * struct mesh_patch *": no parentheses, brackets, attributes, anonymous types. */
int pg_type_ok(const char *spelling);

/* True if a C type consists of words, '*', parentheses, brackets and commas only, as
 * pointers to functions or arrays do. Generated code has such types inside
 * __typeof__(). */
int pg_type_spelled_ok(const char *spelling);
/* True for a type that generated code can have: pg_type_ok, or __typeof__() around a type
 * that is pg_type_spelled_ok. */
int pg_type_written_ok(const char *text);

/* True for a valid port type: "name/revision", printable, without blanks, quotes and
 * backslashes. */
int pg_port_type_ok(const char *type);

/* Return the next word of a type from `*at` on, with its length in `*length`; `*at` is
 * moved behind the word. NULL at the end. */
const char *pg_type_word(const char **at, size_t *length);

/* True if the author of `name` probably meant `candidate`. */
int pg_word_near(const char *name, size_t length, const char *candidate);

/* Print `text` as a C string literal; characters that are not plain and printable, and
 * every '?' (trigraphs), become octal escapes. */
void pg_word_literal(FILE *out, const char *text);

#endif

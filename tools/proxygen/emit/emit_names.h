/* SPDX-License-Identifier: BSD-3-Clause */
/* emit_names.h: names of arguments in generated code. */
#ifndef PROXYGEN_EMIT_NAMES_H
#define PROXYGEN_EMIT_NAMES_H

#include "tools/proxygen/perf/model.h"

/* Words that the code of a function needs. Both arrays end with NULL. */
struct pg_emit_words {
    const char *const *names;
    const char *const *beginnings; /* names that begin so */
};

/* Names of the method's arguments in the code, new: the header's names, or "pg_argN" for
 * a name that hides a keyword, a word of the method's result type, or a word of `words`.
 * NULL: out of memory. */
char **pg_emit_names(const struct pg_method *method, const struct pg_emit_words *words);
void pg_emit_names_free(char **names, const struct pg_method *method); /* NULL is fine */

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* emit_names.h: choose names of arguments in generated code. */
#ifndef PROXYGEN_EMIT_NAMES_H
#define PROXYGEN_EMIT_NAMES_H

#include "tools/proxygen/perf/model.h"

/* Identifiers that generated code uses itself. Both arrays end with NULL. */
struct pg_emit_words {
    const char *const *names;
    const char *const *beginnings; /* prefixes of identifiers that generated code uses
                                    * itself */
};

/* Names of the method's arguments in the code, new: the header's names, or "pg_argN"
 * where such a name would hide a keyword, a word of the result type, or an identifier in
 * `words`. NULL: out of memory. */
char **pg_emit_names(const struct pg_method *method, const struct pg_emit_words *words);
void pg_emit_names_free(char **names, const struct pg_method *method); /* or NULL */

#endif

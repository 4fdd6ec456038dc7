/* SPDX-License-Identifier: BSD-3-Clause */
/* emit_names.h: what arguments are called in generated code. */
#ifndef PROXYGEN_EMIT_NAMES_H
#define PROXYGEN_EMIT_NAMES_H

#include "tools/proxygen/perf/model.h"

/* Words that the code of a function needs. Both arrays end with NULL. */
struct pg_emit_words {
    const char *const *names;
    const char *const *beginnings; /* names that begin so */
};

/* True where an argument of that name would hide a keyword, a word of the method's result
 * type, or one that the code needs. */
int pg_emit_hides(const struct pg_method *method, const char *name,
                  const struct pg_emit_words *words);
/* The name of argument `index` in the code, new: the header's, or "pg_argN" where that
 * hides something; NULL: out of memory. */
char *pg_emit_arg_name(const struct pg_method *method, size_t index,
                       const struct pg_emit_words *words);

#endif

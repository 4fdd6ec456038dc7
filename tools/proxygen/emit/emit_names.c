/* SPDX-License-Identifier: BSD-3-Clause */
/* emit_names.c: what arguments are called in generated code. */
#include "tools/proxygen/emit/emit_names.h"

#include <stdlib.h>
#include <string.h>

#include "tools/proxygen/perf/word.h"

int pg_emit_hides(const struct pg_method *method, const char *name,
                  const struct pg_emit_words *words)
{
    const char *at = method->result, *word;
    size_t length;

    if (pg_word_keyword(name, strlen(name)))
        return 1;
    for (const char *const *own = words->names; *own; own++)
        if (strcmp(name, *own) == 0)
            return 1;
    for (const char *const *own = words->beginnings; *own; own++)
        if (strncmp(name, *own, strlen(*own)) == 0)
            return 1;
    while ((word = pg_type_word(&at, &length)))
        if (strlen(name) == length && memcmp(word, name, length) == 0)
            return 1;
    return 0;
}

char *pg_emit_arg_name(const struct pg_method *method, size_t index,
                       const struct pg_emit_words *words)
{
    const char *name = method->args[index].name;
    char *made;

    if (!pg_emit_hides(method, name, words))
        return strdup(name);
    return asprintf(&made, "pg_arg%zu", index + 1) < 0 ? NULL : made;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* emit_names.c: choose names of arguments in generated code. */
#include "tools/proxygen/emit/emit.h"

#include <stdlib.h>
#include <string.h>

#include "tools/proxygen/perf/word.h"

static int name_hides(const struct pg_method *method, const char *name,
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

char **pg_emit_names(const struct pg_method *method, const struct pg_emit_words *words)
{
    char **names = calloc(method->arg_count + 1, sizeof *names);

    for (size_t i = 0; names && i < method->arg_count; i++) {
        const char *name = method->args[i].name;

        if (!name_hides(method, name, words))
            names[i] = strdup(name);
        else if (asprintf(&names[i], "pg_arg%zu", i + 1) < 0)
            names[i] = NULL;
        if (!names[i]) {
            pg_emit_names_free(names, method);
            return NULL;
        }
    }
    return names;
}

void pg_emit_names_free(char **names, const struct pg_method *method)
{
    for (size_t i = 0; names && i < method->arg_count; i++)
        free(names[i]);
    free(names);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* functions.c: prepare the recording of a program's own functions (--functions). */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cxx_name.h"
#include "mastermind/cmd/record/record.h"
#include "mastermind/library/entries.h"
#include "mastermind/library/uses.h"

/* Files and properties of a program and its libraries. */
struct found {
    char *tables; /* paths of tables of functions, separated by ':'; NULL: none */
    int hooked;   /* true if the program has the hooks of -finstrument-functions */
};

/* Append a word to a list. Returns 0 or an exit code. */
static int join(char **list, const char *word, char between)
{
    char *longer = NULL;

    if (asprintf(&longer, "%s%.*s%s", *list ? *list : "", *list ? 1 : 0, &between, word) <
        0)
        return mm_no_memory();
    free(*list);
    *list = longer;
    return 0;
}

/* Add the table of a file, or print the reason why it has none. */
static int add_file(struct found *found, const char *file)
{
    struct cca_error err = {0};
    char *table = NULL;
    int result = mm_entries_get(file, &table, &err);

    if (result == -ENOMEM)
        return mm_no_memory();
    if (result) {
        fprintf(stderr, "mastermind: %s\n", mm_safe(err.text));
        return 0;
    }
    result = join(&found->tables, table, ':');
    free(table);
    return result;
}

/* True if a pattern such as "libz.so.1/deflate*" selects functions of this library. */
static int is_asked(const char *patterns, const char *file)
{
    const char *name = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
    const char *rest = patterns, *at;
    size_t length;
    int asked = 0;

    while (!asked && (at = cca_list_next(&rest, &length))) {
        char *word = strndup(at, length), *slash = word ? strrchr(word, '/') : NULL;

        if (slash)
            *slash = 0;
        asked = slash && fnmatch(word, name, 0) == 0;
        free(word);
    }
    return asked;
}

static int look(struct found *found, const char *program, const char *patterns)
{
    struct mm_uses uses;
    struct cca_error err = {0};
    int result = 0;

    if (mm_uses_find(&uses, program, &err) == 0) {
        found->hooked = mm_entries_hooked(uses.program);
        if (!found->hooked || mm_entries_there(uses.program))
            result = add_file(found, uses.program);
        for (size_t i = 0; i < uses.count && !result; i++) {
            const char *file = uses.list[i].file;

            if (is_asked(patterns, file) ||
                (!uses.list[i].system && mm_entries_there(file)))
                result = add_file(found, file);
        }
    } /* if the program cannot be read, run_program reports it */
    mm_uses_done(&uses);
    return result;
}

int mm_record_functions(const char *const *patterns, size_t count, const char *program)
{
    struct found found = {NULL, 0};
    char *all = NULL;
    int result = 0;

    for (size_t i = 0; i < count && !result; i++)
        result = join(&all, patterns[i], ',');
    if (!result && count)
        result = look(&found, program, all);
    if (!result && (all ? setenv("MASTERMIND_RECORD_FUNCTIONS", all, 1)
                        : unsetenv("MASTERMIND_RECORD_FUNCTIONS")))
        result = mm_no_memory();
    if (!result && (found.tables ? setenv("MASTERMIND_RECORD_ENTRIES", found.tables, 1)
                                 : unsetenv("MASTERMIND_RECORD_ENTRIES")))
        result = mm_no_memory();
    free(all);
    free(found.tables);
    return result;
}

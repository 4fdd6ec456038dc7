/* SPDX-License-Identifier: BSD-3-Clause */
/* functions.c: prepare the recording of a program's own functions (--functions). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/cmd/record/record.h"
#include "mastermind/library/entries.h"
#include "mastermind/library/uses.h"

/* Facts about a program and its libraries. */
struct found {
    char *tables; /* paths, separated by ':'; NULL: none */
    int hooked;
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

static int add_file(struct found *found, const char *file)
{
    struct cca_error err = {0};
    char *table = NULL;
    int result;

    found->hooked |= mm_entries_hooked(file);
    if (!mm_entries_there(file))
        return 0;
    if (mm_entries_get(file, &table, &err))
        return mm_complain(&err);
    result = join(&found->tables, table, ':');
    free(table);
    return result;
}

static int look(struct found *found, const char *program)
{
    struct mm_uses uses;
    struct cca_error err = {0};
    int result = 0;

    if (mm_uses_read(&uses, program, &err) == 0) {
        result = add_file(found, uses.program);
        for (size_t i = 0; i < uses.count && !result; i++)
            if (!uses.list[i].system)
                result = add_file(found, uses.list[i].file);
        if (!result && !found->tables && !found->hooked)
            fprintf(stderr,
                    "mastermind: %s and its libraries were built neither with "
                    "-finstrument-functions nor with\n    -fpatchable-function-entry=5: "
                    "--functions finds none of them\n",
                    mm_safe(program));
    } /* otherwise run_program reports it */
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
        result = look(&found, program);
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

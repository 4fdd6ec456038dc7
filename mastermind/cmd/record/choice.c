/* SPDX-License-Identifier: BSD-3-Clause */
/* choice.c: the options of record by which settings of libraries are chosen in each
 * call. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/cmd/record/record.h"

/* Join the absolute paths of files of rules, each with a newline behind it. Returns 0 or
 * an exit code. */
static int join_files(const struct cca_given *files, char **all)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    int result = out ? 0 : mm_no_memory();

    for (int i = 0; i < files->given && result == 0; i++) {
        char path[PATH_MAX];

        result = mm_rules_check(files->values[i]);
        if (result == 0 && realpath(files->values[i], path))
            fprintf(out, "%s\n", path);
    }
    if (out && fclose(out) != 0 && result == 0)
        result = mm_no_memory();
    *all = text;
    return result;
}

int mm_record_choice(const struct cca_given *dispatch, const struct cca_given *tried,
                     int no_rows)
{
    char *files = NULL;
    int result = join_files(dispatch, &files);

    if (result == 0 &&
        ((dispatch->given ? setenv("MASTERMIND_RECORD_DISPATCH", files, 1)
                          : unsetenv("MASTERMIND_RECORD_DISPATCH")) ||
         (tried->given ? setenv("MASTERMIND_RECORD_TRY", cca_given_value(tried), 1)
                       : unsetenv("MASTERMIND_RECORD_TRY")) ||
         (no_rows ? setenv("MASTERMIND_RECORD_NO_ROWS", "1", 1)
                  : unsetenv("MASTERMIND_RECORD_NO_ROWS"))))
        result = mm_no_memory();
    free(files);
    return result;
}

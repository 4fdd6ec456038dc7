/* SPDX-License-Identifier: BSD-3-Clause */
/* choice.c: the options of record by which settings of libraries are chosen in each
 * call. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/cmd/record/record.h"

/* Append a line to a text. Returns 0 or an exit code. */
static int add_line(char **text, const char *line)
{
    char *longer = NULL;
    int failed = asprintf(&longer, "%s%s%s", *text ? *text : "", *text ? "\n" : "", line);

    if (failed < 0)
        return mm_no_memory();
    free(*text);
    *text = longer;
    return 0;
}

static int set_lines(const char *name, char *text)
{
    int failed = text ? setenv(name, text, 1) : unsetenv(name);

    free(text);
    return failed ? mm_no_memory() : 0;
}

int mm_record_has_types(const struct cca_given *dispatch, const struct cca_given *tried)
{
    char port_type[MM_PORT_TYPE] = "";
    int found = 0;

    for (int i = 0; i < tried->given; i++)
        found |= strncmp(tried->values[i], "ksp=", 4) == 0 ||
                 strncmp(tried->values[i], "pc=", 3) == 0;
    for (int i = 0; i < dispatch->given && !found; i++)
        found |= mm_rules_check(dispatch->values[i], port_type) == 0 &&
                 strcmp(port_type, "petscksp.h/1") == 0;
    return found;
}

int mm_record_choice(const struct cca_given *dispatch, const struct cca_given *tried,
                     int no_rows)
{
    char *files = NULL, *lines = NULL, path[PATH_MAX];
    int result = 0;

    for (int i = 0; i < dispatch->given && result == 0; i++) {
        result = mm_rules_check(dispatch->values[i], NULL);
        if (result == 0 && realpath(dispatch->values[i], path))
            result = add_line(&files, path);
    }
    for (int i = 0; i < tried->given && result == 0; i++)
        result = add_line(&lines, tried->values[i]);
    if (result == 0)
        result = set_lines("MASTERMIND_RECORD_NO_ROWS", no_rows ? strdup("1") : NULL);
    if (result == 0) {
        result = set_lines("MASTERMIND_RECORD_DISPATCH", files);
        files = NULL;
    }
    if (result == 0) {
        result = set_lines("MASTERMIND_RECORD_TRY", lines);
        lines = NULL;
    }
    free(files);
    free(lines);
    return result;
}

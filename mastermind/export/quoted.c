/* SPDX-License-Identifier: BSD-3-Clause */
/* quoted.c: write a text as a JSON string. */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "mastermind/export/formats.h"

int mm_export_is_utf8(const char *text)
{
    json_t *string = json_string(text);
    int is_utf8 = string != NULL;

    json_decref(string);
    return is_utf8;
}

char *mm_export_quoted(const char *text)
{
    json_t *string = json_string(text);
    char *quoted;

    if (!string) {
        char *copy = strdup(text);

        for (char *c = copy; c && *c; c++)
            if ((unsigned char)*c >= 0x80)
                *c = '?';
        string = copy ? json_string(copy) : NULL;
        free(copy);
    }
    quoted = string ? json_dumps(string, JSON_ENCODE_ANY | JSON_ENSURE_ASCII) : NULL;
    json_decref(string);
    return quoted;
}

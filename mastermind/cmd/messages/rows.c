/* SPDX-License-Identifier: BSD-3-Clause */
/* rows.c: rows for machines: CSV, or members of the document. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mastermind/cmd/messages/messages_verb.h"

void messages_put_estimate(json_t *row, const char *name, struct mm_estimate e)
{
    char key[64];

    snprintf(key, sizeof key, "%s_ns", name);
    mm_json_put(row, key, mm_json_finite(e.value));
    if (!e.has_interval)
        return;
    snprintf(key, sizeof key, "%s_low_ns", name);
    mm_json_put(row, key, mm_json_finite(e.low));
    snprintf(key, sizeof key, "%s_high_ns", name);
    mm_json_put(row, key, mm_json_finite(e.high));
}

/* RFC 4180: quoted where it needs to be. */
static void print_field(const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, stdout);
        return;
    }
    putchar('"');
    for (; *text; text++) {
        if (*text == '"')
            putchar('"');
        putchar(*text);
    }
    putchar('"');
}

static void print_value(const json_t *value)
{
    if (json_is_string(value))
        print_field(json_string_value(value));
    else if (json_is_integer(value))
        printf("%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_real(value))
        printf("%.12g", json_real_value(value));
    else if (json_is_boolean(value))
        printf("%d", json_is_true(value));
}

void messages_csv_head(const struct messages_verb *verb, const char *const *columns)
{
    if (verb->form != FORM_CSV)
        return;
    for (size_t i = 0; columns[i]; i++)
        printf("%s%s", i ? "," : "", columns[i]);
    putchar('\n');
}

void messages_row(struct messages_verb *verb, const char *const *columns, json_t *row)
{
    if (verb->form == FORM_JSON) {
        json_array_append_new(verb->rows, row);
        return;
    }
    for (size_t i = 0; columns[i]; i++) {
        if (i)
            putchar(',');
        print_value(json_object_get(row, columns[i]));
    }
    putchar('\n');
    json_decref(row);
}

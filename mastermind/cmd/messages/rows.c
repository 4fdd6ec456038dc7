/* SPDX-License-Identifier: BSD-3-Clause */
/* rows.c: output rows as CSV, or as members of the document. */
#include <stdio.h>
#include <string.h>

#include "mastermind/cmd/messages/messages_verb.h"

void messages_put_estimate(json_t *row, const char *name, struct mm_message_estimate e)
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

void messages_table_row(struct mm_table *table, char cells[][MM_CELL], int count,
                        const char *name)
{
    int used = 1;

    for (int c = 0; c < count; c++)
        used += table->width[c] + 2;
    if (used + (int)strlen(name) <= 100) {
        mm_table_row(table, cells, name);
        return;
    }
    mm_table_row(table, cells, "");
    if (table->print)
        printf("   %.96s\n", mm_safe(name));
}

static void print_value(const json_t *value)
{
    if (json_is_string(value))
        mm_csv_print(json_string_value(value));
    else if (json_is_integer(value))
        printf("%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_real(value))
        printf("%.12g", json_real_value(value));
    else if (json_is_boolean(value))
        printf("%d", json_is_true(value));
}

void messages_csv_head(const struct messages_verb *verb)
{
    const char *key, *before = "";
    json_t *type;

    if (verb->form != FORM_CSV)
        return;
    json_object_foreach(verb->columns, key, type)
    {
        printf("%s%s", before, key);
        before = ",";
    }
    putchar('\n');
}

void messages_row(struct messages_verb *verb, json_t *row)
{
    const char *key, *before = "";
    json_t *type;

    if (verb->form == FORM_JSON) {
        json_array_append_new(verb->rows, row);
        return;
    }
    json_object_foreach(verb->columns, key, type)
    {
        fputs(before, stdout);
        print_value(json_object_get(row, key));
        before = ",";
    }
    putchar('\n');
    json_decref(row);
}

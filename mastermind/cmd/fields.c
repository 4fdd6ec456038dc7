/* SPDX-License-Identifier: BSD-3-Clause */
/* fields.c: numbers of a record as JSON members, table cells and help lines. */
#include "mastermind/cmd/fields.h"

#include <math.h>
#include <string.h>

static int64_t integer_of(const struct mm_field *field, const void *record)
{
    int64_t value;

    if (field->value)
        return (int64_t)field->value(record);
    memcpy(&value, (const char *)record + field->offset, sizeof value);
    return value;
}

double mm_field_value(const struct mm_field *field, const void *record)
{
    double value;

    if (field->kind == MM_INTEGER)
        return (double)integer_of(field, record);
    if (field->value)
        return field->value(record);
    memcpy(&value, (const char *)record + field->offset, sizeof value);
    return value;
}

int mm_field_key(const struct mm_field *field, int is_own, char key[64])
{
    int has_unit = field->unit && is_own;

    snprintf(key, 64, "%s%s%s", field->name, has_unit ? "_" : "",
             has_unit ? field->unit : "");
    if (field->documents & (is_own ? MM_OWN : MM_OTHER))
        return 1;
    return field->documents & (is_own ? MM_OWN_MAYBE : MM_OTHER_MAYBE) ? 0 : -1;
}

void mm_fields_put(json_t *object, const struct mm_field *fields, int is_own,
                   const void *record, unsigned state)
{
    char key[64];

    for (; fields->name; fields++)
        if (mm_field_key(fields, is_own, key) >= 0 && !(fields->needs & ~state))
            mm_json_put(object, key,
                        fields->kind == MM_INTEGER
                            ? json_integer(integer_of(fields, record))
                            : mm_json_finite(mm_field_value(fields, record)));
}

int mm_field_is_column(const struct mm_field *field, unsigned state)
{
    return field->head && !(field->hides & state);
}

void mm_field_print(const struct mm_field *field, const void *record, unsigned state,
                    int is_time, char cell[MM_CELL])
{
    double value = mm_field_value(field, record), unit_ns = 1;

    if (field->needs & ~state) {
        mm_cell_set(cell, "-"); /* an unknown value is never printed as 0 */
        return;
    }
    if (field->format == MM_PERCENT || field->format == MM_WHOLE_PERCENT) {
        snprintf(cell, MM_CELL, field->format == MM_PERCENT ? "%.1f" : "%.0f%%",
                 isnan(value) ? 0 : 100 * value);
        return;
    }
    if (is_time && field->format != MM_COUNT)
        unit_ns = field->format == MM_MS ? 1e6 : 1e3;
    snprintf(cell, MM_CELL, "%s%.30s", field->bound & state ? ">" : "",
             field->format == MM_COUNT ? mm_thousands((uint64_t)value)
                                       : mm_amount(value / unit_ns));
}

const struct mm_field *mm_field_find(const struct mm_field *fields, const char *name)
{
    for (; fields->name; fields++)
        if (strcmp(fields->name, name) == 0)
            return fields;
    return NULL;
}

const char *mm_field_column(const void *fields, size_t i, const char **help)
{
    const struct mm_field *field = fields;

    for (; field->name; field++)
        if (field->head && i-- == 0) {
            *help = field->help;
            return field->head;
        }
    return NULL;
}

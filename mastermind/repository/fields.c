/* SPDX-License-Identifier: BSD-3-Clause */
/* fields.c: convert structs to JSON objects, and back. */
#include "mastermind/repository/fields.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "mastermind/writer/json_file.h"

/* --- Values ----------------------------------------------------------------------- */

json_t *mm_double_json(double value)
{
    return isfinite(value) ? json_real(value)
           : isnan(value)  ? json_string("nan")
                           : json_string(value > 0 ? "inf" : "-inf");
}

int mm_double_read(const json_t *json, double *value)
{
    const char *text = json_string_value(json);

    if (json_is_number(json)) {
        *value = json_number_value(json);
        return 1;
    }
    if (!text)
        return 0;
    *value = strcmp(text, "nan") == 0   ? NAN
             : strcmp(text, "inf") == 0 ? INFINITY
                                        : -INFINITY;
    return isnan(*value) || *value > 0 || strcmp(text, "-inf") == 0;
}

static json_t *value_json(const struct mm_field *field, const char *at)
{
    switch (field->kind) {
    case MM_FIELD_INT:
        return json_integer(*(const int *)(const void *)at);
    case MM_FIELD_UNSIGNED:
        return json_integer(*(const uint32_t *)(const void *)at);
    case MM_FIELD_SIZE:
        return json_integer((json_int_t) * (const size_t *)(const void *)at);
    case MM_FIELD_UINT64:
        return json_integer((json_int_t) * (const uint64_t *)(const void *)at);
    case MM_FIELD_DOUBLE:
    case MM_FIELD_NONZERO:
        return mm_double_json(*(const double *)(const void *)at);
    case MM_FIELD_STRUCT:
        return mm_fields_json(field->fields, at);
    }
    return NULL;
}

static int value_bad(const struct mm_field *field, const char *expected,
                     struct cca_error *err)
{
    return cca_error_set(err, -EBADMSG, "found no good '%s', expected %s", field->name,
                         expected);
}

static int value_read(const struct mm_field *field, const json_t *json, char *at,
                      struct cca_error *err)
{
    json_int_t integer = json_integer_value(json);

    if (field->kind == MM_FIELD_STRUCT)
        return mm_fields_read(field->fields, json, at, err);
    if (field->kind == MM_FIELD_DOUBLE || field->kind == MM_FIELD_NONZERO)
        return mm_double_read(json, (double *)(void *)at)
                   ? 0
                   : value_bad(field, "a number, \"nan\", \"inf\" or \"-inf\"", err);
    if (!json_is_integer(json))
        return value_bad(field, "an integer", err);
    if (field->kind == MM_FIELD_INT) {
        if (integer < INT_MIN || integer > INT_MAX)
            return value_bad(field, "an integer of 32 bits", err);
        *(int *)(void *)at = (int)integer;
        return 0;
    }
    if (integer < 0 || (field->kind == MM_FIELD_UNSIGNED && integer > UINT32_MAX))
        return value_bad(field, "an integer that is not negative", err);
    if (field->kind == MM_FIELD_UNSIGNED)
        *(uint32_t *)(void *)at = (uint32_t)integer;
    else if (field->kind == MM_FIELD_SIZE)
        *(size_t *)(void *)at = (size_t)integer;
    else
        *(uint64_t *)(void *)at = (uint64_t)integer;
    return 0;
}

static size_t value_size(const struct mm_field *field)
{
    switch (field->kind) {
    case MM_FIELD_INT:
        return sizeof(int);
    case MM_FIELD_UNSIGNED:
        return sizeof(uint32_t);
    case MM_FIELD_SIZE:
        return sizeof(size_t);
    case MM_FIELD_UINT64:
        return sizeof(uint64_t);
    case MM_FIELD_DOUBLE:
    case MM_FIELD_NONZERO:
        return sizeof(double);
    case MM_FIELD_STRUCT:
        return field->size;
    }
    return 0;
}

/* --- Members ----------------------------------------------------------------------- */

static size_t element_count(const struct mm_field *field, const char *from)
{
    return field->count_offset == MM_FIELD_WHOLE
               ? field->most
               : *(const size_t *)(const void *)(from + field->count_offset);
}

static json_t *member_json(const struct mm_field *field, const char *from)
{
    json_t *array;
    size_t count;

    if (!field->most)
        return value_json(field, from + field->offset);
    array = json_array();
    count = element_count(field, from);
    for (size_t i = 0; i < count && i < field->most; i++)
        array = mm_json_append(
            array, value_json(field, from + field->offset + i * value_size(field)));
    return array;
}

/* True for a member that is 0 and then has no key in the object. */
static int is_left_out(const struct mm_field *field, const char *from)
{
    return field->kind == MM_FIELD_NONZERO &&
           *(const double *)(const void *)(from + field->offset) == 0;
}

json_t *mm_fields_json(const struct mm_field *fields, const void *from)
{
    json_t *object = json_object();

    for (; object && fields->name; fields++) {
        if (!is_left_out(fields, from) &&
            json_object_set_new(object, fields->name, member_json(fields, from))) {
            json_decref(object);
            object = NULL;
        }
    }
    return object;
}

static int member_read(const struct mm_field *field, const json_t *json, char *to,
                       struct cca_error *err)
{
    size_t count;

    if (!field->most)
        return value_read(field, json, to + field->offset, err);
    count = element_count(field, to);
    if (!json_is_array(json) || json_array_size(json) != count || count > field->most)
        return cca_error_set(err, -EBADMSG,
                             "found %zu elements in '%s', expected %zu of at most %zu",
                             json_array_size(json), field->name, count, field->most);
    for (size_t i = 0; i < count; i++) {
        int result = value_read(field, json_array_get(json, i),
                                to + field->offset + i * value_size(field), err);

        if (result)
            return result;
    }
    return 0;
}

int mm_fields_read(const struct mm_field *fields, const json_t *object, void *to,
                   struct cca_error *err)
{
    size_t count = 0;

    if (!json_is_object(object))
        return cca_error_set(err, -EBADMSG, "found no object, expected one with '%s'",
                             fields->name);
    for (; fields->name; fields++) {
        const json_t *json = json_object_get(object, fields->name);
        int result;

        if (!json && fields->kind == MM_FIELD_NONZERO)
            continue;
        count++;
        if (!json)
            return cca_error_set(err, -EBADMSG, "found no member '%s'", fields->name);
        result = member_read(fields, json, to, err);
        if (result)
            return result;
    }
    if (json_object_size(object) != count)
        return cca_error_set(err, -EBADMSG,
                             "found %zu members in an object, expected %zu",
                             json_object_size(object), count);
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* fields.h: convert structs to JSON objects, and back, by a table of their members.
 *
 * One table serves both directions, so that reading and writing agree. Doubles keep every
 * bit; NaN and infinities are the strings "nan", "inf" and "-inf". */
#ifndef MASTERMIND_REPOSITORY_FIELDS_H
#define MASTERMIND_REPOSITORY_FIELDS_H

#include <stddef.h>

#include <jansson.h>

#include "ports/cca_error.h"

enum mm_field_kind {
    MM_FIELD_INT,
    MM_FIELD_UNSIGNED, /* an unsigned integer of 32 bits */
    MM_FIELD_SIZE,
    MM_FIELD_UINT64,
    MM_FIELD_DOUBLE,
    MM_FIELD_NONZERO, /* a double that has no member in the object where it is 0 */
    MM_FIELD_STRUCT   /* a struct described by `fields` */
};

/* Description of a member of a struct; a NULL name ends the table. */
struct mm_field {
    const char *name; /* key of the member in the JSON object */
    enum mm_field_kind kind;
    size_t offset;
    size_t most; /* 0 for a single value; else the member is an array with at most so many
                    elements */
    /* For an array: offset of the size_t that holds the array's length, which must come
     * earlier in the table; MM_FIELD_WHOLE if the length is always `most`. */
    size_t count_offset;
    const struct mm_field *fields;
    size_t size; /* size of one element, for MM_FIELD_STRUCT */
};

#define MM_FIELD_WHOLE ((size_t)-1)

/* Rows of a table, for: a value, an array with its length in another member, an array of
 * fixed length, a struct, an array of structs. */
#define MM_VALUE(type, member, kind)                                                     \
    {                                                                                    \
#member, kind, offsetof(type, member), 0, 0, NULL, 0                             \
    }
#define MM_COUNTED(type, member, kind, length, counter)                                  \
    {                                                                                    \
#member, kind, offsetof(type, member), length, offsetof(type, counter), NULL, 0  \
    }
#define MM_WHOLE(type, member, kind, length)                                             \
    {                                                                                    \
#member, kind, offsetof(type, member), length, MM_FIELD_WHOLE, NULL, 0           \
    }
#define MM_STRUCT(type, member, table)                                                   \
    {                                                                                    \
#member, MM_FIELD_STRUCT, offsetof(type, member), 0, 0, table,                   \
            sizeof(((type *)NULL)->member)                                               \
    }
#define MM_STRUCTS(type, member, table, length, counter)                                 \
    {                                                                                    \
#member, MM_FIELD_STRUCT, offsetof(type, member), length,                        \
            offsetof(type, counter), table, sizeof(((type *)NULL)->member[0])            \
    }

/* Return a new JSON object with the members of `from`; NULL: out of memory. */
json_t *mm_fields_json(const struct mm_field *fields, const void *from);
/* Set the members of `to`, which is zeroed, from `object`, which must have all of them,
 * but a MM_FIELD_NONZERO, and no others. Returns 0, or -EBADMSG with "found ..., expected
 * ...". */
int mm_fields_read(const struct mm_field *fields, const json_t *object, void *to,
                   struct cca_error *err);

/* Return a double as a new JSON number, or as a string if it is not finite. */
json_t *mm_double_json(double value);
/* True if `json` is a double as mm_double_json writes it, which is stored in `*value`. */
int mm_double_read(const json_t *json, double *value);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* fields.h: structs as JSON objects and back, by a table of their members.
 *
 * One table serves both directions, so what is written is what is read. Doubles keep
 * every bit; those that are not finite are the strings "nan", "inf" and "-inf". */
#ifndef MASTERMIND_REPOSITORY_FIELDS_H
#define MASTERMIND_REPOSITORY_FIELDS_H

#include <stddef.h>

#include <jansson.h>

#include "ports/cca_error.h"

enum mm_field_kind {
    MM_FIELD_INT,
    MM_FIELD_UNSIGNED, /* 32 bits */
    MM_FIELD_SIZE,
    MM_FIELD_UINT64,
    MM_FIELD_DOUBLE,
    MM_FIELD_STRUCT /* of `fields` */
};

/* A member; the table ends with a name NULL. */
struct mm_field {
    const char *name; /* key */
    enum mm_field_kind kind;
    size_t offset;
    size_t most; /* 0: one value; else an array of at most so many elements */
    /* Of an array: offset of the size_t that counts it, a member before it in the table;
     * MM_FIELD_WHOLE: it always has `most`. */
    size_t count_offset;
    const struct mm_field *fields;
    size_t size; /* of one element, of MM_FIELD_STRUCT */
};

#define MM_FIELD_WHOLE ((size_t)-1)

/* Rows of a table: a value, an array counted by another member, an array that is always
 * full, a struct, an array of structs. */
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

/* New object of the members of `from`, or NULL: out of memory. */
json_t *mm_fields_json(const struct mm_field *fields, const void *from);
/* Set the members of `to`, zeros before, from `object`, which must have all of them and
 * no others. 0, or -EBADMSG with "found ..., expected ...". */
int mm_fields_read(const struct mm_field *fields, const json_t *object, void *to,
                   struct cca_error *err);

/* A double as a number, or as a string where it is not finite; new. */
json_t *mm_double_json(double value);
/* True where `json` is such a double. */
int mm_double_read(const json_t *json, double *value);

#endif

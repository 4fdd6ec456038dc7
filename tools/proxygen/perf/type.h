/* SPDX-License-Identifier: BSD-3-Clause */
/* type.h: types of a header that expressions use: numbers, pointers, arrays, and
 * records (structs and unions) with their fields.
 *
 * A type may be `open`: its target or its fields have not been read yet. The header's
 * reader does that when an expression reaches it (struct pg_lookup in model.h), so a
 * large header costs only its used part. */
#ifndef PROXYGEN_PERF_TYPE_H
#define PROXYGEN_PERF_TYPE_H

#include <stddef.h>
#include <stdint.h>

/* The class, width and sign that a type has in expressions. */
enum pg_class { PG_OTHER = 0, PG_INTEGER = 1, PG_FLOATING = 2 };

struct pg_scalar {
    enum pg_class cls;
    int bits; /* of an integer: 1 for bool, 8 to 64; of a floating type: 32, 64 or more */
    int is_signed; /* integers */
};

enum { PG_LABELS_MAX = 256 }; /* of a mode */

struct pg_label {
    int64_t value;
    char *text;
};

enum pg_type_kind {
    PG_TYPE_OPAQUE, /* unknown: void, functions, complex numbers, incomplete records */
    PG_TYPE_NUMBER,
    PG_TYPE_POINTER,
    PG_TYPE_ARRAY,
    PG_TYPE_RECORD
};

struct pg_type;

struct pg_field {
    char *name;
    struct pg_type *type; /* borrowed from the port */
    size_t offset; /* bytes; of a bit-field: of the byte that holds its first bit */
    int bit, bits; /* of a bit-field: first bit in that byte, and width; else 0, 0 */
};

struct pg_type {
    enum pg_type_kind kind;
    char *name;              /* as the header spells it */
    size_t size;             /* bytes; 0: unknown */
    struct pg_scalar scalar; /* of a number */
    int is_text;             /* a character type: of strings */
    int is_const, is_volatile;
    struct pg_type *to; /* of a pointer or array: to what; borrowed from the port */
    size_t count; /* of an array; of a pointer: elements that the header declares; 0:
                     unknown */
    struct pg_field *fields; /* of a record, those of unnamed members among them */
    size_t field_count;
    struct pg_label *labels; /* the enumerators of an enumeration */
    size_t label_count;
    int open;      /* `to`, fields or labels have not been read */
    size_t number; /* in the port */
};

void pg_type_free(struct pg_type *type); /* NULL is fine */

/* A new field at the end, zeroed, borrowed until the next; NULL: out of memory. */
struct pg_field *pg_type_add_field(struct pg_type *type);
/* 0 or -ENOMEM. A value that has a label already keeps it. Beyond PG_LABELS_MAX + 1 none
 * is added. */
int pg_type_add_label(struct pg_type *type, int64_t value, const char *text);

/* True for pointers to and arrays of characters. `type` is not open. */
int pg_type_is_string(const struct pg_type *type);

#endif

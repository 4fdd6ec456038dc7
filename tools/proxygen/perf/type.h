/* SPDX-License-Identifier: BSD-3-Clause */
/* type.h: types of a header that expressions use: numbers, pointers, arrays, and
 * records (structs and unions) with their fields.
 *
 * A type may be `open`: its target or its fields have not been read yet. The header's
 * reader reads them when an expression uses the type (struct pg_lookup in model.h), so
 * unused parts of a large header cost nothing. */
#ifndef PROXYGEN_PERF_TYPE_H
#define PROXYGEN_PERF_TYPE_H

#include <stddef.h>
#include <stdint.h>

/* The class, width and sign of a type in expressions. */
enum pg_class { PG_OTHER = 0, PG_INTEGER = 1, PG_FLOATING = 2 };

struct pg_scalar {
    enum pg_class cls;
    int bits;      /* integers: 1 for bool, 8 to 64; floating types: 32, 64 or more */
    int is_signed; /* for integers */
};

/* Largest number of labels (named values) of a mode, an argument with a model of its own
 * for each value. */
enum { PG_LABELS_MAX = 256 };

/* A value of an enumeration, and its name. */
struct pg_label {
    int64_t value;
    char *text;
};

enum pg_type_kind {
    PG_TYPE_OPAQUE, /* unknown contents: void, functions, complex numbers, incomplete
                     * records */
    PG_TYPE_NUMBER,
    PG_TYPE_POINTER,
    PG_TYPE_ARRAY,
    PG_TYPE_RECORD
};

struct pg_type;

struct pg_field {
    char *name;
    struct pg_type *type; /* type of the field, borrowed from the port */
    size_t offset; /* offset of the field in bytes; for a bit-field, the offset of the
                      byte with its first bit */
    int bit, bits; /* for a bit-field: index of its first bit in that byte, and number of
                      bits; else 0, 0 */
};

struct pg_type {
    enum pg_type_kind kind;
    char *name;              /* name of the type as spelled in the header */
    size_t size;             /* bytes; 0: unknown */
    struct pg_scalar scalar; /* for a number */
    int is_text;             /* true if a character type, whose arrays are strings */
    int is_const, is_volatile;
    struct pg_type *to; /* target or element type; borrowed from the port */
    size_t count;       /* declared number of elements of an array, or of the array that a
                           pointer points to; 0: unknown */
    struct pg_field *fields; /* fields of a struct or union, including the fields of its
                                unnamed members */
    size_t field_count;
    struct pg_label *labels; /* enumerators of an enumeration */
    size_t label_count;
    int open;      /* true if `to`, fields or labels have not been read yet */
    size_t number; /* index in the port */
};

void pg_type_free(struct pg_type *type); /* NULL is allowed */

/* Append a zeroed field. Returns the field, borrowed until the next one is appended;
 * NULL: out of memory. */
struct pg_field *pg_type_add_field(struct pg_type *type);
/* Add a label for `value`. A value that already has a label keeps it. After PG_LABELS_MAX
 * + 1 labels, further ones are ignored. Returns 0 or -ENOMEM. */
int pg_type_add_label(struct pg_type *type, int64_t value, const char *text);

/* True for pointers to characters and arrays of characters. `type` must not be open. */
int pg_type_is_string(const struct pg_type *type);

#endif

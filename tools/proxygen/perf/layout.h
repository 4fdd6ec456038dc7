/* SPDX-License-Identifier: BSD-3-Clause */
/* layout.h: the memory layout of a value, needed to pass it to a function. */
#ifndef PROXYGEN_PERF_LAYOUT_H
#define PROXYGEN_PERF_LAYOUT_H

#include <stddef.h>

enum pg_layout_kind {
    PG_LAYOUT_OTHER = 0, /* an unknown layout; the reason is in `why` */
    PG_LAYOUT_VOID,
    PG_LAYOUT_INT,
    PG_LAYOUT_UINT, /* an unsigned integer, also bool and unsigned enumerations */
    PG_LAYOUT_FLOAT,
    PG_LAYOUT_COMPLEX, /* a complex number: two floating numbers of size / 2 */
    PG_LAYOUT_POINTER,
    PG_LAYOUT_STRUCT,
    PG_LAYOUT_ARRAY /* an array, only inside a struct */
};

enum { PG_LAYOUT_DEPTH = 16, PG_LAYOUT_PARTS = 1024 };

struct pg_layout {
    enum pg_layout_kind kind;
    size_t size, align;      /* size and alignment in bytes; 0 for void and
                              * PG_LAYOUT_OTHER */
    size_t offset;           /* offset of a member in its struct */
    size_t count;            /* number of elements of an array */
    struct pg_layout *parts; /* members of a struct; for an array its one element type */
    size_t part_count;
    char *why; /* reason why the layout is PG_LAYOUT_OTHER, such as "a union"; or NULL */
};

void pg_layout_done(struct pg_layout *layout);

/* Append a zeroed part to a layout. Returns the part, borrowed until the next one is
 * appended; NULL: out of memory. */
struct pg_layout *pg_layout_add_part(struct pg_layout *layout);

/* Change the layout to PG_LAYOUT_OTHER with the reason `why`, and free its parts. Returns
 * 0 or -ENOMEM. */
int pg_layout_give_up(struct pg_layout *layout, const char *why);

/* Return the name of a scalar: "int32", "uint8", "long double", "pointer"; NULL: not a
 * scalar. */
const char *pg_layout_name(const struct pg_layout *layout);
/* Find a scalar by name. Returns 0, or -ENOENT: no such name. */
int pg_layout_named(const char *name, struct pg_layout *layout);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* layout.h: how a value lies in memory, for passing it to a function. */
#ifndef PROXYGEN_PERF_LAYOUT_H
#define PROXYGEN_PERF_LAYOUT_H

#include <stddef.h>

enum pg_layout_kind {
    PG_LAYOUT_OTHER = 0, /* has no layout: `why` */
    PG_LAYOUT_VOID,
    PG_LAYOUT_INT,
    PG_LAYOUT_UINT, /* bool and unsigned enumerations are these */
    PG_LAYOUT_FLOAT,
    PG_LAYOUT_COMPLEX, /* of two floating numbers of size / 2 */
    PG_LAYOUT_POINTER,
    PG_LAYOUT_STRUCT,
    PG_LAYOUT_ARRAY /* only inside a struct */
};

enum { PG_LAYOUT_DEPTH = 16, PG_LAYOUT_PARTS = 1024 };

struct pg_layout {
    enum pg_layout_kind kind;
    size_t size, align;      /* bytes; 0 for void and other */
    size_t offset;           /* in the struct that this is a member of */
    size_t count;            /* elements of an array */
    struct pg_layout *parts; /* members of a struct; the one element type of an array */
    size_t part_count;
    char *why; /* of PG_LAYOUT_OTHER: the reason, such as "a union"; or NULL */
};

void pg_layout_done(struct pg_layout *layout);

/* A new part at the end, zeroed, borrowed until the next; NULL: out of memory. */
struct pg_layout *pg_layout_add_part(struct pg_layout *layout);

/* Turn it into PG_LAYOUT_OTHER and free its parts. 0 or -ENOMEM. */
int pg_layout_give_up(struct pg_layout *layout, const char *why);

/* The name of a scalar: "int32", "uint8", "long double", "pointer"; NULL: no scalar. */
const char *pg_layout_name(const struct pg_layout *layout);
/* Find a scalar by name. 0, or -ENOENT: no such name. */
int pg_layout_named(const char *name, struct pg_layout *layout);

#endif

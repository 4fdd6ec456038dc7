/* SPDX-License-Identifier: BSD-3-Clause */
/* layout.c: build, compare and name layouts. */
#include "tools/proxygen/perf/layout.h"

#include <complex.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#define SCALAR(kind_, type)                                                              \
    {                                                                                    \
        .kind = (kind_), .size = sizeof(type), .align = _Alignof(type)                   \
    }

static const struct {
    const char *name;
    struct pg_layout layout;
} scalars[] = {
    {"void", {.kind = PG_LAYOUT_VOID}},
    {"int8", SCALAR(PG_LAYOUT_INT, int8_t)},
    {"int16", SCALAR(PG_LAYOUT_INT, int16_t)},
    {"int32", SCALAR(PG_LAYOUT_INT, int32_t)},
    {"int64", SCALAR(PG_LAYOUT_INT, int64_t)},
    {"uint8", SCALAR(PG_LAYOUT_UINT, uint8_t)},
    {"uint16", SCALAR(PG_LAYOUT_UINT, uint16_t)},
    {"uint32", SCALAR(PG_LAYOUT_UINT, uint32_t)},
    {"uint64", SCALAR(PG_LAYOUT_UINT, uint64_t)},
    {"float", SCALAR(PG_LAYOUT_FLOAT, float)},
    {"double", SCALAR(PG_LAYOUT_FLOAT, double)},
    {"long double", SCALAR(PG_LAYOUT_FLOAT, long double)},
    {"complex float", SCALAR(PG_LAYOUT_COMPLEX, float _Complex)},
    {"complex double", SCALAR(PG_LAYOUT_COMPLEX, double _Complex)},
    {"complex long double", SCALAR(PG_LAYOUT_COMPLEX, long double _Complex)},
    {"pointer", SCALAR(PG_LAYOUT_POINTER, void *)},
};

void pg_layout_done(struct pg_layout *layout)
{
    for (size_t i = 0; i < layout->part_count; i++)
        pg_layout_done(&layout->parts[i]);
    free(layout->parts);
    free(layout->why);
    memset(layout, 0, sizeof *layout);
}

struct pg_layout *pg_layout_add_part(struct pg_layout *layout)
{
    return cca_array_add(&layout->parts, &layout->part_count, sizeof *layout->parts);
}

int pg_layout_give_up(struct pg_layout *layout, const char *why)
{
    char *copy = strdup(why);

    pg_layout_done(layout);
    layout->why = copy;
    return copy ? 0 : -ENOMEM;
}

const char *pg_layout_name(const struct pg_layout *layout)
{
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++)
        if (scalars[i].layout.kind == layout->kind &&
            scalars[i].layout.size == layout->size &&
            scalars[i].layout.align == layout->align)
            return scalars[i].name;
    return NULL;
}

int pg_layout_named(const char *name, struct pg_layout *layout)
{
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++)
        if (strcmp(scalars[i].name, name) == 0) {
            *layout = scalars[i].layout;
            return 0;
        }
    return -ENOENT;
}

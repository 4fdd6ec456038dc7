/* SPDX-License-Identifier: BSD-3-Clause */
/* copies.h: lists of copies between the arrays of patches (ports/ghost_port.h): made
 * directly if both patches are on this rank, else packed into a message and unpacked. */
#ifndef COMPONENTS_COPIES_H
#define COMPONENTS_COPIES_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "ports/ghost_port.h"

/* An ordered list of copies; zeroed memory is an empty list. */
struct copies {
    int count;
    size_t room;
    struct ghost_copy *at;
    int64_t cells; /* number of cells of all copies */
};

/* The values to copy. */
struct copy_values {
    struct ghost_values parts[GHOST_PARTS];
    double fraction;
    int components;
};

static inline int64_t copy_cells(const struct ghost_copy *copy)
{
    return (int64_t)copy->nx * copy->ny;
}

/* Append a copy. Returns 0 or -ENOMEM. */
static inline int copies_add(struct copies *copies, const struct ghost_copy *copy)
{
    if (cca_array_extend(&copies->at, &copies->room, sizeof *copies->at,
                         (size_t)copies->count + 1))
        return -ENOMEM;
    copies->at[copies->count++] = *copy;
    copies->cells += copy_cells(copy);
    return 0;
}

/* Empty the list; its memory is kept. */
static inline void copies_clear(struct copies *copies)
{
    copies->count = 0;
    copies->cells = 0;
}

static inline void copies_done(struct copies *copies)
{
    free(copies->at);
    memset(copies, 0, sizeof *copies);
}

/* Copy n doubles from `now`, or interpolate between `old` and `now`. */
static inline void row_copy(double *to, const double *now, const double *old,
                            double fraction, int n)
{
    enum {
        SHORT_ROW = 8
    }; /* rows of ghost cells at a side in x are too short for
        * memcpy */

    if (old)
        for (int i = 0; i < n; i++)
            to[i] = (1. - fraction) * old[i] + fraction * now[i];
    else if (n > SHORT_ROW)
        memcpy(to, now, (size_t)n * sizeof *to);
    else
        for (int i = 0; i < n; i++)
            to[i] = now[i];
}

/* Copy the source of a copy to `to`, the address of its first cell of component 0. */
static inline void copy_read(const struct copy_values *v, const struct ghost_copy *copy,
                             double *to, ptrdiff_t pitch, ptrdiff_t plane)
{
    const struct ghost_values *part = &v->parts[copy->part];
    const struct ghost_end *from = &copy->from;
    const double *now = part->now[from->patch] + from->first;
    const double *old = part->old ? part->old[from->patch] + from->first : NULL;

    for (int c = 0; c < v->components; c++)
        for (int j = 0; j < copy->ny; j++) {
            ptrdiff_t at = c * from->plane + j * from->pitch;

            row_copy(to + c * plane + j * pitch, now + at, old ? old + at : NULL,
                     v->fraction, copy->nx);
        }
}

/* Carry out copies whose patches are both on this rank. */
static inline void copies_run(const struct copies *copies, const struct copy_values *v)
{
    for (int k = 0; k < copies->count; k++) {
        const struct ghost_copy *copy = &copies->at[k];
        const struct ghost_end *to = &copy->to;

        copy_read(v, copy, v->parts[copy->part].to[to->patch] + to->first, to->pitch,
                  to->plane);
    }
}

/* Copy the sources to buffer[cells * components], copy by copy. */
static inline void copies_pack(const struct copies *copies, const struct copy_values *v,
                               double *buffer)
{
    for (int k = 0; k < copies->count; k++) {
        const struct ghost_copy *copy = &copies->at[k];

        copy_read(v, copy, buffer, copy->nx, (ptrdiff_t)copy_cells(copy));
        buffer += copy_cells(copy) * v->components;
    }
}

/* Copy a packed buffer to the targets of the copies. */
static inline void copies_unpack(const struct copies *copies, const struct copy_values *v,
                                 const double *buffer)
{
    for (int k = 0; k < copies->count; k++) {
        const struct ghost_copy *copy = &copies->at[k];
        const struct ghost_end *to = &copy->to;
        double *first = v->parts[copy->part].to[to->patch] + to->first;

        for (int c = 0; c < v->components; c++)
            for (int j = 0; j < copy->ny; j++, buffer += copy->nx)
                row_copy(first + c * to->plane + j * to->pitch, buffer, NULL, 1.,
                         copy->nx);
    }
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* store.h: the values of one field on this rank's tiles of a layout, and room for
 * intermediate values. */
#ifndef COMPONENTS_AMRMESH_STORE_H
#define COMPONENTS_AMRMESH_STORE_H

#include <stddef.h>

#include "components/AMRMesh/boxes/layout.h"

struct store {
    int components, ghost;
    int count;     /* tiles of this rank */
    double **data; /* [count], each [components][ny + 2 ghost][nx + 2 ghost] */
};

static inline ptrdiff_t store_pitch(const struct store *store, struct box box)
{
    return (ptrdiff_t)box_nx(box) + 2 * store->ghost;
}

static inline ptrdiff_t store_plane(const struct store *store, struct box box)
{
    return store_pitch(store, box) * ((ptrdiff_t)box_ny(box) + 2 * store->ghost);
}

/* Cell (i, j) of the level, of component 0, in the storage of a tile of this rank. */
static inline double *store_cell(const struct store *store, const struct tile *tile,
                                 int64_t i, int64_t j)
{
    return store->data[tile->local] +
           (j - tile->box.jlo + store->ghost) * store_pitch(store, tile->box) +
           (i - tile->box.ilo + store->ghost);
}

/* Zeroed values on all tiles of this rank. 0 or -ENOMEM. */
int store_init(struct store *store, const struct layout *layout, int components,
               int ghost);
void store_done(struct store *store); /* also of a zeroed one */
/* Copy all values of `from`, which was made for the same layout. */
void store_copy(struct store *to, const struct store *from, const struct layout *layout);
/* Bytes on this rank. */
int64_t store_bytes(const struct store *store, const struct layout *layout);

/* Room for a few cells for each of some patches, in one block that stays from use to use.
 * Set planes before reserving. */
struct scratch {
    int count;
    ptrdiff_t *planes; /* [count], cells for each patch */
    double **at;       /* [count], each [components][planes] */
    double *block;
    int components; /* that there is room for */
};

/* For `count` patches of no cells. 0 or -ENOMEM. */
int scratch_init(struct scratch *scratch, int count);
void scratch_done(struct scratch *scratch); /* also of a zeroed one */
/* Make room for `components` components; values are undefined. 0 or -ENOMEM. */
int scratch_reserve(struct scratch *scratch, int components);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* store.h: the values of one field on this rank's tiles of a layout, and temporary memory
 * for intermediate values. */
#ifndef COMPONENTS_AMRMESH_STORE_H
#define COMPONENTS_AMRMESH_STORE_H

#include <stddef.h>

#include "components/AMRMesh/boxes/layout.h"

struct store {
    int components, ghost;
    int count;     /* number of this rank's tiles */
    double **data; /* [count] values of each tile, [components][ny + 2 ghost][nx + 2
                    * ghost] */
};

static inline ptrdiff_t store_pitch(const struct store *store, struct box box)
{
    return (ptrdiff_t)box_nx(box) + 2 * store->ghost;
}

static inline ptrdiff_t store_plane(const struct store *store, struct box box)
{
    return store_pitch(store, box) * ((ptrdiff_t)box_ny(box) + 2 * store->ghost);
}

/* Return the address of cell (i, j) of the level, component 0, in the storage of a tile
 * of this rank. */
static inline double *store_cell(const struct store *store, const struct tile *tile,
                                 int64_t i, int64_t j)
{
    return store->data[tile->local] +
           (j - tile->box.jlo + store->ghost) * store_pitch(store, tile->box) +
           (i - tile->box.ilo + store->ghost);
}

/* Allocate zeroed values on all tiles of this rank. Returns 0 or -ENOMEM. */
int store_init(struct store *store, const struct layout *layout, int components,
               int ghost);
/* free the members of a store; zeros are accepted */
void store_done(struct store *store);
/* Copy all values of `from`, which was made for the same layout. */
void store_copy(struct store *to, const struct store *from, const struct layout *layout);
/* Return the number of bytes of the field's values on this rank. */
int64_t store_bytes(const struct store *store, const struct layout *layout);

/* Temporary memory (scratch) for some cells of each of several patches, in one block
 * that is reused. Set `planes` before scratch_reserve. */
struct scratch {
    int count;
    ptrdiff_t *planes; /* [count] number of cells of each patch */
    double **at;       /* [count] memory of each patch, [components][planes] */
    double *block;
    int components; /* number of components for which there is memory */
};

/* Start for `count` patches without cells. Returns 0 or -ENOMEM. */
int scratch_init(struct scratch *scratch, int count);
void scratch_done(struct scratch *scratch); /* free the members; a zeroed struct is
                                             * accepted */
/* Allocate memory for `components` components; values are undefined. Returns 0 or
 * -ENOMEM. */
int scratch_reserve(struct scratch *scratch, int components);

#endif

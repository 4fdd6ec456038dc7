/* SPDX-License-Identifier: BSD-3-Clause */
/* store.c: the values of one field on this rank's tiles of a layout. */
#include "components/AMRMesh/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static size_t tile_doubles(const struct store *store, const struct layout *layout,
                           int local)
{
    struct box box = layout->tiles[layout->locals[local]].box;

    return (size_t)store_plane(store, box) * (size_t)store->components;
}

int store_init(struct store *store, const struct layout *layout, int components,
               int ghost)
{
    *store = (struct store){components, ghost, layout->local_count, NULL};
    store->data = calloc((size_t)store->count + 1, sizeof *store->data);
    for (int k = 0; k < store->count && store->data; k++) {
        store->data[k] = calloc(tile_doubles(store, layout, k), sizeof(double));
        if (!store->data[k])
            store_done(store);
    }
    return store->data ? 0 : -ENOMEM;
}

void store_done(struct store *store)
{
    for (int k = 0; k < store->count && store->data; k++)
        free(store->data[k]);
    free(store->data);
    memset(store, 0, sizeof *store);
}

void store_copy(struct store *to, const struct store *from, const struct layout *layout)
{
    for (int k = 0; k < from->count; k++)
        memcpy(to->data[k], from->data[k],
               tile_doubles(from, layout, k) * sizeof(double));
}

int64_t store_bytes(const struct store *store, const struct layout *layout)
{
    size_t doubles = 0;

    for (int k = 0; k < store->count; k++)
        doubles += tile_doubles(store, layout, k);
    return (int64_t)(doubles * sizeof(double));
}

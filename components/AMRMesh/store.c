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

int scratch_init(struct scratch *scratch, int count)
{
    *scratch = (struct scratch){.count = count};
    scratch->planes = calloc((size_t)count + 1, sizeof *scratch->planes);
    scratch->at = calloc((size_t)count + 1, sizeof *scratch->at);
    return scratch->planes && scratch->at ? 0 : -ENOMEM;
}

void scratch_done(struct scratch *scratch)
{
    free(scratch->planes);
    free(scratch->at);
    free(scratch->block);
    memset(scratch, 0, sizeof *scratch);
}

int scratch_reserve(struct scratch *scratch, int components)
{
    size_t doubles = 0;

    if (components <= scratch->components)
        return 0;
    for (int k = 0; k < scratch->count; k++)
        doubles += (size_t)scratch->planes[k] * (size_t)components;
    free(scratch->block);
    scratch->components = 0;
    scratch->block = malloc((doubles + 1) * sizeof *scratch->block);
    if (!scratch->block)
        return -ENOMEM;
    scratch->components = components;
    doubles = 0;
    for (int k = 0; k < scratch->count; k++) {
        scratch->at[k] = scratch->block + doubles;
        doubles += (size_t)scratch->planes[k] * (size_t)components;
    }
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* layout.c: the patches of one level over all ranks. */
#include "components/AMRMesh/layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int layout_add(struct layout *layout, struct box box, int rank)
{
    if (layout->count == layout->room) {
        int room = layout->room ? 2 * layout->room : 8;
        struct tile *grown = realloc(layout->tiles, (size_t)room * sizeof *grown);

        if (!grown)
            return -ENOMEM;
        layout->tiles = grown;
        layout->room = room;
    }
    layout->tiles[layout->count++] = (struct tile){box, rank, -1};
    if (box_ny(box) > layout->tallest)
        layout->tallest = box_ny(box);
    return 0;
}

int layout_share(struct layout *layout, int rank, int ranks)
{
    int *given = calloc((size_t)ranks, sizeof *given);
    int *locals = realloc(layout->locals, ((size_t)layout->count + 1) * sizeof *locals);

    if (locals)
        layout->locals = locals;
    if (!given || !locals) {
        free(given);
        return -ENOMEM;
    }
    for (int k = 0; k < layout->count; k++) {
        struct tile *tile = &layout->tiles[k];

        tile->local = given[tile->rank]++;
        if (tile->rank == rank)
            locals[tile->local] = k;
    }
    layout->local_count = given[rank];
    free(given);
    return 0;
}

void layout_done(struct layout *layout)
{
    free(layout->tiles);
    free(layout->locals);
    memset(layout, 0, sizeof *layout);
}

static int images_add(struct images *images, struct image image)
{
    if (images->count == images->room) {
        int room = images->room ? 2 * images->room : 16;
        struct image *grown = realloc(images->at, (size_t)room * sizeof *grown);

        if (!grown)
            return -ENOMEM;
        images->at = grown;
        images->room = room;
    }
    images->at[images->count++] = image;
    return 0;
}

void images_done(struct images *images)
{
    free(images->at);
    memset(images, 0, sizeof *images);
}

/* The first tile that begins at row `jlo` or above. */
static int tile_lower_bound(const struct layout *layout, int64_t jlo)
{
    int low = 0, high = layout->count;

    while (low < high) {
        int middle = low + (high - low) / 2;

        if (layout->tiles[middle].box.jlo < jlo)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The tiles in `box`, which is shifted by (-di, -dj) for this. */
static int images_search(const struct layout *layout, struct box box, int64_t di,
                         int64_t dj, struct images *images)
{
    int code = 0;

    for (int k = tile_lower_bound(layout, box.jlo - layout->tallest);
         k < layout->count && layout->tiles[k].box.jlo < box.jhi && !code; k++)
        if (!box_empty(box_intersect(layout->tiles[k].box, box)))
            code = images_add(images, (struct image){k, di, dj});
    return code;
}

int layout_find(const struct layout *layout, const struct space *space, struct box box,
                struct images *images)
{
    int64_t nx = box_nx(space->box), ny = box_ny(space->box);
    int64_t first_i = space->periodic[0] ? floor_divide(box.ilo, nx) : 0;
    int64_t last_i = space->periodic[0] ? floor_divide(box.ihi - 1, nx) : 0;
    int64_t first_j = space->periodic[1] ? floor_divide(box.jlo, ny) : 0;
    int64_t last_j = space->periodic[1] ? floor_divide(box.jhi - 1, ny) : 0;
    int code = 0;

    images->count = 0;
    for (int64_t j = first_j; j <= last_j; j++)
        for (int64_t i = first_i; i <= last_i && !code; i++)
            code = images_search(layout, box_shift(box, -i * nx, -j * ny), i * nx, j * ny,
                                 images);
    return code;
}

int layout_equal(const struct layout *a, const struct layout *b)
{
    int equal = a->count == b->count;

    for (int k = 0; k < a->count && equal; k++)
        equal = box_equal(a->tiles[k].box, b->tiles[k].box);
    return equal;
}

int64_t layout_cells(const struct layout *layout)
{
    int64_t cells = 0;

    for (int k = 0; k < layout->count; k++)
        cells += box_cells(layout->tiles[k].box);
    return cells;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* layout.c: the patches of one level over all ranks. */
#include "components/AMRMesh/boxes/layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

int layout_add(struct layout *layout, struct box box, int rank)
{
    if (cca_array_reserve(&layout->tiles, (size_t)layout->count, sizeof *layout->tiles))
        return -ENOMEM;
    layout->tiles[layout->count++] = (struct tile){box, rank, -1};
    return 0;
}

/* --- Bins ------------------------------------------------------------------ */

/* Return the bins with cells of `box`, which is inside the box of all bins. */
static struct box bins_of(const struct bins *bins, struct box box)
{
    return (struct box){(box.ilo - bins->box.ilo) / bins->nx,
                        (box.jlo - bins->box.jlo) / bins->ny,
                        (box.ihi - 1 - bins->box.ilo) / bins->nx + 1,
                        (box.jhi - 1 - bins->box.jlo) / bins->ny + 1};
}

/* Choose bins about as large as an average tile, at most a few for each tile. */
static void bins_size(struct bins *bins, const struct layout *layout)
{
    int64_t nx = 0, ny = 0, most = 4 * (int64_t)layout->count + 4;

    bins->box = layout->count ? layout->tiles[0].box : (struct box){0, 0, 0, 0};
    for (int k = 0; k < layout->count; k++) {
        struct box box = layout->tiles[k].box;

        bins->box = box_around(bins->box, box);
        nx += box_nx(box);
        ny += box_ny(box);
    }
    bins->nx = layout->count ? nx / layout->count + 1 : 1;
    bins->ny = layout->count ? ny / layout->count + 1 : 1;
    for (;; bins->nx *= 2, bins->ny *= 2) {
        bins->columns = box_nx(bins->box) / bins->nx + 1;
        bins->rows = box_ny(bins->box) / bins->ny + 1;
        if (bins->columns <= most && bins->rows <= most / bins->columns + 1)
            return;
    }
}

/* Count the tiles of each bin, or write their indices from start[] on. */
static void bins_walk(struct bins *bins, const struct layout *layout, int write)
{
    for (int k = 0; k < layout->count; k++) {
        struct box in = bins_of(bins, layout->tiles[k].box);

        for (int64_t j = in.jlo; j < in.jhi; j++)
            for (int64_t i = in.ilo; i < in.ihi; i++) {
                int64_t bin = j * bins->columns + i;

                if (write)
                    bins->tiles[bins->start[bin + 1]++] = k;
                else
                    bins->start[bin + 2]++;
            }
    }
}

static void bins_done(struct bins *bins)
{
    free(bins->start);
    free(bins->tiles);
    memset(bins, 0, sizeof *bins);
}

/* Build the bins, an index of tiles by position. Returns 0 or -ENOMEM. */
static int bins_build(struct layout *layout)
{
    struct bins *bins = &layout->bins;
    size_t count;

    bins_done(bins);
    bins_size(bins, layout);
    count = (size_t)(bins->columns * bins->rows);
    bins->start = calloc(count + 2, sizeof *bins->start);
    if (!bins->start)
        return -ENOMEM;
    bins_walk(bins, layout, 0);
    for (size_t k = 0; k < count; k++)
        bins->start[k + 2] += bins->start[k + 1];
    bins->tiles = malloc(((size_t)bins->start[count + 1] + 1) * sizeof *bins->tiles);
    if (!bins->tiles)
        return -ENOMEM;
    bins_walk(bins, layout, 1);
    return 0;
}

/* --- Layouts --------------------------------------------------------------- */

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
    return bins_build(layout);
}

void layout_done(struct layout *layout)
{
    free(layout->tiles);
    free(layout->locals);
    bins_done(&layout->bins);
    memset(layout, 0, sizeof *layout);
}

static int images_add(struct images *images, struct image image)
{
    if (cca_array_extend(&images->at, &images->room, sizeof *images->at,
                         (size_t)images->count + 1))
        return -ENOMEM;
    images->at[images->count++] = image;
    return 0;
}

void images_done(struct images *images)
{
    free(images->at);
    memset(images, 0, sizeof *images);
}

static int image_compare(const void *a, const void *b)
{
    return ((const struct image *)a)->tile - ((const struct image *)b)->tile;
}

/* Report the tiles of one bin that overlap `box`. A tile in several bins is reported only
 * by the bin with the first cell that it shares with `box`. */
static int bin_search(const struct layout *layout, int64_t column, int64_t row,
                      struct box box, struct image image, struct images *images)
{
    const struct bins *bins = &layout->bins;
    int64_t bin = row * bins->columns + column;
    int code = 0;

    for (int n = bins->start[bin]; n < bins->start[bin + 1] && !code; n++) {
        struct box in = box_intersect(layout->tiles[bins->tiles[n]].box, box);

        if (box_empty(in) || (in.ilo - bins->box.ilo) / bins->nx != column ||
            (in.jlo - bins->box.jlo) / bins->ny != row)
            continue;
        image.tile = bins->tiles[n];
        code = images_add(images, image);
    }
    return code;
}

/* Find the tiles in `box` shifted by (-di, -dj). */
static int images_search(const struct layout *layout, struct box box, int64_t di,
                         int64_t dj, struct images *images)
{
    struct box bins;
    int first = images->count, code = 0;

    box = box_intersect(box, layout->bins.box);
    if (box_empty(box))
        return 0;
    bins = bins_of(&layout->bins, box);
    for (int64_t j = bins.jlo; j < bins.jhi; j++)
        for (int64_t i = bins.ilo; i < bins.ihi && !code; i++)
            code = bin_search(layout, i, j, box, (struct image){0, di, dj}, images);
    if (images->count > first + 1)
        qsort(images->at + first, (size_t)(images->count - first), sizeof *images->at,
              image_compare);
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

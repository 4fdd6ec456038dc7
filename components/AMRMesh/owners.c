/* SPDX-License-Identifier: BSD-3-Clause */
/* owners.c: choose the rank of each patch of a level. */
#include "components/AMRMesh/parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/clock.h"
#include "components/AMRMesh/balance.h"
#include "components/rebalance.h"

/* Add the cells of `box` on each rank's tiles of a layout to cells[ranks]. */
static int owners_count(const struct layout *layout, const struct space *space,
                        struct box box, struct images *images, int64_t *cells)
{
    int code = layout_find(layout, space, box, images);

    for (int k = 0; k < images->count && !code; k++) {
        const struct tile *tile = &layout->tiles[images->at[k].tile];

        cells[tile->rank] += box_cells(box_intersect(tile->box, box));
    }
    return code;
}

/* Return the rank with the most cells (of equal ranks the lowest); -1 if no rank has
 * cells. */
static int owner_most(const int64_t *cells, int ranks)
{
    int most = -1;

    for (int rank = 0; rank < ranks; rank++)
        if (cells[rank] && (most < 0 || cells[rank] > cells[most]))
            most = rank;
    return most;
}

int owners_find(const struct hierarchy *h, int l, struct layout *layout)
{
    size_t bytes = (size_t)h->ranks.size * sizeof(int64_t);
    struct images images = {0};
    int64_t *cells = malloc(bytes);
    int code = cells ? 0 : -ENOMEM;

    for (int k = 0; k < layout->count && !code; k++) {
        struct tile *tile = &layout->tiles[k];
        int owner;

        memset(cells, 0, bytes);
        if (l < h->level_count)
            code = owners_count(&h->levels[l].layout, &h->levels[l].space, tile->box,
                                &images, cells);
        owner = owner_most(cells, h->ranks.size);
        if (owner < 0 && !code) {
            code = owners_count(&h->levels[l - 1].layout, &h->levels[l - 1].space,
                                box_coarsen(tile->box, AMR_RATIO), &images, cells);
            owner = owner_most(cells, h->ranks.size);
        }
        tile->rank = owner < 0 ? 0 : owner;
    }
    free(cells);
    images_done(&images);
    return code;
}

/* Redistribute one level: by costs if `owners` is NULL, else to the given owners. */
static int level_redistribute(struct hierarchy *h, int l, const int *owners,
                              int64_t *moved)
{
    const struct layout *before = &h->levels[l].layout;
    struct layout layout = {0};
    int code = 0, changed = 0;

    for (int k = 0; k < before->count && !code; k++)
        code = layout_add(&layout, before->tiles[k].box, owners ? owners[k] : 0);
    if (!code && !owners)
        code = balance_assign(&layout, h->ranks.size);
    for (int k = 0; k < before->count && !code; k++)
        changed |= layout.tiles[k].rank != before->tiles[k].rank;
    if (!code && changed)
        code = layout_share(&layout, h->ranks.rank, h->ranks.size);
    if (!code && changed)
        code = level_replace(h, l, &layout, moved);
    layout_done(&layout);
    return code ? code : changed;
}

int redistribute(struct hierarchy *h, const int *owners, int64_t *moved)
{
    int changed = 0, code = 0;

    for (int l = 0; l < h->level_count && code >= 0; l++) {
        int count = h->levels[l].layout.count;

        code = level_redistribute(h, l, owners, moved);
        changed |= code > 0;
        owners = owners ? owners + count : NULL;
    }
    if (code >= 0 && changed)
        code = hierarchy_link(h, 0);
    return code < 0 ? code : changed;
}

/* Fill told[] with descriptions of the patches of all levels, for the balance port. */
static void patches_tell(const struct hierarchy *h, struct balance_patch *told)
{
    for (int l = 0; l < h->level_count; l++)
        for (int k = 0; k < h->levels[l].layout.count; k++) {
            const struct tile *tile = &h->levels[l].layout.tiles[k];

            *told++ = (struct balance_patch){l,
                                             k,
                                             tile->box.ilo,
                                             tile->box.jlo,
                                             box_nx(tile->box),
                                             box_ny(tile->box),
                                             tile->rank};
        }
}

int redistribute_as_told(struct hierarchy *h, struct balance_port *port, int64_t step,
                         int64_t *moved, struct cca_error *err)
{
    const struct balance_mesh mesh = {h->domain.nx, h->domain.ny, h->level_count,
                                      AMR_RATIO, h->ranks.size};
    struct balance_patch *told;
    int *owners, count = 0, code = -ENOMEM;
    int64_t begun;

    for (int l = 0; l < h->level_count; l++)
        count += h->levels[l].layout.count;
    told = calloc((size_t)count, sizeof *told);
    owners = malloc((size_t)count * sizeof *owners);
    if (told && owners) {
        patches_tell(h, told);
        code = rebalance_ask(port, h->ranks.port, step, &mesh, told, count, owners, err);
    }
    begun = cca_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    if (code > 0)
        code = redistribute(h, owners, moved);
    if (code > 0)
        port->moved(port, step, *moved, cca_clock_ns(CLOCK_THREAD_CPUTIME_ID) - begun);
    free(told);
    free(owners);
    return code;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* average.c: cells of a level that the finer level covers, replaced by its means. */
#include "components/AMRMesh/average.h"

#include <string.h>

/* Send the means of tile `from` to the coarse tiles under it. */
static int tile_plan(struct average *a, const struct ranks *ranks, int from,
                     const struct layout *coarse, const struct space *coarse_space,
                     struct images *images)
{
    struct box box = a->under.tiles[from].box;
    int code = layout_find(coarse, coarse_space, box, images);

    for (int k = 0; k < images->count && !code; k++) {
        int to = images->at[k].tile;

        code = transfer_add(
            &a->send, ranks, &a->under, coarse,
            (struct copy){from, to, box_intersect(box, coarse->tiles[to].box), 0, 0});
    }
    return code;
}

int average_init(struct average *a, const struct ranks *ranks, const struct layout *fine,
                 const struct layout *coarse, const struct space *coarse_space)
{
    struct images images = {0};
    int code;

    memset(a, 0, sizeof *a);
    code = transfer_init(&a->send, ranks->size);
    for (int k = 0; k < fine->count && !code; k++)
        code = layout_add(&a->under, box_coarsen(fine->tiles[k].box, AMR_RATIO),
                          fine->tiles[k].rank);
    if (!code)
        code = layout_share(&a->under, ranks->rank, ranks->size);
    for (int k = 0; k < fine->count && !code; k++)
        code = tile_plan(a, ranks, k, coarse, coarse_space, &images);
    images_done(&images);
    return code;
}

void average_done(struct average *a)
{
    layout_done(&a->under);
    transfer_done(&a->send);
}

/* The mean of four cells, diagonals first: transposing the field gives the same bits. */
static void row_average(const double *low, const double *high, double *mean, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        mean[i] = .25 * ((low[2 * i] + high[2 * i + 1]) + (low[2 * i + 1] + high[2 * i]));
}

static void tile_average(const struct tile *fine, const struct store *from,
                         const struct tile *under, struct store *to)
{
    ptrdiff_t pitch = store_pitch(from, fine->box), plane = store_plane(from, fine->box);
    ptrdiff_t to_plane = store_plane(to, under->box);

    for (int c = 0; c < from->components; c++)
        for (int64_t j = under->box.jlo; j < under->box.jhi; j++) {
            const double *low =
                store_cell(from, fine, fine->box.ilo, AMR_RATIO * j) + c * plane;

            row_average(low, low + pitch,
                        store_cell(to, under, under->box.ilo, j) + c * to_plane,
                        box_nx(under->box));
        }
}

int average_run(struct average *a, const struct ranks *ranks, int tag,
                const struct layout *fine, const struct store *from,
                const struct layout *coarse, struct store *to)
{
    struct store means;
    struct transfer_values values = {&a->under, coarse, &means, NULL, 1., to};
    int code = store_init(&means, &a->under, from->components, 0);

    for (int k = 0; k < a->under.local_count && !code; k++)
        tile_average(&fine->tiles[fine->locals[k]], from,
                     &a->under.tiles[a->under.locals[k]], &means);
    if (!code)
        code = transfer_run(&a->send, ranks, tag, &values);
    store_done(&means);
    return code;
}

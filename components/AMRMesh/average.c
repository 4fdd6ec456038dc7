/* SPDX-License-Identifier: BSD-3-Clause */
/* average.c: replace the values of cells under a finer level by means over the finer
 * cells. */
#include "components/AMRMesh/average.h"

/* Plan the messages with the means of fine tile `tile` to the coarse tiles under it. */
static int tile_plan(struct copies *copies, const struct ranks *ranks,
                     const struct tile *tile, const struct layout *coarse,
                     const struct space *coarse_space, int ghost, struct images *images)
{
    struct box box = box_coarsen(tile->box, AMR_RATIO);
    struct place from = {tile->rank,
                         tile->local,
                         box,
                         0,
                         (ptrdiff_t)box_nx(box),
                         (ptrdiff_t)box_cells(box)};
    int code = layout_find(coarse, coarse_space, box, images);

    for (int k = 0; k < images->count && !code; k++) {
        const struct tile *under = &coarse->tiles[images->at[k].tile];
        struct place to = tile_place(under, ghost);

        code = transfer_add(copies, ranks, 0, &from, 0, 0, &to,
                            box_intersect(box, under->box));
    }
    return code;
}

int average_init(struct average *a, const struct ranks *ranks, const struct layout *fine,
                 const struct layout *coarse, const struct space *coarse_space, int ghost)
{
    struct images images = {0};
    struct copies copies = {0};
    int code;

    memset(a, 0, sizeof *a);
    code = scratch_init(&a->means, fine->local_count);
    for (int k = 0; k < fine->count && !code; k++) {
        const struct tile *tile = &fine->tiles[k];

        if (tile->rank == ranks->rank)
            a->means.planes[tile->local] =
                (ptrdiff_t)box_cells(box_coarsen(tile->box, AMR_RATIO));
        code = tile_plan(&copies, ranks, tile, coarse, coarse_space, ghost, &images);
    }
    if (!code)
        code = transfer_plan(&a->send, ranks, &copies);
    images_done(&images);
    copies_done(&copies);
    return code;
}

void average_done(struct average *a)
{
    scratch_done(&a->means);
    neighbours_done(&a->send);
}

static int tile_average(struct prolong_restrict_port *port, const struct tile *tile,
                        const struct store *from, double *means)
{
    struct box box = box_coarsen(tile->box, AMR_RATIO);
    struct prolong_restrict_cells fine = {
        store_cell(from, tile, tile->box.ilo, tile->box.jlo),
        store_pitch(from, tile->box), store_plane(from, tile->box)};
    struct prolong_restrict_cells coarse = {means, (ptrdiff_t)box_nx(box),
                                            (ptrdiff_t)box_cells(box)};

    return port->restrict_cells(port, (int)box_nx(box), (int)box_ny(box),
                                from->components, &fine, &coarse);
}

int average_run(struct average *a, const struct ranks *ranks, int tag,
                struct prolong_restrict_port *port, const struct layout *fine,
                const struct store *from, struct store *to)
{
    int code = port ? scratch_reserve(&a->means, from->components) : -ENOTCONN;
    struct copy_values values = {
        .parts = {{.now = a->means.at, .to = to->data}},
        .fraction = 1.,
        .components = from->components,
    };

    for (int k = 0; k < fine->local_count && !code; k++)
        code = tile_average(port, &fine->tiles[fine->locals[k]], from, a->means.at[k]);
    return code ? code : transfer_run(&a->send, ranks, tag, &values);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* transfer.c: copies of cells between the tiles of layouts. */
#include "components/AMRMesh/transfer.h"

static struct ghost_end place_end(const struct place *place, int64_t i, int64_t j)
{
    return (struct ghost_end){place->rank, place->patch,
                              place->first + (j - place->box.jlo) * place->pitch +
                                  (i - place->box.ilo),
                              place->pitch, place->plane};
}

int transfer_add(struct copies *copies, const struct ranks *ranks, int part,
                 const struct place *from, int64_t di, int64_t dj, const struct place *to,
                 struct box box)
{
    struct ghost_copy copy = {part, (int)box_nx(box), (int)box_ny(box),
                              place_end(from, box.ilo - di, box.jlo - dj),
                              place_end(to, box.ilo, box.jlo)};

    return from->rank == ranks->rank || to->rank == ranks->rank
               ? copies_add(copies, &copy)
               : 0;
}

int transfer_add_box(struct copies *copies, const struct ranks *ranks,
                     const struct source *source, const struct place *to, struct box box,
                     int self, struct images *images)
{
    int code = layout_find(source->layout, source->space, box, images);

    for (int k = 0; k < images->count && !code; k++) {
        struct image image = images->at[k];
        const struct tile *tile = &source->layout->tiles[image.tile];
        struct place from = tile_place(tile, source->ghost);

        if (image.tile == self && !image.di && !image.dj)
            continue;
        code = transfer_add(copies, ranks, source->part, &from, image.di, image.dj, to,
                            box_intersect(box_shift(tile->box, image.di, image.dj), box));
    }
    return code;
}

int transfer_plan(struct neighbours *n, const struct ranks *ranks,
                  const struct copies *copies)
{
    int code = neighbours_clear(n, ranks->size);

    for (int k = 0; k < copies->count && !code; k++)
        code = neighbours_add(n, ranks->rank, &copies->at[k]);
    return code;
}

int transfer_run(struct neighbours *n, const struct ranks *ranks, int tag,
                 const struct copy_values *values)
{
    int code = neighbours_start(n, ranks->port, tag, values);

    if (!code && ranks->port)
        code = ranks->port->wait(ranks->port);
    if (!code)
        neighbours_unpack(n, values);
    return code;
}

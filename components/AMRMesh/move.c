/* SPDX-License-Identifier: BSD-3-Clause */
/* move.c: replace the patches of a level, and move its fields to the new patches. */
#include "components/AMRMesh/parts.h"

/* Sources of a new level's cells. */
struct move {
    struct copies copies;
    struct prolongation fresh; /* cells computed from the coarser level, as no old patch
                                * has them */
    /* messages for cells that are copied and for cells that are computed */
    struct neighbours schedule;
    int64_t received; /* number of cells received from old patches of other ranks */
};

enum { PART_KEPT, PART_UNDER };

/* Plan where the interior cells of one new tile come from. */
static int tile_move(const struct hierarchy *h, struct move *move,
                     const struct level *before, const struct level *coarse,
                     const struct level *level, int tile, struct images *images)
{
    const struct source kept = {&before->layout, &level->space, h->ghost, PART_KEPT};
    const struct tile *t = &level->layout.tiles[tile];
    struct place place = tile_place(t, h->ghost);
    struct boxes rest = {0};
    int code = boxes_add(&rest, t->box);

    if (!code && before->layout.count)
        code =
            transfer_add_box(&move->copies, &h->ranks, &kept, &place, t->box, -1, images);
    for (int k = 0; before->layout.count && k < images->count && !code; k++) {
        const struct tile *old = &before->layout.tiles[images->at[k].tile];

        if (t->rank == h->ranks.rank && old->rank != t->rank)
            move->received += box_cells(box_intersect(old->box, t->box));
        code = boxes_subtract(&rest, old->box);
    }
    if (!code && coarse) {
        struct source under = {&coarse->layout, &coarse->space, h->ghost, PART_UNDER};

        code = prolongation_add(&move->fresh, &move->copies, &h->ranks, &under,
                                &level->layout, tile, &rest, images);
    }
    boxes_done(&rest);
    return code;
}

static int move_plan(const struct hierarchy *h, struct move *move,
                     const struct level *before, const struct level *coarse,
                     const struct level *level)
{
    struct images images = {0};
    int code = prolongation_init(&move->fresh, level->layout.local_count);

    for (int tile = 0; tile < level->layout.count && !code; tile++)
        code = tile_move(h, move, before, coarse, level, tile, &images);
    if (!code)
        code = transfer_plan(&move->schedule, &h->ranks, &move->copies);
    images_done(&images);
    return code;
}

static int move_field(const struct hierarchy *h, struct move *move,
                      const struct level *before, const struct level *coarse,
                      struct level *level, int field)
{
    struct copy_values values = {.fraction = 1.,
                                 .components = h->fields[field].components};
    int code = scratch_reserve(&move->fresh.under, values.components);

    values.parts[PART_KEPT] =
        (struct ghost_values){before->fields ? before->fields[field].data : NULL, NULL,
                              level->fields[field].data};
    if (coarse)
        values.parts[PART_UNDER] =
            (struct ghost_values){coarse->fields[field].data, NULL, move->fresh.under.at};
    if (!code)
        code = transfer_run(&move->schedule, &h->ranks, TAG_MOVE, &values);
    if (!code)
        code = prolongation_run(&move->fresh, h->ports.prolong_restrict, &level->layout,
                                &level->fields[field]);
    return code;
}

static void move_done(struct move *move)
{
    copies_done(&move->copies);
    prolongation_done(&move->fresh);
    neighbours_done(&move->schedule);
}

int level_replace(struct hierarchy *h, int l, struct layout *layout, int64_t *moved)
{
    struct level *before = &h->levels[l], *coarse = l ? &h->levels[l - 1] : NULL;
    struct level level;
    struct move move = {0};
    int code = level_init(h, &level, l, layout);

    if (!code)
        code = move_plan(h, &move, before, coarse, &level);
    for (int f = 0; f < h->field_count && !code; f++)
        if (h->fields[f].kind == MESH_KEPT)
            code = move_field(h, &move, before, coarse, &level, f);
    move_done(&move);
    if (code) {
        level_done(&level, h->field_count);
        return code;
    }
    *moved += move.received;
    level_done(before, h->field_count);
    *before = level;
    if (h->level_count <= l)
        h->level_count = l + 1;
    return 0;
}

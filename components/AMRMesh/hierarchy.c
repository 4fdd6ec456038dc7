/* SPDX-License-Identifier: BSD-3-Clause */
/* hierarchy.c: the levels of an adaptive mesh and the fields on them. */
#include "components/AMRMesh/hierarchy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- Levels ---------------------------------------------------------------- */

static void level_unlink(struct level *level)
{
    transfer_done(&level->siblings);
    prolongation_done(&level->ghosts);
    average_done(&level->average);
    registers_done(&level->registers);
}

static void level_done(struct level *level, int field_count)
{
    level_unlink(level);
    for (int f = 0; f < field_count; f++) {
        if (level->fields)
            store_done(&level->fields[f]);
        if (level->olds)
            store_done(&level->olds[f]);
    }
    free(level->fields);
    free(level->olds);
    free(level->patches);
    layout_done(&level->layout);
    memset(level, 0, sizeof *level);
}

void hierarchy_truncate(struct hierarchy *h, int count)
{
    while (h->level_count > count)
        level_done(&h->levels[--h->level_count], h->field_count);
}

void hierarchy_clear(struct hierarchy *h)
{
    hierarchy_truncate(h, 0);
    for (int f = 0; f < h->field_count; f++)
        free(h->fields[f].name);
    free(h->fields);
    h->fields = NULL;
    h->field_count = 0;
}

static void patch_place(const struct hierarchy *h, const struct level *level, int l,
                        int index, struct mesh_patch *patch)
{
    const struct mesh_domain *d = &h->domain;
    int number = level->layout.locals[index];
    struct box box = level->layout.tiles[number].box, all = level->space.box;

    *patch = (struct mesh_patch){
        .level = l,
        .index = index,
        .number = number,
        .ilo = box.ilo,
        .jlo = box.jlo,
        .nx = (int)box_nx(box),
        .ny = (int)box_ny(box),
        .ghost = h->ghost,
        .pitch = (ptrdiff_t)box_nx(box) + 2 * h->ghost,
        .dx = (d->xhi - d->xlo) / (double)box_nx(all),
        .dy = (d->yhi - d->ylo) / (double)box_ny(all),
    };
    patch->plane = patch->pitch * ((ptrdiff_t)patch->ny + 2 * h->ghost);
    patch->xlo = d->xlo + (double)box.ilo * patch->dx;
    patch->ylo = d->ylo + (double)box.jlo * patch->dy;
    if (!d->periodic_x)
        patch->boundary |= (unsigned)(box.ilo == 0) << MESH_XLO |
                           (unsigned)(box.ihi == all.ihi) << MESH_XHI;
    if (!d->periodic_y)
        patch->boundary |= (unsigned)(box.jlo == 0) << MESH_YLO |
                           (unsigned)(box.jhi == all.jhi) << MESH_YHI;
}

/* A level of `layout` (stolen) with zeroed fields. 0 or -ENOMEM. */
static int level_init(const struct hierarchy *h, struct level *level, int l,
                      struct layout *layout)
{
    int code = 0;

    memset(level, 0, sizeof *level);
    level->space = (struct space){{0, 0, h->domain.nx, h->domain.ny},
                                  {h->domain.periodic_x, h->domain.periodic_y}};
    level->space = space_refine(&level->space, 1 << l);
    level->layout = *layout;
    memset(layout, 0, sizeof *layout);
    level->patches =
        calloc((size_t)level->layout.local_count + 1, sizeof *level->patches);
    level->fields = calloc((size_t)h->field_count + 1, sizeof *level->fields);
    level->olds = calloc((size_t)h->field_count + 1, sizeof *level->olds);
    if (!level->patches || !level->fields || !level->olds)
        return -ENOMEM;
    for (int k = 0; k < level->layout.local_count; k++)
        patch_place(h, level, l, k, &level->patches[k]);
    for (int f = 0; f < h->field_count && !code; f++)
        code = store_init(&level->fields[f], &level->layout, h->fields[f].components,
                          h->ghost);
    return code;
}

/* --- Moving fields --------------------------------------------------------- */

/* How a new level gets its cells. */
struct move {
    struct transfer kept;      /* from the patches before */
    struct prolongation fresh; /* from the coarser level */
};

/* Plan the interior of one new tile. */
static int tile_move(const struct hierarchy *h, struct move *move,
                     const struct level *before, const struct level *coarse,
                     const struct level *level, int tile, struct images *images)
{
    struct boxes rest = {0};
    struct box box = level->layout.tiles[tile].box;
    int code = boxes_add(&rest, box);

    if (!code && before->layout.count)
        code = transfer_add_box(&move->kept, &h->ranks, &before->layout, &level->space,
                                &level->layout, tile, box, images);
    for (int k = 0; before->layout.count && k < images->count && !code; k++)
        code = boxes_subtract(&rest, before->layout.tiles[images->at[k].tile].box);
    for (int k = 0; coarse && k < rest.count && !code; k++)
        code = prolongation_add(&move->fresh, &coarse->space, &level->layout, tile,
                                rest.at[k]);
    boxes_done(&rest);
    return code;
}

static int move_plan(const struct hierarchy *h, struct move *move,
                     const struct level *before, const struct level *coarse,
                     const struct level *level)
{
    struct images images = {0};
    int code = transfer_init(&move->kept, h->ranks.size);

    if (!code)
        code = prolongation_init(&move->fresh, h->ranks.size);
    for (int tile = 0; tile < level->layout.count && !code; tile++)
        code = tile_move(h, move, before, coarse, level, tile, &images);
    if (!code && coarse)
        code =
            prolongation_plan(&move->fresh, &h->ranks, &coarse->layout, &coarse->space);
    images_done(&images);
    return code;
}

static int move_field(const struct hierarchy *h, struct move *move,
                      const struct level *before, const struct level *coarse,
                      struct level *level, int field)
{
    struct transfer_values values = {&before->layout,
                                     &level->layout,
                                     before->fields ? &before->fields[field] : NULL,
                                     NULL,
                                     1.,
                                     &level->fields[field]};
    int code = transfer_begin(&move->kept, &h->ranks, TAG_MOVE, &values);

    if (!code && coarse)
        code = prolongation_begin(&move->fresh, &h->ranks, TAG_UNDER, &coarse->layout,
                                  &coarse->fields[field], NULL, 1.);
    if (!code)
        code = ranks_wait(&h->ranks);
    if (code)
        return code;
    transfer_end(&move->kept, &values);
    if (coarse)
        prolongation_end(&move->fresh, &coarse->layout, &level->layout,
                         &level->fields[field]);
    return 0;
}

int hierarchy_replace(struct hierarchy *h, int l, struct layout *layout, int64_t *moved)
{
    struct level *before = &h->levels[l], *coarse = l ? &h->levels[l - 1] : NULL;
    struct level level;
    struct move move;
    int code = level_init(h, &level, l, layout);

    memset(&move, 0, sizeof move);
    if (!code)
        code = move_plan(h, &move, before, coarse, &level);
    for (int f = 0; f < h->field_count && !code; f++)
        if (h->fields[f].kind == MESH_KEPT)
            code = move_field(h, &move, before, coarse, &level, f);
    if (!code)
        *moved += transfer_cells_received(&move.kept);
    transfer_done(&move.kept);
    prolongation_done(&move.fresh);
    if (code) {
        level_done(&level, h->field_count);
        return code;
    }
    level_done(before, h->field_count);
    *before = level;
    if (h->level_count <= l)
        h->level_count = l + 1;
    return 0;
}

/* --- Links ----------------------------------------------------------------- */

/* The ghost cells of one tile: from other tiles, and what is left from the coarser level.
 */
static int tile_link(struct hierarchy *h, struct level *level, struct level *coarse,
                     int tile, struct images *images)
{
    struct boxes rest = {0};
    struct box box = level->layout.tiles[tile].box;
    struct box around = space_clip(&level->space, box_grow(box, h->ghost));
    int code = transfer_add_box(&level->siblings, &h->ranks, &level->layout,
                                &level->space, &level->layout, tile, around, images);

    if (!code && coarse)
        code = boxes_add(&rest, around);
    for (int k = 0; coarse && k < images->count && !code; k++)
        code =
            boxes_subtract(&rest, box_shift(level->layout.tiles[images->at[k].tile].box,
                                            images->at[k].di, images->at[k].dj));
    for (int k = 0; k < rest.count && !code; k++)
        code = prolongation_add(&level->ghosts, &coarse->space, &level->layout, tile,
                                rest.at[k]);
    boxes_done(&rest);
    return code;
}

static int level_link(struct hierarchy *h, int l)
{
    struct level *level = &h->levels[l], *coarse = l ? &h->levels[l - 1] : NULL;
    struct images images = {0};
    int code;

    level_unlink(level);
    code = transfer_init(&level->siblings, h->ranks.size);
    if (!code)
        code = prolongation_init(&level->ghosts, h->ranks.size);
    for (int tile = 0; tile < level->layout.count && !code; tile++)
        code = tile_link(h, level, coarse, tile, &images);
    images_done(&images);
    if (!code && coarse)
        code =
            prolongation_plan(&level->ghosts, &h->ranks, &coarse->layout, &coarse->space);
    if (!code && coarse)
        code = average_init(&level->average, &h->ranks, &level->layout, &coarse->layout,
                            &coarse->space);
    if (!code && coarse)
        code = registers_init(&level->registers, &h->ranks, &level->layout, &level->space,
                              &coarse->layout, &coarse->space);
    return code;
}

int hierarchy_link(struct hierarchy *h, int first)
{
    int code = 0;

    for (int l = first; l < h->level_count && !code; l++)
        code = level_link(h, l);
    return code;
}

/* --- Fields ---------------------------------------------------------------- */

int hierarchy_has(const struct hierarchy *h, int level, int field)
{
    return level >= 0 && level < h->level_count && field >= 0 && field < h->field_count;
}

/* Room for one more field on a level, zeroed. */
static int level_add_field(const struct hierarchy *h, struct level *level, int components)
{
    size_t room = (size_t)h->field_count + 1;
    struct store *fields = realloc(level->fields, room * sizeof *fields), *olds;

    if (!fields)
        return -ENOMEM;
    level->fields = fields;
    olds = realloc(level->olds, room * sizeof *olds);
    if (!olds)
        return -ENOMEM;
    level->olds = olds;
    memset(&olds[h->field_count], 0, sizeof *olds);
    return store_init(&fields[h->field_count], &level->layout, components, h->ghost);
}

int hierarchy_add_field(struct hierarchy *h, const char *name, int components,
                        enum mesh_field_kind kind)
{
    struct field *fields =
        realloc(h->fields, ((size_t)h->field_count + 1) * sizeof *fields);
    struct field field = {strdup(name), components, kind};
    int made = 0, code = fields && field.name ? 0 : -ENOMEM;

    if (fields)
        h->fields = fields;
    while (made < h->level_count && !code) {
        code = level_add_field(h, &h->levels[made], components);
        made += !code;
    }
    if (code) {
        while (made)
            store_done(&h->levels[--made].fields[h->field_count]);
        free(field.name);
        return code;
    }
    h->fields[h->field_count] = field;
    return h->field_count++;
}

/* Cells in this rank's messages, sent and received. */
static int64_t message_cells(const struct transfer *t)
{
    int64_t cells = 0;

    for (int rank = 0; rank < t->size; rank++)
        cells += t->in[rank].cells + t->out[rank].cells;
    return cells;
}

int hierarchy_exchange(struct hierarchy *h, int l, int field, double fraction,
                       struct exchanged *done)
{
    struct level *level = &h->levels[l], *coarse = l ? level - 1 : NULL;
    struct store *to = &level->fields[field];
    struct transfer_values values = {&level->layout, &level->layout, to, NULL, 1., to};
    int code = transfer_begin(&level->siblings, &h->ranks, TAG_GHOSTS, &values);

    if (!code && coarse)
        code = prolongation_begin(
            &level->ghosts, &h->ranks, TAG_UNDER, &coarse->layout, &coarse->fields[field],
            coarse->olds[field].data ? &coarse->olds[field] : NULL, fraction);
    if (!code)
        code = ranks_wait(&h->ranks);
    if (code)
        return code;
    transfer_end(&level->siblings, &values);
    if (coarse)
        prolongation_end(&level->ghosts, &coarse->layout, &level->layout, to);
    *done = (struct exchanged){
        .cells = transfer_cells(&level->siblings) + prolongation_cells(&level->ghosts),
        .bytes = (message_cells(&level->siblings) + message_cells(&level->ghosts.fill)) *
                 to->components * (int64_t)sizeof(double),
        .peers = transfer_peers(&level->siblings, &level->ghosts.fill),
    };
    return 0;
}

int hierarchy_keep_old(struct hierarchy *h, int l, int field)
{
    struct level *level = &h->levels[l];
    struct store *old = &level->olds[field];
    int code = 0;

    if (!old->data)
        code = store_init(old, &level->layout, h->fields[field].components, h->ghost);
    if (!code)
        store_copy(old, &level->fields[field], &level->layout);
    return code;
}

int hierarchy_restrict(struct hierarchy *h, int l, int field)
{
    struct level *level = &h->levels[l], *fine = level + 1;

    if (l + 1 >= h->level_count)
        return 0;
    return average_run(&fine->average, &h->ranks, TAG_MEANS, &fine->layout,
                       &fine->fields[field], &level->layout, &level->fields[field]);
}

int hierarchy_reflux(struct hierarchy *h, int l, int field)
{
    struct level *level = &h->levels[l], *fine = level + 1;
    double size[2] = {(h->domain.xhi - h->domain.xlo) / (double)box_nx(level->space.box),
                      (h->domain.yhi - h->domain.ylo) / (double)box_ny(level->space.box)};

    if (l + 1 >= h->level_count)
        return 0;
    if (h->fields[field].components != FLUXES)
        return -EINVAL;
    return registers_reflux(&fine->registers, &h->ranks, TAG_FLUXES, &fine->layout,
                            &level->layout, &level->fields[field], size);
}

int hierarchy_gather(struct hierarchy *h, int l, int field, double *values)
{
    struct level *level = &h->levels[l];
    struct layout whole = {0};
    struct transfer transfer = {0};
    struct images images = {0};
    struct store to = {.components = h->fields[field].components, .data = &values};
    struct transfer_values v = {&level->layout, &whole, &level->fields[field],
                                NULL,           1.,     &to};
    int code = layout_add(&whole, level->space.box, 0);

    if (!code)
        code = layout_share(&whole, h->ranks.rank, h->ranks.size);
    if (!code)
        code = transfer_init(&transfer, h->ranks.size);
    if (!code)
        code = transfer_add_box(&transfer, &h->ranks, &level->layout, &level->space,
                                &whole, 0, level->space.box, &images);
    if (!code)
        code = transfer_run(&transfer, &h->ranks, TAG_GATHER, &v);
    layout_done(&whole);
    transfer_done(&transfer);
    images_done(&images);
    return code;
}

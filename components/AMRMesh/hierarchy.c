/* SPDX-License-Identifier: BSD-3-Clause */
/* hierarchy.c: the levels of an adaptive mesh and the fields on them. */
#include "components/AMRMesh/hierarchy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

/* --- Levels ---------------------------------------------------------------- */

void level_done(struct level *level, int field_count)
{
    ghosts_done(&level->ghosts);
    average_done(&level->average);
    registers_done(&level->registers);
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
    while (h->level_count > count) {
        level_done(&h->levels[--h->level_count], h->field_count);
        if (h->ports.ghosts)
            h->ports.ghosts->forget(h->ports.ghosts, h->level_count);
    }
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

int level_init(const struct hierarchy *h, struct level *level, int l,
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

/* --- Links ----------------------------------------------------------------- */

static int level_link(struct hierarchy *h, int l)
{
    struct level *level = &h->levels[l], *coarse = l ? &h->levels[l - 1] : NULL;
    int code = ghosts_plan(h, l);

    average_done(&level->average);
    registers_done(&level->registers);
    if (!code && coarse)
        code = average_init(&level->average, &h->ranks, &level->layout, &coarse->layout,
                            &coarse->space, h->ghost);
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

/* Add memory for one more field to a level, zeroed. */
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
    struct field field = {strdup(name), components, kind};
    int made = 0;
    int code = cca_array_reserve(&h->fields, (size_t)h->field_count, sizeof field);

    if (!field.name)
        code = -ENOMEM;
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
    return average_run(&fine->average, &h->ranks, TAG_MEANS, h->ports.prolong_restrict,
                       &fine->layout, &fine->fields[field], &level->fields[field]);
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
    return registers_reflux(&fine->registers, &h->ranks, TAG_FLUXES, &level->layout,
                            &level->fields[field], size);
}

int hierarchy_gather(struct hierarchy *h, int l, int field, double *values)
{
    const struct level *level = &h->levels[l];
    struct source source = {&level->layout, &level->space, h->ghost, 0};
    struct box all = level->space.box;
    struct place whole = {
        0, 0, all, 0, (ptrdiff_t)box_nx(all), (ptrdiff_t)box_cells(all)};
    struct copy_values v = {
        .parts = {{.now = level->fields[field].data, .to = &values}},
        .fraction = 1.,
        .components = h->fields[field].components,
    };
    struct copies copies = {0};
    struct neighbours neighbours = {0};
    struct images images = {0};
    int code = transfer_add_box(&copies, &h->ranks, &source, &whole, all, -1, &images);

    if (!code)
        code = transfer_plan(&neighbours, &h->ranks, &copies);
    if (!code)
        code = transfer_run(&neighbours, &h->ranks, TAG_GATHER, &v);
    neighbours_done(&neighbours);
    copies_done(&copies);
    images_done(&images);
    return code;
}

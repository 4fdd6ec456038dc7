/* SPDX-License-Identifier: BSD-3-Clause */
/* ghosts.c: plan where the ghost cells of a level come from. */
#include "components/AMRMesh/ghosts.h"

#include "components/AMRMesh/hierarchy.h"

_Static_assert((int)GHOST_LEVELS >= (int)AMR_LEVELS, "the ghost port serves all levels");

enum { PART_SIBLINGS, PART_UNDER };

void ghosts_done(struct ghosts *g)
{
    copies_done(&g->copies);
    prolongation_done(&g->coarser);
    memset(g, 0, sizeof *g);
}

/* Find the parts of `around`, ghost cells of a tile, that no other tile of the level
 * covers. */
static int rest_find(const struct level *level, struct box around, struct box tile,
                     const struct images *images, struct boxes *rest)
{
    int code = boxes_add(rest, around);

    if (!code)
        code = boxes_subtract(rest, tile);
    for (int k = 0; k < images->count && rest->count && !code; k++)
        code = boxes_subtract(rest, box_shift(level->layout.tiles[images->at[k].tile].box,
                                              images->at[k].di, images->at[k].dj));
    return code;
}

/* Plan the ghost cells of one tile. `images` and `rest` are temporary memory. */
static int tile_plan(struct hierarchy *h, int l, int tile, struct images *images,
                     struct boxes *rest)
{
    struct level *level = &h->levels[l], *coarse = l ? level - 1 : NULL;
    struct ghosts *g = &level->ghosts;
    const struct source siblings = {&level->layout, &level->space, h->ghost,
                                    PART_SIBLINGS};
    const struct tile *t = &level->layout.tiles[tile];
    struct place place = tile_place(t, h->ghost);
    struct box around = space_clip(&level->space, place.box);
    int code =
        transfer_add_box(&g->copies, &h->ranks, &siblings, &place, around, tile, images);

    if (code || !coarse)
        return code;
    rest->count = 0;
    code = rest_find(level, around, t->box, images, rest);
    if (!code && rest->count) {
        struct source under = {&coarse->layout, &coarse->space, h->ghost, PART_UNDER};

        code = prolongation_add(&g->coarser, &g->copies, &h->ranks, &under,
                                &level->layout, tile, rest, images);
    }
    return code;
}

/* Pass the plan to the port `ghosts`. */
static int ghosts_give(struct hierarchy *h, int l)
{
    struct ghost_port *port = h->ports.ghosts;
    struct ghosts *g = &h->levels[l].ghosts;

    return port ? port->plan(port, l, g->stamp, g->copies.at, g->copies.count, NULL)
                : -ENOTCONN;
}

int ghosts_plan(struct hierarchy *h, int l)
{
    struct level *level = &h->levels[l];
    struct ghosts *g = &level->ghosts;
    struct images images = {0};
    struct boxes rest = {0};
    int code;

    ghosts_done(g);
    g->stamp = ++h->stamp;
    code = prolongation_init(&g->coarser, level->layout.local_count);
    for (int tile = 0; tile < level->layout.count && !code; tile++)
        code = tile_plan(h, l, tile, &images, &rest);
    for (int k = 0; k < g->copies.count; k++) {
        const struct ghost_copy *copy = &g->copies.at[k];

        if (copy->part == PART_SIBLINGS && copy->to.rank == h->ranks.rank)
            g->siblings += copy_cells(copy);
    }
    images_done(&images);
    boxes_done(&rest);
    return code ? code : ghosts_give(h, l);
}

int ghosts_exchange(struct hierarchy *h, int l, int field, double fraction,
                    struct exchanged *done)
{
    struct level *level = &h->levels[l], *coarse = l ? level - 1 : NULL;
    struct ghosts *g = &level->ghosts;
    struct ghost_port *port = h->ports.ghosts;
    struct store *to = &level->fields[field];
    struct ghost_values values[GHOST_PARTS] = {{to->data, NULL, to->data}};
    int64_t cells = 0, messages = 0; /* out-parameters of the port's call, which a
                                      * proxy records */
    int code = port ? scratch_reserve(&g->coarser.under, to->components) : -ENOTCONN;

    if (coarse)
        values[PART_UNDER] = (struct ghost_values){
            coarse->fields[field].data, coarse->olds[field].data, g->coarser.under.at};
    if (!code)
        code = port->start(port, l, g->stamp, to->components, values, fraction);
    /* the component was connected after the plan was made: plan again */
    if (code == -ESTALE) {
        code = ghosts_give(h, l);
        if (!code)
            code = port->start(port, l, g->stamp, to->components, values, fraction);
    }
    if (!code)
        code = port->finish(port, l, &cells, &done->bytes, &messages, &done->peers);
    if (!code)
        code =
            prolongation_run(&g->coarser, h->ports.prolong_restrict, &level->layout, to);
    done->cells = g->siblings + g->coarser.cells;
    return code;
}

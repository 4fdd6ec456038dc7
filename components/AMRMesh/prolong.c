/* SPDX-License-Identifier: BSD-3-Clause */
/* prolong.c: plan and compute cells of a level from the coarser level. */
#include "components/AMRMesh/prolong.h"

#include "common/array.h"
#include "ports/mesh_port.h"

enum { AT_ONCE = 32 }; /* largest number of rectangles in one call of the port */

int prolongation_init(struct prolongation *p, int tiles)
{
    memset(p, 0, sizeof *p);
    return scratch_init(&p->under, tiles);
}

void prolongation_done(struct prolongation *p)
{
    scratch_done(&p->under);
    free(p->targets);
    memset(p, 0, sizeof *p);
}

static int target_add(struct prolongation *p, struct target target)
{
    if (cca_array_reserve(&p->targets, (size_t)p->count, sizeof *p->targets))
        return -ENOMEM;
    p->targets[p->count++] = target;
    p->cells += box_cells(target.box);
    return 0;
}

/* Return the coarse cells under a box and one more all around, but not beyond the domain.
 */
static struct box under_box(const struct space *coarse, struct box box)
{
    return space_clip(coarse, box_grow(box_coarsen(box, AMR_RATIO), 1));
}

/* Find the position of `box` relative to the coarse cells `under` it. */
static struct prolong_restrict_place target_place(struct box box, struct box under)
{
    struct box cells = box_coarsen(box, AMR_RATIO);

    return (struct prolong_restrict_place){
        .odd_x = (int)(box.ilo - AMR_RATIO * cells.ilo),
        .odd_y = (int)(box.jlo - AMR_RATIO * cells.jlo),
        .ends = (unsigned)(under.ilo == cells.ilo) << MESH_XLO |
                (unsigned)(under.ihi == cells.ihi) << MESH_XHI |
                (unsigned)(under.jlo == cells.jlo) << MESH_YLO |
                (unsigned)(under.jhi == cells.jhi) << MESH_YHI,
    };
}

/* Add one box of a tile of this rank as a target. Its position in the coarse cells is
 * `place`. */
static int box_add(struct prolongation *p, int tile, struct box box,
                   const struct place *place)
{
    struct box cells = box_coarsen(box, AMR_RATIO);
    struct target target = {tile, box, target_place(box, place->box),
                            place->first + (cells.jlo - place->box.jlo) * place->pitch +
                                (cells.ilo - place->box.ilo),
                            place->pitch};

    return target_add(p, target);
}

int prolongation_add(struct prolongation *p, struct copies *copies,
                     const struct ranks *ranks, const struct source *coarse,
                     const struct layout *fine, int tile, const struct boxes *boxes,
                     struct images *images)
{
    const struct tile *t = &fine->tiles[tile];
    struct place place = {.rank = t->rank, .patch = t->local};
    int code = 0;

    for (int k = 0; k < boxes->count; k++)
        place.plane += (ptrdiff_t)box_cells(under_box(coarse->space, boxes->at[k]));
    if (t->rank == ranks->rank)
        p->under.planes[t->local] = place.plane;
    for (int k = 0; k < boxes->count && !code; k++) {
        place.box = under_box(coarse->space, boxes->at[k]);
        place.pitch = (ptrdiff_t)box_nx(place.box);
        code = transfer_add_box(copies, ranks, coarse, &place, place.box, -1, images);
        if (!code && t->rank == ranks->rank)
            code = box_add(p, tile, boxes->at[k], &place);
        place.first += (ptrdiff_t)box_cells(place.box);
    }
    return code;
}

/* Make the request to the port for `target`, with addresses of fine and coarse cells. */
static struct prolong_restrict_target target_addresses(const struct prolongation *p,
                                                       const struct target *target,
                                                       const struct tile *tile,
                                                       struct store *to)
{
    return (struct prolong_restrict_target){
        .nx = (int)box_nx(target->box),
        .ny = (int)box_ny(target->box),
        .place = target->place,
        .coarse = {p->under.at[tile->local] + target->under, target->under_pitch,
                   p->under.planes[tile->local]},
        .fine = {store_cell(to, tile, target->box.ilo, target->box.jlo),
                 store_pitch(to, tile->box), store_plane(to, tile->box)},
    };
}

/* Compute the targets of one tile from `first` on, at most AT_ONCE. Returns their number,
 * or a negative errno. */
static int tile_run(const struct prolongation *p, struct prolong_restrict_port *port,
                    const struct layout *fine, int first, struct store *to)
{
    struct prolong_restrict_target targets[AT_ONCE];
    int number = p->targets[first].tile, count = 0, code;
    const struct tile *tile = &fine->tiles[number];
    int64_t cells = 0;

    for (; count < AT_ONCE && first + count < p->count; count++) {
        const struct target *target = &p->targets[first + count];

        if (target->tile != number)
            break;
        targets[count] = target_addresses(p, target, tile, to);
        cells += box_cells(target->box);
    }
    code = port->prolong(port, cells, count, to->components, targets);
    return code ? code : count;
}

int prolongation_run(const struct prolongation *p, struct prolong_restrict_port *port,
                     const struct layout *fine, struct store *to)
{
    int done = p->count && !port ? -ENOTCONN : 0;

    for (int k = 0; k < p->count && done >= 0; k += done)
        done = tile_run(p, port, fine, k, to);
    return done < 0 ? done : 0;
}

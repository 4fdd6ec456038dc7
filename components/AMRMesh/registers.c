/* SPDX-License-Identifier: BSD-3-Clause */
/* registers.c: sum the fluxes through the border of a fine level on both levels. */
#include "components/AMRMesh/registers.h"

/* Plan the messages with the sums of fine fluxes for pieces whose two tiles are on
 * different ranks. */
static int sums_plan(struct registers *r, const struct ranks *ranks,
                     const struct layout *fine, const struct layout *coarse)
{
    struct copies copies = {0};
    int code = 0;

    for (int k = 0; k < r->border.count && !code; k++) {
        const struct piece *piece = &r->border.pieces[k];
        int cells = (int)box_cells(piece->box);
        int from = fine->tiles[piece->fine].rank, to = coarse->tiles[piece->coarse].rank;
        /* offset of the piece in the sums of its rank */
        struct ghost_end here = {0, 0, (ptrdiff_t)(piece->first * FLUXES), cells, cells};
        struct ghost_copy copy = {0, cells, 1, here, here};

        copy.from.rank = from;
        copy.to.rank = to;
        if (from != to)
            code = copies_add(&copies, &copy);
    }
    if (!code)
        code = transfer_plan(&r->send, ranks, &copies);
    copies_done(&copies);
    return code;
}

int registers_init(struct registers *r, const struct ranks *ranks,
                   const struct layout *fine, const struct space *fine_space,
                   const struct layout *coarse, const struct space *coarse_space)
{
    size_t sums;
    int code;

    memset(r, 0, sizeof *r);
    code = border_init(&r->border, ranks, fine, fine_space, coarse, coarse_space);
    if (code)
        return code;
    sums = (size_t)r->border.cells * FLUXES + 1;
    r->fine = calloc(sums, sizeof *r->fine);
    r->coarse = calloc(sums, sizeof *r->coarse);
    r->corrections =
        calloc((size_t)r->border.slot_count * 2 * FLUXES + 1, sizeof *r->corrections);
    return r->fine && r->coarse && r->corrections ? sums_plan(r, ranks, fine, coarse)
                                                  : -ENOMEM;
}

void registers_done(struct registers *r)
{
    border_done(&r->border);
    neighbours_done(&r->send);
    free(r->fine);
    free(r->coarse);
    free(r->corrections);
    memset(r, 0, sizeof *r);
}

/* --- Fluxes ---------------------------------------------------------------- */

/* A row of faces in the fluxes of a tile: its first face, and the distances between faces
 * and between components. */
struct face_row {
    ptrdiff_t first, along, plane;
};

/* Return the row of faces normal to `axis` that begins at the low side of cell (i, j). */
static struct face_row faces_find(struct box tile, int axis, int64_t i, int64_t j)
{
    ptrdiff_t columns = box_nx(tile) + !axis, rows = box_ny(tile) + axis;

    return (struct face_row){(j - tile.jlo) * columns + (i - tile.ilo),
                             axis ? 1 : columns, columns * rows};
}

void registers_add_fine(struct registers *r, const struct layout *fine, int local,
                        int axis, const double *flux, double dt_s)
{
    struct box tile = fine->tiles[fine->locals[local]].box;

    for (int n = r->border.by_fine.start[local]; n < r->border.by_fine.start[local + 1];
         n++) {
        const struct piece *piece = &r->border.pieces[r->border.by_fine.at[n]];
        struct box b = box_refine(box_shift(piece->box, piece->di, piece->dj), AMR_RATIO);
        int64_t cells = box_cells(piece->box);
        double *sum = r->fine + piece->first * FLUXES;
        struct face_row row;

        if (side_axis(piece->side) != axis)
            continue;
        /* the face between the two levels, at the tile's own edge */
        row = axis ? faces_find(tile, axis, b.ilo,
                                side_is_low(piece->side) ? tile.jlo : tile.jhi)
                   : faces_find(tile, axis,
                                side_is_low(piece->side) ? tile.ilo : tile.ihi, b.jlo);
        for (int c = 0; c < FLUXES; c++)
            for (int64_t k = 0; k < cells; k++) {
                const double *pair =
                    flux + c * row.plane + row.first + AMR_RATIO * k * row.along;

                sum[c * cells + k] += dt_s * (.5 * (pair[0] + pair[row.along]));
            }
    }
}

void registers_add_coarse(struct registers *r, const struct layout *coarse, int local,
                          int axis, const double *flux, double dt_s)
{
    struct box tile = coarse->tiles[coarse->locals[local]].box;

    for (int n = r->border.by_coarse.start[local];
         n < r->border.by_coarse.start[local + 1]; n++) {
        const struct piece *piece = &r->border.pieces[r->border.by_coarse.at[n]];
        /* the fine tile's low side is the coarse cell's high side */
        int high = side_is_low(piece->side);
        int64_t cells = box_cells(piece->box);
        double *sum = r->coarse + piece->first * FLUXES;
        struct face_row row;

        if (side_axis(piece->side) != axis)
            continue;
        row = faces_find(tile, axis, piece->box.ilo + (!axis && high),
                         piece->box.jlo + (axis && high));
        for (int c = 0; c < FLUXES; c++)
            for (int64_t k = 0; k < cells; k++)
                sum[c * cells + k] +=
                    dt_s * flux[c * row.plane + row.first + k * row.along];
    }
}

/* --- Reflux ---------------------------------------------------------------- */

static void piece_correct(struct registers *r, const struct piece *piece,
                          const double size[2])
{
    int axis = side_axis(piece->side);
    int64_t cells = box_cells(piece->box);
    const double *fine = r->fine + piece->first * FLUXES;
    const double *coarse = r->coarse + piece->first * FLUXES;
    const int *slots = r->border.slot_of + piece->first;

    for (int c = 0; c < FLUXES; c++)
        for (int64_t k = 0; k < cells; k++) {
            double missing = fine[c * cells + k] - coarse[c * cells + k];
            double *sum = r->corrections + ((ptrdiff_t)slots[k] * 2 + axis) * FLUXES + c;

            /* flux leaves through the coarse cell's high side and enters through the low
             * side */
            *sum += (side_is_low(piece->side) ? -missing : missing) / size[axis];
        }
}

/* Add the corrections to the coarse cells. */
static void slots_correct(const struct registers *r, const struct layout *coarse,
                          struct store *field)
{
    for (int k = 0; k < r->border.slot_count; k++) {
        const struct slot *slot = &r->border.slots[k];
        const struct tile *tile = &coarse->tiles[slot->tile];
        const double *sum = r->corrections + (ptrdiff_t)k * 2 * FLUXES;
        double *u = store_cell(field, tile, slot->i, slot->j);

        for (int c = 0; c < FLUXES; c++)
            u[c * store_plane(field, tile->box)] += sum[c] + sum[FLUXES + c];
    }
}

int registers_reflux(struct registers *r, const struct ranks *ranks, int tag,
                     const struct layout *coarse, struct store *field,
                     const double size[2])
{
    size_t bytes = (size_t)r->border.cells * FLUXES * sizeof *r->fine;
    struct copy_values sums = {
        .parts = {{&r->fine, NULL, &r->fine}}, .fraction = 1., .components = FLUXES};
    int code = transfer_run(&r->send, ranks, tag, &sums);

    if (code)
        return code;
    memset(r->corrections, 0,
           (size_t)r->border.slot_count * 2 * FLUXES * sizeof *r->corrections);
    for (int k = 0; k < r->border.count; k++)
        if (r->border.pieces[k].has_coarse)
            piece_correct(r, &r->border.pieces[k], size);
    memset(r->fine, 0, bytes);
    memset(r->coarse, 0, bytes);
    slots_correct(r, coarse, field);
    return 0;
}

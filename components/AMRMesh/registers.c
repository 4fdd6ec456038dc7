/* SPDX-License-Identifier: BSD-3-Clause */
/* registers.c: fluxes through the border of a fine level, summed on both levels. */
#include "components/AMRMesh/registers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ports/mesh_port.h"

static int side_axis(int side)
{
    return side == MESH_YLO || side == MESH_YHI;
}

static int side_is_low(int side)
{
    return side == MESH_XLO || side == MESH_YLO;
}

/* --- Layout ---------------------------------------------------------------- */

static int piece_add(struct registers *r, const struct ranks *ranks, struct piece piece,
                     const struct layout *fine, const struct layout *coarse)
{
    size_t values = (size_t)box_cells(piece.box) * FLUXES;
    int has_fine = fine->tiles[piece.fine].rank == ranks->rank;
    int has_coarse = coarse->tiles[piece.coarse].rank == ranks->rank;

    if (!has_fine && !has_coarse)
        return 0;
    if (r->count == r->room) {
        int room = r->room ? 2 * r->room : 16;
        struct piece *grown = realloc(r->pieces, (size_t)room * sizeof *grown);

        if (!grown)
            return -ENOMEM;
        r->pieces = grown;
        r->room = room;
    }
    /* A rank without the fine tile receives its sum. */
    piece.fine_sum = calloc(values, sizeof *piece.fine_sum);
    if (has_coarse) {
        piece.coarse_sum = calloc(values, sizeof *piece.coarse_sum);
        piece.slots = calloc(values, sizeof *piece.slots);
    }
    r->pieces[r->count++] = piece;
    return piece.fine_sum && (!has_coarse || (piece.coarse_sum && piece.slots)) ? 0
                                                                                : -ENOMEM;
}

/* The coarse cells next to one side of a fine tile, in the tile's frame. */
static struct box side_strip(struct box fine, int side)
{
    struct box b = box_coarsen(fine, AMR_RATIO);

    switch (side) {
    case MESH_XLO:
        return (struct box){b.ilo - 1, b.jlo, b.ilo, b.jhi};
    case MESH_XHI:
        return (struct box){b.ihi, b.jlo, b.ihi + 1, b.jhi};
    case MESH_YLO:
        return (struct box){b.ilo, b.jlo - 1, b.ihi, b.jlo};
    default:
        return (struct box){b.ilo, b.jhi, b.ihi, b.jhi + 1};
    }
}

struct border {
    const struct ranks *ranks;
    const struct layout *fine, *coarse;
    const struct space *fine_space, *coarse_space;
    struct images images;
    struct boxes strip;
};

/* The cells of one side that fine tiles do not cover, in b->strip. */
static int strip_find(struct border *b, int tile, int side)
{
    struct box strip =
        space_clip(b->coarse_space, side_strip(b->fine->tiles[tile].box, side));
    int code;

    b->strip.count = 0;
    if (box_empty(strip))
        return 0;
    code = boxes_add(&b->strip, strip);
    if (!code)
        code =
            layout_find(b->fine, b->fine_space, box_refine(strip, AMR_RATIO), &b->images);
    for (int k = 0; k < b->images.count && !code; k++) {
        struct image image = b->images.at[k];
        struct box covered =
            box_shift(b->fine->tiles[image.tile].box, image.di, image.dj);

        code = boxes_subtract(&b->strip, box_coarsen(covered, AMR_RATIO));
    }
    return code;
}

static int side_plan(struct registers *r, struct border *b, int tile, int side)
{
    int code = strip_find(b, tile, side);

    for (int n = 0; n < b->strip.count && !code; n++) {
        code = layout_find(b->coarse, b->coarse_space, b->strip.at[n], &b->images);
        for (int k = 0; k < b->images.count && !code; k++) {
            struct image image = b->images.at[k];
            struct box here = box_shift(b->strip.at[n], -image.di, -image.dj);
            struct piece piece = {
                .fine = tile,
                .coarse = image.tile,
                .side = side,
                .box = box_intersect(here, b->coarse->tiles[image.tile].box),
                .di = image.di,
                .dj = image.dj,
            };

            code = piece_add(r, b->ranks, piece, b->fine, b->coarse);
        }
    }
    return code;
}

/* List the pieces of each local tile, from `tile_of` each piece; -1: not local. */
static int index_build(struct piece_index *index, int tiles, int pieces,
                       const int *tile_of)
{
    index->start = calloc((size_t)tiles + 2, sizeof *index->start);
    index->at = calloc((size_t)pieces + 1, sizeof *index->at);
    if (!index->start || !index->at)
        return -ENOMEM;
    for (int k = 0; k < pieces; k++)
        if (tile_of[k] >= 0)
            index->start[tile_of[k] + 2]++;
    for (int tile = 0; tile < tiles; tile++)
        index->start[tile + 2] += index->start[tile + 1];
    for (int k = 0; k < pieces; k++)
        if (tile_of[k] >= 0)
            index->at[index->start[tile_of[k] + 1]++] = k;
    return 0;
}

static int indices_build(struct registers *r, const struct border *b)
{
    int *tile_of = malloc(((size_t)r->count + 1) * sizeof *tile_of);
    int code = tile_of ? 0 : -ENOMEM;

    for (int k = 0; k < r->count && !code; k++) {
        const struct tile *tile = &b->fine->tiles[r->pieces[k].fine];

        tile_of[k] = tile->rank == b->ranks->rank ? tile->local : -1;
    }
    if (!code)
        code = index_build(&r->by_fine, b->fine->local_count, r->count, tile_of);
    for (int k = 0; k < r->count && !code; k++) {
        const struct tile *tile = &b->coarse->tiles[r->pieces[k].coarse];

        tile_of[k] = tile->rank == b->ranks->rank ? tile->local : -1;
    }
    if (!code)
        code = index_build(&r->by_coarse, b->coarse->local_count, r->count, tile_of);
    free(tile_of);
    return code;
}

/* --- Slots ----------------------------------------------------------------- */

static int slot_compare(const void *a, const void *b)
{
    const struct slot *x = a, *y = b;

    if (x->tile != y->tile)
        return x->tile < y->tile ? -1 : 1;
    if (x->j != y->j)
        return x->j < y->j ? -1 : 1;
    return x->i < y->i ? -1 : x->i > y->i;
}

/* Cell `k` of a piece. */
static struct slot piece_cell(const struct piece *piece, int64_t k)
{
    int64_t nx = box_nx(piece->box);

    return (struct slot){piece->coarse, piece->box.ilo + k % nx, piece->box.jlo + k / nx};
}

/* One slot for each coarse cell next to the border, however many sides it has there. */
static int slots_build(struct registers *r)
{
    int64_t cells = 0;
    int count = 0;

    for (int n = 0; n < r->count; n++)
        cells += r->pieces[n].slots ? box_cells(r->pieces[n].box) : 0;
    r->slots = malloc(((size_t)cells + 1) * sizeof *r->slots);
    if (!r->slots)
        return -ENOMEM;
    for (int n = 0; n < r->count; n++)
        for (int64_t k = 0; r->pieces[n].slots && k < box_cells(r->pieces[n].box); k++)
            r->slots[count++] = piece_cell(&r->pieces[n], k);
    qsort(r->slots, (size_t)count, sizeof *r->slots, slot_compare);
    for (int k = 0; k < count; k++)
        if (!r->slot_count || slot_compare(&r->slots[r->slot_count - 1], &r->slots[k]))
            r->slots[r->slot_count++] = r->slots[k];
    for (int n = 0; n < r->count; n++)
        for (int64_t k = 0; r->pieces[n].slots && k < box_cells(r->pieces[n].box); k++) {
            struct slot cell = piece_cell(&r->pieces[n], k);
            const struct slot *found = bsearch(&cell, r->slots, (size_t)r->slot_count,
                                               sizeof cell, slot_compare);

            r->pieces[n].slots[k] = (int)(found - r->slots);
        }
    r->corrections =
        calloc((size_t)r->slot_count * 2 * FLUXES + 1, sizeof *r->corrections);
    return r->corrections ? 0 : -ENOMEM;
}

int registers_init(struct registers *r, const struct ranks *ranks,
                   const struct layout *fine, const struct space *fine_space,
                   const struct layout *coarse, const struct space *coarse_space)
{
    struct border b = {ranks, fine, coarse, fine_space, coarse_space, {0}, {0}};
    int code = 0;

    memset(r, 0, sizeof *r);
    for (int tile = 0; tile < fine->count; tile++)
        for (int side = 0; side < 4 && !code; side++)
            code = side_plan(r, &b, tile, side);
    if (!code)
        code = indices_build(r, &b);
    if (!code)
        code = slots_build(r);
    images_done(&b.images);
    boxes_done(&b.strip);
    return code;
}

void registers_done(struct registers *r)
{
    for (int k = 0; k < r->count; k++) {
        free(r->pieces[k].fine_sum);
        free(r->pieces[k].coarse_sum);
        free(r->pieces[k].slots);
    }
    free(r->pieces);
    free(r->by_fine.start);
    free(r->by_fine.at);
    free(r->by_coarse.start);
    free(r->by_coarse.at);
    free(r->slots);
    free(r->corrections);
    memset(r, 0, sizeof *r);
}

/* --- Fluxes ---------------------------------------------------------------- */

/* A row of faces in the fluxes of a tile: its first face, the steps from face to face and
 * from component to component. */
struct face_row {
    ptrdiff_t first, along, plane;
};

/* The row of faces normal to `axis` that begins at the low side of cell (i, j). */
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

    for (int n = r->by_fine.start[local]; n < r->by_fine.start[local + 1]; n++) {
        struct piece *piece = &r->pieces[r->by_fine.at[n]];
        struct box b = box_refine(box_shift(piece->box, piece->di, piece->dj), AMR_RATIO);
        int64_t cells = box_cells(piece->box);
        struct face_row row;

        if (side_axis(piece->side) != axis)
            continue;
        /* The face between the two levels, on the tile's own edge. */
        row = axis ? faces_find(tile, axis, b.ilo,
                                side_is_low(piece->side) ? tile.jlo : tile.jhi)
                   : faces_find(tile, axis,
                                side_is_low(piece->side) ? tile.ilo : tile.ihi, b.jlo);
        for (int c = 0; c < FLUXES; c++)
            for (int64_t k = 0; k < cells; k++) {
                const double *pair =
                    flux + c * row.plane + row.first + AMR_RATIO * k * row.along;

                piece->fine_sum[c * cells + k] +=
                    dt_s * (.5 * (pair[0] + pair[row.along]));
            }
    }
}

void registers_add_coarse(struct registers *r, const struct layout *coarse, int local,
                          int axis, const double *flux, double dt_s)
{
    struct box tile = coarse->tiles[coarse->locals[local]].box;

    for (int n = r->by_coarse.start[local]; n < r->by_coarse.start[local + 1]; n++) {
        struct piece *piece = &r->pieces[r->by_coarse.at[n]];
        /* The fine tile's low side is the coarse cell's high one. */
        int high = side_is_low(piece->side);
        int64_t cells = box_cells(piece->box);
        struct face_row row;

        if (side_axis(piece->side) != axis)
            continue;
        row = faces_find(tile, axis, piece->box.ilo + (!axis && high),
                         piece->box.jlo + (axis && high));
        for (int c = 0; c < FLUXES; c++)
            for (int64_t k = 0; k < cells; k++)
                piece->coarse_sum[c * cells + k] +=
                    dt_s * flux[c * row.plane + row.first + k * row.along];
    }
}

/* --- Reflux ---------------------------------------------------------------- */

/* Copy the fine sums of all pieces between this rank and `rank` to or from a buffer, or
 * count their doubles where `buffer` is NULL. */
static size_t sums_copy(const struct registers *r, const struct ranks *ranks, int rank,
                        const struct layout *fine, const struct layout *coarse,
                        double *buffer, int to_buffer)
{
    size_t count = 0;

    for (int k = 0; k < r->count; k++) {
        const struct piece *piece = &r->pieces[k];
        size_t values = (size_t)box_cells(piece->box) * FLUXES;
        int from = fine->tiles[piece->fine].rank, to = coarse->tiles[piece->coarse].rank;

        if (from == to || (to_buffer ? to : from) != rank ||
            (to_buffer ? from : to) != ranks->rank)
            continue;
        if (buffer && to_buffer)
            memcpy(buffer + count, piece->fine_sum, values * sizeof *buffer);
        else if (buffer)
            memcpy(piece->fine_sum, buffer + count, values * sizeof *buffer);
        count += values;
    }
    return count;
}

/* Buffers from each rank and to each, where there is something to receive or send. All
 * are there before a message starts. 0 or -ENOMEM. */
static int buffers_make(const struct registers *r, const struct ranks *ranks,
                        const struct layout *fine, const struct layout *coarse,
                        double **buffers, size_t *bytes)
{
    for (int k = 0; k < 2 * ranks->size; k++) {
        bytes[k] = sizeof **buffers * sums_copy(r, ranks, k % ranks->size, fine, coarse,
                                                NULL, k >= ranks->size);
        if (bytes[k] && !(buffers[k] = malloc(bytes[k])))
            return -ENOMEM;
    }
    return 0;
}

/* Send and receive the fine sums of all pieces between two ranks. */
static int buffers_exchange(struct registers *r, const struct ranks *ranks, int tag,
                            const struct layout *fine, const struct layout *coarse,
                            double **buffers, const size_t *bytes)
{
    struct exchange_port *port = ranks->port;
    int code = 0;

    for (int k = 0; k < 2 * ranks->size && !code; k++) {
        int out = k >= ranks->size, rank = k % ranks->size;

        if (!bytes[k])
            continue;
        if (out)
            sums_copy(r, ranks, rank, fine, coarse, buffers[k], 1);
        code = out ? port->send(port, rank, tag, buffers[k], bytes[k])
                   : port->receive(port, rank, tag, buffers[k], bytes[k]);
    }
    if (!code)
        code = port->wait(port);
    for (int rank = 0; rank < ranks->size && !code; rank++)
        if (bytes[rank])
            sums_copy(r, ranks, rank, fine, coarse, buffers[rank], 0);
    return code;
}

/* Bring the fine sums to the coarse tiles' ranks. */
static int sums_send(struct registers *r, const struct ranks *ranks, int tag,
                     const struct layout *fine, const struct layout *coarse)
{
    size_t count = 2 * (size_t)ranks->size;
    double **buffers = calloc(count, sizeof *buffers);
    size_t *bytes = calloc(count, sizeof *bytes);
    int code = -ENOMEM;

    if (buffers && bytes)
        code = buffers_make(r, ranks, fine, coarse, buffers, bytes);
    if (!code)
        code = buffers_exchange(r, ranks, tag, fine, coarse, buffers, bytes);
    for (size_t k = 0; k < count && buffers; k++)
        free(buffers[k]);
    free(buffers);
    free(bytes);
    return code;
}

static void piece_correct(struct registers *r, const struct piece *piece,
                          const double size[2])
{
    int axis = side_axis(piece->side);
    int64_t cells = box_cells(piece->box);

    for (int c = 0; c < FLUXES; c++)
        for (int64_t k = 0; k < cells; k++) {
            double missing =
                piece->fine_sum[c * cells + k] - piece->coarse_sum[c * cells + k];
            double *sum =
                r->corrections + ((ptrdiff_t)piece->slots[k] * 2 + axis) * FLUXES + c;

            /* Through the coarse cell's high side it goes out, through the low side in.
             */
            *sum += (side_is_low(piece->side) ? -missing : missing) / size[axis];
        }
}

int registers_reflux(struct registers *r, const struct ranks *ranks, int tag,
                     const struct layout *fine, const struct layout *coarse,
                     struct store *field, const double size[2])
{
    int code = ranks->port ? sums_send(r, ranks, tag, fine, coarse) : 0;

    if (code)
        return code;
    memset(r->corrections, 0,
           (size_t)r->slot_count * 2 * FLUXES * sizeof *r->corrections);
    for (int k = 0; k < r->count; k++) {
        struct piece *piece = &r->pieces[k];
        size_t bytes = (size_t)box_cells(piece->box) * FLUXES * sizeof(double);

        if (piece->coarse_sum) {
            piece_correct(r, piece, size);
            memset(piece->coarse_sum, 0, bytes);
        }
        memset(piece->fine_sum, 0, bytes);
    }
    for (int k = 0; k < r->slot_count; k++) {
        const struct tile *tile = &coarse->tiles[r->slots[k].tile];
        const double *sum = r->corrections + (ptrdiff_t)k * 2 * FLUXES;
        double *u = store_cell(field, tile, r->slots[k].i, r->slots[k].j);

        for (int c = 0; c < FLUXES; c++)
            u[c * store_plane(field, tile->box)] += sum[c] + sum[FLUXES + c];
    }
    return 0;
}

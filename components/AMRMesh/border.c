/* SPDX-License-Identifier: BSD-3-Clause */
/* border.c: find the border between a fine level and the coarser one. */
#include "components/AMRMesh/border.h"

#include "common/array.h"

/* --- Pieces ---------------------------------------------------------------- */

/* Arguments of the search for pieces, and memory for it. */
struct search {
    const struct ranks *ranks;
    const struct layout *fine, *coarse;
    const struct space *fine_space, *coarse_space;
    struct images images;
    struct boxes strip;
};

static int piece_add(struct border *b, const struct search *s, struct piece piece)
{
    int has_fine = s->fine->tiles[piece.fine].rank == s->ranks->rank;

    piece.has_coarse = s->coarse->tiles[piece.coarse].rank == s->ranks->rank;
    if (!has_fine && !piece.has_coarse)
        return 0;
    if (cca_array_reserve(&b->pieces, (size_t)b->count, sizeof *b->pieces))
        return -ENOMEM;
    piece.first = b->cells;
    b->cells += box_cells(piece.box);
    b->pieces[b->count++] = piece;
    return 0;
}

/* Return the coarse cells next to one side of a fine tile, in coordinates of that tile.
 */
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

/* Find the cells of s->strip on one side that fine tiles do not cover. */
static int strip_find(struct search *s, int tile, int side)
{
    struct box strip =
        space_clip(s->coarse_space, side_strip(s->fine->tiles[tile].box, side));
    int code;

    s->strip.count = 0;
    if (box_empty(strip))
        return 0;
    code = boxes_add(&s->strip, strip);
    if (!code)
        code =
            layout_find(s->fine, s->fine_space, box_refine(strip, AMR_RATIO), &s->images);
    for (int k = 0; k < s->images.count && !code; k++) {
        struct image image = s->images.at[k];
        struct box covered =
            box_shift(s->fine->tiles[image.tile].box, image.di, image.dj);

        code = boxes_subtract(&s->strip, box_coarsen(covered, AMR_RATIO));
    }
    return code;
}

static int side_plan(struct border *b, struct search *s, int tile, int side)
{
    int code = strip_find(s, tile, side);

    for (int n = 0; n < s->strip.count && !code; n++) {
        code = layout_find(s->coarse, s->coarse_space, s->strip.at[n], &s->images);
        for (int k = 0; k < s->images.count && !code; k++) {
            struct image image = s->images.at[k];
            struct box here = box_shift(s->strip.at[n], -image.di, -image.dj);
            struct piece piece = {
                .fine = tile,
                .coarse = image.tile,
                .side = side,
                .box = box_intersect(here, s->coarse->tiles[image.tile].box),
                .di = image.di,
                .dj = image.dj,
            };

            code = piece_add(b, s, piece);
        }
    }
    return code;
}

/* List the pieces of each local tile; `tile_of` has the index of each piece's tile; -1:
 * the tile is on another rank. */
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

static int indices_build(struct border *b, const struct search *s)
{
    int *tile_of = malloc(((size_t)b->count + 1) * sizeof *tile_of);
    int code = tile_of ? 0 : -ENOMEM;

    for (int k = 0; k < b->count && !code; k++) {
        const struct tile *tile = &s->fine->tiles[b->pieces[k].fine];

        tile_of[k] = tile->rank == s->ranks->rank ? tile->local : -1;
    }
    if (!code)
        code = index_build(&b->by_fine, s->fine->local_count, b->count, tile_of);
    for (int k = 0; k < b->count && !code; k++) {
        const struct tile *tile = &s->coarse->tiles[b->pieces[k].coarse];

        tile_of[k] = tile->rank == s->ranks->rank ? tile->local : -1;
    }
    if (!code)
        code = index_build(&b->by_coarse, s->coarse->local_count, b->count, tile_of);
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

/* Return the cell with index `k` in a piece. */
static struct slot piece_cell(const struct piece *piece, int64_t k)
{
    int64_t nx = box_nx(piece->box);

    return (struct slot){piece->coarse, piece->box.ilo + k % nx, piece->box.jlo + k / nx};
}

/* Make one slot for each coarse cell next to the border, however many of its sides are
 * there. */
static int slots_build(struct border *b)
{
    int count = 0;

    b->slots = malloc(((size_t)b->cells + 1) * sizeof *b->slots);
    b->slot_of = malloc(((size_t)b->cells + 1) * sizeof *b->slot_of);
    if (!b->slots || !b->slot_of)
        return -ENOMEM;
    for (int n = 0; n < b->count; n++)
        for (int64_t k = 0; b->pieces[n].has_coarse && k < box_cells(b->pieces[n].box);
             k++)
            b->slots[count++] = piece_cell(&b->pieces[n], k);
    qsort(b->slots, (size_t)count, sizeof *b->slots, slot_compare);
    for (int k = 0; k < count; k++)
        if (!b->slot_count || slot_compare(&b->slots[b->slot_count - 1], &b->slots[k]))
            b->slots[b->slot_count++] = b->slots[k];
    for (int n = 0; n < b->count; n++)
        for (int64_t k = 0; k < box_cells(b->pieces[n].box); k++) {
            struct slot cell = piece_cell(&b->pieces[n], k);
            const struct slot *found =
                b->pieces[n].has_coarse ? bsearch(&cell, b->slots, (size_t)b->slot_count,
                                                  sizeof cell, slot_compare)
                                        : NULL;

            b->slot_of[b->pieces[n].first + k] = found ? (int)(found - b->slots) : -1;
        }
    return 0;
}

int border_init(struct border *b, const struct ranks *ranks, const struct layout *fine,
                const struct space *fine_space, const struct layout *coarse,
                const struct space *coarse_space)
{
    struct search s = {ranks, fine, coarse, fine_space, coarse_space, {0}, {0}};
    int code = 0;

    memset(b, 0, sizeof *b);
    for (int tile = 0; tile < fine->count; tile++)
        for (int side = 0; side < 4 && !code; side++)
            code = side_plan(b, &s, tile, side);
    if (!code)
        code = indices_build(b, &s);
    if (!code)
        code = slots_build(b);
    images_done(&s.images);
    boxes_done(&s.strip);
    return code;
}

void border_done(struct border *b)
{
    free(b->pieces);
    free(b->by_fine.start);
    free(b->by_fine.at);
    free(b->by_coarse.start);
    free(b->by_coarse.at);
    free(b->slots);
    free(b->slot_of);
    memset(b, 0, sizeof *b);
}

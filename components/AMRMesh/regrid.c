/* SPDX-License-Identifier: BSD-3-Clause */
/* regrid.c: make new patches of the finer levels from flags.
 *
 * The patches of a level are computed in cells of the next coarser level, from the finest
 * level to the coarsest, because a level must cover the finer levels. */
#include "components/AMRMesh/parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "components/AMRMesh/boxes/cluster.h"

enum { FLAGS_PER_WORD = 62 }; /* bits used of a word: sums over ranks stay positive */

/* --- Flags ----------------------------------------------------------------- */

/* Copy the flags on this rank's patches of a level into a mask. */
static void flags_read(const struct level *level, int field, struct mask *mask)
{
    const struct store *store = &level->fields[field];

    for (int k = 0; k < level->layout.local_count; k++) {
        const struct tile *tile = &level->layout.tiles[level->layout.locals[k]];

        for (int64_t j = tile->box.jlo; j < tile->box.jhi; j++) {
            const double *flag = store_cell(store, tile, tile->box.ilo, j);
            unsigned char *row = mask_row(mask, j) + tile->box.ilo;

            for (int64_t i = 0; i < box_nx(tile->box); i++)
                row[i] = flag[i] > 0.;
        }
    }
}

/* Combine the flags of all ranks. A cell has one owner, so the sum of the ranks' words is
 * the union of their flags. */
static int flags_join(const struct ranks *ranks, struct mask *mask)
{
    int64_t cells = box_cells(mask->box);
    int64_t words = (cells + FLAGS_PER_WORD - 1) / FLAGS_PER_WORD;
    int64_t *sums;
    int code;

    if (!ranks->port || ranks->size == 1)
        return 0;
    sums = calloc((size_t)words, sizeof *sums);
    if (!sums)
        return -ENOMEM;
    for (int64_t k = 0; k < cells; k++)
        sums[k / FLAGS_PER_WORD] |= (int64_t)mask->at[k] << k % FLAGS_PER_WORD;
    code = ranks->port->sum(ranks->port, sums, (int)words);
    for (int64_t k = 0; k < cells && !code; k++)
        mask->at[k] = sums[k / FLAGS_PER_WORD] >> k % FLAGS_PER_WORD & 1;
    free(sums);
    return code;
}

/* --- Nesting --------------------------------------------------------------- */

/* Find the cells of `base` and of each finer level that the next finer level may
 * cover. */
static int allowed_find(const struct hierarchy *h, int base, int finest,
                        struct mask *allowed)
{
    const struct level *level = &h->levels[base];
    int distance = nesting_distance(h->ghost);
    int code = mask_init(&allowed[base], level->space.box);

    for (int k = 0; k < level->layout.count && !code; k++)
        mask_fill(&allowed[base], level->layout.tiles[k].box, 1);
    if (!code)
        code = mask_shrink(&allowed[base], distance, level->space.periodic);
    for (int l = base + 1; l <= finest && !code; l++) {
        code = mask_refine(&allowed[l], &allowed[l - 1], AMR_RATIO);
        if (!code)
            code = mask_shrink(&allowed[l], distance, level->space.periodic);
    }
    return code;
}

/* Flag the cells that the new level l + 1 must cover for the new level l + 2, whose boxes
 * are in cells of level l + 1, and `distance` more cells around them. */
static int finer_flag(const struct hierarchy *h, struct mask *mask,
                      const struct boxes *finer)
{
    struct mask fine;
    const int *periodic = h->levels[0].space.periodic;
    int code;

    if (!finer->count)
        return 0;
    code = mask_init(&fine, box_refine(mask->box, AMR_RATIO));
    for (int k = 0; k < finer->count; k++)
        if (!code)
            mask_fill(&fine, finer->at[k], 1);
    if (!code)
        code = mask_grow(&fine, nesting_distance(h->ghost), periodic);
    for (int64_t j = fine.box.jlo; j < fine.box.jhi && !code; j++) {
        const unsigned char *from = mask_row(&fine, j);
        unsigned char *to = mask_row(mask, j / AMR_RATIO);

        for (int64_t i = 0; i < box_nx(fine.box); i++)
            to[i / AMR_RATIO] |= from[i];
    }
    mask_done(&fine);
    return code;
}

/* Find the boxes of the new level l + 1, in cells of level l. */
static int boxes_find(const struct hierarchy *h, int l, int flags, const struct mask *may,
                      const struct boxes *finer, const struct regrid_rule *rule,
                      struct boxes *boxes)
{
    struct mask mask;
    struct boxes clusters = {0};
    int code = mask_init(&mask, may->box);

    if (!code && l < h->level_count) {
        flags_read(&h->levels[l], flags, &mask);
        code = flags_join(&h->ranks, &mask);
        if (!code)
            code = mask_grow(&mask, rule->buffer, h->levels[0].space.periodic);
    }
    if (!code)
        code = finer_flag(h, &mask, finer);
    if (!code) {
        mask_intersect(&mask, may);
        code = cluster_find(&mask, rule->efficiency, &clusters);
    }
    for (int k = 0; k < clusters.count && !code; k++)
        code = mask_rectangles(may, clusters.at[k], boxes);
    mask_done(&mask);
    boxes_done(&clusters);
    return code;
}

/* --- Layouts --------------------------------------------------------------- */

/* Make the layout of the new level l + 1 from its boxes in cells of level l, cut to the
 * largest patch size. */
static int layout_make(const struct boxes *boxes, const struct regrid_rule *rule,
                       struct layout *layout)
{
    struct boxes tiles = {0};
    int code = 0;

    for (int k = 0; k < boxes->count && !code; k++) {
        struct box fine = box_refine(boxes->at[k], AMR_RATIO);

        code =
            boxes_add_cut(&tiles, fine, pieces_needed(box_nx(fine), rule->nx, AMR_RATIO),
                          pieces_needed(box_ny(fine), rule->ny, AMR_RATIO), AMR_RATIO);
    }
    boxes_sort(&tiles);
    for (int k = 0; k < tiles.count && !code; k++)
        code = layout_add(layout, tiles.at[k], 0);
    boxes_done(&tiles);
    return code;
}

/* Install the new levels above `base`. */
static int levels_replace(struct hierarchy *h, int base, const struct boxes *boxes,
                          const struct regrid_rule *rule)
{
    int changed = 0, code = 0, l = base + 1;

    for (; l < rule->levels && boxes[l - 1].count && !code; l++) {
        struct layout layout = {0};

        code = layout_make(&boxes[l - 1], rule, &layout);
        if (!code && l < h->level_count && layout_equal(&layout, &h->levels[l].layout)) {
            layout_done(&layout);
            continue; /* unchanged level: it keeps its owners */
        }
        if (!code)
            code = owners_find(h, l, &layout);
        if (!code)
            code = layout_share(&layout, h->ranks.rank, h->ranks.size);
        if (!code)
            code = level_replace(h, l, &layout, rule->moved);
        layout_done(&layout);
        changed = 1;
    }
    if (!code && h->level_count > l) {
        hierarchy_truncate(h, l);
        changed = 1;
    }
    if (!code && changed)
        code = hierarchy_link(h, base + 1);
    return code ? code : changed;
}

int regrid(struct hierarchy *h, int base, int flags, const struct regrid_rule *rule)
{
    /* [l]: boxes of the new level l + 1, in cells of level l */
    struct boxes boxes[AMR_LEVELS + 1];
    struct mask allowed[AMR_LEVELS];
    int finest = rule->levels - 2, code = 0;

    if (finest > h->level_count - 1)
        finest = h->level_count - 1; /* flags exist only on existing levels */
    if (base > finest)
        return 0;
    memset(boxes, 0, sizeof boxes);
    memset(allowed, 0, sizeof allowed);
    code = allowed_find(h, base, finest, allowed);
    for (int l = finest; l >= base && !code; l--)
        code = boxes_find(h, l, flags, &allowed[l], &boxes[l + 1], rule, &boxes[l]);
    if (!code)
        code = levels_replace(h, base, boxes, rule);
    for (int l = 0; l < AMR_LEVELS; l++) {
        boxes_done(&boxes[l]);
        mask_done(&allowed[l]);
    }
    return code;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* adopt.c: install given patches as a level: check them by the rules of regridding, then
 * proceed as for patches that a regrid has made. */
#include "components/AMRMesh/parts.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

/* Text of a box. */
#define BOX_FORMAT "%" PRId64 " x %" PRId64 " cells from %" PRId64 ", %" PRId64
#define BOX_VALUES(b) box_nx(b), box_ny(b), (b).ilo, (b).jlo

static int box_check(const struct mesh_box *b, const struct space *space, int level,
                     struct cca_error *err)
{
    const int64_t nx = box_nx(space->box), ny = box_ny(space->box);

    if (b->nx < 1 || b->ny < 1 || b->ilo < 0 || b->jlo < 0 || b->nx > nx || b->ny > ny ||
        b->ilo > nx - b->nx || b->jlo > ny - b->ny)
        return cca_error_set(err, -EINVAL,
                             "a patch of " BOX_FORMAT " is not inside the %" PRId64
                             " x %" PRId64 " cells of level %d",
                             b->nx, b->ny, b->ilo, b->jlo, nx, ny, level);
    if (b->ilo % AMR_RATIO || b->jlo % AMR_RATIO || b->nx % AMR_RATIO ||
        b->ny % AMR_RATIO)
        return cca_error_set(err, -EINVAL,
                             "a patch of " BOX_FORMAT
                             " does not cover whole cells of level %d",
                             b->nx, b->ny, b->ilo, b->jlo, level - 1);
    if (b->nx > INT_MAX / 4 || b->ny > INT_MAX / 4)
        return cca_error_set(err, -EINVAL, "a patch of " BOX_FORMAT " is too large",
                             b->nx, b->ny, b->ilo, b->jlo);
    return 0;
}

/* Make a layout of the boxes, in the order of patches. */
static int layout_read(const struct space *space, int level, const struct mesh_box *boxes,
                       int count, struct layout *layout, struct cca_error *err)
{
    struct boxes sorted = {0};
    int code = 0;

    for (int k = 0; k < count && !code; k++) {
        const struct mesh_box *b = &boxes[k];

        code = box_check(b, space, level, err);
        if (!code)
            code = boxes_add(
                &sorted, (struct box){b->ilo, b->jlo, b->ilo + b->nx, b->jlo + b->ny});
    }
    boxes_sort(&sorted);
    for (int k = 0; k < sorted.count && !code; k++)
        code = layout_add(layout, sorted.at[k], 0);
    boxes_done(&sorted);
    return code;
}

static int overlap_check(const struct layout *layout, const struct space *space,
                         int level, struct images *images, struct cca_error *err)
{
    for (int k = 0; k < layout->count; k++) {
        struct box box = layout->tiles[k].box;
        int code = layout_find(layout, space, box, images);

        if (code)
            return code;
        for (int n = 0; n < images->count; n++) {
            struct box other = layout->tiles[images->at[n].tile].box;

            if (images->at[n].tile != k)
                return cca_error_set(err, -EINVAL,
                                     "patches of " BOX_FORMAT " and of " BOX_FORMAT
                                     " on level %d overlap",
                                     BOX_VALUES(box), BOX_VALUES(other), level);
        }
    }
    return 0;
}

/* Check that each patch has nesting_distance() cells of the coarser level all around
 * it. */
static int nesting_check(const struct hierarchy *h, const struct layout *layout,
                         int level, struct images *images, struct cca_error *err)
{
    const struct level *coarse = &h->levels[level - 1];
    int distance = nesting_distance(h->ghost);

    for (int k = 0; k < layout->count; k++) {
        struct box box = layout->tiles[k].box;
        struct box around =
            space_clip(&coarse->space, box_grow(box_coarsen(box, AMR_RATIO), distance));
        struct boxes rest = {0};
        int code = boxes_add(&rest, around), nested;

        if (!code)
            code = layout_find(&coarse->layout, &coarse->space, around, images);
        for (int n = 0; n < images->count && !code; n++) {
            struct image image = images->at[n];

            code = boxes_subtract(&rest, box_shift(coarse->layout.tiles[image.tile].box,
                                                   image.di, image.dj));
        }
        nested = !rest.count;
        boxes_done(&rest);
        if (code)
            return code;
        if (!nested)
            return cca_error_set(err, -EINVAL,
                                 "a patch of " BOX_FORMAT
                                 " on level %d has not %d cells of level %d around it",
                                 BOX_VALUES(box), level, distance, level - 1);
    }
    return 0;
}

static int layout_check(const struct hierarchy *h, const struct layout *layout,
                        const struct space *space, int level, struct cca_error *err)
{
    struct images images = {0};
    int code = overlap_check(layout, space, level, &images, err);

    if (!code)
        code = nesting_check(h, layout, level, &images, err);
    images_done(&images);
    return code;
}

int adopt(struct hierarchy *h, int level, int levels, const struct mesh_box *boxes,
          int count, struct cca_error *err)
{
    struct layout layout = {0};
    struct space space;
    int64_t moved = 0;
    int code;

    if (level < 1 || level > h->level_count || level >= levels)
        return cca_error_set(err, -EINVAL,
                             "patches given for level %d; %d levels exist, %d at most",
                             level, h->level_count, levels);
    if (count < 1)
        return cca_error_set(err, -EINVAL, "%d patches given for level %d", count, level);
    space = space_refine(&h->levels[0].space, 1 << level);
    code = layout_read(&space, level, boxes, count, &layout, err);
    if (!code)
        code = layout_share(&layout, 0, 1); /* owners are found by a search in the layout,
                                             * and set later */
    if (!code)
        code = layout_check(h, &layout, &space, level, err);
    if (!code)
        code = owners_find(h, level, &layout);
    if (!code)
        code = layout_share(&layout, h->ranks.rank, h->ranks.size);
    if (!code)
        code = level_replace(h, level, &layout, &moved);
    if (!code) {
        hierarchy_truncate(h, level + 1);
        code = hierarchy_link(h, level);
    }
    layout_done(&layout);
    return code && err && !err->code
               ? cca_error_set(err, code, "cannot build level %d: %s", level,
                               strerror(-code))
               : code;
}

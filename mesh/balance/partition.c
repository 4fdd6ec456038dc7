/* SPDX-License-Identifier: BSD-3-Clause */
/* partition.c: partitions: convert owners to boxes and back, count the cells that move
 * between two partitions. */
#include "mesh/balance/partition.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

enum { FEW = 16 }; /* boxes are kept if there are fewer than cells / FEW */

void mesh_partition_free(struct mesh_partition *partition)
{
    free(partition->boxes);
    free(partition->owner);
    memset(partition, 0, sizeof *partition);
}

static void *copy(const void *from, size_t size)
{
    void *to = from ? malloc(size) : NULL;

    if (to)
        memcpy(to, from, size);
    return to;
}

int mesh_partition_copy(const struct mesh_source *source,
                        const struct mesh_partition *partition, struct mesh_partition *to)
{
    size_t cells = (size_t)mesh_source_cells(source);

    *to = *partition;
    to->boxes = copy(partition->boxes, partition->box_count * sizeof *to->boxes);
    to->owner = copy(partition->owner, cells * sizeof *to->owner);
    if (to->boxes || to->owner)
        return 0;
    memset(to, 0, sizeof *to);
    return -ENOMEM;
}

/* Boxes that grow while cells are visited in raster order. A run along dimension 2 joins
 * the rectangle that ended in the row before with the same bounds; a rectangle joins the
 * box that ended in the plane before. open[] finds both by their first cell. */
struct growing {
    const struct mesh_source *source;
    const uint16_t *owners;
    struct mesh_part_box *boxes, *rects;
    size_t box_count, rect_count, most;
    /* [k]: index + 1 of a rectangle of the current plane that can still grow */
    int32_t *open_rect;
    /* [j * n2 + k]: index + 1 of a box that ends in the previous plane */
    int32_t *open_box;
};

static int add_run(struct growing *g, int32_t i, int32_t j, int32_t k, int32_t end,
                   int part)
{
    struct mesh_part_box *rect;
    int32_t at = g->open_rect[k];

    /* an index above rect_count was stored for an earlier plane */
    if (at > 0 && (size_t)at <= g->rect_count) {
        rect = &g->rects[at - 1];
        if (rect->lo[0] == i && rect->hi[1] == j && rect->lo[2] == k &&
            rect->hi[2] == end && rect->part == part) {
            rect->hi[1]++;
            return 0;
        }
    }
    rect = cca_array_add(&g->rects, &g->rect_count, sizeof *rect);
    if (!rect)
        return -ENOMEM;
    *rect = (struct mesh_part_box){{i, j, k}, {i + 1, j + 1, end}, part};
    g->open_rect[k] = (int32_t)g->rect_count;
    return 0;
}

/* Join the rectangles of a plane with the boxes that end there. */
static int end_plane(struct growing *g)
{
    for (size_t r = 0; r < g->rect_count; r++) {
        const struct mesh_part_box *rect = &g->rects[r];
        int32_t *open = &g->open_box[rect->lo[1] * g->source->n[2] + rect->lo[2]];
        struct mesh_part_box *box = *open ? &g->boxes[*open - 1] : NULL;

        if (box && box->hi[0] == rect->lo[0] && box->hi[1] == rect->hi[1] &&
            box->hi[2] == rect->hi[2] && box->part == rect->part) {
            box->hi[0]++;
            continue;
        }
        if (g->box_count == g->most)
            return 1;
        box = cca_array_add(&g->boxes, &g->box_count, sizeof *box);
        if (!box)
            return -ENOMEM;
        *box = *rect;
        *open = (int32_t)g->box_count;
    }
    g->rect_count = 0; /* the list's memory is used again for the next plane */
    return 0;
}

/* Cover all cells by boxes of one part each. Returns 0; 1: there are more boxes than
 * allowed; -ENOMEM. */
static int grow_boxes(struct growing *g)
{
    int32_t n0 = (int32_t)g->source->n[0], n1 = (int32_t)g->source->n[1],
            n2 = (int32_t)g->source->n[2];
    int rc = 0;

    for (int32_t i = 0; !rc && i < n0; i++) {
        for (int32_t j = 0; j < n1; j++) {
            const uint16_t *row = g->owners + ((int64_t)i * n1 + j) * n2;

            for (int32_t k = 0, end; !rc && k < n2; k = end) {
                for (end = k + 1; end < n2 && row[end] == row[k];)
                    end++;
                rc = add_run(g, i, j, k, end, row[k]);
            }
        }
        if (!rc)
            rc = end_plane(g);
    }
    return rc;
}

static int by_part(const void *a, const void *b)
{
    const struct mesh_part_box *x = a, *y = b;

    if (x->part != y->part)
        return x->part < y->part ? -1 : 1;
    return memcmp(x->lo, y->lo, sizeof x->lo);
}

int mesh_partition_make(const struct mesh_source *source, const uint16_t *owners,
                        int parts, struct mesh_partition *partition)
{
    int64_t cells = mesh_source_cells(source), plane = source->n[1] * source->n[2];
    struct growing g = {.source = source,
                        .owners = owners,
                        .most = (size_t)(cells / FEW < parts ? parts : cells / FEW)};
    int rc = 1;

    memset(partition, 0, sizeof *partition);
    partition->parts = parts;
    if (!source->centres) {
        g.open_rect = calloc((size_t)source->n[2], sizeof *g.open_rect);
        g.open_box = calloc((size_t)plane, sizeof *g.open_box);
        rc = g.open_rect && g.open_box ? grow_boxes(&g) : -ENOMEM;
    }
    free(g.open_rect);
    free(g.open_box);
    free(g.rects);
    if (rc == 0) {
        qsort(g.boxes, g.box_count, sizeof *g.boxes, by_part);
        partition->boxes = g.boxes;
        partition->box_count = g.box_count;
        return 0;
    }
    free(g.boxes);
    if (rc < 0)
        return rc;
    partition->owner = malloc((size_t)cells * sizeof *partition->owner);
    if (!partition->owner)
        return -ENOMEM;
    memcpy(partition->owner, owners, (size_t)cells * sizeof *owners);
    return 0;
}

void mesh_partition_owners(const struct mesh_source *source,
                           const struct mesh_partition *partition, uint16_t *owners)
{
    int64_t n1 = source->n[1], n2 = source->n[2];

    if (partition->owner) {
        memcpy(owners, partition->owner,
               (size_t)mesh_source_cells(source) * sizeof *owners);
        return;
    }
    for (size_t b = 0; b < partition->box_count; b++) {
        const struct mesh_part_box *box = &partition->boxes[b];

        for (int64_t i = box->lo[0]; i < box->hi[0]; i++)
            for (int64_t j = box->lo[1]; j < box->hi[1]; j++)
                for (int64_t k = box->lo[2]; k < box->hi[2]; k++)
                    owners[(i * n1 + j) * n2 + k] = (uint16_t)box->part;
    }
}

static int64_t common_cells(const struct mesh_part_box *a, const struct mesh_part_box *b)
{
    int64_t cells = 1;

    for (int d = 0; d < 3; d++) {
        int32_t lo = a->lo[d] > b->lo[d] ? a->lo[d] : b->lo[d];
        int32_t hi = a->hi[d] < b->hi[d] ? a->hi[d] : b->hi[d];

        if (lo >= hi)
            return 0;
        cells *= hi - lo;
    }
    return cells;
}

/* Count the cells with the same owner in both partitions. Their boxes are sorted by part,
 * so boxes of one part follow each other. */
static int64_t stayed(const struct mesh_partition *a, const struct mesh_partition *b)
{
    int64_t cells = 0;
    size_t from = 0;

    for (size_t i = 0; i < a->box_count; i++) {
        while (from < b->box_count && b->boxes[from].part < a->boxes[i].part)
            from++;
        for (size_t j = from; j < b->box_count && b->boxes[j].part == a->boxes[i].part;
             j++)
            cells += common_cells(&a->boxes[i], &b->boxes[j]);
    }
    return cells;
}

int64_t mesh_partition_moved(const struct mesh_source *source,
                             const struct mesh_partition *a,
                             const struct mesh_partition *b, uint16_t *scratch)
{
    int64_t cells = mesh_source_cells(source), moved = 0;
    const uint16_t *x = a->owner, *y = b->owner;

    if (a->boxes && b->boxes)
        return cells - stayed(a, b);
    if (!x) {
        mesh_partition_owners(source, a, scratch);
        x = scratch;
    }
    if (!y) {
        mesh_partition_owners(source, b, scratch + cells);
        y = scratch + cells;
    }
    for (int64_t c = 0; c < cells; c++)
        moved += x[c] != y[c];
    return moved;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* rcb.c: recursive coordinate bisection of a grid. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/balance/partition.h"
#include "mesh/balance/table.h"

/* --- Ties divided: a list of cells, sorted again for each cut. --- */

struct cut {
    const struct mesh_source *source;
    const float *weights;
    int32_t *cells, *sorted; /* [cells]: what is divided; scratch */
    int64_t *starts;         /* [longest side + 1] */
    uint16_t *owners;
};

static int64_t coordinate(const struct mesh_source *source, int32_t cell, int d)
{
    int64_t n2 = source->n[2], n1 = source->n[1];

    return d == 2 ? cell % n2 : d == 1 ? cell / n2 % n1 : cell / (n1 * n2);
}

/* The longest side of the cells from `first` on, the first of equals, and its bounds. */
static int longest_side(const struct cut *cut, int64_t first, int64_t count, int64_t *lo,
                        int64_t *hi)
{
    int64_t least[3] = {INT64_MAX, INT64_MAX, INT64_MAX}, most[3] = {0, 0, 0};
    int longest = 0;

    for (int64_t c = first; c < first + count; c++)
        for (int d = 0; d < 3; d++) {
            int64_t x = coordinate(cut->source, cut->cells[c], d);

            least[d] = x < least[d] ? x : least[d];
            most[d] = x > most[d] ? x : most[d];
        }
    for (int d = 1; d < 3; d++)
        if (most[d] - least[d] > most[longest] - least[longest])
            longest = d;
    *lo = least[longest];
    *hi = most[longest] + 1;
    return longest;
}

/* Sort cells by a coordinate, those of one plane as they were. */
static void sort_cells(struct cut *cut, int64_t first, int64_t count, int d, int64_t lo,
                       int64_t hi)
{
    memset(cut->starts, 0, (size_t)(hi - lo + 1) * sizeof *cut->starts);
    for (int64_t c = first; c < first + count; c++)
        cut->starts[coordinate(cut->source, cut->cells[c], d) - lo + 1]++;
    for (int64_t x = 1; x <= hi - lo; x++)
        cut->starts[x] += cut->starts[x - 1];
    for (int64_t c = first; c < first + count; c++)
        cut->sorted[cut->starts[coordinate(cut->source, cut->cells[c], d) - lo]++] =
            cut->cells[c];
    memcpy(cut->cells + first, cut->sorted, (size_t)count * sizeof *cut->cells);
}

/* Of the larger side over its parts: what a cut tries to make small. */
static double larger_side(double left, double all, int left_parts, int right_parts)
{
    double l = left / left_parts, r = (all - left) / right_parts;

    return l > r ? l : r;
}

/* How many of the sorted cells go to the left: at least 1 and at most count - 1. Without
 * weight cells count alike. */
static int64_t best_cut(const struct cut *cut, int64_t first, int64_t count, int parts)
{
    double all = 0, left = 0, best = DBL_MAX;
    int left_parts = parts / 2;
    int64_t at = 1;

    for (int64_t c = first; c < first + count; c++)
        all += (double)cut->weights[cut->cells[c]];
    for (int64_t i = 1; i < count; i++) {
        double side;

        left += all > 0 ? (double)cut->weights[cut->cells[first + i - 1]] : 1;
        side = larger_side(left, all > 0 ? all : (double)count, left_parts,
                           parts - left_parts);
        if (side < best) {
            best = side;
            at = i;
        }
    }
    return at;
}

static void cut_cells(struct cut *cut, int64_t first, int64_t count, int part, int parts)
{
    int64_t lo, hi, left;
    int d;

    if (parts == 1 || count <= 1) {
        for (int64_t c = first; c < first + count; c++)
            cut->owners[cut->cells[c]] = (uint16_t)part;
        return;
    }
    d = longest_side(cut, first, count, &lo, &hi);
    sort_cells(cut, first, count, d, lo, hi);
    left = best_cut(cut, first, count, parts);
    cut_cells(cut, first, left, part, parts / 2);
    cut_cells(cut, first + left, count - left, part + parts / 2, parts - parts / 2);
}

static int64_t longest_of(const struct mesh_source *source)
{
    int64_t longest = source->n[0];

    for (int d = 1; d < 3; d++)
        longest = source->n[d] > longest ? source->n[d] : longest;
    return longest;
}

static int rcb_cut(void *context, const struct mesh_source *source, const float *weights,
                   int parts, const struct mesh_partition *before,
                   struct mesh_partition *out, struct cca_error *err)
{
    size_t cells = (size_t)mesh_source_cells(source);
    struct cut cut = {.source = source, .weights = weights};
    int rc = -ENOMEM;

    (void)context;
    (void)before;
    cut.cells = malloc(2 * cells * sizeof *cut.cells);
    cut.sorted = cut.cells ? cut.cells + cells : NULL;
    cut.starts = malloc((size_t)(longest_of(source) + 1) * sizeof *cut.starts);
    cut.owners = malloc(cells * sizeof *cut.owners);
    if (cut.cells && cut.starts && cut.owners) {
        for (size_t c = 0; c < cells; c++)
            cut.cells[c] = (int32_t)c;
        cut_cells(&cut, 0, (int64_t)cells, 0, parts);
        rc = mesh_partition_make(source, cut.owners, parts, out);
    }
    free(cut.cells);
    free(cut.starts);
    free(cut.owners);
    return rc ? cca_no_memory(err) : 0;
}

const struct mesh_partitioner mesh_rcb = {"rcb", rcb_cut, NULL, NULL};

/* --- Whole planes: boxes, their loads from a table of sums. --- */

/* Where a box is cut along its longest side; 0: it is a single cell. */
static int32_t best_plane(const struct mesh_table *table, const struct mesh_part_box *box,
                          int parts, int *side)
{
    double all = mesh_table_sum(table, box), best = DBL_MAX;
    struct mesh_part_box left = *box;
    int left_parts = parts / 2, d = 0;
    int32_t at = 0;

    for (int e = 1; e < 3; e++)
        if (box->hi[e] - box->lo[e] > box->hi[d] - box->lo[d])
            d = e;
    *side = d;
    for (int32_t x = box->lo[d] + 1; x < box->hi[d]; x++) {
        double larger;

        left.hi[d] = x;
        larger = all > 0 ? larger_side(mesh_table_sum(table, &left), all, left_parts,
                                       parts - left_parts)
                         : larger_side(x - box->lo[d], box->hi[d] - box->lo[d],
                                       left_parts, parts - left_parts);
        if (larger < best) {
            best = larger;
            at = x;
        }
    }
    return at;
}

static void cut_planes(const struct mesh_table *table, struct mesh_part_box box,
                       int parts, struct mesh_partition *out)
{
    struct mesh_part_box right = box;
    int d = 0;
    int32_t at = parts > 1 ? best_plane(table, &box, parts, &d) : 0;

    if (at == 0) {
        out->boxes[out->box_count++] = box;
        return;
    }
    box.hi[d] = right.lo[d] = at;
    right.part += parts / 2;
    cut_planes(table, box, parts / 2, out);
    cut_planes(table, right, parts - parts / 2, out);
}

int mesh_rcb_by_table(const struct mesh_table *table, int parts,
                      struct mesh_partition *out)
{
    struct mesh_part_box all = {{0, 0, 0}, {0, 0, 0}, 0};

    memset(out, 0, sizeof *out);
    out->parts = parts;
    out->boxes = malloc((size_t)parts * sizeof *out->boxes);
    if (!out->boxes)
        return -ENOMEM;
    for (int d = 0; d < 3; d++)
        all.hi[d] = (int32_t)table->n[d];
    cut_planes(table, all, parts, out);
    return 0;
}

static int planes_cut(void *context, const struct mesh_source *source,
                      const float *weights, int parts,
                      const struct mesh_partition *before, struct mesh_partition *out,
                      struct cca_error *err)
{
    struct mesh_table table;
    int rc;

    (void)context;
    (void)before;
    if (source->centres)
        return cca_error_set(err, -EINVAL, "rcb:planes: found elements without a grid");
    rc = mesh_table_new(&table, source->n);
    if (!rc) {
        mesh_table_fill(&table, weights);
        rc = mesh_rcb_by_table(&table, parts, out);
    }
    mesh_table_free(&table);
    return rc ? cca_no_memory(err) : 0;
}

const struct mesh_partitioner mesh_rcb_planes = {"rcb:planes", planes_cut, NULL, NULL};

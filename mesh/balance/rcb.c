/* SPDX-License-Identifier: BSD-3-Clause */
/* rcb.c: recursive coordinate bisection, with cuts inside planes.
 *
 * Each range keeps its cells in ascending order. A cut is a plane and the number of its
 * first cells that go left: it is found by sums of planes, without sorting. */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "common/sort.h"
#include "mesh/balance/parts.h"

struct bisect {
    const struct mesh_places *places;
    const float *weights;
    int32_t *cells, *scratch; /* [cells]: numbers of the cells in the range to divide;
                                 scratch: of its right side */
    int32_t *key; /* [cells]: plane of cells[i], counted from 0 in the range that is being
                     cut */
    double *sums; /* [cells]: sum of the weights in each plane */
    int32_t *sorted; /* [cells]: sorted keys, see press_keys */
    uint16_t *owners;
};

/* The range to divide: cells[first] to cells[first + count - 1]. */
struct range {
    int64_t first, count;
    int part, parts;
};

struct cut {
    int32_t plane; /* all planes before this plane go to the left side */
    int64_t cells; /* number of cells of this plane that go to the left side */
};

/* Find the dimension of the longest side (ties: the first), and its minimum and maximum
 * coordinate. */
static int longest_side(const struct bisect *b, const struct range *r, int32_t *lo,
                        int32_t *hi)
{
    const int32_t *x = b->places->at[0], *y = b->places->at[1], *z = b->places->at[2];
    int32_t least[3] = {INT32_MAX, INT32_MAX, INT32_MAX}, most[3] = {0, 0, 0};
    double longest = -1;
    int side = 0;

    for (int64_t i = r->first; i < r->first + r->count; i++) {
        int32_t c = b->cells[i];

        least[0] = x[c] < least[0] ? x[c] : least[0];
        least[1] = y[c] < least[1] ? y[c] : least[1];
        least[2] = z[c] < least[2] ? z[c] : least[2];
        most[0] = x[c] > most[0] ? x[c] : most[0];
        most[1] = y[c] > most[1] ? y[c] : most[1];
        most[2] = z[c] > most[2] ? z[c] : most[2];
    }
    for (int d = 0; d < 3; d++) {
        double length = mesh_places_length(b->places, d, least[d], most[d]);

        if (length > longest) {
            longest = length;
            side = d;
        }
    }
    *lo = least[side];
    *hi = most[side];
    return side;
}

/* Number the planes that elements occupy, which may be far fewer than exist. Returns
 * their number. */
static int32_t press_keys(struct bisect *b, int64_t count)
{
    int32_t *sorted = b->sorted, planes = 0;

    memcpy(sorted, b->key, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, cca_order_int32);
    for (int64_t i = 0; i < count; i++)
        if (i == 0 || sorted[i] > sorted[planes - 1])
            sorted[planes++] = sorted[i];
    for (int64_t i = 0; i < count; i++) {
        const int32_t *found =
            bsearch(&b->key[i], sorted, (size_t)planes, sizeof *sorted, cca_order_int32);

        b->key[i] = (int32_t)(found - sorted);
    }
    return planes;
}

/* Fill key[] for a range. Returns the number of planes. */
static int32_t find_planes(struct bisect *b, const struct range *r)
{
    int32_t lo = 0, hi = 0;
    const int32_t *at = b->places->at[longest_side(b, r, &lo, &hi)];

    for (int64_t i = 0; i < r->count; i++)
        b->key[i] = at[b->cells[r->first + i]] - lo;
    return hi - lo < 2 * r->count ? hi - lo + 1 : press_keys(b, r->count);
}

/* Return a cell's weight; 1 if no cell has weight. */
static double weight(const struct bisect *b, const struct range *r, int64_t i, int none)
{
    return none ? 1 : (double)b->weights[b->cells[r->first + i]];
}

/* Cut after the last cell with weight in the planes before `plane`, or after the first
 * cell if none has weight: the leftmost of equal cuts. */
static struct cut leftmost_below(const struct bisect *b, const struct range *r,
                                 int32_t plane, int none)
{
    struct cut cut = {-1, 0};
    int64_t seen = 0;

    while (--plane >= 0 && b->sums[plane] <= 0)
        ;
    for (int64_t i = 0; plane >= 0 && i < r->count; i++) {
        if (b->key[i] != plane)
            continue;
        seen++;
        if (weight(b, r, i, none) > 0)
            cut = (struct cut){plane, seen};
    }
    if (cut.plane >= 0)
        return cut;
    cut = (struct cut){INT32_MAX, 1};
    for (int64_t i = 0; i < r->count; i++)
        cut.plane = b->key[i] < cut.plane ? b->key[i] : cut.plane;
    return cut;
}

/* Fill sums[] of planes with weights, or with numbers of cells if no cell has weight
 * (*none is then 1). Returns the total. */
static double sum_planes(struct bisect *b, const struct range *r, int32_t planes,
                         int *none)
{
    double all = 0, run = 0;
    int32_t last = 0;

    memset(b->sums, 0, (size_t)planes * sizeof *b->sums);
    for (int64_t i = 0; i < r->count; i++) { /* cells that follow each other often lie in
                                                one plane: add to its sum once */
        if (b->key[i] != last) {
            b->sums[last] += run;
            run = 0;
            last = b->key[i];
        }
        run += weight(b, r, i, 0);
    }
    b->sums[last] += run;
    for (int32_t q = 0; q < planes; q++)
        all += b->sums[q];
    *none = !(all > 0);
    for (int64_t i = 0; *none && i < r->count; i++)
        b->sums[b->key[i]]++;
    return *none ? (double)r->count : all;
}

/* Find the best cut. As the cut moves to the right, the load of the larger side falls
 * until the left side has its share, and then rises: only the plane where this happens is
 * searched cell by cell. The first and the last plane have cells. */
static struct cut best_cut(struct bisect *b, const struct range *r, int32_t planes)
{
    int left_parts = r->parts / 2, right_parts = r->parts - left_parts, none;
    double all = sum_planes(b, r, planes, &none), left = 0, best = DBL_MAX;
    double share = all * left_parts / r->parts;
    struct cut cut = {0, 0};
    int64_t seen = 0;
    int32_t p = 0;

    while (p < planes - 1 && left + b->sums[p] < share)
        left += b->sums[p++];
    if (p > 0) {
        best = mesh_larger_side(left, all, left_parts, right_parts);
        cut.plane = p;
    }
    for (int64_t i = 0, next; i < r->count; i = next) {
        double side;

        for (next = i + 1; next < r->count && b->key[next] != p;)
            next++;
        if (b->key[i] != p)
            continue;
        left += weight(b, r, i, none);
        seen++;
        if (p == planes - 1 && next == r->count)
            break; /* at least one cell goes right */
        side = mesh_larger_side(left, all, left_parts, right_parts);
        if (side < best) {
            best = side;
            cut = (struct cut){p, seen};
        }
        if (left > share)
            break;
    }
    return cut.cells ? cut : leftmost_below(b, r, p, none);
}

/* Split both sides in ascending order. Returns the number of cells on the left. */
static int64_t divide(struct bisect *b, const struct range *r, struct cut cut)
{
    int32_t *cells = b->cells + r->first;
    int64_t left = 0, right = 0;

    for (int64_t i = 0; i < r->count; i++) {
        if (b->key[i] < cut.plane || (b->key[i] == cut.plane && cut.cells-- > 0))
            cells[left++] = cells[i];
        else
            b->scratch[right++] = cells[i];
    }
    memcpy(cells + left, b->scratch, (size_t)right * sizeof *cells);
    return left;
}

static void bisect(struct bisect *b, struct range r)
{
    struct range left = r, right = r;

    if (r.parts == 1 || r.count <= 1) {
        for (int64_t i = r.first; i < r.first + r.count; i++)
            b->owners[b->cells[i]] = (uint16_t)r.part;
        return;
    }
    left.count = divide(b, &r, best_cut(b, &r, find_planes(b, &r)));
    left.parts = r.parts / 2;
    right.first += left.count;
    right.count -= left.count;
    right.part += left.parts;
    right.parts -= left.parts;
    bisect(b, left);
    bisect(b, right);
}

static int cut_places(const struct mesh_places *places, const struct mesh_source *source,
                      const float *weights, int parts, struct mesh_partition *out)
{
    size_t cells = (size_t)mesh_source_cells(source);
    struct bisect b = {.places = places, .weights = weights};
    int rc = -ENOMEM;

    b.cells = malloc(4 * cells * sizeof *b.cells);
    b.sums = malloc(2 * cells * sizeof *b.sums);
    b.owners = malloc(cells * sizeof *b.owners);
    if (b.cells && b.sums && b.owners) {
        b.scratch = b.cells + cells;
        b.key = b.cells + 2 * cells;
        b.sorted = b.cells + 3 * cells;
        for (size_t c = 0; c < cells; c++)
            b.cells[c] = (int32_t)c;
        bisect(&b, (struct range){0, (int64_t)cells, 0, parts});
        rc = mesh_partition_make(source, b.owners, parts, out);
    }
    free(b.cells);
    free(b.sums);
    free(b.owners);
    return rc;
}

/* Make a partition by recursive coordinate bisection. context: struct mesh_places of the
 * source, or NULL. */
static int rcb_cut(void *context, const struct mesh_source *source, const float *weights,
                   int parts, const struct mesh_partition *before,
                   struct mesh_partition *out, struct cca_error *err)
{
    struct mesh_places places = {{NULL}, {NULL}};
    int rc = context ? 0 : mesh_places_init(&places, source, err);

    (void)before;
    if (!rc)
        rc = cut_places(context ? context : &places, source, weights, parts, out);
    mesh_places_done(&places);
    return rc == -ENOMEM ? cca_no_memory(err) : rc;
}

const struct mesh_partitioner mesh_rcb = {"rcb", rcb_cut, NULL, NULL};

static void rcb_close(void *context)
{
    mesh_places_done(context);
    free(context);
}

int mesh_rcb_open(struct mesh_partitioner *partitioner, const struct mesh_source *source,
                  struct cca_error *err)
{
    struct mesh_places *places = malloc(sizeof *places);
    int rc = places ? mesh_places_init(places, source, err) : cca_no_memory(err);

    *partitioner = mesh_rcb;
    partitioner->close = places ? rcb_close : NULL;
    partitioner->context = places;
    return rc;
}

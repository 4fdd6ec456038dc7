/* SPDX-License-Identifier: BSD-3-Clause */
/* hilbert.c: the partitioner hilbert: cells along a Hilbert curve, cut so that the
 * largest load is least.
 *
 * Keys: Skilling 2004, "Programming the Hilbert curve". Cuts: exact bisection on the
 * largest load (Pinar and Aykanat 2004): a load that is too small raises the lower bound,
 * any other load lowers the upper bound, each to a load that a part can have. */
#include <math.h>
#include <stdlib.h>

#include "mesh/balance/parts.h"

enum { BITS = 20 }; /* bits of an element's coordinate; three coordinates make a key */

/* Convert coordinates of `bits` bits to the Hilbert key. The digits of the key are then
 * in x: digit b, from the highest, consists of bit b of x[0], x[1], ... */
static void to_curve(uint32_t x[3], int dims, int bits)
{
    uint32_t t = 0;

    for (uint32_t q = 1u << (bits - 1); q > 1; q >>= 1)
        for (int d = 0; d < dims; d++) {
            if (x[d] & q) {
                x[0] ^= q - 1;
            } else {
                t = (x[0] ^ x[d]) & (q - 1);
                x[0] ^= t;
                x[d] ^= t;
            }
        }
    for (int d = 1; d < dims; d++)
        x[d] ^= x[d - 1];
    t = 0;
    for (uint32_t q = 1u << (bits - 1); q > 1; q >>= 1)
        if (x[dims - 1] & q)
            t ^= q - 1;
    for (int d = 0; d < dims; d++)
        x[d] ^= t;
}

static uint64_t key_of(uint32_t x[3], int dims, int bits)
{
    uint64_t key = 0;

    if (dims > 1)
        to_curve(x, dims, bits);
    for (int b = bits - 1; b >= 0; b--)
        for (int d = 0; d < dims; d++)
            key = key << 1 | (x[d] >> b & 1);
    return key;
}

struct on_curve {
    uint64_t key;
    int32_t cell;
};

static int by_key(const void *a, const void *b)
{
    const struct on_curve *x = a, *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->cell < y->cell ? -1 : 1;
}

/* Return the number of bits that the longest side of a grid needs. */
static int bits_of(const struct mesh_source *source)
{
    int bits = 1;

    for (int d = 0; d < 3; d++)
        while (bits < 31 && source->n[d] > (int64_t)1 << bits)
            bits++;
    return bits;
}

static void grid_keys(struct on_curve *list, const struct mesh_source *source,
                      const struct mesh_places *places)
{
    int used[3], dims = 0, bits = bits_of(source), coarse = 0;

    for (int d = 0; d < 3; d++)
        if (source->n[d] > 1)
            used[dims++] = d;
    if (dims > 0 && bits * dims > 63) { /* neighbours of a very long mesh share a key */
        coarse = bits - 63 / dims;
        bits = 63 / dims;
    }
    for (int64_t c = 0; c < mesh_source_cells(source); c++) {
        uint32_t x[3] = {0};

        for (int d = 0; d < dims; d++)
            x[d] = (uint32_t)places->at[used[d]][c] >> coarse;
        list[c] = (struct on_curve){key_of(x, dims, bits), (int32_t)c};
    }
}

/* Compute the keys of elements: their coordinates are scaled by the longest side of their
 * bounding box. */
static void element_keys(struct on_curve *list, const struct mesh_source *source)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, longest = 0;
    int64_t cells = mesh_source_cells(source);

    for (int d = 0; d < 3; d++) {
        double hi = -INFINITY;

        for (int64_t c = 0; c < cells; c++) {
            lo[d] = fmin(lo[d], source->centres[3 * c + d]);
            hi = fmax(hi, source->centres[3 * c + d]);
        }
        longest = fmax(longest, hi - lo[d]);
    }
    for (int64_t c = 0; c < cells; c++) {
        uint32_t x[3];

        for (int d = 0; d < 3; d++)
            x[d] = longest > 0 ? (uint32_t)((source->centres[3 * c + d] - lo[d]) /
                                            longest * ((1 << BITS) - 1))
                               : 0;
        list[c] = (struct on_curve){key_of(x, 3, BITS), (int32_t)c};
    }
}

/* Sort the cells along the curve. */
static int make_order(const struct mesh_source *source, int32_t *order,
                      struct cca_error *err)
{
    int64_t cells = mesh_source_cells(source);
    struct on_curve *list = malloc((size_t)cells * sizeof *list);
    struct mesh_places places;
    /* mesh_places_init also checks the coordinates */
    int rc = mesh_places_init(&places, source, err);

    if (!list)
        rc = cca_no_memory(err);
    if (!rc && source->centres)
        element_keys(list, source);
    else if (!rc)
        grid_keys(list, source, &places);
    if (!rc) {
        qsort(list, (size_t)cells, sizeof *list, by_key);
        for (int64_t c = 0; c < cells; c++)
            order[c] = list[c].cell;
    }
    free(list);
    mesh_places_done(&places);
    return rc;
}

/* The cells in the order of the curve, and prefix sums of their weights. */
struct chain {
    int64_t cells;
    int parts;
    const double *sums; /* [cells + 1] prefix sums of the weights */
};

/* Return the last end of a part that begins with cell `from`, so that its load is at most
 * `most`. */
static int64_t reach(const struct chain *chain, int64_t from, double most)
{
    int64_t lo = from, hi = chain->cells;

    while (lo < hi) {
        int64_t middle = lo + (hi - lo + 1) / 2;

        if (chain->sums[middle] - chain->sums[from] <= most)
            lo = middle;
        else
            hi = middle - 1;
    }
    return lo;
}

/* Return the first cell with which a part may begin that ends at `end`, so that its load
 * is at most `most`. */
static int64_t reach_back(const struct chain *chain, int64_t end, double most)
{
    int64_t lo = 0, hi = end;

    while (lo < hi) {
        int64_t middle = lo + (hi - lo) / 2;

        if (chain->sums[end] - chain->sums[middle] <= most)
            hi = middle;
        else
            lo = middle + 1;
    }
    return lo;
}

/* Make each part as long as the load limit `most` allows. Returns 1: the parts cover all
 * cells, *next is the maximum load; 0: they do not, *next is the next larger limit for
 * which a part becomes longer. */
static int fits(const struct chain *chain, double most, double *next)
{
    double largest = 0, above = INFINITY;
    int64_t at = 0;

    for (int p = 0; p < chain->parts; p++) {
        int64_t end = reach(chain, at, most);

        largest = fmax(largest, chain->sums[end] - chain->sums[at]);
        if (end < chain->cells)
            above = fmin(above, chain->sums[end + 1] - chain->sums[at]);
        at = end;
    }
    *next = at == chain->cells ? largest : above;
    return at == chain->cells;
}

/* Return the least possible largest load of contiguous parts. */
static double least_largest(const struct chain *chain)
{
    double all = chain->sums[chain->cells], lo = all / chain->parts, hi = all, next;

    if (fits(chain, lo, &next))
        return next;
    lo = next;
    while (lo < hi) {
        double middle = lo + (hi - lo) / 2;

        if (fits(chain, middle, &next))
            hi = next;
        else
            lo = next;
    }
    return hi;
}

/* Return the cut before which the sum of weights is nearest to `sum`. */
static int64_t nearest(const struct chain *chain, double sum)
{
    int64_t at = reach(chain, 0, sum);

    return at < chain->cells && chain->sums[at + 1] - sum < sum - chain->sums[at] ? at + 1
                                                                                  : at;
}

/* Among the cuts with the smallest maximum load choose the cuts nearest to equal shares,
 * because they move least from step to step. At first ends[p] is the smallest end of part
 * p for which the later parts are large enough. */
static void cut_chain(const struct chain *chain, const int32_t *order, int64_t *ends,
                      uint16_t *owners)
{
    double most = least_largest(chain), share = chain->sums[chain->cells] / chain->parts;
    int64_t at = 0;

    ends[chain->parts - 1] = chain->cells;
    for (int p = chain->parts - 1; p > 0; p--)
        ends[p - 1] = reach_back(chain, ends[p], most);
    for (int p = 0; p < chain->parts; p++) {
        int64_t far = reach(chain, at, most), ideal = nearest(chain, share * (p + 1));

        ideal = ideal > ends[p] ? ideal : ends[p];
        for (ends[p] = ideal < far ? ideal : far; at < ends[p]; at++)
            owners[order[at]] = (uint16_t)p;
    }
}

static int cut_along(const int32_t *order, const struct mesh_source *source,
                     const float *weights, int parts, struct mesh_partition *out)
{
    int64_t cells = mesh_source_cells(source);
    double *sums = malloc((size_t)(cells + 1) * sizeof *sums);
    int64_t *ends = malloc((size_t)parts * sizeof *ends);
    uint16_t *owners = malloc((size_t)cells * sizeof *owners);
    struct chain chain = {cells, parts, sums};
    int rc = -ENOMEM;

    if (sums && ends && owners) {
        sums[0] = 0;
        for (int64_t c = 0; c < cells; c++)
            sums[c + 1] = sums[c] + (double)weights[order[c]];
        if (!(sums[cells] > 0)) /* if no cell has weight, all cells count 1 */
            for (int64_t c = 0; c < cells; c++)
                sums[c + 1] = (double)(c + 1);
        cut_chain(&chain, order, ends, owners);
        rc = mesh_partition_make(source, owners, parts, out);
    }
    free(sums);
    free(ends);
    free(owners);
    return rc;
}

/* Cut the curve into parts. context: the source's cells in the order of the curve. */
static int hilbert_cut(void *context, const struct mesh_source *source,
                       const float *weights, int parts,
                       const struct mesh_partition *before, struct mesh_partition *out,
                       struct cca_error *err)
{
    (void)before;
    return cut_along(context, source, weights, parts, out) ? cca_no_memory(err) : 0;
}

int mesh_hilbert_open(struct mesh_partitioner *partitioner,
                      const struct mesh_source *source, struct cca_error *err)
{
    int32_t *order = malloc((size_t)mesh_source_cells(source) * sizeof *order);

    *partitioner = (struct mesh_partitioner){"hilbert", hilbert_cut, order, free};
    return order ? make_order(source, order, err) : cca_no_memory(err);
}

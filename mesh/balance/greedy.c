/* SPDX-License-Identifier: BSD-3-Clause */
/* greedy.c: the partitioner greedy: each block, heaviest first, goes to the part with the
 * least load (Graham 1969, "longest processing time").
 *
 * Blocks are cubes of cells, the largest that give each part at least BLOCKS of them:
 * single cells would scatter each part over the whole mesh. Each element is a block of
 * its own. */
#include <stdlib.h>

#include "mesh/balance/parts.h"

enum { BLOCKS = 16 };

struct blocks {
    const struct mesh_source *source;
    int64_t edge, n[3], count;
    double *load;     /* [count] sum of the weights in each block */
    uint16_t *owners; /* [count] part of each block */
};

static void shape_blocks(struct blocks *b, int64_t edge)
{
    b->edge = edge;
    b->count = 1;
    for (int d = 0; d < 3; d++) {
        b->n[d] = (b->source->n[d] + edge - 1) / edge;
        b->count *= b->n[d];
    }
}

static void choose_edge(struct blocks *b, int parts)
{
    int64_t edge = 1;

    shape_blocks(b, 2);
    while (!b->source->centres && b->count >= (int64_t)BLOCKS * parts) {
        edge = b->edge;
        shape_blocks(b, edge + 1);
    }
    shape_blocks(b, edge);
}

/* Call `visit` for runs of cells that lie in one block. */
static void each_run(const struct blocks *b, void *context,
                     void (*visit)(void *context, int64_t cell, int64_t count,
                                   int64_t block))
{
    const int64_t *n = b->source->n;

    for (int64_t i = 0; i < n[0]; i++)
        for (int64_t j = 0; j < n[1]; j++)
            for (int64_t k = 0; k < n[2]; k += b->edge) {
                int64_t rest = n[2] - k;

                visit(context, (i * n[1] + j) * n[2] + k, rest < b->edge ? rest : b->edge,
                      ((i / b->edge) * b->n[1] + j / b->edge) * b->n[2] + k / b->edge);
            }
}

struct adding {
    const float *weights;
    double *load;
};

static void add_run(void *context, int64_t cell, int64_t count, int64_t block)
{
    const struct adding *adding = context;

    for (int64_t c = cell; c < cell + count; c++)
        adding->load[block] += (double)adding->weights[c];
}

struct giving {
    const uint16_t *blocks;
    uint16_t *cells;
};

static void give_run(void *context, int64_t cell, int64_t count, int64_t block)
{
    const struct giving *giving = context;

    for (int64_t c = cell; c < cell + count; c++)
        giving->cells[c] = giving->blocks[block];
}

struct heavy {
    double load;
    int32_t block;
};

static int heaviest_first(const void *a, const void *b)
{
    const struct heavy *x = a, *y = b;

    if (x->load != y->load)
        return x->load > y->load ? -1 : 1;
    return x->block < y->block ? -1 : 1;
}

/* A part in a heap with the least load on top; ties: fewer blocks, then the lower number.
 */
struct filling {
    double load;
    int32_t blocks, part;
};

static int less_filled(const struct filling *a, const struct filling *b)
{
    if (a->load != b->load)
        return a->load < b->load;
    if (a->blocks != b->blocks)
        return a->blocks < b->blocks;
    return a->part < b->part;
}

static void sink(struct filling *heap, int count)
{
    struct filling top = heap[0];
    int at = 0;

    for (int child = 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && less_filled(&heap[child + 1], &heap[child]))
            child++;
        if (!less_filled(&heap[child], &top))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = top;
}

static int give_blocks(struct blocks *b, int parts)
{
    struct heavy *list = malloc((size_t)b->count * sizeof *list);
    struct filling *heap = malloc((size_t)parts * sizeof *heap);

    if (!list || !heap) {
        free(list);
        free(heap);
        return -ENOMEM;
    }
    for (int64_t i = 0; i < b->count; i++)
        list[i] = (struct heavy){b->load[i], (int32_t)i};
    qsort(list, (size_t)b->count, sizeof *list, heaviest_first);
    for (int p = 0; p < parts; p++)
        heap[p] = (struct filling){0, 0, p};
    for (int64_t i = 0; i < b->count; i++) {
        b->owners[list[i].block] = (uint16_t)heap[0].part;
        heap[0].load += list[i].load;
        heap[0].blocks++;
        sink(heap, parts);
    }
    free(list);
    free(heap);
    return 0;
}

static int greedy_cut(void *context, const struct mesh_source *source,
                      const float *weights, int parts,
                      const struct mesh_partition *before, struct mesh_partition *out,
                      struct cca_error *err)
{
    struct blocks b = {.source = source};
    uint16_t *owners = malloc((size_t)mesh_source_cells(source) * sizeof *owners);
    int rc = -ENOMEM;

    (void)context;
    (void)before;
    choose_edge(&b, parts);
    b.load = calloc((size_t)b.count, sizeof *b.load);
    b.owners = malloc((size_t)b.count * sizeof *b.owners);
    if (owners && b.load && b.owners) {
        struct adding adding = {weights, b.load};
        struct giving giving = {b.owners, owners};

        each_run(&b, &adding, add_run);
        rc = give_blocks(&b, parts);
        if (!rc) {
            each_run(&b, &giving, give_run);
            rc = mesh_partition_make(source, owners, parts, out);
        }
    }
    free(owners);
    free(b.load);
    free(b.owners);
    return rc ? cca_no_memory(err) : 0;
}

int mesh_greedy_open(struct mesh_partitioner *partitioner,
                     const struct mesh_source *source, struct cca_error *err)
{
    (void)source;
    (void)err;
    *partitioner = (struct mesh_partitioner){"greedy", greedy_cut, NULL, NULL};
    return 0;
}

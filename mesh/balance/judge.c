/* SPDX-License-Identifier: BSD-3-Clause */
/* judge.c: loads of the parts of a partition, from a table of sums or cell by cell. */
#include "mesh/balance/judge.h"

#include <stdlib.h>
#include <string.h>

int mesh_judge_init(struct mesh_judge *judge, const struct mesh_source *source, int parts,
                    int direct)
{
    size_t cells = (size_t)mesh_source_cells(source);

    memset(judge, 0, sizeof *judge);
    judge->source = source;
    judge->parts = parts;
    judge->direct = direct;
    judge->owners = malloc(2 * cells * sizeof *judge->owners);
    judge->load = malloc((size_t)parts * sizeof *judge->load);
    if (!judge->owners || !judge->load)
        return -ENOMEM;
    return source->centres ? 0 : mesh_table_new(&judge->table, source->n);
}

void mesh_judge_done(struct mesh_judge *judge)
{
    free(judge->owners);
    free(judge->load);
    mesh_table_free(&judge->table);
    memset(judge, 0, sizeof *judge);
}

void mesh_judge_by(struct mesh_judge *judge, const float *weights)
{
    judge->weights = weights;
    if (!judge->source->centres)
        mesh_table_fill(&judge->table, weights);
}

int mesh_judge_cut(struct mesh_judge *judge, const struct mesh_partitioner *partitioner,
                   const struct mesh_partition *before, struct mesh_partition *out,
                   struct cca_error *err)
{
    int rc;

    if (partitioner->cut == mesh_rcb_planes.cut && !judge->source->centres)
        rc = mesh_rcb_by_table(&judge->table, judge->parts, out);
    else
        rc = partitioner->cut(partitioner->context, judge->source, judge->weights,
                              judge->parts, before, out, err);
    return rc == -ENOMEM ? cca_no_memory(err) : rc;
}

/* Return the largest load of a part. Boxes are sorted by part, so the loads of a part's
 * boxes are added in a row. */
static double largest_by_table(const struct mesh_judge *judge,
                               const struct mesh_partition *partition)
{
    double largest = 0, load = 0;
    int32_t part = -1;

    for (size_t b = 0; b < partition->box_count; b++) {
        if (partition->boxes[b].part != part)
            load = 0;
        part = partition->boxes[b].part;
        load += mesh_table_sum(&judge->table, &partition->boxes[b]);
        if (load > largest)
            largest = load;
    }
    return largest;
}

double mesh_judge_largest(struct mesh_judge *judge,
                          const struct mesh_partition *partition)
{
    int64_t cells = mesh_source_cells(judge->source);
    const uint16_t *owner = partition->owner;
    double largest = 0;

    if (partition->boxes && !judge->direct)
        return largest_by_table(judge, partition);
    if (!owner) {
        mesh_partition_owners(judge->source, partition, judge->owners);
        owner = judge->owners;
    }
    memset(judge->load, 0, (size_t)judge->parts * sizeof *judge->load);
    for (int64_t c = 0; c < cells; c++)
        judge->load[owner[c]] += (double)judge->weights[c];
    for (int p = 0; p < judge->parts; p++)
        if (judge->load[p] > largest)
            largest = judge->load[p];
    return largest;
}

int64_t mesh_judge_moved(struct mesh_judge *judge, const struct mesh_partition *a,
                         const struct mesh_partition *b)
{
    return mesh_partition_moved(judge->source, a, b, judge->owners);
}

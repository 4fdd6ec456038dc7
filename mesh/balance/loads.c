/* SPDX-License-Identifier: BSD-3-Clause */
/* loads.c: step by step, so that one table of sums is enough. */
#include "mesh/balance/loads.h"

#include <stdlib.h>
#include <string.h>

#include "mesh/balance/table.h"

struct making {
    struct mesh_loads *loads;
    const struct mesh_source *source;
    const struct mesh_partitioner *partitioner;
    int direct;
    float *weights;
    uint16_t *owners; /* [2 * cells] */
    double *load;     /* [parts] */
    struct mesh_table table;
};

static int allocate(struct making *m, struct mesh_loads *loads)
{
    size_t steps = (size_t)loads->steps, pairs, cells = (size_t)loads->cells;

    if (steps > 1u << 20)
        return -ENOMEM;
    pairs = steps * (steps + 1) / 2;
    loads->largest = malloc(pairs * sizeof *loads->largest);
    loads->moved = malloc(pairs * sizeof *loads->moved);
    loads->mean = malloc(steps * sizeof *loads->mean);
    loads->heaviest = malloc(steps * sizeof *loads->heaviest);
    loads->heaviest_at = malloc(steps * sizeof *loads->heaviest_at);
    loads->partitions = calloc(steps, sizeof *loads->partitions);
    m->weights = malloc(cells * sizeof *m->weights);
    m->owners = malloc(2 * cells * sizeof *m->owners);
    m->load = malloc((size_t)loads->parts * sizeof *m->load);
    return loads->largest && loads->moved && loads->mean && loads->heaviest &&
                   loads->heaviest_at && loads->partitions && m->weights && m->owners &&
                   m->load
               ? 0
               : -ENOMEM;
}

static void look_at_weights(struct making *m, int64_t k)
{
    double total = 0;
    int64_t heaviest = 0;

    for (int64_t c = 0; c < m->loads->cells; c++) {
        total += (double)m->weights[c];
        if (m->weights[c] > m->weights[heaviest])
            heaviest = c;
    }
    m->loads->mean[k] = total / m->loads->parts;
    m->loads->heaviest[k] = m->weights[heaviest];
    m->loads->heaviest_at[k] = heaviest;
}

/* Boxes are sorted by part. */
static double largest_by_table(const struct making *m,
                               const struct mesh_partition *partition)
{
    double largest = 0, load = 0;
    int32_t part = -1;

    for (size_t b = 0; b < partition->box_count; b++) {
        if (partition->boxes[b].part != part)
            load = 0;
        part = partition->boxes[b].part;
        load += mesh_table_sum(&m->table, &partition->boxes[b]);
        if (load > largest)
            largest = load;
    }
    return largest;
}

static double largest_directly(const struct making *m,
                               const struct mesh_partition *partition)
{
    const uint16_t *owner = partition->owner;
    double largest = 0;

    if (!owner) {
        mesh_partition_owners(m->source, partition, m->owners);
        owner = m->owners;
    }
    memset(m->load, 0, (size_t)m->loads->parts * sizeof *m->load);
    for (int64_t c = 0; c < m->loads->cells; c++)
        m->load[owner[c]] += (double)m->weights[c];
    for (int p = 0; p < m->loads->parts; p++)
        if (m->load[p] > largest)
            largest = m->load[p];
    return largest;
}

/* One more step: its partition, and all partitions so far at its weights. */
static int add_step(struct making *m, int64_t k, struct cca_error *err)
{
    struct mesh_loads *loads = m->loads;
    int rc = mesh_source_weights(m->source, k, m->weights, err);

    if (rc)
        return rc;
    look_at_weights(m, k);
    if (!m->source->centres)
        mesh_table_fill(&m->table, m->weights);
    if (m->partitioner->cut == mesh_rcb_planes.cut && !m->source->centres)
        rc = mesh_rcb_by_table(&m->table, loads->parts, &loads->partitions[k]);
    else
        rc = m->partitioner->cut(m->partitioner->context, m->source, m->weights,
                                 loads->parts, k ? &loads->partitions[k - 1] : NULL,
                                 &loads->partitions[k], err);
    if (rc)
        return rc == -ENOMEM ? cca_no_memory(err) : rc;
    for (int64_t s = 0; s <= k; s++) {
        const struct mesh_partition *partition = &loads->partitions[s];
        int64_t pair = mesh_pair(loads, s, k);

        loads->largest[pair] = partition->boxes && !m->direct
                                   ? largest_by_table(m, partition)
                                   : largest_directly(m, partition);
        loads->moved[pair] = (int32_t)mesh_partition_moved(
            m->source, partition, &loads->partitions[k], m->owners);
    }
    return 0;
}

int mesh_loads_make(struct mesh_loads *loads, const struct mesh_source *source,
                    const struct mesh_partitioner *partitioner,
                    const struct mesh_loads_wish *wish, struct cca_error *err)
{
    struct making m = {.loads = loads,
                       .source = source,
                       .partitioner = partitioner,
                       .direct = wish->direct};
    int rc;

    memset(loads, 0, sizeof *loads);
    loads->steps = source->steps;
    loads->parts = wish->parts;
    loads->lag = wish->lag;
    loads->cells = mesh_source_cells(source);
    if (wish->parts < 1 || wish->parts > MESH_PARTS || source->steps < 1 ||
        loads->cells < 1 || loads->cells > INT32_MAX || wish->lag < 0 || wish->lag > 1)
        return cca_error_set(err, -EINVAL,
                             "found %d parts, %lld steps, %lld cells, lag %d; expected "
                             "1 to %d parts, a step, 1 to %d cells, lag 0 or 1",
                             wish->parts, (long long)source->steps,
                             (long long)loads->cells, wish->lag, MESH_PARTS, INT32_MAX);
    rc = allocate(&m, loads);
    if (!rc && !source->centres)
        rc = mesh_table_new(&m.table, source->n);
    if (rc)
        cca_no_memory(err);
    for (int64_t k = 0; !rc && k < loads->steps; k++) {
        rc = add_step(&m, k, err);
        if (wish->progress)
            wish->progress(wish->context, k + 1, loads->steps);
    }
    free(m.weights);
    free(m.owners);
    free(m.load);
    mesh_table_free(&m.table);
    return rc;
}

void mesh_loads_free(struct mesh_loads *loads)
{
    for (int64_t s = 0; loads->partitions && s < loads->steps; s++)
        mesh_partition_free(&loads->partitions[s]);
    free(loads->largest);
    free(loads->moved);
    free(loads->mean);
    free(loads->heaviest);
    free(loads->heaviest_at);
    free(loads->partitions);
    memset(loads, 0, sizeof *loads);
}

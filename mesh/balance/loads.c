/* SPDX-License-Identifier: BSD-3-Clause */
/* loads.c: compute the loads of all partitions of a trace at all later steps. It goes
 * step by step, so one table of sums is enough. */
#include "mesh/balance/loads.h"

#include <stdlib.h>
#include <string.h>

#include "mesh/balance/judge.h"

struct making {
    struct mesh_loads *loads;
    const struct mesh_source *source;
    const struct mesh_partitioner *partitioner;
    float *weights;
    struct mesh_judge judge;
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
    return loads->largest && loads->moved && loads->mean && loads->heaviest &&
                   loads->heaviest_at && loads->partitions && m->weights
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

/* Process one more step: make its partition and judge all partitions so far at its
 * weights. */
static int add_step(struct making *m, int64_t k, struct cca_error *err)
{
    struct mesh_loads *loads = m->loads;
    int rc = mesh_source_weights(m->source, k, m->weights, err);

    if (rc)
        return rc;
    look_at_weights(m, k);
    mesh_judge_by(&m->judge, m->weights);
    rc = mesh_judge_cut(&m->judge, m->partitioner, k ? &loads->partitions[k - 1] : NULL,
                        &loads->partitions[k], err);
    if (rc)
        return rc;
    for (int64_t s = 0; s <= k; s++) {
        const struct mesh_partition *partition = &loads->partitions[s];
        int64_t pair = mesh_pair(loads, s, k);

        loads->largest[pair] = mesh_judge_largest(&m->judge, partition);
        loads->moved[pair] =
            (int32_t)mesh_judge_moved(&m->judge, partition, &loads->partitions[k]);
    }
    return 0;
}

int mesh_loads_make(struct mesh_loads *loads, const struct mesh_source *source,
                    const struct mesh_partitioner *partitioner,
                    const struct mesh_loads_wish *wish, struct cca_error *err)
{
    struct making m = {.loads = loads, .source = source, .partitioner = partitioner};
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
    if (!rc)
        rc = mesh_judge_init(&m.judge, source, wish->parts, wish->direct);
    if (rc)
        cca_no_memory(err);
    for (int64_t k = 0; !rc && k < loads->steps; k++) {
        rc = add_step(&m, k, err);
        if (wish->progress)
            wish->progress(wish->context, k + 1, loads->steps);
    }
    free(m.weights);
    mesh_judge_done(&m.judge);
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

/* SPDX-License-Identifier: BSD-3-Clause */
/* GhostsPerNeighbour.c: update the ghost cells of a level with one message to each
 * neighbour rank and one message from it.
 *
 * The schedule of messages is kept between updates, and buffers are kept even when a new
 * plan is made. */
#include "components/neighbours.h"
#include "components/ranks.h"

struct plan {
    int64_t stamp;
    struct neighbours neighbours;
    int started;
    struct copy_values values;
};

#include "components/ghosts.h"

static int plan_make(struct plan *plan, const struct ghost_copy *copies, int count,
                     int rank, int size)
{
    int code = neighbours_clear(&plan->neighbours, size);

    for (int n = 0; n < count && !code; n++)
        code = neighbours_add(&plan->neighbours, rank, &copies[n]);
    return code;
}

static void plan_done(struct plan *plan)
{
    neighbours_done(&plan->neighbours);
    *plan = (struct plan){0};
}

static int plan_start(struct plan *plan, struct exchange_port *ranks, int level)
{
    return neighbours_start(&plan->neighbours, ranks, level, &plan->values);
}

static void plan_finish(struct plan *plan, int64_t *cells, int64_t *bytes,
                        int64_t *messages, int64_t *peers)
{
    neighbours_unpack(&plan->neighbours, &plan->values);
    neighbours_count(&plan->neighbours, plan->values.components, cells, bytes, messages,
                     peers);
}

CCA_EXPORT const struct cca_class cca_class = {
    .name = "GhostsPerNeighbour",
    GHOSTS_CLASS("ghost cells of a mesh: one message for each neighbour rank"),
};

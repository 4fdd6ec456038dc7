/* SPDX-License-Identifier: BSD-3-Clause */
/* GhostsPerNeighbour.c: update the ghost cells of a level with one message to each
 * neighbour rank and one from it.
 *
 * The schedule is kept between updates, and buffers are kept even when a new plan is
 * made. */
#include <errno.h>

#include "components/neighbours.h"
#include "components/ranks.h"
#include "ports/ghost_port_signature.h"

struct plan {
    int64_t stamp; /* serial number of the plan; 0: there is no plan */
    struct neighbours neighbours;
    int started;
    struct copy_values values; /* values that the current update copies */
};

struct ghosts {
    struct ghost_port port;
    struct cca_services *services;
    int has_met; /* 1: ranks_meet was called */
    struct plan plans[GHOST_LEVELS];
};

static struct plan *plan_of(struct ghost_port *self, int level)
{
    struct ghosts *k = cca_container_of(self, struct ghosts, port);

    return level >= 0 && level < GHOST_LEVELS ? &k->plans[level] : NULL;
}

static int ghosts_plan(struct ghost_port *self, int level, int64_t stamp,
                       const struct ghost_copy *copies, int count, struct cca_error *err)
{
    struct ghosts *k = cca_container_of(self, struct ghosts, port);
    CCA_USE_OPTIONAL(struct exchange_port, ranks, k->services, "exchange");
    int rank = ranks ? ranks->rank(ranks) : 0, size = ranks ? ranks->size(ranks) : 1;
    struct plan *plan = plan_of(self, level);
    int code;

    if (!plan)
        return cca_error_set(err, -EINVAL, "no level %d; 0 to %d are served", level,
                             GHOST_LEVELS - 1);
    code = ranks_meet(ranks, &k->has_met);
    if (code)
        return cca_error_set(err, code, "another rank has failed");
    plan->stamp = 0;
    plan->started = 0;
    code = neighbours_clear(&plan->neighbours, size);
    for (int n = 0; n < count && !code; n++) {
        if (copies[n].from.rank >= size || copies[n].to.rank >= size)
            return cca_error_set(err, -ENOTCONN,
                                 "copies from rank %d to rank %d, but there are %d",
                                 copies[n].from.rank, copies[n].to.rank, size);
        code = neighbours_add(&plan->neighbours, rank, &copies[n]);
    }
    if (code)
        return cca_error_set(err, code, "out of memory for %d copies", count);
    plan->stamp = stamp;
    return 0;
}

static void ghosts_forget(struct ghost_port *self, int level)
{
    struct plan *plan = plan_of(self, level);

    if (!plan)
        return;
    neighbours_done(&plan->neighbours);
    *plan = (struct plan){0};
}

static int ghosts_start(struct ghost_port *self, int level, int64_t stamp, int components,
                        const struct ghost_values *values, double fraction)
{
    struct ghosts *k = cca_container_of(self, struct ghosts, port);
    CCA_USE_OPTIONAL(struct exchange_port, ranks, k->services, "exchange");
    struct plan *plan = plan_of(self, level);
    int code;

    if (!plan || !plan->stamp || plan->stamp != stamp)
        return -ESTALE;
    plan->values = (struct copy_values){.fraction = fraction, .components = components};
    memcpy(plan->values.parts, values, sizeof plan->values.parts);
    code = neighbours_start(&plan->neighbours, ranks, level, &plan->values);
    plan->started = !code;
    return code;
}

static int ghosts_finish(struct ghost_port *self, int level, int64_t *cells,
                         int64_t *bytes, int64_t *messages, int64_t *peers)
{
    struct ghosts *k = cca_container_of(self, struct ghosts, port);
    CCA_USE_OPTIONAL(struct exchange_port, ranks, k->services, "exchange");
    struct plan *plan = plan_of(self, level);
    int code;

    if (!plan || !plan->started)
        return -EINVAL;
    plan->started = 0;
    code = ranks ? ranks->wait(ranks) : 0;
    if (code)
        return code;
    neighbours_unpack(&plan->neighbours, &plan->values);
    neighbours_count(&plan->neighbours, plan->values.components, cells, bytes, messages,
                     peers);
    return 0;
}

static const struct ghost_port port = {
    .base = {GHOST_PORT_TYPE, sizeof port},
    .plan = ghosts_plan,
    .forget = ghosts_forget,
    .start = ghosts_start,
    .finish = ghosts_finish,
};

static void ghosts_destroy(void *self)
{
    struct ghosts *k = self;

    for (int level = 0; level < GHOST_LEVELS; level++)
        ghosts_forget(&k->port, level);
}

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct ghosts, services),
    .name = "GhostsPerNeighbour",
    .summary = "ghost cells of a mesh: one message for each neighbour rank",
    CCA_SIGNATURES(GHOST_PORT_SIGNATURE),
    CCA_IMPLEMENTS({"ghosts", offsetof(struct ghosts, port), &port.base}),
    CCA_USES(RANKS_USES),
    .destroy = ghosts_destroy,
};

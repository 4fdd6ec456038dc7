/* SPDX-License-Identifier: BSD-3-Clause */
/* ghosts.h: the ghost port of a class that updates ghost cells, except its messages.
 *
 * A class defines struct plan, the messages of one level, before it includes this header,
 * and after it the functions plan_... that are declared below. A plan
 * has the members stamp (its serial number; 0: there is no plan), started (0 or 1) and
 * values (which the current update copies). */
#ifndef COMPONENTS_GHOSTS_H
#define COMPONENTS_GHOSTS_H

#include <errno.h>

#include "components/ranks.h"
#include "ports/ghost_port_signature.h"

struct ghosts {
    struct ghost_port port;
    struct cca_services *services;
    int has_met; /* true if ranks_meet was called */
    struct plan plans[GHOST_LEVELS];
};

/* Plan the messages of this rank, one of `size`. Returns 0 or -ENOMEM. */
static int plan_make(struct plan *plan, const struct ghost_copy *copies, int count,
                     int rank, int size);
/* Free the plan and make it empty. */
static void plan_done(struct plan *plan);
/* Begin all receives and sends of an update. Returns 0 or a negative errno. */
static int plan_start(struct plan *plan, struct exchange_port *ranks, int level);
/* Store the received values, and count as `finish` of the ghost port does; each counter
 * may be NULL.
 */
static void plan_finish(struct plan *plan, int64_t *cells, int64_t *bytes,
                        int64_t *messages, int64_t *peers);

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
    for (int n = 0; n < count; n++)
        if (copies[n].from.rank >= size || copies[n].to.rank >= size)
            return cca_error_set(err, -ENOTCONN,
                                 "copies from rank %d to rank %d, but there are %d",
                                 copies[n].from.rank, copies[n].to.rank, size);
    code = plan_make(plan, copies, count, rank, size);
    if (code)
        return cca_error_set(err, code, "out of memory for %d copies", count);
    plan->stamp = stamp;
    return 0;
}

static void ghosts_forget(struct ghost_port *self, int level)
{
    struct plan *plan = plan_of(self, level);

    if (plan)
        plan_done(plan);
}

static int ghosts_start(struct ghost_port *self, int level, int64_t stamp, int components,
                        const struct ghost_values *values, double fraction)
{
    struct ghosts *k = cca_container_of(self, struct ghosts, port);
    CCA_USE_OPTIONAL(struct exchange_port, ranks, k->services, "exchange");
    struct plan *plan = plan_of(self, level);
    struct copy_values *copied;
    int code;

    if (!plan || !plan->stamp || plan->stamp != stamp)
        return -ESTALE;
    copied = &plan->values;
    *copied = (struct copy_values){.fraction = fraction, .components = components};
    memcpy(copied->parts, values, sizeof copied->parts);
    code = plan_start(plan, ranks, level);
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
    if (!code)
        plan_finish(plan, cells, bytes, messages, peers);
    return code;
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

#define GHOSTS_CLASS(text)                                                               \
    CCA_CLASS(struct ghosts, services),                                                  \
        .summary = text, CCA_SIGNATURES(GHOST_PORT_SIGNATURE),                           \
        CCA_IMPLEMENTS({"ghosts", offsetof(struct ghosts, port), &port.base}),           \
        CCA_USES(RANKS_USES), .destroy = ghosts_destroy

#endif

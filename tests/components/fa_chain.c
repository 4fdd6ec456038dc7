/* SPDX-License-Identifier: BSD-3-Clause */
/* fa_chain.c: a flux port that calls the next one, ny calls deep, and at the bottom runs
 * the action (fa_act.h). It keeps no state on the way, since a call may never return. */
#include "framework/cca.h"
#include "tests/faults/fa_act.h"

struct chain {
    struct flux_port flux;
    struct cca_services *services;
    struct flux_port *next; /* set at first use; __atomic */
};

static struct flux_port *next_of(struct chain *chain)
{
    struct flux_port *next = __atomic_load_n(&chain->next, __ATOMIC_ACQUIRE);

    if (!next) {
        next = cca_services_get_port_nonblocking(chain->services, "next", FLUX_PORT_TYPE,
                                                 sizeof *next, NULL);
        __atomic_store_n(&chain->next, next, __ATOMIC_RELEASE);
    }
    return next;
}

static int compute(struct flux_port *self, int axis, int nx, int ny, int64_t patch,
                   const double *left, const double *right, double *flux,
                   int64_t *iterations, int64_t *active)
{
    struct chain *chain = cca_container_of(self, struct chain, flux);
    struct flux_port *next = ny > 1 ? next_of(chain) : NULL;
    struct fa_act *act = (struct fa_act *)(uintptr_t)left;
    int result = 0;

    if (next)
        result = next->compute(next, axis, nx, ny - 1, patch, left, right, flux,
                               iterations, active);
    else if (act)
        act->act(act);
    __asm__ volatile(""); /* no tail call: each level is a frame */
    return result;
}

static const struct flux_port port = {{FLUX_PORT_TYPE, sizeof port}, compute};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct chain, services),
    .name = "FaultChain",
    CCA_IMPLEMENTS({"flux", offsetof(struct chain, flux), &port.base}),
    CCA_USES(CCA_PORT("next", FLUX_PORT_TYPE, struct flux_port)),
};

/* SPDX-License-Identifier: BSD-3-Clause */
/* fa_chain.c: a flux port that calls the next one, ny calls deep, and at the bottom does
 * what it was handed (fa_act.h). It keeps nothing on the way: any call may never come
 * back. */
#include <errno.h>
#include <stdlib.h>

#include "framework/cca.h"
#include "tests/components/fa_act.h"

struct chain {
    struct flux_port flux;
    struct cca_services *services;
    struct flux_port *next; /* once it was needed; __atomic */
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

static int compute(struct flux_port *self, int axis, int nx, int ny, const double *left,
                   const double *right, double *flux, int64_t *iterations)
{
    struct chain *chain = cca_container_of(self, struct chain, flux);
    struct flux_port *next = ny > 1 ? next_of(chain) : NULL;
    struct fa_act *act = (struct fa_act *)(uintptr_t)left;
    int result = 0;

    if (next)
        result = next->compute(next, axis, nx, ny - 1, left, right, flux, iterations);
    else if (act)
        act->act(act);
    __asm__ volatile(""); /* no tail call: each level is a frame */
    return result;
}

static void *create(const struct cca_class *cls, struct cca_error *err)
{
    struct chain *chain = calloc(1, sizeof *chain);

    (void)cls;
    if (!chain)
        cca_error_set(err, -ENOMEM, "out of memory");
    else
        chain->flux = (struct flux_port){{FLUX_PORT_TYPE, sizeof chain->flux}, compute};
    return chain;
}

static int set_services(void *self, struct cca_services *services, struct cca_error *err)
{
    struct chain *chain = self;

    chain->services = services;
    return cca_services_add_provides_port(services, &chain->flux.base, "flux", NULL, err);
}

static const struct cca_port_decl provides[] = {
    {.name = "flux", .type = FLUX_PORT_TYPE, .size = sizeof(struct flux_port)},
    {0},
};
static const struct cca_port_decl uses[] = {
    {.name = "next", .type = FLUX_PORT_TYPE, .size = sizeof(struct flux_port)},
    {0},
};

CCA_EXPORT const struct cca_class cca_class = {
    .abi = CCA_ABI,
    .size = sizeof(struct cca_class),
    .name = "FaultChain",
    .provides = provides,
    .uses = uses,
    .create = create,
    .set_services = set_services,
    .destroy = free,
};

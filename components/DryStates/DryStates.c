/* SPDX-License-Identifier: BSD-3-Clause */
/* DryStates: accepts the calls of a States class without any work: all states are a gas
 * at rest, which every flux class accepts. It needs the same ghost layers as States. */
#include <assert.h>
#include <errno.h>

#include "components/euler.h"
#include "components/limiter.h"
#include "ports/gas_port_signature.h"
#include "ports/states_port_signature.h"

struct states {
    struct states_port port;
    struct cca_services *services;
};

static int dry_ghost_needed(struct states_port *port)
{
    struct states *self = cca_container_of(port, struct states, port);

    return limiter_ghosts(limiter_current(self->services));
}

static int dry_reconstruct(struct states_port *port, int axis, int nx, int ny, int ghost,
                           ptrdiff_t pitch, ptrdiff_t plane, const double *u,
                           double *left, double *right)
{
    static const double rest[EULER_NVAR] = {[EULER_RHO] = 1., [EULER_P] = 1.};
    size_t faces = (size_t)(nx + !axis) * (size_t)(ny + axis);

    (void)pitch, (void)plane, (void)u;
    assert((axis == 0 || axis == 1) && nx > 0 && ny > 0);
    if (ghost < dry_ghost_needed(port))
        return -EINVAL;
    for (size_t k = 0; k < EULER_NVAR; k++)
        for (size_t f = 0; f < faces; f++)
            left[k * faces + f] = right[k * faces + f] = rest[k];
    return 0;
}

static const struct states_port port = {.base = {STATES_PORT_TYPE, sizeof port},
                                        .reconstruct = dry_reconstruct,
                                        .ghost_needed = dry_ghost_needed};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct states, services),
    .name = "DryStates",
    .summary = "a gas at rest: calls and sizes of a run without its work",
    CCA_SIGNATURES(STATES_PORT_SIGNATURE, GAS_PORT_SIGNATURE),
    CCA_IMPLEMENTS({"states", offsetof(struct states, port), &port.base}),
    CCA_PROVIDES(CCA_INDEPENDENT("states", STATES_PORT_TYPE, struct states_port)),
    /* The port `gas` is not used, but scripts connect it to every States class. */
    CCA_USES(CCA_PORT("gas", GAS_PORT_TYPE, struct gas_port)),
    CCA_PARAMS(LIMITER_PARAM),
};

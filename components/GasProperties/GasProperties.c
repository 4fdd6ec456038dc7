/* SPDX-License-Identifier: BSD-3-Clause */
/* GasProperties: an ideal gas whose ratio of specific heats is a parameter. */
#include "framework/cca.h"
#include "ports/gas_port_signature.h"

struct gas {
    struct gas_port port;
    struct cca_services *services;
};

static double gas_gamma(struct gas_port *port)
{
    struct gas *self = cca_container_of(port, struct gas, port);

    return cca_services_param_double(self->services, "gamma");
}

static const struct gas_port port = {.base = {GAS_PORT_TYPE, sizeof port},
                                     .gamma = gas_gamma};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct gas, services),
    .name = "GasProperties",
    .summary = "ideal gas with one ratio of specific heats",
    CCA_SIGNATURES(GAS_PORT_SIGNATURE),
    CCA_IMPLEMENTS({"gas", offsetof(struct gas, port), &port.base}),
    CCA_PROVIDES(CCA_INDEPENDENT("gas", GAS_PORT_TYPE, struct gas_port)),
    CCA_PARAMS({.name = "gamma",
                .type = CCA_DOUBLE,
                .value = "1.4",
                .low = "1.001",
                .high = "10",
                .help = "ratio of specific heats, of both fluids"}),
};

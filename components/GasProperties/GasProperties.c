/* SPDX-License-Identifier: BSD-3-Clause */
/* GasProperties: an ideal gas whose ratio of specific heats is a parameter. */
#include <errno.h>
#include <stdlib.h>

#include "framework/cca.h"
#include "ports/gas_port.h"

struct gas {
    struct gas_port port;
    struct cca_services *services;
};

static double gas_gamma(struct gas_port *port)
{
    struct gas *self = cca_container_of(port, struct gas, port);

    return cca_services_param_double(self->services, "gamma");
}

static void *gas_create(const struct cca_class *cls, struct cca_error *err)
{
    struct gas *self = calloc(1, sizeof *self);

    (void)cls;
    if (!self) {
        cca_error_set(err, -ENOMEM, "out of memory");
        return NULL;
    }
    self->port = (struct gas_port){
        .base = {GAS_PORT_TYPE, sizeof(struct gas_port)},
        .gamma = gas_gamma,
    };
    return self;
}

static int gas_set_services(void *instance, struct cca_services *services,
                            struct cca_error *err)
{
    struct gas *self = instance;

    self->services = services;
    return cca_services_add_provides_port(services, &self->port.base, "gas", NULL, err);
}

static void gas_destroy(void *instance)
{
    free(instance);
}

static const struct cca_port_decl provides[] = {
    {.name = "gas", .type = GAS_PORT_TYPE, .size = sizeof(struct gas_port)},
    {0},
};

static const struct cca_param_decl params[] = {
    {.name = "gamma",
     .type = CCA_DOUBLE,
     .value = "1.4",
     .low = "1.001",
     .high = "10",
     .help = "ratio of specific heats, of both fluids"},
    {0},
};

CCA_EXPORT const struct cca_class cca_class = {
    .abi = CCA_ABI,
    .size = sizeof(struct cca_class),
    .name = "GasProperties",
    .summary = "ideal gas with one ratio of specific heats",
    .provides = provides,
    .params = params,
    .create = gas_create,
    .set_services = gas_set_services,
    .destroy = gas_destroy,
};

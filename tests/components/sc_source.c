/* SPDX-License-Identifier: BSD-3-Clause */
/* sc_source.c: provides a number, also through a port of an old type. */
#include "framework/cca.h"
#include "tests/components/sc_ports.h"

struct source {
    struct sc_data_port data, old;
    struct cca_services *services;
};

static int source_value(struct sc_data_port *self)
{
    struct source *source = cca_container_of(self, struct source, data);

    return (int)cca_services_param_long(source->services, "value");
}

static int source_old_value(struct sc_data_port *self)
{
    (void)self;
    return -1;
}

static const struct sc_data_port data_port = {{SC_DATA_TYPE, sizeof data_port},
                                              source_value};
static const struct sc_data_port old_port = {{SC_OLD_DATA_TYPE, sizeof old_port},
                                             source_old_value};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct source, services),
    .name = "ScSource",
    .summary = "a number",
    CCA_IMPLEMENTS({"data", offsetof(struct source, data), &data_port.base},
                   {"old", offsetof(struct source, old), &old_port.base}),
    CCA_PROVIDES({.name = "data",
                  .type = SC_DATA_TYPE,
                  .size = sizeof(struct sc_data_port),
                  .max_connections = 2},
                 CCA_PORT("old", SC_OLD_DATA_TYPE, struct sc_data_port)),
    CCA_PARAMS({.name = "value",
                .type = CCA_INT,
                .value = "42",
                .unit = "apples",
                .help = "the number"}),
};

/* SPDX-License-Identifier: BSD-3-Clause */
/* sc_source.c: provides a number, also through a port that nobody wants any more. */
#include <stdlib.h>

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

static void *source_create(const struct cca_class *cls, struct cca_error *err)
{
    struct source *source = calloc(1, sizeof *source);

    (void)cls;
    if (!source) {
        cca_error_set(err, -12, "out of memory");
        return NULL;
    }
    source->data =
        (struct sc_data_port){{SC_DATA_TYPE, sizeof source->data}, source_value};
    source->old =
        (struct sc_data_port){{SC_OLD_DATA_TYPE, sizeof source->old}, source_old_value};
    return source;
}

static int source_set_services(void *self, struct cca_services *services,
                               struct cca_error *err)
{
    struct source *source = self;
    int status;

    source->services = services;
    status =
        cca_services_add_provides_port(services, &source->data.base, "data", NULL, err);
    return status ? status
                  : cca_services_add_provides_port(services, &source->old.base, "old",
                                                   NULL, err);
}

static const struct cca_port_decl provides[] = {
    {.name = "data",
     .type = SC_DATA_TYPE,
     .size = sizeof(struct sc_data_port),
     .max_connections = 2},
    {.name = "old", .type = SC_OLD_DATA_TYPE, .size = sizeof(struct sc_data_port)},
    {0}};
static const struct cca_param_decl params[] = {{.name = "value",
                                                .type = CCA_INT,
                                                .value = "42",
                                                .unit = "apples",
                                                .help = "the number"},
                                               {0}};

CCA_EXPORT const struct cca_class cca_class = {
    .abi = CCA_ABI,
    .size = sizeof(struct cca_class),
    .name = "ScSource",
    .summary = "a number",
    .provides = provides,
    .params = params,
    .create = source_create,
    .set_services = source_set_services,
    .destroy = free,
};

/* SPDX-License-Identifier: BSD-3-Clause */
/* fw_source.c: a component whose values are its parameters; one other may use `single`.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/cca.h"
#include "ports/go_port.h"
#include "tests/components/fw_ports.h"

struct source {
    struct fw_value_port out, single, shy;
    struct cca_services *services;
};

static int out_value(struct fw_value_port *self)
{
    struct source *source = cca_container_of(self, struct source, out);

    return (int)cca_services_param_long(source->services, "n");
}

static int single_value(struct fw_value_port *self)
{
    struct source *source = cca_container_of(self, struct source, single);

    return (int)cca_services_param_double(source->services, "x");
}

static int shy_value(struct fw_value_port *self)
{
    struct source *source = cca_container_of(self, struct source, shy);

    if (!cca_services_param_bool(source->services, "on"))
        return 0;
    return (int)strlen(cca_services_param_string(source->services, "limiter"));
}

static void *source_create(const struct cca_class *cls, struct cca_error *err)
{
    struct source *source = calloc(1, sizeof *source);

    (void)cls;
    if (!source) {
        cca_error_set(err, -ENOMEM, "out of memory");
        return NULL;
    }
    source->out = (struct fw_value_port){{FW_VALUE_TYPE, sizeof source->out}, out_value};
    source->single =
        (struct fw_value_port){{FW_VALUE_TYPE, sizeof source->single}, single_value};
    source->shy = (struct fw_value_port){{FW_VALUE_TYPE, sizeof source->shy}, shy_value};
    return source;
}

static int source_set_services(void *self, struct cca_services *services,
                               struct cca_error *err)
{
    struct source *source = self;
    struct cca_typemap *properties = cca_typemap_new();
    int status =
        properties ? cca_typemap_put_bool(properties, "ABLE_TO_PROXY", 0) : -ENOMEM;

    source->services = services;
    if (!status)
        status =
            cca_services_add_provides_port(services, &source->out.base, "out", NULL, err);
    if (!status)
        status = cca_services_add_provides_port(services, &source->single.base, "single",
                                                NULL, err);
    if (!status)
        status = cca_services_add_provides_port(services, &source->shy.base, "shy",
                                                properties, err);
    cca_typemap_free(properties);
    return status;
}

static const struct cca_port_decl provides[] = {
    {.name = "out", .type = FW_VALUE_TYPE, .size = sizeof(struct fw_value_port)},
    {.name = "single",
     .type = FW_VALUE_TYPE,
     .size = sizeof(struct fw_value_port),
     .max_connections = 1,
     .flags = CCA_PORT_NO_PROXY},
    {.name = "shy", .type = FW_VALUE_TYPE, .size = sizeof(struct fw_value_port)},
    {0}};

static const struct cca_param_decl params[] = {
    {.name = "n", .type = CCA_INT, .value = "7", .low = "0", .high = "1000000"},
    {.name = "x", .type = CCA_DOUBLE, .value = "0.5", .low = "0", .unit = "s"},
    {.name = "on", .type = CCA_BOOL, .value = "true"},
    {.name = "limiter",
     .type = CCA_STRING,
     .value = "vanleer",
     .choices = "none|minmod|vanleer"},
    {.name = "part", .type = CCA_FLOAT, .value = "0.1", .high = "0.5"},
    {0}};

CCA_EXPORT const struct cca_class cca_class = {
    .abi = CCA_ABI,
    .size = sizeof(struct cca_class),
    .name = "FwSource",
    .summary = "a number",
    .provides = provides,
    .params = params,
    .create = source_create,
    .set_services = source_set_services,
    .destroy = free,
};

/* SPDX-License-Identifier: BSD-3-Clause */
/* fw_source.c: a component whose values are its parameters; one other may use `single`.
 */
#include <errno.h>
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

static const struct fw_value_port out_port = {{FW_VALUE_TYPE, sizeof out_port},
                                              out_value};
static const struct fw_value_port single_port = {{FW_VALUE_TYPE, sizeof single_port},
                                                 single_value};
static const struct fw_value_port shy_port = {{FW_VALUE_TYPE, sizeof shy_port},
                                              shy_value};

static int source_set_services(void *self, struct cca_services *services,
                               struct cca_error *err)
{
    struct source *source = self;
    struct cca_typemap *properties = cca_typemap_new();
    int status =
        properties ? cca_typemap_put_bool(properties, "ABLE_TO_PROXY", 0) : -ENOMEM;

    source->shy = shy_port;
    if (!status)
        status = cca_services_add_provides_port(services, &source->shy.base, "shy",
                                                properties, err);
    cca_typemap_free(properties);
    return status;
}

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct source, services),
    .name = "FwSource",
    .summary = "a number",
    CCA_IMPLEMENTS({"out", offsetof(struct source, out), &out_port.base},
                   {"single", offsetof(struct source, single), &single_port.base}),
    CCA_PROVIDES(CCA_PORT("out", FW_VALUE_TYPE, struct fw_value_port),
                 {.name = "single",
                  .type = FW_VALUE_TYPE,
                  .size = sizeof(struct fw_value_port),
                  .max_connections = 1,
                  .flags = CCA_PORT_NO_PROXY},
                 CCA_PORT("shy", FW_VALUE_TYPE, struct fw_value_port)),
    CCA_PARAMS(
        {.name = "n", .type = CCA_INT, .value = "7", .low = "0", .high = "1000000"},
        {.name = "x", .type = CCA_DOUBLE, .value = "0.5", .low = "0", .unit = "s"},
        {.name = "on", .type = CCA_BOOL, .value = "true"},
        {.name = "limiter",
         .type = CCA_STRING,
         .value = "vanleer",
         .choices = "none|minmod|vanleer"},
        {.name = "part", .type = CCA_FLOAT, .value = "0.1", .high = "0.5"}),
    .set_services = source_set_services,
};

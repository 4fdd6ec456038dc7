/* SPDX-License-Identifier: BSD-3-Clause */
/* sc_late.c: adds a port with parameter `first` when it is set up, and parameter `second`
 * to it in its first go; prints both in go. Refuses 13 as `first`. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "framework/cca.h"
#include "ports/go_port.h"
#include "ports/parameter_factory_port.h"
#include "ports/parameter_port.h"

struct late {
    struct go_port go;
    struct cca_services *services;
    struct parameter_factory_port *factory;
    int gos;
};

static const struct cca_param_decl first = {.name = "first",
                                            .type = CCA_INT,
                                            .value = "1"},
                                   second = {
                                       .name = "second", .type = CCA_INT, .value = "2"};

static int on_set(void *context, const char *port, const char *name, const char *value,
                  struct cca_error *err)
{
    (void)context;
    (void)port;
    (void)name;
    return strcmp(value, "13") == 0 ? cca_error_set(err, -EDOM, "unlucky") : 0;
}

static int late_go(struct go_port *self)
{
    struct late *late = cca_container_of(self, struct late, go);
    struct cca_typemap *map = cca_typemap_new();
    int status = late->gos++ == 0
                     ? late->factory->add_request(late->factory, "own", &second, NULL)
                     : 0;

    if (!map)
        return -ENOMEM;
    if (!status)
        status = late->factory->read(late->factory, "own", map, NULL);
    if (!status)
        printf("go %d: first %d, second %d\n", late->gos,
               cca_typemap_get_int(map, "first", -1),
               cca_typemap_get_int(map, "second", -1));
    cca_typemap_free(map);
    return status;
}

static const struct go_port port = {{GO_PORT_TYPE, sizeof port}, late_go};

static int set_services(void *self, struct cca_services *services, struct cca_error *err)
{
    struct late *late = self;
    int status;

    late->services = services;
    late->factory = cca_services_get_port(
        services, "factory", PARAMETER_FACTORY_PORT_TYPE, sizeof *late->factory, err);
    if (!late->factory)
        return -ENOTCONN;
    status = late->factory->create(late->factory, "own", err);
    if (!status)
        status = late->factory->add_request(late->factory, "own", &first, err);
    return status ? status
                  : late->factory->add_set_listener(late->factory, "own", on_set, late);
}

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct late, services),
    .name = "ScLate",
    .summary = "a component that adds its parameters at run time",
    .flags = CCA_DYNAMIC_PORTS,
    CCA_IMPLEMENTS({"go", offsetof(struct late, go), &port.base}),
    CCA_USES(
        CCA_PORT("factory", PARAMETER_FACTORY_PORT_TYPE, struct parameter_factory_port)),
    .set_services = set_services,
};

/* SPDX-License-Identifier: BSD-3-Clause */
/* fw_go_proxy.c: a test interposer for the Go port; it gets its ports call by call. */
#include <errno.h>
#include <stdlib.h>

#include "framework/cca.h"
#include "ports/go_port.h"
#include "tests/components/fw_ports.h"

struct proxy {
    struct go_port port;
    struct cca_services *services;
};

static int proxy_go(struct go_port *self)
{
    struct proxy *proxy = cca_container_of(self, struct proxy, port);
    struct fw_sink_port *sink =
        cca_services_get_port(proxy->services, "sink", FW_SINK_TYPE, sizeof *sink, NULL);
    struct go_port *target = cca_services_get_port(proxy->services, "port", GO_PORT_TYPE,
                                                   sizeof *target, NULL);
    int result = -ENOTCONN;

    if (sink && target) {
        sink->count(sink);
        result = target->go(target);
    }
    cca_services_release_port(proxy->services, "port", NULL);
    cca_services_release_port(proxy->services, "sink", NULL);
    return result;
}

static void *proxy_create(const struct cca_class *cls, struct cca_error *err)
{
    struct proxy *proxy = calloc(1, sizeof *proxy);

    (void)cls;
    (void)err;
    if (proxy)
        proxy->port = (struct go_port){{GO_PORT_TYPE, sizeof proxy->port}, proxy_go};
    return proxy;
}

static int proxy_set_services(void *self, struct cca_services *services,
                              struct cca_error *err)
{
    struct proxy *proxy = self;

    proxy->services = services;
    return cca_services_add_provides_port(services, &proxy->port.base, "port", NULL, err);
}

static const struct cca_port_decl provides[] = {
    {.name = "port", .type = GO_PORT_TYPE, .size = sizeof(struct go_port)}, {0}};

static const struct cca_port_decl uses[] = {{.name = "port",
                                             .type = GO_PORT_TYPE,
                                             .size = sizeof(struct go_port),
                                             .min_connections = 1},
                                            {.name = "sink",
                                             .type = FW_SINK_TYPE,
                                             .size = sizeof(struct fw_sink_port),
                                             .min_connections = 1},
                                            {0}};

CCA_EXPORT const struct cca_class cca_class = {
    .abi = CCA_ABI,
    .size = sizeof(struct cca_class),
    .name = "FwGoProxy",
    .provides = provides,
    .uses = uses,
    .proxy_for = GO_PORT_TYPE,
    .create = proxy_create,
    .set_services = proxy_set_services,
    .destroy = free,
};

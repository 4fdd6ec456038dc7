/* SPDX-License-Identifier: BSD-3-Clause */
/* fw_value_proxy.c: a test interposer for fw.ValuePort/1: adds 1000 and counts in its
 * sink. It holds what it fronts from CONNECTED until DISCONNECT_PENDING. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/cca.h"
#include "ports/connection_event_port.h"
#include "tests/components/fw_ports.h"

struct proxy {
    struct fw_value_port port;
    struct fw_value_port *target;
    struct fw_sink_port *sink;
    struct cca_services *services;
};

static int proxy_value(struct fw_value_port *self)
{
    struct proxy *proxy = cca_container_of(self, struct proxy, port);

    if (proxy->sink)
        proxy->sink->count(proxy->sink);
    return 1000 + proxy->target->value(proxy->target);
}

/* Get what is connected at a uses port, or give it back. Events of the provides port,
 * which may have the same name, are none of its business. */
static int proxy_heard(void *context, const struct connection_event *event,
                       struct cca_error *err)
{
    struct proxy *proxy = context;
    struct cca_peer peer;

    if (!event->uses)
        return 0;
    if (event->type == CONNECTION_DISCONNECT_PENDING && !strcmp(event->port, "sink"))
        proxy->sink = NULL;
    if (event->type == CONNECTION_DISCONNECT_PENDING)
        return cca_services_release_port(proxy->services, event->port, err);
    if (event->type != CONNECTION_CONNECTED)
        return 0;
    if (!strcmp(event->port, "sink")) {
        proxy->sink = cca_services_get_port(proxy->services, "sink", FW_SINK_TYPE,
                                            sizeof *proxy->sink, err);
        return proxy->sink ? 0 : -EPROTO;
    }
    if (strcmp(event->port, "port") != 0)
        return 0;
    if (cca_services_get_peer(proxy->services, "port", &peer, err) ||
        strcmp(peer.instance, event->peer) != 0 ||
        strcmp(peer.port, event->peer_port) != 0 || !*peer.build_id || !*peer.file)
        return cca_error_set(err, -EPROTO, "the peer is not the peer");
    if (getenv("FW_PROXY_FAILS") && !strcmp(getenv("FW_PROXY_FAILS"), peer.instance))
        return cca_error_set(err, -EACCES, "told to fail at '%s'", peer.instance);
    proxy->target = cca_services_get_port(proxy->services, "port", FW_VALUE_TYPE,
                                          sizeof *proxy->target, err);
    return proxy->target ? 0 : -EPROTO;
}

static void *proxy_create(const struct cca_class *cls, struct cca_error *err)
{
    struct proxy *proxy = calloc(1, sizeof *proxy);

    (void)cls;
    if (!proxy) {
        cca_error_set(err, -ENOMEM, "out of memory");
        return NULL;
    }
    proxy->port =
        (struct fw_value_port){{FW_VALUE_TYPE, sizeof proxy->port}, proxy_value};
    return proxy;
}

static int proxy_set_services(void *self, struct cca_services *services,
                              struct cca_error *err)
{
    struct proxy *proxy = self;
    struct connection_event_port *events = cca_services_get_port(
        services, "events", CONNECTION_EVENT_PORT_TYPE, sizeof *events, err);

    proxy->services = services;
    if (!events || events->add_listener(events, CONNECTION_EVENT_ALL, proxy_heard, proxy))
        return -ENOMEM;
    cca_services_release_port(services, "events", NULL);
    return cca_services_add_provides_port(services, &proxy->port.base, "port", NULL, err);
}

static const struct cca_port_decl provides[] = {
    {.name = "port", .type = FW_VALUE_TYPE, .size = sizeof(struct fw_value_port)}, {0}};

static const struct cca_port_decl uses[] = {
    {.name = "port",
     .type = FW_VALUE_TYPE,
     .size = sizeof(struct fw_value_port),
     .min_connections = 1},
    {.name = "sink",
     .type = FW_SINK_TYPE,
     .size = sizeof(struct fw_sink_port),
     .min_connections = 1},
    {.name = "events",
     .type = CONNECTION_EVENT_PORT_TYPE,
     .size = sizeof(struct connection_event_port)},
    {0}};

CCA_EXPORT const struct cca_class cca_class = {
    .abi = CCA_ABI,
    .size = sizeof(struct cca_class),
    .name = "FwValueProxy",
    .provides = provides,
    .uses = uses,
    .proxy_for = FW_VALUE_TYPE,
    .create = proxy_create,
    .set_services = proxy_set_services,
    .destroy = free,
};

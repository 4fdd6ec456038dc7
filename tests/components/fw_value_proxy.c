/* SPDX-License-Identifier: BSD-3-Clause */
/* fw_value_proxy.c: a test interposer for fw.ValuePort/1: adds 1000 and counts in its
 * sink. It holds the port behind it from CONNECTED to DISCONNECT_PENDING. */
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

/* Get the port at a uses port, or release it. Events of the provides port, which may have
 * the same name, are ignored. */
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
        proxy->sink = cca_services_get(proxy->services, "sink", err);
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
    proxy->target = cca_services_get(proxy->services, "port", err);
    return proxy->target ? 0 : -EPROTO;
}

static const struct fw_value_port port = {{FW_VALUE_TYPE, sizeof port}, proxy_value};

static int proxy_set_services(void *self, struct cca_services *services,
                              struct cca_error *err)
{
    struct proxy *proxy = self;
    struct connection_event_port *events = cca_services_get(services, "events", err);

    if (!events || events->add_listener(events, CONNECTION_EVENT_ALL, proxy_heard, proxy))
        return -ENOMEM;
    cca_services_release_port(services, "events", NULL);
    return 0;
}

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct proxy, services),
    .name = "FwValueProxy",
    .proxy_for = FW_VALUE_TYPE,
    CCA_IMPLEMENTS({"port", offsetof(struct proxy, port), &port.base}),
    CCA_USES(
        CCA_REQUIRED("port", FW_VALUE_TYPE, struct fw_value_port),
        CCA_REQUIRED("sink", FW_SINK_TYPE, struct fw_sink_port),
        CCA_PORT("events", CONNECTION_EVENT_PORT_TYPE, struct connection_event_port)),
    .set_services = proxy_set_services,
};

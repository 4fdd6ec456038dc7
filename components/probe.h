/* SPDX-License-Identifier: BSD-3-Clause */
/* probe.h: a component's optional uses port `probe`, looked up once for each connection:
 * without a connection it costs a test of a pointer.
 *
 * The class needs the uses ports of PROBE_USES; publish.h uses the same `events`. */
#ifndef COMPONENTS_PROBE_H
#define COMPONENTS_PROBE_H

#include <errno.h>
#include <string.h>

#include "framework/cca.h"
#include "ports/connection_event_port.h"
#include "ports/probe_port.h"

#define PROBE_USES CCA_PORT("probe", PROBE_PORT_TYPE, struct probe_port)
#define PROBE_EVENTS                                                                     \
    CCA_PORT("events", CONNECTION_EVENT_PORT_TYPE, struct connection_event_port)

struct prober {
    struct cca_services *services;
    /* port at the component's uses port `probe`; NULL: not connected */
    struct probe_port *port;
};

static inline void prober_release(void *context)
{
    struct prober *prober = context;

    if (prober->port)
        cca_services_release_port(prober->services, "probe", NULL);
    prober->port = NULL;
}

static inline int prober_listen(void *context, const struct connection_event *event,
                                struct cca_error *err)
{
    struct prober *prober = context;

    if (strcmp(event->port, "probe") != 0)
        return 0;
    if (event->type == CONNECTION_CONNECTED && !prober->port) {
        prober->port = cca_services_get(prober->services, "probe", err);
        return prober->port ? 0 : -ENOTCONN;
    }
    if (event->type == CONNECTION_DISCONNECT_PENDING)
        prober_release(prober);
    return 0;
}

/* Initialise a prober: call this function in set_services. Returns 0 or a negative
 * errno with `err`. */
static inline int prober_init(struct prober *prober, struct cca_services *services,
                              struct cca_error *err)
{
    struct connection_event_port *events = cca_services_get(services, "events", err);
    int result;

    if (!events)
        return -ENOTCONN;
    *prober = (struct prober){.services = services};
    result = events->add_listener(events, CONNECTION_EVENT_ALL, prober_listen, prober);
    if (!result)
        result = cca_services_register_for_release(services, prober_release, prober);
    if (result)
        cca_error_set(err, result, "out of memory");
    cca_services_release_port(services, "events", NULL);
    return result;
}

#endif

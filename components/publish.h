/* SPDX-License-Identifier: BSD-3-Clause */
/* publish.h: publish a counter of a component's own work through its uses port
 * `counters`.
 *
 * The class has an optional uses port `counters` and a uses port `events`, which the
 * framework connects. The counter is published when `counters` is connected, so it exists
 * before the first call that counts. Without a connection, counting costs one test of a
 * pointer. The port is held as long as it is connected. */
#ifndef COMPONENTS_PUBLISH_H
#define COMPONENTS_PUBLISH_H

#include <errno.h>
#include <string.h>

#include "framework/cca.h"
#include "ports/connection_event_port.h"
#include "ports/counters_port.h"

#define PUBLISH_USES                                                                     \
    CCA_PORT("counters", COUNTERS_PORT_TYPE, struct counters_port),                      \
        CCA_PORT("events", CONNECTION_EVENT_PORT_TYPE, struct connection_event_port)

struct publisher {
    struct cca_services *services;
    const char *component, *name;
    /* port at the component's uses port `counters`; NULL: not connected */
    struct counters_port *port;
    int counter;
};

static inline int publisher_connect(struct publisher *publisher, struct cca_error *err)
{
    publisher->port = cca_services_get(publisher->services, "counters", err);
    if (!publisher->port)
        return -ENOTCONN;
    publisher->counter = publisher->port->counter(publisher->port, publisher->component,
                                                  publisher->name, err);
    if (publisher->counter >= 0)
        return 0;
    publisher->port = NULL;
    cca_services_release_port(publisher->services, "counters", NULL);
    return publisher->counter;
}

static inline void publisher_release(void *context)
{
    struct publisher *publisher = context;

    if (publisher->port)
        cca_services_release_port(publisher->services, "counters", NULL);
    publisher->port = NULL;
}

static inline int publisher_listen(void *context, const struct connection_event *event,
                                   struct cca_error *err)
{
    struct publisher *publisher = context;

    if (strcmp(event->port, "counters") != 0)
        return 0;
    if (event->type == CONNECTION_CONNECTED && !publisher->port)
        return publisher_connect(publisher, err);
    if (event->type == CONNECTION_DISCONNECT_PENDING)
        publisher_release(publisher);
    return 0;
}

/* Initialise a publisher: call this function in set_services. The names are borrowed
 * for the life of the instance. Returns 0 or a negative errno with `err`. */
static inline int publisher_init(struct publisher *publisher,
                                 struct cca_services *services, const char *component,
                                 const char *name, struct cca_error *err)
{
    struct connection_event_port *events = cca_services_get(services, "events", err);
    int result;

    if (!events)
        return -ENOTCONN;
    *publisher =
        (struct publisher){.services = services, .component = component, .name = name};
    result =
        events->add_listener(events, CONNECTION_EVENT_ALL, publisher_listen, publisher);
    if (!result)
        result =
            cca_services_register_for_release(services, publisher_release, publisher);
    if (result)
        cca_error_set(err, result, "out of memory");
    cca_services_release_port(services, "events", NULL);
    return result;
}

/* Add `amount` to the counter. Any thread, while connections do not change. */
static inline void publisher_add(const struct publisher *publisher, int64_t amount)
{
    if (publisher->port)
        publisher->port->add(publisher->port, publisher->counter, amount);
}

#endif

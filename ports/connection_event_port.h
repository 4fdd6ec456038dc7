/* SPDX-License-Identifier: BSD-3-Clause */
/* connection_event_port.h: be told when one's own ports are connected (CCA's
 * ConnectionEventService). A class uses a port of this type; the framework connects it.
 */
#ifndef PORTS_CONNECTION_EVENT_PORT_H
#define PORTS_CONNECTION_EVENT_PORT_H

#include "ports/cca_port.h"

#define CONNECTION_EVENT_PORT_TYPE "cca.ConnectionEventService/1"

/* gov.cca.ports.EventType */
enum connection_event_type {
    CONNECTION_EVENT_ALL = 0, /* to listen for all; never delivered */
    CONNECTION_CONNECT_PENDING = 1,
    CONNECTION_CONNECTED = 2,
    CONNECTION_DISCONNECT_PENDING = 3,
    CONNECTION_DISCONNECTED = 4
};

struct connection_event {
    enum connection_event_type type;
    int uses;         /* 1: `port` is a uses port of the listener, 0: one it provides */
    const char *port; /* the listener's own port, borrowed for the call */
    const char *peer; /* instance at the other end, borrowed for the call */
    const char *peer_port; /* its port */
};

/* Returns 0; a negative errno from a pending event refuses the connect or disconnect,
 * with `err` set; from the other events it is reported as a failure of the command after
 * the fact. May get, release and register ports. */
typedef int (*connection_listener)(void *context, const struct connection_event *event,
                                   struct cca_error *err);

struct connection_event_port {
    struct cca_port base;

    /* Call `listener` at events of `type` on any port of this instance: user first, then
     * provider. 0, -ENOMEM, -EINVAL no function. */
    int (*add_listener)(struct connection_event_port *self,
                        enum connection_event_type type, connection_listener listener,
                        void *context) CCA_UNMEASURED;
    /* 0, -ENOENT. */
    int (*remove_listener)(struct connection_event_port *self,
                           enum connection_event_type type, connection_listener listener,
                           void *context) CCA_UNMEASURED;
};

#endif

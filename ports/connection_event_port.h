/* SPDX-License-Identifier: BSD-3-Clause */
/* connection_event_port.h: notify a component when its own ports are connected (CCA's
 * ConnectionEventService). A class uses a port of this type; the framework connects
 * it. */
#ifndef PORTS_CONNECTION_EVENT_PORT_H
#define PORTS_CONNECTION_EVENT_PORT_H

#include "ports/cca_port.h"

#define CONNECTION_EVENT_PORT_TYPE "cca.ConnectionEventService/1"

/* Kinds of connection events (gov.cca.ports.EventType). */
enum connection_event_type {
    CONNECTION_EVENT_ALL = 0, /* to listen to events of all types; it is never sent */
    CONNECTION_CONNECT_PENDING = 1,
    CONNECTION_CONNECTED = 2,
    CONNECTION_DISCONNECT_PENDING = 3,
    CONNECTION_DISCONNECTED = 4
};

struct connection_event {
    enum connection_event_type type;
    int uses; /* true if `port` is a uses port of the listener, false if it is a provides
                 port */
    const char *port;      /* the listener's own port, borrowed for the call */
    const char *peer;      /* instance at the other end, borrowed for the call */
    const char *peer_port; /* port of `peer` */
};

/* Called with an event. Returns 0, or a negative errno with `err` set. At a pending event
 * an errno refuses to connect or disconnect; at other events it is reported as a failure
 * of the command, which has been carried out. The listener may get, release and register
 * ports. */
typedef int (*connection_listener)(void *context, const struct connection_event *event,
                                   struct cca_error *err);

struct connection_event_port {
    struct cca_port base;

    /* Call `listener` at events of `type` on any port of this instance. If both ends have
     * listeners, the user's listener is called first. Returns 0, -ENOMEM, or -EINVAL if
     * an argument is NULL. */
    int (*add_listener)(struct connection_event_port *self,
                        enum connection_event_type type, connection_listener listener,
                        void *context) CCA_UNMEASURED;
    /* Remove a listener. Returns 0 or -ENOENT. */
    int (*remove_listener)(struct connection_event_port *self,
                           enum connection_event_type type, connection_listener listener,
                           void *context) CCA_UNMEASURED;
};

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* service_registry_port.h: serve a port type to the whole assembly (CCA's
 * ServiceRegistry). A class uses a port of this type; the framework connects it.
 *
 * A uses port of a registered type that an instance gets from then on (with its creation
 * or by registerUsesPort) is connected at once, like those of the framework's own types,
 * and no script connects it. Ports that were there before stay as they are. `ccafe check`
 * runs no component, so it does not know of what they register: declare such uses ports
 * as optional.
 *
 * The provider cannot be removed while other instances have ports that it serves. All
 * functions are for the thread that runs the framework. */
#ifndef PORTS_SERVICE_REGISTRY_PORT_H
#define PORTS_SERVICE_REGISTRY_PORT_H

#include "ports/cca_port.h"

#define SERVICE_REGISTRY_PORT_TYPE "cca.ServiceRegistry/1"

/* Who makes a port for each user (gov.cca.ports.ServiceProvider); borrowed until the
 * service or its provider is gone. */
struct service_provider {
    /* createService: the port for the instance `user`, borrowed until `end`; of the
     * registered type and size. NULL with `err`: the user's port cannot be made. */
    struct cca_port *(*make)(void *context, const char *user, struct cca_error *err);
    /* destroyService: the user's uses port is going; nobody calls `port` any more. May be
     * NULL. */
    void (*end)(void *context, struct cca_port *port);
    void *context;
};

struct service_registry_port {
    struct cca_port base;

    /* addService: a port for each user. addSingletonService: one port for all. `type` and
     * `size` are those of the port. 0; -EEXIST the type is served already, by an instance
     * or the framework; -EINVAL BadPortType: no type, no `make`; -ENOMEM. */
    int (*add_service)(struct service_registry_port *self, const char *type, size_t size,
                       const struct service_provider *provider,
                       struct cca_error *err) CCA_UNMEASURED;
    int (*add_singleton)(struct service_registry_port *self, struct cca_port *port,
                         struct cca_error *err) CCA_UNMEASURED;
    /* removeService, by the instance that has added it. 0; -ENOENT; -EBUSY while others
     * have ports of it. What an instance leaves behind is removed with it. */
    int (*remove_service)(struct service_registry_port *self, const char *type,
                          struct cca_error *err) CCA_UNMEASURED;
};

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* service_registry_port.h: provide ports of a type to the whole assembly (CCA's
 * ServiceRegistry). A class uses a port of this type; the framework connects it.
 *
 * After a type is registered, the framework connects each new uses port of that type,
 * like those of the framework's own types, and no script connects it. Ports that exist
 * already are unchanged. `ccafe check` runs no component, so it does not see registered
 * types: declare such uses ports as optional.
 *
 * The provider cannot be removed while other instances have ports from it. Call all
 * functions in the thread that runs the framework. */
#ifndef PORTS_SERVICE_REGISTRY_PORT_H
#define PORTS_SERVICE_REGISTRY_PORT_H

#include "ports/cca_port.h"

#define SERVICE_REGISTRY_PORT_TYPE "cca.ServiceRegistry/1"

/* Functions that make a port for each user (gov.cca.ports.ServiceProvider); borrowed
 * until the service or its provider is removed. */
struct service_provider {
    /* createService: make the port for the instance `user`, borrowed until `end`, with
     * the registered type and size. Returns NULL with `err` if the port cannot be made.
     */
    struct cca_port *(*make)(void *context, const char *user, struct cca_error *err);
    /* destroyService: the user's uses port is being removed; `port` is not called any
     * more. May be NULL. */
    void (*end)(void *context, struct cca_port *port);
    void *context;
};

struct service_registry_port {
    struct cca_port base;

    /* addService: register a type with a port for each user. addSingletonService:
     * register a type with one port for all users. `type` and `size` belong to the port.
     * Each returns 0; -EEXIST: an instance or the framework provides the type already;
     * -EINVAL (BadPortType): no type or no `make`; -ENOMEM. */
    int (*add_service)(struct service_registry_port *self, const char *type, size_t size,
                       const struct service_provider *provider,
                       struct cca_error *err) CCA_UNMEASURED;
    int (*add_singleton)(struct service_registry_port *self, struct cca_port *port,
                         struct cca_error *err) CCA_UNMEASURED;
    /* removeService: called by the instance that has registered it. Returns 0; -ENOENT;
     * -EBUSY while other instances have ports from it. The services of an instance are
     * removed with the instance. */
    int (*remove_service)(struct service_registry_port *self, const char *type,
                          struct cca_error *err) CCA_UNMEASURED;
};

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* registry.c: the ServiceRegistry: port types that instances provide to the whole
 * assembly. */
#include "framework/assembly/assembly.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct cca_instance *owner_of(struct service_registry_port *self)
{
    return cca_container_of(self, struct cca_service_registry, port)->owner;
}

struct cca_service *cca_service_find(const struct cca_framework *framework,
                                     const char *type)
{
    struct cca_service *service = framework->services;

    while (service && strcmp(service->type, type) != 0)
        service = service->next;
    return service;
}

static int register_service(struct cca_instance *owner, const char *type, size_t size,
                            const struct service_provider *provider,
                            struct cca_port *single, struct cca_error *err)
{
    struct cca_framework *framework = owner->framework;
    struct cca_service *service;

    if (!type || !*type || size < sizeof(struct cca_port))
        return cca_error_raise(err, -EINVAL, CCA_EXCEPTION_BAD_PORT_TYPE,
                               "'%s' serves a port without a type or a size",
                               owner->name);
    if (!strncmp(type, CCA_SERVICE_PREFIX, strlen(CCA_SERVICE_PREFIX)))
        return cca_error_set(err, -EEXIST, "%s is the framework's own to serve", type);
    service = cca_service_find(framework, type);
    if (service)
        return cca_error_set(err, -EEXIST, "'%s' serves %s already", service->owner->name,
                             type);
    service = calloc(1, sizeof *service);
    if (!service || !(service->type = strdup(type))) {
        free(service);
        return cca_no_memory(err);
    }
    service->size = size;
    service->owner = owner;
    service->provider = provider;
    service->single = single;
    service->next = framework->services;
    framework->services = service;
    return 0;
}

static int add_service(struct service_registry_port *self, const char *type, size_t size,
                       const struct service_provider *provider, struct cca_error *err)
{
    struct cca_instance *owner = owner_of(self);

    if (!provider || !provider->make)
        return cca_error_raise(err, -EINVAL, CCA_EXCEPTION_BAD_PORT_TYPE,
                               "'%s' serves %s and makes no port", owner->name,
                               type ? type : "a port");
    return register_service(owner, type, size, provider, NULL, err);
}

static int add_singleton(struct service_registry_port *self, struct cca_port *port,
                         struct cca_error *err)
{
    return register_service(owner_of(self), port ? port->type : NULL,
                            port ? port->size : 0, NULL, port, err);
}

int cca_service_take(struct cca_service *service, struct cca_socket *socket,
                     struct cca_error *err)
{
    struct cca_error inner = {0};
    struct cca_port *port = service->single;

    if (!port) {
        struct cca_activity before = cca_activity_begin(service->owner, "service");

        port = service->provider->make(service->provider->context, socket->owner->name,
                                       &inner);
        cca_activity_end(service->owner->framework, &before);
    }
    if (!port)
        return cca_component_failed(err, inner.code, &inner, "'%s' serves no %s to '%s'",
                                    service->owner->name, service->type,
                                    socket->owner->name);
    socket->service = port;
    socket->served_by = service;
    service->users++;
    if (port->type && !strcmp(port->type, service->type) && port->size == service->size)
        return 0;
    return cca_error_raise(err, -EINVAL, CCA_EXCEPTION_BAD_PORT_TYPE,
                           "'%s' serves %s of %zu bytes with a port that is %s of %zu",
                           service->owner->name, service->type, service->size,
                           port->type ? port->type : "of no type", port->size);
}

void cca_service_give_back(struct cca_socket *socket)
{
    struct cca_service *service = socket->served_by;
    struct cca_port *port = socket->service;

    socket->served_by = NULL;
    socket->service = NULL;
    service->users--;
    if (!service->single && service->provider->end) {
        struct cca_activity before = cca_activity_begin(service->owner, "service");

        service->provider->end(service->provider->context, port);
        cca_activity_end(service->owner->framework, &before);
    }
}

/* Return the next socket with a port from `service`, from `*link` and `*i` on; NULL:
 * none. */
static struct cca_socket *next_user(const struct cca_service *service,
                                    struct cca_link **link, size_t *i)
{
    const struct cca_list *all = &service->owner->framework->instances;

    for (; *link; *link = cca_list_next(all, *link), *i = 0) {
        const struct cca_instance *instance = cca_instance_of_link(*link);

        while (*i < instance->socket_count) {
            struct cca_socket *socket = instance->sockets[(*i)++];

            if (socket->served_by == service)
                return socket;
        }
    }
    return NULL;
}

/* Check that no other instance that remains has a port from the service. Returns 0, or
 * -EBUSY with `err`. */
static int check_unused(const struct cca_service *service, struct cca_error *err)
{
    struct cca_link *link = cca_list_first(&service->owner->framework->instances);
    const struct cca_socket *socket;
    size_t i = 0, found = 0;

    for (; (socket = next_user(service, &link, &i)); found++)
        if (socket->owner != service->owner && !socket->owner->leaving)
            return cca_error_raise(err, -EBUSY, CCA_EXCEPTION_USES_PORT_NOT_RELEASED,
                                   "'%s' serves %s to '%s' of '%s'", service->owner->name,
                                   service->type, socket->name, socket->owner->name);
    return found == service->users
               ? 0
               : cca_error_set(err, -EBUSY,
                               "'%s' serves %s to an instance that is being created",
                               service->owner->name, service->type);
}

int cca_instance_unused(const struct cca_instance *owner, struct cca_error *err)
{
    int status = 0;

    for (struct cca_service *service = owner->framework->services; service && !status;
         service = service->next)
        if (service->owner == owner)
            status = check_unused(service, err);
    return status;
}

static void drop(struct cca_service **at)
{
    struct cca_service *service = *at;
    struct cca_link *link = cca_list_first(&service->owner->framework->instances);
    struct cca_socket *socket;
    size_t i = 0;

    while ((socket = next_user(service, &link, &i)))
        cca_service_give_back(socket);
    *at = service->next;
    free(service->type);
    free(service);
}

static int remove_service(struct service_registry_port *self, const char *type,
                          struct cca_error *err)
{
    struct cca_instance *owner = owner_of(self);
    struct cca_service **at = &owner->framework->services;
    int status;

    while (*at && ((*at)->owner != owner || strcmp((*at)->type, type) != 0))
        at = &(*at)->next;
    if (!*at)
        return cca_error_set(err, -ENOENT, "'%s' does not serve %s", owner->name, type);
    status = check_unused(*at, err);
    if (!status)
        drop(at);
    return status;
}

void cca_instance_unserve(struct cca_instance *owner)
{
    struct cca_service **at = &owner->framework->services;

    while (*at)
        if ((*at)->owner == owner)
            drop(at);
        else
            at = &(*at)->next;
}

void cca_service_registry_init(struct cca_instance *owner)
{
    owner->registry = (struct cca_service_registry){
        .port = {.base = {SERVICE_REGISTRY_PORT_TYPE,
                          sizeof(struct service_registry_port)},
                 .add_service = add_service,
                 .add_singleton = add_singleton,
                 .remove_service = remove_service},
        .owner = owner};
}

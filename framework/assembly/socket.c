/* SPDX-License-Identifier: BSD-3-Clause */
/* socket.c: create, find and compare ports of instances. */
#include "framework/assembly/assembly.h"
#include "framework/cohort.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

const struct cca_port_decl *cca_port_decl_find(const struct cca_port_decl *decls,
                                               const char *name)
{
    for (; decls && decls->name; decls++)
        if (!strcmp(decls->name, name))
            return decls;
    return NULL;
}

struct cca_socket *cca_socket_in(const struct cca_instance *owner, int uses,
                                 const char *name)
{
    return cca_table_find(&owner->socket_names[uses], name);
}

struct cca_socket *cca_socket_find(const struct cca_instance *owner, const char *name)
{
    struct cca_socket *socket = cca_socket_in(owner, 1, name);

    return socket ? socket : cca_socket_in(owner, 0, name);
}

/* Uses and provides ports share one space of names. Exception: a uses port and a provides
 * port of the same type may share a name, as in an interposer. */
static int name_taken(const struct cca_instance *owner, int uses,
                      const struct cca_port_decl *decl)
{
    const struct cca_socket *other = cca_socket_in(owner, !uses, decl->name);

    return cca_socket_in(owner, uses, decl->name) ||
           (other && decl->type && strcmp(other->type, decl->type) != 0);
}

static int check_decl(const struct cca_instance *owner, int uses,
                      const struct cca_port_decl *decl, struct cca_error *err)
{
    if (!cca_name_valid(decl->name))
        return cca_error_raise(
            err, -EINVAL, CCA_EXCEPTION_BAD_PORT_NAME,
            "'%s' names a port '%s': letters, digits, '_' and '-' are allowed",
            owner->name, decl->name);
    if (name_taken(owner, uses, decl))
        return cca_error_raise(err, -EEXIST, CCA_EXCEPTION_PORT_ALREADY_DEFINED,
                               "'%s' has a port '%s' already", owner->name, decl->name);
    if (!decl->type || !*decl->type)
        return cca_error_raise(err, -EINVAL, CCA_EXCEPTION_BAD_PORT_TYPE,
                               "port '%s' of '%s' has no type", decl->name, owner->name);
    if (decl->min_connections < 0 || decl->max_connections < 0 ||
        (decl->max_connections && decl->max_connections < decl->min_connections))
        return cca_error_raise(err, -EINVAL, CCA_EXCEPTION_BAD_PROPERTIES,
                               "port '%s' of '%s' wants from %d to %d connections",
                               decl->name, owner->name, decl->min_connections,
                               decl->max_connections);
    return 0;
}

/* Copy the caller's properties and set the specification's keys. */
static int set_properties(struct cca_socket *socket, const struct cca_typemap *properties)
{
    struct cca_typemap *own = cca_typemap_new();

    socket->properties = own;
    if (!own)
        return -ENOMEM;
    if (cca_typemap_put_string(own, "cca.portName", socket->name) ||
        cca_typemap_put_string(own, "cca.portType", socket->type) ||
        cca_typemap_put_int(own, "MIN_CONNECTIONS", socket->min) ||
        cca_typemap_put_int(own, "MAX_CONNECTIONS", socket->max) ||
        cca_typemap_put_bool(own, "ABLE_TO_PROXY", !(socket->flags & CCA_PORT_NO_PROXY)))
        return -ENOMEM;
    return cca_typemap_merge(own, properties);
}

static void free_socket(struct cca_socket *socket)
{
    struct cca_cohort *cohort = socket->owner->framework->options.cohort;

    if (socket->lent_port)
        cohort->unserve(cohort, socket->lent_port);
    if (socket->served_by)
        cca_service_give_back(socket);
    cca_typemap_free(socket->properties);
    free(socket->connections);
    free(socket->name);
    free(socket->type);
    free(socket);
}

/* Return the framework's own port for a uses port of a type that the framework serves, or
 * NULL. */
static struct cca_port *service_of(struct cca_instance *owner, const char *type)
{
    if (!strcmp(type, BUILDER_PORT_TYPE))
        return &owner->builder.port.base;
    if (!strcmp(type, CONNECTION_EVENT_PORT_TYPE))
        return &owner->events.port.base;
    if (!strcmp(type, PARAMETER_FACTORY_PORT_TYPE))
        return &owner->factory.port.base;
    if (!strcmp(type, SERVICE_REGISTRY_PORT_TYPE))
        return &owner->registry.port.base;
    if (!strcmp(type, ABSTRACT_FRAMEWORK_PORT_TYPE))
        return &owner->framework->abstract.port.base;
    if (!strcmp(type, COMPONENT_REPOSITORY_PORT_TYPE))
        return &owner->framework->component_repository.port.base;
    if (!strcmp(type, SWAP_PORT_TYPE))
        return &owner->framework->swapper.port.base;
    return NULL;
}

/* Connect a uses port to the cohort's port of its type, which is lent. Without a cohort
 * the uses port remains an ordinary one. */
static int serve_by_cohort(struct cca_socket *socket, struct cca_error *err)
{
    struct cca_cohort *cohort = socket->owner->framework->options.cohort;

    if (!cohort || socket->service || !socket->uses ||
        (strcmp(socket->type, MPI_PORT_TYPE) != 0 &&
         strcmp(socket->type, EXCHANGE_PORT_TYPE) != 0))
        return 0;
    socket->lent_port = cohort->serve(cohort, socket->type);
    socket->service = socket->lent_port;
    return socket->lent_port ? 0 : cca_no_memory(err);
}

/* Connect a uses port whose type an instance has registered as a service. */
static int serve_by_instance(struct cca_socket *socket, struct cca_error *err)
{
    struct cca_service *service =
        socket->uses && !socket->service
            ? cca_service_find(socket->owner->framework, socket->type)
            : NULL;

    return service && service->size == socket->size
               ? cca_service_take(service, socket, err)
           : service ? cca_error_raise(err, -EINVAL, CCA_EXCEPTION_BAD_PORT_TYPE,
                                       "'%s' wants %s of %zu bytes at '%s', '%s' serves "
                                       "one of %zu",
                                       socket->owner->name, socket->type, socket->size,
                                       socket->name, service->owner->name, service->size)
                     : 0;
}

/* Fill a new socket; on failure the caller frees its members. */
static int init(struct cca_socket *socket, const struct cca_port_decl *decl,
                const struct cca_typemap *properties, struct cca_error *err)
{
    struct cca_instance *owner = socket->owner;
    int status;

    socket->name = strdup(decl->name);
    socket->type = strdup(decl->type);
    socket->size = decl->size;
    socket->min = decl->min_connections;
    socket->max = decl->max_connections ? decl->max_connections
                  : socket->uses        ? 1
                                        : INT_MAX;
    socket->flags = decl->flags;
    if (!socket->name || !socket->type)
        return cca_no_memory(err);
    status = set_properties(socket, properties);
    if (status == -EEXIST)
        return cca_error_raise(
            err, -EINVAL, CCA_EXCEPTION_BAD_PROPERTIES,
            "properties of port '%s' of '%s' have another type than the "
            "specification gives them",
            decl->name, owner->name);
    if (status)
        return cca_no_memory(err);
    socket->service = socket->uses ? service_of(owner, decl->type) : NULL;
    if (serve_by_cohort(socket, err))
        return -ENOMEM;
    if (socket->service && socket->service->size != socket->size)
        return cca_error_raise(
            err, -EINVAL, CCA_EXCEPTION_BAD_PORT_TYPE,
            "'%s' wants %s of %zu bytes at '%s', the framework's has %zu", owner->name,
            decl->type, decl->size, decl->name, socket->service->size);
    return serve_by_instance(socket, err);
}

struct cca_socket *cca_socket_new(struct cca_instance *owner, int uses,
                                  const struct cca_port_decl *decl,
                                  const struct cca_typemap *properties,
                                  struct cca_error *err)
{
    struct cca_socket *socket;

    if (check_decl(owner, uses, decl, err))
        return NULL;
    if (cca_array_reserve(&owner->sockets, owner->socket_count,
                          sizeof(struct cca_socket *)) ||
        !(socket = calloc(1, sizeof *socket))) {
        cca_no_memory(err);
        return NULL;
    }
    socket->owner = owner;
    socket->uses = uses;
    if (init(socket, decl, properties, err)) {
        free_socket(socket);
        return NULL;
    }
    if (cca_table_put(&owner->socket_names[uses], socket->name, socket)) {
        cca_no_memory(err);
        free_socket(socket);
        return NULL;
    }
    owner->sockets[owner->socket_count++] = socket;
    return socket;
}

void cca_socket_free(struct cca_socket *socket)
{
    struct cca_instance *owner = socket->owner;
    size_t i = owner->socket_count - 1;

    while (owner->sockets[i] != socket)
        i--;
    owner->socket_count--;
    memmove(&owner->sockets[i], &owner->sockets[i + 1],
            (owner->socket_count - i) * sizeof(struct cca_socket *));
    cca_table_remove(&owner->socket_names[socket->uses], socket->name);
    free_socket(socket);
}

/* In a dry run the undeclared ports of a dynamic class are unknown: accept any name. */
static struct cca_socket *presume_socket(struct cca_instance *owner, int uses,
                                         const char *name)
{
    struct cca_port_decl decl = {.name = name,
                                 .type = "?",
                                 .max_connections = INT_MAX,
                                 .flags = CCA_PORT_NO_PROXY};
    struct cca_socket *socket;

    if (!owner->framework->options.dry || !(owner->cls->flags & CCA_DYNAMIC_PORTS))
        return NULL;
    socket = cca_socket_new(owner, uses, &decl, NULL, NULL);
    if (socket)
        socket->type[0] = '\0';
    return socket;
}

struct cca_socket *cca_socket_get(struct cca_instance *owner, int uses, const char *name,
                                  struct cca_error *err)
{
    static const char *const kinds[2] = {"provides", "uses"};
    struct cca_socket *socket = cca_socket_in(owner, uses, name);
    struct cca_nearest nearest;
    char hint[CCA_HINT_SIZE];

    if (!socket)
        socket = presume_socket(owner, uses, name);
    if (socket)
        return socket;
    if (cca_socket_in(owner, !uses, name)) {
        cca_error_raise(err, -ENOENT, CCA_EXCEPTION_PORT_NOT_DEFINED,
                        "'%s' is a %s port of '%s', a %s port is wanted here", name,
                        kinds[!uses], owner->name, kinds[uses]);
        return NULL;
    }
    cca_nearest_init(&nearest, name);
    for (size_t i = 0; i < owner->socket_count; i++)
        if (owner->sockets[i]->uses == uses)
            cca_nearest_offer(&nearest, owner->sockets[i]->name);
    cca_error_raise(err, -ENOENT, CCA_EXCEPTION_PORT_NOT_DEFINED,
                    "'%s' has no %s port '%s'%s", owner->name, kinds[uses], name,
                    cca_nearest_hint(nearest.best, hint, sizeof hint));
    return NULL;
}

int cca_signatures_match(const struct cca_class *user, const struct cca_class *provider,
                         const char *type, struct cca_error *err)
{
    const char *used = cca_class_signature(user, type);
    const char *provided = cca_class_signature(provider, type);

    if (!used || !provided || strcmp(used, provided) == 0)
        return 0;
    return cca_error_raise(err, -EINVAL, CCA_EXCEPTION_BAD_PORT_TYPE,
                           "class '%s' and class '%s' have different prototypes of %s: "
                           "run proxygen --signature on its header, compile both again",
                           provider->name, user->name, type);
}

int cca_socket_match(const struct cca_socket *user, const struct cca_socket *provider,
                     struct cca_error *err)
{
    int status;

    if (!*user->type || !*provider->type)
        return 0;
    if (strcmp(user->type, provider->type) != 0)
        return cca_error_raise(err, -EINVAL, CCA_EXCEPTION_BAD_PORT_TYPE,
                               "'%s' of '%s' is %s, '%s' of '%s' wants %s",
                               provider->name, provider->owner->name, provider->type,
                               user->name, user->owner->name, user->type);
    if (user->size != provider->size)
        return cca_error_raise(
            err, -EINVAL, CCA_EXCEPTION_BAD_PORT_TYPE,
            "'%s' of '%s' is %s of %zu bytes, '%s' of '%s' wants one of %zu: "
            "one of them was compiled with another port header",
            provider->name, provider->owner->name, provider->type, provider->size,
            user->name, user->owner->name, user->size);
    status =
        cca_signatures_match(user->owner->cls, provider->owner->cls, user->type, err);
    return status || !provider->front
               ? status
               : cca_signatures_match(user->owner->cls, provider->front->owner->cls,
                                      user->type, err);
}

int cca_socket_idle(const struct cca_socket *provider, struct cca_error *err)
{
    if (provider->lent)
        return cca_error_raise(err, -EBUSY, CCA_EXCEPTION_USES_PORT_NOT_RELEASED,
                               "the main program still holds '%s' of '%s'",
                               provider->name, provider->owner->name);
    if (provider->running)
        return cca_error_raise(err, -EBUSY, CCA_EXCEPTION_USES_PORT_NOT_RELEASED,
                               "'%s' of '%s' is running", provider->name,
                               provider->owner->name);
    for (size_t i = 0; i < provider->count; i++) {
        const struct cca_socket *user = provider->connections[i]->user;

        if (user->held)
            return cca_error_raise(err, -EBUSY, CCA_EXCEPTION_USES_PORT_NOT_RELEASED,
                                   "'%s' still holds its uses port '%s'",
                                   user->owner->name, user->name);
    }
    return 0;
}

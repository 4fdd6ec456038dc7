/* SPDX-License-Identifier: BSD-3-Clause */
/* services.c: the framework's services for components (gov.cca.Services). */
#include "framework/assembly/assembly.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

static int not_defined(const struct cca_instance *instance, const char *name,
                       struct cca_error *err)
{
    return cca_error_raise(err, -ENOENT, CCA_EXCEPTION_PORT_NOT_DEFINED,
                           "'%s' has no port '%s'", instance->name, name);
}

/* Check a provides port against `decl`: the declaration in the class, or a declaration
 * made from the port. */
static int check_provides(const struct cca_instance *instance,
                          const struct cca_port *port, const char *name,
                          struct cca_port_decl *decl, struct cca_error *err)
{
    const struct cca_port_decl *declared =
        cca_port_decl_find(instance->cls->provides, name);

    if (!port || !port->type)
        return cca_error_raise(err, -EINVAL, CCA_EXCEPTION_BAD_PORT_TYPE,
                               "'%s' adds '%s' without a port or its type",
                               instance->name, name);
    if (!declared && !(instance->cls->flags & CCA_DYNAMIC_PORTS))
        return cca_error_raise(
            err, -ENOENT, CCA_EXCEPTION_PORT_NOT_DEFINED,
            "class '%s' does not declare the provides port '%s' that it "
            "adds, and has no flag CCA_DYNAMIC_PORTS",
            instance->cls->name, name);
    if (declared &&
        (strcmp(declared->type, port->type) != 0 || declared->size != port->size))
        return cca_error_raise(
            err, -EINVAL, CCA_EXCEPTION_BAD_PORT_TYPE,
            "class '%s' declares '%s' as %s of %zu bytes and adds %s of %zu",
            instance->cls->name, name, declared->type, declared->size, port->type,
            port->size);
    *decl = declared ? *declared
                     : (struct cca_port_decl){
                           .name = name, .type = port->type, .size = port->size};
    return 0;
}

/* Read MIN_CONNECTIONS and MAX_CONNECTIONS from the properties, for undeclared ports. */
static void read_limits(const struct cca_typemap *properties, struct cca_port_decl *decl)
{
    decl->min_connections =
        cca_typemap_get_int(properties, "MIN_CONNECTIONS", decl->min_connections);
    decl->max_connections =
        cca_typemap_get_int(properties, "MAX_CONNECTIONS", decl->max_connections);
}

int cca_services_add_provides_port(struct cca_services *services, struct cca_port *port,
                                   const char *name, const struct cca_typemap *properties,
                                   struct cca_error *err)
{
    struct cca_instance *instance = services->instance;
    struct cca_error own = {0};
    struct cca_port_decl decl = {0};
    struct cca_socket *socket;
    int status = check_provides(instance, port, name, &decl, err);

    if (status)
        return status;
    read_limits(properties, &decl);
    socket = cca_socket_new(instance, 0, &decl, properties, &own);
    if (!socket)
        return cca_error_raise(err, own.code, own.exception, "%s", own.text);
    socket->port = port;
    return 0;
}

int cca_services_remove_provides_port(struct cca_services *services, const char *name,
                                      struct cca_error *err)
{
    struct cca_instance *instance = services->instance;
    struct cca_socket *socket = cca_socket_in(instance, 0, name);
    int status;

    if (!socket)
        return not_defined(instance, name, err);
    status = cca_socket_idle(socket, err);
    if (status)
        return status;
    if (socket->count || socket->front || socket->pins ||
        socket->port == &instance->config.port.base)
        return cca_error_set(err, -EBUSY, "provides port '%s' of '%s' is still connected",
                             name, instance->name);
    cca_socket_free(socket);
    return 0;
}

int cca_services_register_uses_port(struct cca_services *services, const char *name,
                                    const char *type, size_t size,
                                    const struct cca_typemap *properties,
                                    struct cca_error *err)
{
    struct cca_instance *instance = services->instance;
    struct cca_error own = {0};
    struct cca_port_decl decl = {.name = name, .type = type, .size = size};

    if (!(instance->cls->flags & CCA_DYNAMIC_PORTS) && !cca_socket_in(instance, 1, name))
        return cca_error_raise(err, -ENOENT, CCA_EXCEPTION_PORT_NOT_DEFINED,
                               "class '%s' registers uses port '%s' and has no flag "
                               "CCA_DYNAMIC_PORTS",
                               instance->cls->name, name);
    read_limits(properties, &decl);
    if (!cca_socket_new(instance, 1, &decl, properties, &own))
        return cca_error_raise(err, own.code, own.exception, "%s", own.text);
    return 0;
}

int cca_services_unregister_uses_port(struct cca_services *services, const char *name,
                                      struct cca_error *err)
{
    struct cca_instance *instance = services->instance;
    struct cca_socket *socket = cca_socket_in(instance, 1, name);

    if (!socket)
        return not_defined(instance, name, err);
    if (socket->held || socket->pins)
        return cca_error_raise(err, -EBUSY, CCA_EXCEPTION_USES_PORT_NOT_RELEASED,
                               "'%s' still holds its uses port '%s'", instance->name,
                               name);
    if (socket->count)
        return cca_error_set(err, -EBUSY, "uses port '%s' of '%s' is still connected",
                             name, instance->name);
    cca_socket_free(socket);
    return 0;
}

/* True if a proxy was connected by hand: then the framework's interposer is skipped, as a
 * call through both would be recorded twice. */
static int already_fronted(const struct cca_connection *connection)
{
    const struct cca_socket *user = connection->user,
                            *front = connection->provider->front;

    return front && front->owner->cls->proxy_for && user->owner->cls->proxy_for &&
           !strcmp(user->name, CCA_INTERPOSER_PORT);
}

/* Return the port at connection `index` of a socket, or NULL beyond the last. */
static struct cca_port *port_at(const struct cca_socket *socket, size_t index)
{
    const struct cca_connection *connection;

    if (!socket->uses)
        return index ? NULL : socket->port;
    if (socket->service)
        return index ? NULL : socket->service;
    if (index >= socket->count)
        return NULL;
    connection = socket->connections[index];
    return connection->kind == CCA_FRONTING || already_fronted(connection)
               ? connection->provider->port
               : cca_socket_port(connection->provider);
}

/* getPort, after the type that the caller wants was checked. */
static void *get_from(struct cca_instance *instance, struct cca_socket *socket,
                      size_t index, int optional, struct cca_error *err)
{
    struct cca_port *port = port_at(socket, index);

    if (port)
        __atomic_fetch_add(&socket->held, 1, __ATOMIC_RELAXED);
    else if (!optional && index)
        cca_error_raise(
            err, -ENOTCONN, CCA_EXCEPTION_PORT_NOT_CONNECTED,
            "uses port '%s' of '%s' has %zu connections, number %zu was requested",
            socket->name, instance->name, socket->count, index);
    else if (!optional)
        cca_error_raise(err, -ENOTCONN, CCA_EXCEPTION_PORT_NOT_CONNECTED,
                        "uses port '%s' of '%s' is not connected", socket->name,
                        instance->name);
    return port;
}

static void *get_port(struct cca_instance *instance, const char *name, size_t index,
                      const char *type, size_t size, int optional, struct cca_error *err)
{
    struct cca_socket *socket = cca_socket_find(instance, name);

    if (!socket) {
        not_defined(instance, name, err);
        return NULL;
    }
    if (socket->size != size || !type || strcmp(socket->type, type) != 0) {
        cca_error_raise(err, -EINVAL, CCA_EXCEPTION_BAD_PORT_TYPE,
                        "port '%s' of '%s' is %s of %zu bytes, it asks for %s of %zu",
                        name, instance->name, socket->type, socket->size,
                        type ? type : "no type", size);
        return NULL;
    }
    return get_from(instance, socket, index, optional, err);
}

void *cca_services_get(struct cca_services *services, const char *name,
                       struct cca_error *err)
{
    struct cca_instance *instance = services->instance;
    struct cca_socket *socket = cca_socket_find(instance, name);
    struct cca_error own = {0}, *e = err ? err : &own;
    void *port = NULL;

    if (socket)
        port = get_from(instance, socket, 0, 0, e);
    else
        not_defined(instance, name, e);
    if (!port && !err)
        cca_services_fail(services, own.code, "%s", own.text);
    return port;
}

void *cca_services_get_port(struct cca_services *services, const char *name,
                            const char *type, size_t size, struct cca_error *err)
{
    return get_port(services->instance, name, 0, type, size, 0, err);
}

void *cca_services_get_port_at(struct cca_services *services, const char *name,
                               size_t index, const char *type, size_t size,
                               struct cca_error *err)
{
    return get_port(services->instance, name, index, type, size, 0, err);
}

void *cca_services_get_port_nonblocking(struct cca_services *services, const char *name,
                                        const char *type, size_t size,
                                        struct cca_error *err)
{
    return get_port(services->instance, name, 0, type, size, 1, err);
}

int cca_services_release_port(struct cca_services *services, const char *name,
                              struct cca_error *err)
{
    struct cca_instance *instance = services->instance;
    struct cca_socket *socket = cca_socket_find(instance, name);
    int held;

    if (!socket)
        return not_defined(instance, name, err);
    held = __atomic_load_n(&socket->held, __ATOMIC_RELAXED);
    /* release order: a thread that reads the count sees all earlier accesses to the
     * port */
    while (held && !__atomic_compare_exchange_n(&socket->held, &held, held - 1, 1,
                                                __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        continue;
    return held ? 0
                : cca_error_raise(err, -EINVAL, CCA_EXCEPTION_PORT_NOT_IN_USE,
                                  "'%s' releases port '%s' more often than it got it",
                                  instance->name, name);
}

int cca_services_connection_count(struct cca_services *services, const char *name)
{
    const struct cca_socket *socket = cca_socket_find(services->instance, name);

    if (!socket)
        return -ENOENT;
    return socket->service ? 1 : (int)socket->count;
}

struct cca_typemap *cca_services_get_port_properties(struct cca_services *services,
                                                     const char *name)
{
    struct cca_socket *socket = cca_socket_find(services->instance, name);

    return socket ? socket->properties : NULL;
}

int cca_services_unique_port_name(const struct cca_services *services, const char *hint,
                                  char *name, size_t size, struct cca_error *err)
{
    const struct cca_instance *instance = services->instance;
    char made[CCA_NAME_LONGEST + 16] = "";

    for (size_t i = 0; i <= instance->socket_count; i++) {
        int length = snprintf(made, sizeof made, "%s%zu", hint ? hint : "", i);

        if (!hint || (size_t)length >= sizeof made || (size_t)length >= size ||
            !cca_name_valid(made))
            break;
        if (!cca_socket_find(instance, made)) {
            memcpy(name, made, (size_t)length + 1);
            return 0;
        }
    }
    return cca_error_raise(err, -EINVAL, CCA_EXCEPTION_BAD_PORT_NAME,
                           "no name of a port of '%s' can be made of '%s'",
                           instance->name, hint ? hint : "");
}

const char *cca_services_instance_name(const struct cca_services *services)
{
    return services->instance->name;
}

int cca_services_register_for_release(struct cca_services *services,
                                      void (*release)(void *context), void *context)
{
    struct cca_instance *instance = services->instance;
    if (!release)
        return -EINVAL;
    if (cca_array_reserve(&instance->releases, instance->release_count,
                          sizeof *instance->releases))
        return -ENOMEM;
    instance->releases[instance->release_count++] =
        (struct cca_release){.function = release, .context = context};
    return 0;
}

int cca_services_get_peer(struct cca_services *services, const char *uses_port,
                          struct cca_peer *peer, struct cca_error *err)
{
    struct cca_instance *instance = services->instance;
    const struct cca_socket *socket = cca_socket_in(instance, 1, uses_port);
    const struct cca_socket *provider;

    if (!socket)
        return not_defined(instance, uses_port, err);
    if (!socket->count)
        return cca_error_raise(err, -ENOTCONN, CCA_EXCEPTION_PORT_NOT_CONNECTED,
                               "uses port '%s' of '%s' is not connected%s", uses_port,
                               instance->name, socket->service ? " to an instance" : "");
    provider = socket->connections[0]->provider;
    *peer = (struct cca_peer){.instance = provider->owner->name,
                              .port = provider->name,
                              .class_name = provider->owner->cls->name,
                              .build_id = provider->owner->info->build_id,
                              .file = provider->owner->info->file};
    return 0;
}

int cca_services_get_fronted(struct cca_services *services, struct cca_fronted *fronted,
                             struct cca_error *err)
{
    struct cca_instance *instance = services->instance;
    const struct cca_socket *provider = instance->fronts;

    if (!provider)
        return cca_error_set(err, -ENOENT, "'%s' was not made to front a port",
                             instance->name);
    if (cca_class_fronts_any(instance->cls) && !instance->description) {
        instance->description = cca_repository_description(
            instance->framework->repository, instance->cls, provider->type);
        if (!instance->description && errno == ENOMEM)
            return cca_no_memory(err);
        if (!instance->description)
            return cca_error_set(err, -ENOENT, "no file on the path describes %s",
                                 provider->type);
    }
    *fronted = (struct cca_fronted){.instance = provider->owner->name,
                                    .port = provider->name,
                                    .type = provider->type,
                                    .size = provider->size,
                                    .description = instance->description};
    return 0;
}

const char *cca_services_fronted_signature(const struct cca_services *services)
{
    const struct cca_socket *provider = services->instance->fronts;

    return provider ? cca_class_signature(provider->owner->cls, provider->type) : NULL;
}

static const struct cca_param *param_of_type(const struct cca_instance *instance,
                                             const char *name, enum cca_type type,
                                             enum cca_type other)
{
    const struct cca_param_decl *decl;
    const struct cca_param *found = cca_params_find(&instance->params, name, &decl);

    assert(found && (decl->type == type || decl->type == other));
    (void)type;
    (void)other;
    return found;
}

int64_t cca_services_param_long(const struct cca_services *services, const char *name)
{
    return param_of_type(services->instance, name, CCA_LONG, CCA_INT)->value.i;
}

double cca_services_param_double(const struct cca_services *services, const char *name)
{
    return param_of_type(services->instance, name, CCA_DOUBLE, CCA_FLOAT)->value.d;
}

int cca_services_param_bool(const struct cca_services *services, const char *name)
{
    return (int)param_of_type(services->instance, name, CCA_BOOL, CCA_BOOL)->value.i;
}

const char *cca_services_param_string(const struct cca_services *services,
                                      const char *name)
{
    return param_of_type(services->instance, name, CCA_STRING, CCA_STRING)->text;
}

const char *cca_services_framework_property(const struct cca_services *services,
                                            const char *key)
{
    struct cca_framework *framework = services->instance->framework;
    const char *value = cca_typemap_get_string(framework->properties, key, NULL);

    if (value) {
        pthread_mutex_lock(&framework->words_lock);
        cca_typemap_put_bool(framework->asked, key,
                             1); /* without memory the property counts as not read */
        pthread_mutex_unlock(&framework->words_lock);
    }
    return value;
}

int cca_services_fail(struct cca_services *services, int code, const char *format, ...)
{
    struct cca_instance *instance = services->instance;
    struct cca_framework *framework = instance->framework;
    char words[sizeof framework->words];
    va_list args;
    int length = snprintf(words, sizeof words, "'%s': ", instance->name);

    va_start(args, format);
    vsnprintf(words + length, sizeof words - (size_t)length, format, args);
    va_end(args);
    pthread_mutex_lock(&framework->words_lock);
    if (!framework->words[0])
        memcpy(framework->words, words, sizeof words);
    pthread_mutex_unlock(&framework->words_lock);
    return code;
}

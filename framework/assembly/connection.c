/* SPDX-License-Identifier: BSD-3-Clause */
/* connection.c: make and break one connection, and send its events. */
#include "framework/assembly/assembly.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Check that a socket may have one more connection. */
static int check_room(const struct cca_socket *socket, struct cca_error *err)
{
    if (socket->service)
        return cca_error_set(err, -EINVAL,
                             "uses port '%s' of '%s' (%s) is connected by the framework",
                             socket->name, socket->owner->name, socket->type);
    if (socket->count < (size_t)socket->max)
        return 0;
    if (socket->uses && socket->max == 1)
        return cca_error_set(
            err, -EBUSY, "uses port '%s' of '%s' is connected already, to '%s' of '%s'",
            socket->name, socket->owner->name, socket->connections[0]->provider->name,
            socket->connections[0]->provider->owner->name);
    return cca_error_set(
        err, -EBUSY, "%s port '%s' of '%s' has %zu connections, MAX_CONNECTIONS is %d",
        socket->uses ? "uses" : "provides", socket->name, socket->owner->name,
        socket->count, socket->max);
}

static int check_connection(const struct cca_socket *user,
                            const struct cca_socket *provider,
                            enum cca_connection_kind kind, struct cca_error *err)
{
    int status = cca_socket_match(user, provider, err);

    for (size_t i = 0; !status && i < user->count; i++)
        if (user->connections[i]->provider == provider)
            return cca_error_set(
                err, -EEXIST,
                "uses port '%s' of '%s' is connected to '%s' of '%s' already", user->name,
                user->owner->name, provider->name, provider->owner->name);
    if (!status)
        status = check_room(user, err);
    if (!status && kind != CCA_FRONTING)
        status = check_room(provider, err);
    return status;
}

/* Send an event to both ends of a connection, first to the user. The owner of a fronted
 * port gets no event, as it is unaware of the interposer. */
static int announce(const struct cca_connection *connection,
                    enum connection_event_type type, struct cca_error *err)
{
    struct cca_socket *user = connection->user, *provider = connection->provider;
    int pending =
        type == CONNECTION_CONNECT_PENDING || type == CONNECTION_DISCONNECT_PENDING;
    int result, second = 0;

    user->pins++;
    provider->pins++;
    result = cca_connection_event(user, provider, type, err);
    if (connection->kind != CCA_FRONTING && !(pending && result))
        second = cca_connection_event(provider, user, type, err);
    provider->pins--;
    user->pins--;
    return result ? result : second;
}

static void attach(struct cca_socket *socket, struct cca_connection *connection)
{
    socket->connections[socket->count++] = connection;
}

static void detach(struct cca_socket *socket, const struct cca_connection *connection)
{
    size_t i = socket->count - 1;

    while (socket->connections[i] != connection)
        i--;
    socket->count--;
    memmove(&socket->connections[i], &socket->connections[i + 1],
            (socket->count - i) * sizeof(struct cca_connection *));
}

static int make_room(struct cca_socket *socket)
{
    return cca_array_reserve(&socket->connections, socket->count,
                             sizeof(struct cca_connection *));
}

int cca_connection_make(struct cca_socket *user, struct cca_socket *provider,
                        enum cca_connection_kind kind, struct cca_error *err)
{
    struct cca_connection *connection;
    int status = check_connection(user, provider, kind, err);

    if (status)
        return status;
    connection = calloc(1, sizeof *connection);
    if (!connection || make_room(user) || make_room(provider)) {
        free(connection);
        return cca_no_memory(err);
    }
    connection->kind = kind;
    connection->user = user;
    connection->provider = provider;
    status = announce(connection, CONNECTION_CONNECT_PENDING, err);
    if (status) {
        free(connection);
        return status;
    }
    attach(user, connection);
    if (kind != CCA_FRONTING)
        attach(provider, connection);
    if (kind == CCA_WRITTEN)
        cca_list_append(&user->owner->framework->connections, &connection->link);
    status = announce(connection, CONNECTION_CONNECTED, err);
    cca_builder_connection_event(connection, BUILDER_CONNECTED);
    return status;
}

void cca_connection_stays(struct cca_connection *connection)
{
    announce(connection, CONNECTION_CONNECTED, NULL);
}

/* Wait until the owner of a uses port releases it. Returns true if it is still held. If
 * false, all accesses to the port by the other thread happened before the return. */
static int held(const struct cca_socket *user)
{
    static const double step_s = 1e-3;
    struct cca_framework *framework = user->owner->framework;

    while (__atomic_load_n(&user->held, __ATOMIC_ACQUIRE)) {
        if (framework->patience_s <= 0)
            return 1;
        nanosleep(&(struct timespec){.tv_nsec = (long)(step_s * 1e9)}, NULL);
        framework->patience_s -= step_s;
    }
    return 0;
}

int cca_connection_may_break(struct cca_connection *connection, struct cca_error *err)
{
    const struct cca_socket *user = connection->user;
    int status = announce(connection, CONNECTION_DISCONNECT_PENDING, err);

    if (!status && !user->owner->leaving && held(user))
        status = cca_error_raise(err, -EBUSY, CCA_EXCEPTION_USES_PORT_NOT_RELEASED,
                                 "'%s' still holds its uses port '%s'", user->owner->name,
                                 user->name);
    if (status)
        cca_connection_stays(connection);
    return status;
}

int cca_connection_cut(struct cca_connection *connection, struct cca_error *err)
{
    int status;

    detach(connection->user, connection);
    if (connection->kind == CCA_FRONTING)
        connection->provider->front = NULL;
    else
        detach(connection->provider, connection);
    if (connection->kind == CCA_WRITTEN)
        cca_list_remove(&connection->user->owner->framework->connections,
                        &connection->link);
    status = announce(connection, CONNECTION_DISCONNECTED, err);
    cca_builder_connection_event(connection, BUILDER_DISCONNECTED);
    cca_typemap_free(connection->properties);
    free(connection);
    return status;
}

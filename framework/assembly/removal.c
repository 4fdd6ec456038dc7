/* SPDX-License-Identifier: BSD-3-Clause */
/* removal.c: remove instances in two steps: announce to all listeners that connections
 * will break; if none refuses, break the connections and destroy the instances. */
#include "framework/assembly/assembly.h"

#include <errno.h>
#include <stdlib.h>

/* Instances to be removed together, and their connections. */
struct removal {
    struct cca_instance **instances;
    size_t instance_count;
    struct cca_connection **connections;
    size_t connection_count;
};

static int add_instance(struct removal *removal, struct cca_instance *instance)
{
    if (cca_array_reserve(&removal->instances, removal->instance_count,
                          sizeof(struct cca_instance *)))
        return -ENOMEM;
    removal->instances[removal->instance_count++] = instance;
    instance->leaving = 1;
    return 0;
}

static int add_connection(struct removal *removal, struct cca_connection *connection)
{
    if (cca_array_reserve(&removal->connections, removal->connection_count,
                          sizeof(struct cca_connection *)))
        return -ENOMEM;
    removal->connections[removal->connection_count++] = connection;
    return 0;
}

/* Add the connections of a socket. A connection is added once: for the user's socket, or
 * for the provider's socket if the user remains. */
static int add_connections(struct removal *removal, struct cca_socket *socket,
                           struct cca_error *err)
{
    for (size_t i = socket->count; i-- > 0;) {
        struct cca_connection *connection = socket->connections[i];

        if (!socket->uses && connection->user->owner->leaving)
            continue;
        if (!socket->uses && connection->kind == CCA_SERVING)
            return cca_error_set(err, -EBUSY, "'%s' serves %s'%s'", socket->owner->name,
                                 connection->user->owner->hidden ? "the interposer " : "",
                                 connection->user->owner->name);
        if (add_connection(removal, connection))
            return cca_no_memory(err);
    }
    return 0;
}

static void removal_done(struct removal *removal)
{
    free(removal->instances);
    free(removal->connections);
}

/* A listener refused the removal: undo the announcement for the first `told`
 * connections. */
static void cancel(struct removal *removal, size_t told)
{
    while (told)
        cca_connection_stays(removal->connections[--told]);
    for (size_t i = 0; i < removal->instance_count; i++)
        removal->instances[i]->leaving = 0;
}

/* Collect the connections to be broken. */
static int collect(struct removal *removal, struct cca_error *err)
{
    int status = 0;

    for (size_t i = 0; !status && i < removal->instance_count; i++) {
        struct cca_instance *instance = removal->instances[i];

        status = cca_instance_unused(instance, err);
        for (size_t j = 0; !status && j < instance->socket_count; j++) {
            struct cca_socket *socket = instance->sockets[j];

            if (socket->running)
                status = cca_error_raise(
                    err, -EBUSY, CCA_EXCEPTION_USES_PORT_NOT_RELEASED,
                    "'%s' of '%s' is running", socket->name, instance->name);
            else
                status = add_connections(removal, socket, err);
        }
    }
    return status;
}

static int ask(struct removal *removal, struct cca_error *err)
{
    size_t told = 0;
    int status = collect(removal, err);

    while (!status && told < removal->connection_count) {
        status = cca_connection_may_break(removal->connections[told], err);
        if (!status)
            told++;
    }
    if (status)
        cancel(removal, told);
    return status;
}

/* Break the connections and destroy the instances, after all listeners have agreed.
 * Interposers come after the instances that they front, and then the rivals of these
 * instances. */
static int commit(struct removal *removal, struct cca_error *err)
{
    int result = 0;

    for (size_t i = 0; i < removal->instance_count; i++)
        cca_instance_release(removal->instances[i]);
    for (size_t i = 0; i < removal->connection_count; i++) {
        int status = cca_connection_cut(removal->connections[i], err);

        if (status && !result)
            result = status;
    }
    for (size_t i = 0; i < removal->instance_count; i++) {
        struct cca_instance *instance = removal->instances[i];
        struct builder_event event = {.type = BUILDER_REMOVED,
                                      .instance = instance->name};

        if (!instance->hidden && instance->announced)
            cca_builder_event(instance->framework, &event);
        cca_instance_destroy(instance);
    }
    return result;
}

int cca_instance_remove(struct cca_instance *instance, struct cca_error *err)
{
    struct removal removal = {0};
    int status = add_instance(&removal, instance) ? cca_no_memory(err) : 0;

    for (size_t i = 0; !status && i < instance->socket_count; i++) {
        const struct cca_socket *front = instance->sockets[i]->front;

        if (front && add_instance(&removal, front->owner))
            status = cca_no_memory(err);
    }
    for (size_t i = 0; !status && instance->slot && i < instance->slot->rival_count; i++)
        if (add_instance(&removal, instance->slot->rivals[i]))
            status = cca_no_memory(err);
    for (size_t k = 0; !status && k < 2 * removal.instance_count; k++) {
        const struct cca_dispatch *dispatch =
            cca_dispatch_of(removal.instances[k / 2], (int)(k % 2));

        for (size_t j = 1; !status && dispatch && j < dispatch->count; j++)
            if (add_instance(&removal, dispatch->ends[j]->owner))
                status = cca_no_memory(err);
    }
    if (status)
        cancel(&removal, 0);
    else
        status = ask(&removal, err);
    if (!status)
        status = commit(&removal, err);
    removal_done(&removal);
    return status;
}

int cca_instances_part(struct cca_instance *one, struct cca_instance *other,
                       struct cca_error *err)
{
    struct removal removal = {0};
    struct cca_instance *const users[2] = {one, other};
    int status = 0;

    for (int end = 0; end < (one == other ? 1 : 2); end++)
        for (size_t i = 0; i < users[end]->socket_count; i++) {
            const struct cca_socket *socket = users[end]->sockets[i];

            for (size_t j = 0; socket->uses && j < socket->count; j++)
                if (socket->connections[j]->provider->owner == users[!end] && !status &&
                    add_connection(&removal, socket->connections[j]))
                    status = cca_no_memory(err);
        }
    if (!status)
        /* ask() adds no connections here: no instance is being removed */
        status = ask(&removal, err);
    if (!status)
        status = commit(&removal, err);
    removal_done(&removal);
    return status;
}

void cca_instance_roll_back(struct cca_framework *framework, size_t count)
{
    struct removal removal = {0};
    struct cca_link *link = cca_list_last(&framework->instances);
    int status = 0;

    for (size_t i = framework->instances.count; i > count && !status; i--) {
        status = add_instance(&removal, cca_instance_of_link(link));
        link = cca_list_before(&framework->instances, link);
    }
    if (!status)
        status = collect(&removal, NULL);
    if (status) {
        cancel(&removal, 0); /* out of memory: instances remain until the framework is
                              * freed */
    } else {
        for (size_t i = 0; i < removal.connection_count; i++)
            cca_connection_event(removal.connections[i]->user,
                                 removal.connections[i]->provider,
                                 CONNECTION_DISCONNECT_PENDING, NULL);
        commit(&removal, NULL);
    }
    removal_done(&removal);
}

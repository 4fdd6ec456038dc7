/* SPDX-License-Identifier: BSD-3-Clause */
/* go.c: check that an assembly is complete, and call a Go port. */
#include "framework/assembly/assembly.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ports/go_port.h"

/* True for a required uses port that lacks connections. */
static int lacking(const struct cca_socket *socket)
{
    return socket->uses && !socket->service && socket->count < (size_t)socket->min;
}

int cca_framework_unconnected(struct cca_framework *framework, size_t index,
                              struct builder_connection *item)
{
    for (struct cca_link *link = cca_list_first(&framework->visible); link;
         link = cca_list_next(&framework->visible, link)) {
        const struct cca_instance *instance = cca_instance_of_visible(link);

        for (size_t i = 0; i < instance->socket_count; i++) {
            if (!lacking(instance->sockets[i]) || index--)
                continue;
            *item = (struct builder_connection){.user = instance->name,
                                                .uses_port = instance->sockets[i]->name};
            return 0;
        }
    }
    return -ENOENT;
}

/* Instances to visit. Each instance is pushed once, so `stack` has room for all. */
struct walk {
    struct cca_instance **stack;
    size_t depth;
    unsigned visit;
};

static void push_instance(struct walk *walk, struct cca_instance *instance)
{
    if (instance->visit == walk->visit)
        return;
    instance->visit = walk->visit;
    walk->stack[walk->depth++] = instance;
}

/* Push the provider of a connection and its interposer. */
static void push_provider(struct walk *walk, const struct cca_socket *provider)
{
    push_instance(walk, provider->owner);
    if (provider->front)
        push_instance(walk, provider->front->owner);
}

/* Check that all required connections exist in the part of the assembly that `start` can
 * call. */
static int check_reachable(struct cca_socket *start, struct cca_error *err)
{
    struct cca_framework *framework = start->owner->framework;
    struct walk walk = {.visit = ++framework->visit};
    int status = 0;

    walk.stack = malloc(framework->instances.count * sizeof(struct cca_instance *));
    if (!walk.stack)
        return cca_no_memory(err);
    push_provider(&walk, start);
    while (walk.depth && !status) {
        const struct cca_instance *instance = walk.stack[--walk.depth];

        for (int which = 0; which < 2; which++) {
            const struct cca_dispatch *dispatch = cca_dispatch_of(instance, which);

            for (size_t i = 1; dispatch && i < dispatch->count; i++)
                push_instance(&walk, dispatch->ends[i]->owner);
        }
        for (size_t i = 0; instance->slot && i < instance->slot->rival_count; i++)
            push_instance(&walk, instance->slot->rivals[i]);
        for (size_t i = 0; i < instance->socket_count && !status; i++) {
            const struct cca_socket *socket = instance->sockets[i];

            if (lacking(socket))
                status = cca_error_raise(
                    err, -ENOTCONN, CCA_EXCEPTION_PORT_NOT_CONNECTED,
                    "'%s' cannot go: uses port '%s' of '%s' (%s) is not "
                    "connected",
                    start->owner->name, socket->name, instance->name, socket->type);
            if (socket->served_by)
                push_instance(&walk, socket->served_by->owner);
            for (size_t j = 0; socket->uses && j < socket->count; j++)
                push_provider(&walk, socket->connections[j]->provider);
        }
    }
    free(walk.stack);
    return status;
}

static int check_go(struct cca_socket *socket, struct cca_error *err)
{
    if (*socket->type && (strcmp(socket->type, GO_PORT_TYPE) != 0 ||
                          socket->size != sizeof(struct go_port)))
        return cca_error_raise(err, -EINVAL, CCA_EXCEPTION_BAD_PORT_TYPE,
                               "'%s' of '%s' is %s of %zu bytes, go wants %s of %zu",
                               socket->name, socket->owner->name, socket->type,
                               socket->size, GO_PORT_TYPE, sizeof(struct go_port));
    if (socket->running)
        return cca_error_set(err, -EBUSY, "'%s' of '%s' is running already", socket->name,
                             socket->owner->name);
    return check_reachable(socket, err);
}

/* Call `go` of the port and report its result. */
static int call(struct cca_socket *socket, struct cca_error *err)
{
    struct cca_framework *framework = socket->owner->framework;
    struct go_port *go = cca_container_of(cca_socket_port(socket), struct go_port, base);
    struct cca_error words = {0};
    struct cca_activity before = cca_activity_begin(socket->owner, socket->name);
    int result;

    socket->running++;
    result = go->go(go);
    socket->running--;
    cca_activity_end(framework, &before);
    pthread_mutex_lock(&framework->words_lock);
    memcpy(words.text, framework->words, sizeof framework->words);
    pthread_mutex_unlock(&framework->words_lock);
    if (result)
        cca_component_failed(err, result, &words, "'%s' of '%s' returned %d",
                             socket->name, socket->owner->name, result);
    return result;
}

int cca_framework_go(struct cca_framework *framework, const char *instance,
                     const char *port, struct cca_error *err)
{
    struct cca_error own = {0}, *e = err ? err : &own;
    struct cca_instance *found = cca_framework_find(framework, instance, e);
    struct cca_socket *socket = found ? cca_socket_get(found, 0, port, e) : NULL;
    struct builder_event event = {.type = BUILDER_GO_PENDING};
    int status = socket ? cca_shadow_options(framework, e) : -ENOENT;

    if (!status)
        status = cca_framework_settle(framework, e);

    if (!status)
        status = check_go(socket, e);
    if (status || framework->options.dry)
        return status;
    status = cca_change_begin(framework, "go", err);
    if (status)
        return status;
    status = cca_serve_optional(framework, err);
    if (!status)
        status = cca_dispatch_follow(framework, err);
    if (!status)
        status = cca_slots_follow(framework, err);
    event.instance = found->name;
    event.port = socket->name;
    if (!status)
        cca_builder_event(framework, &event);
    cca_change_end(framework);
    if (status)
        return status;

    pthread_mutex_lock(&framework->words_lock);
    framework->words[0] = '\0';
    pthread_mutex_unlock(&framework->words_lock);
    status = call(socket, err);

    event.type = BUILDER_GO_DONE;
    event.result = status;
    framework->changing = "go";
    cca_builder_event(framework, &event);
    cca_change_end(framework);
    return status;
}

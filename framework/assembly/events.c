/* SPDX-License-Identifier: BSD-3-Clause */
/* events.c: the ConnectionEvent service of each instance, and the listeners of builders.
 *
 * A listener may remove itself or others while events are delivered: the removed entry is
 * set to NULL at once, and such entries are deleted when the outermost delivery has
 * ended. */
#include "framework/assembly/assembly.h"

#include <errno.h>
#include <pthread.h>

static struct cca_instance *owner_of(struct connection_event_port *self)
{
    return cca_container_of(self, struct cca_connection_events, port)->owner;
}

static int add_listener(struct connection_event_port *self,
                        enum connection_event_type type, connection_listener listener,
                        void *context)
{
    struct cca_instance *owner = owner_of(self);

    if (!listener)
        return -EINVAL;
    if (cca_array_reserve(&owner->listeners, owner->listener_count,
                          sizeof *owner->listeners))
        return -ENOMEM;
    owner->listeners[owner->listener_count++] = (struct cca_connection_listener){
        .type = type, .function = listener, .context = context};
    return 0;
}

static void sweep_listeners(struct cca_instance *owner)
{
    size_t kept = 0;

    for (size_t i = 0; i < owner->listener_count; i++)
        if (owner->listeners[i].function)
            owner->listeners[kept++] = owner->listeners[i];
    owner->listener_count = kept;
}

static int remove_listener(struct connection_event_port *self,
                           enum connection_event_type type, connection_listener listener,
                           void *context)
{
    struct cca_instance *owner = owner_of(self);

    for (size_t i = 0; listener && i < owner->listener_count; i++) {
        struct cca_connection_listener *known = &owner->listeners[i];

        if (known->function != listener || known->context != context ||
            known->type != type)
            continue;
        known->function = NULL;
        if (!owner->delivering)
            sweep_listeners(owner);
        return 0;
    }
    return -ENOENT;
}

void cca_connection_events_init(struct cca_instance *owner)
{
    owner->events = (struct cca_connection_events){
        .port = {.base = {CONNECTION_EVENT_PORT_TYPE,
                          sizeof(struct connection_event_port)},
                 .add_listener = add_listener,
                 .remove_listener = remove_listener},
        .owner = owner};
}

static const char *failure_phrase(enum connection_event_type type)
{
    switch (type) {
    case CONNECTION_CONNECT_PENDING:
        return "refuses the connection of its port";
    case CONNECTION_CONNECTED:
        return "failed after the connection of its port";
    case CONNECTION_DISCONNECT_PENDING:
        return "refuses the disconnection of its port";
    default:
        return "failed after the disconnection of its port";
    }
}

int cca_connection_event(struct cca_socket *own, const struct cca_socket *peer,
                         enum connection_event_type type, struct cca_error *err)
{
    struct cca_instance *owner = own->owner;
    int pending =
        type == CONNECTION_CONNECT_PENDING || type == CONNECTION_DISCONNECT_PENDING;
    struct connection_event event = {.type = type,
                                     .uses = own->uses,
                                     .port = own->name,
                                     .peer = peer->owner->name,
                                     .peer_port = peer->name};
    size_t count = owner->listener_count; /* listeners that are added during the delivery
                                             get only later events */
    int result = 0;

    owner->delivering++;
    for (size_t i = 0; i < count && !(pending && result); i++) {
        struct cca_connection_listener listener = owner->listeners[i];
        struct cca_activity before;
        struct cca_error inner = {0};
        int status;

        if (!listener.function ||
            (listener.type != CONNECTION_EVENT_ALL && listener.type != type))
            continue;
        before = cca_activity_begin(owner, "connection listener");
        status = listener.function(listener.context, &event, &inner);
        cca_activity_end(owner->framework, &before);
        if (status && !inner.text[0])
            snprintf(inner.text, sizeof inner.text, "returned %d", status);
        if (status && !result)
            result = cca_component_failed(err, status, &inner, "'%s' %s '%s'",
                                          owner->name, failure_phrase(type), own->name);
    }
    if (!--owner->delivering)
        sweep_listeners(owner);
    return result;
}

/* Guards all lists of builders' listeners: held while one changes, and while another
 * thread than the framework's reads it. */
static pthread_mutex_t listeners_lock = PTHREAD_MUTEX_INITIALIZER;

int cca_builder_listen(struct cca_builder *builder, builder_listener listener,
                       void *context)
{
    struct cca_framework *framework = builder->framework;
    int status;

    if (!listener)
        return -EINVAL;
    pthread_mutex_lock(&listeners_lock);
    status = cca_array_reserve(&framework->listeners, framework->listener_count,
                               sizeof *framework->listeners);
    if (!status)
        framework->listeners[framework->listener_count++] = (struct cca_builder_listener){
            .function = listener, .context = context, .owner = builder->owner};
    pthread_mutex_unlock(&listeners_lock);
    return status ? -ENOMEM : 0;
}

/* Remove empty entries from the list of builders' listeners. Call it with the lock
 * held. */
static void sweep_builders(struct cca_framework *framework)
{
    size_t kept = 0;

    if (framework->delivering)
        return;
    for (size_t i = 0; i < framework->listener_count; i++)
        if (framework->listeners[i].function)
            framework->listeners[kept++] = framework->listeners[i];
    framework->listener_count = kept;
}

int cca_builder_unlisten(struct cca_builder *builder, builder_listener listener,
                         void *context)
{
    struct cca_framework *framework = builder->framework;
    int status = -ENOENT;

    pthread_mutex_lock(&listeners_lock);
    for (size_t i = 0; listener && status && i < framework->listener_count; i++) {
        struct cca_builder_listener *known = &framework->listeners[i];

        if (known->function != listener || known->context != context ||
            known->owner != builder->owner)
            continue;
        known->function = NULL;
        sweep_builders(framework);
        status = 0;
    }
    pthread_mutex_unlock(&listeners_lock);
    return status;
}

void cca_builder_forget(struct cca_instance *owner)
{
    struct cca_framework *framework = owner->framework;

    pthread_mutex_lock(&listeners_lock);
    for (size_t i = 0; i < framework->listener_count; i++)
        if (framework->listeners[i].owner == owner)
            framework->listeners[i].function = NULL;
    sweep_builders(framework);
    pthread_mutex_unlock(&listeners_lock);
}

/* Call a builder's listener with an event. Call this function in the framework's
 * thread. */
static void call_builder_listener(struct cca_framework *framework,
                                  const struct cca_builder_listener *listener,
                                  const struct builder_event *event)
{
    struct cca_activity before;

    if (listener->owner)
        before = cca_activity_begin(listener->owner, "builder listener");
    listener->function(listener->context, event);
    if (listener->owner)
        cca_activity_end(framework, &before);
}

void cca_builder_event(struct cca_framework *framework, const struct builder_event *event)
{
    size_t count = framework->listener_count;

    framework->delivering++;
    for (size_t i = 0; i < count; i++) {
        struct cca_builder_listener listener = framework->listeners[i];

        if (listener.function)
            call_builder_listener(framework, &listener, event);
    }
    pthread_mutex_lock(&listeners_lock);
    framework->delivering--;
    sweep_builders(framework);
    pthread_mutex_unlock(&listeners_lock);
}

void cca_framework_overdue(struct cca_framework *framework, const char *instance,
                           const char *port)
{
    const struct builder_event event = {
        .type = BUILDER_GO_OVERDUE, .instance = instance, .port = port};

    pthread_mutex_lock(&listeners_lock);
    for (size_t i = 0; i < framework->listener_count; i++)
        if (framework->listeners[i].function)
            framework->listeners[i].function(framework->listeners[i].context, &event);
    pthread_mutex_unlock(&listeners_lock);
}

void cca_builder_connection_event(const struct cca_connection *connection,
                                  enum builder_event_type type)
{
    struct builder_connection names = {.user = connection->user->owner->name,
                                       .uses_port = connection->user->name,
                                       .provider = connection->provider->owner->name,
                                       .provides_port = connection->provider->name};
    struct builder_event event = {.type = type, .connection = &names};

    if (connection->kind == CCA_WRITTEN)
        cca_builder_event(connection->user->owner->framework, &event);
}

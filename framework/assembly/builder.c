/* SPDX-License-Identifier: BSD-3-Clause */
/* builder.c: the BuilderService: inspect and change the assembly as written, through a
 * port. */
#include "framework/assembly/assembly.h"

#include <errno.h>
#include <string.h>

static struct cca_builder *builder_of(struct builder_port *self)
{
    return cca_container_of(self, struct cca_builder, port);
}

static struct cca_framework *framework_of(struct builder_port *self)
{
    return builder_of(self)->framework;
}

static int create_instance(struct builder_port *self, const char *name,
                           const char *class_name, const struct cca_typemap *properties,
                           struct cca_error *err)
{
    struct cca_framework *framework = framework_of(self);
    int status = cca_framework_create(framework, class_name, name, err);
    struct cca_typemap *own;

    if (status || !properties)
        return status;
    name = framework->last_created;
    own = cca_framework_properties(framework, name, err);
    if (own && !cca_typemap_merge(own, properties))
        return 0;
    cca_framework_remove(framework, name, NULL);
    return cca_no_memory(err);
}

static int destroy_instance(struct builder_port *self, const char *name, double timeout_s,
                            struct cca_error *err)
{
    return cca_framework_remove_within(framework_of(self), name, timeout_s, err);
}

static int builder_connect(struct builder_port *self, const char *user,
                           const char *uses_port, const char *provider,
                           const char *provides_port, struct cca_error *err)
{
    return cca_framework_connect(framework_of(self), user, uses_port, provider,
                                 provides_port, err);
}

static int builder_disconnect(struct builder_port *self, const char *user,
                              const char *uses_port, const char *provider,
                              const char *provides_port, double timeout_s,
                              struct cca_error *err)
{
    return cca_framework_disconnect_within(framework_of(self), user, uses_port, provider,
                                           provides_port, timeout_s, err);
}

static int disconnect_all(struct builder_port *self, const char *one, const char *other,
                          double timeout_s, struct cca_error *err)
{
    return cca_framework_disconnect_all(framework_of(self), one, other, timeout_s, err);
}

static void describe(const struct cca_instance *instance, struct builder_instance *item)
{
    *item = (struct builder_instance){.name = instance->name,
                                      .cls = instance->cls,
                                      .file = instance->info->file,
                                      .build_id = instance->info->build_id,
                                      .interposer = instance->hidden && !instance->rival};
}

static int builder_instance(struct builder_port *self, size_t index, int all,
                            struct builder_instance *item)
{
    struct cca_framework *framework = framework_of(self);
    struct cca_link *link =
        cca_list_at(all ? &framework->instances : &framework->visible, index);

    if (!link)
        return -ENOENT;
    describe(all ? cca_instance_of_link(link) : cca_instance_of_visible(link), item);
    return 0;
}

static int builder_find(struct builder_port *self, const char *name,
                        struct builder_instance *item)
{
    const struct cca_instance *found = cca_framework_find(framework_of(self), name, NULL);

    if (!found)
        return -ENOENT;
    describe(found, item);
    return 0;
}

static int builder_connection(struct builder_port *self, size_t index,
                              struct builder_connection *item)
{
    struct cca_link *link = cca_list_at(&framework_of(self)->connections, index);
    const struct cca_connection *connection;

    if (!link)
        return -ENOENT;
    connection = cca_connection_of(link);
    *item = (struct builder_connection){.user = connection->user->owner->name,
                                        .uses_port = connection->user->name,
                                        .provider = connection->provider->owner->name,
                                        .provides_port = connection->provider->name};
    return 0;
}

static int port_number(struct builder_port *self, int uses, const char *name,
                       size_t index, const char **port, const char **type)
{
    const struct cca_instance *instance =
        cca_framework_find(framework_of(self), name, NULL);

    for (size_t i = 0; instance && i < instance->socket_count; i++) {
        const struct cca_socket *socket = instance->sockets[i];

        if (socket->uses != uses || index--)
            continue;
        *port = socket->name;
        *type = socket->type;
        return 0;
    }
    return -ENOENT;
}

static int provided_port(struct builder_port *self, const char *instance, size_t index,
                         const char **name, const char **type)
{
    return port_number(self, 0, instance, index, name, type);
}

static int used_port(struct builder_port *self, const char *instance, size_t index,
                     const char **name, const char **type)
{
    return port_number(self, 1, instance, index, name, type);
}

/* Find the port with index `index` among the ports of a type in the assembly as written,
 * without interposers. */
static int port_of_type(struct builder_port *self, int uses, const char *type,
                        size_t index, const char **name, const char **port)
{
    const struct cca_list *visible = &framework_of(self)->visible;

    for (struct cca_link *link = cca_list_first(visible); link;
         link = cca_list_next(visible, link)) {
        const struct cca_instance *instance = cca_instance_of_visible(link);

        for (size_t i = 0; i < instance->socket_count; i++) {
            const struct cca_socket *socket = instance->sockets[i];

            if (socket->uses != uses || !type || strcmp(socket->type, type) != 0 ||
                index--)
                continue;
            *name = instance->name;
            *port = socket->name;
            return 0;
        }
    }
    return -ENOENT;
}

static int providing_type(struct builder_port *self, const char *type, size_t index,
                          const char **instance, const char **port)
{
    return port_of_type(self, 0, type, index, instance, port);
}

static int using_type(struct builder_port *self, const char *type, size_t index,
                      const char **instance, const char **port)
{
    return port_of_type(self, 1, type, index, instance, port);
}

static struct cca_typemap *builder_properties(struct builder_port *self,
                                              const char *instance, struct cca_error *err)
{
    return cca_framework_properties(framework_of(self), instance, err);
}

static struct cca_typemap *builder_port_properties(struct builder_port *self,
                                                   const char *instance, const char *port,
                                                   struct cca_error *err)
{
    return cca_framework_port_properties(framework_of(self), instance, port, err);
}

static struct cca_typemap *
builder_connection_properties(struct builder_port *self, const char *user,
                              const char *uses_port, const char *provider,
                              const char *provides_port, struct cca_error *err)
{
    return cca_framework_connection_properties(framework_of(self), user, uses_port,
                                               provider, provides_port, err);
}

static const char *builder_parameter(struct builder_port *self, const char *instance,
                                     const char *name)
{
    const struct cca_instance *found =
        cca_framework_find(framework_of(self), instance, NULL);
    const struct cca_param *param =
        found ? cca_params_find(&found->params, name, NULL) : NULL;

    return param ? param->text : NULL;
}

static int set_parameter(struct builder_port *self, const char *instance,
                         const char *name, const char *value, struct cca_error *err)
{
    return cca_framework_set_parameter(framework_of(self), instance, CCA_CONFIG_PORT,
                                       name, value, err);
}

static int builder_insert(struct builder_port *self, const char *instance,
                          const char *port, const char *class_name, struct cca_error *err)
{
    return cca_framework_insert(framework_of(self), instance, port, class_name, err);
}

static int builder_eject(struct builder_port *self, const char *instance,
                         const char *port, struct cca_error *err)
{
    return cca_framework_eject(framework_of(self), instance, port, err);
}

static int builder_interposed(struct builder_port *self, const char *instance,
                              const char *port)
{
    const struct cca_instance *found =
        cca_framework_find(framework_of(self), instance, NULL);
    const struct cca_socket *socket = found ? cca_socket_in(found, 0, port) : NULL;

    return socket && socket->front;
}

static int add_listener(struct builder_port *self, builder_listener listener,
                        void *context)
{
    return cca_builder_listen(builder_of(self), listener, context);
}

static int remove_listener(struct builder_port *self, builder_listener listener,
                           void *context)
{
    return cca_builder_unlisten(builder_of(self), listener, context);
}

void cca_builder_init(struct cca_framework *framework)
{
    framework->builder = (struct cca_builder){
        .port = {.base = {BUILDER_PORT_TYPE, sizeof(struct builder_port)},
                 .create_instance = create_instance,
                 .destroy_instance = destroy_instance,
                 .connect = builder_connect,
                 .disconnect = builder_disconnect,
                 .disconnect_all = disconnect_all,
                 .instance = builder_instance,
                 .find = builder_find,
                 .connection = builder_connection,
                 .provided_port = provided_port,
                 .used_port = used_port,
                 .providing_type = providing_type,
                 .using_type = using_type,
                 .properties = builder_properties,
                 .port_properties = builder_port_properties,
                 .connection_properties = builder_connection_properties,
                 .parameter = builder_parameter,
                 .set_parameter = set_parameter,
                 .insert = builder_insert,
                 .eject = builder_eject,
                 .interposed = builder_interposed,
                 .add_listener = add_listener,
                 .remove_listener = remove_listener},
        .framework = framework};
}

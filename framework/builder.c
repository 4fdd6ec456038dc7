/* SPDX-License-Identifier: BSD-3-Clause */
/* builder.c: the BuilderService: the assembly as written, seen and changed through a
 * port. */
#include "framework/assembly.h"

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
                           const char *class_name, struct cca_error *err)
{
    return cca_framework_create(framework_of(self), class_name, name, err);
}

static int destroy_instance(struct builder_port *self, const char *name,
                            struct cca_error *err)
{
    return cca_framework_remove(framework_of(self), name, err);
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
                              const char *provides_port, struct cca_error *err)
{
    return cca_framework_disconnect(framework_of(self), user, uses_port, provider,
                                    provides_port, err);
}

static int builder_instance(struct builder_port *self, size_t index, int all,
                            struct builder_instance *item)
{
    struct cca_framework *framework = framework_of(self);
    struct cca_link *link =
        cca_list_at(all ? &framework->instances : &framework->visible, index);
    const struct cca_services *instance;

    if (!link)
        return -ENOENT;
    instance = all ? cca_instance_of_link(link) : cca_instance_of_visible(link);
    *item = (struct builder_instance){.name = instance->name,
                                      .cls = instance->cls,
                                      .file = instance->info->file,
                                      .build_id = instance->info->build_id,
                                      .interposer = instance->hidden};
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
    const struct cca_services *instance =
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

static const char *builder_parameter(struct builder_port *self, const char *instance,
                                     const char *name)
{
    const struct cca_services *found =
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
    const struct cca_services *found =
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

void cca_builder_init(struct cca_builder *builder, struct cca_framework *framework,
                      struct cca_services *owner)
{
    *builder = (struct cca_builder){
        .port = {.base = {BUILDER_PORT_TYPE, sizeof(struct builder_port)},
                 .create_instance = create_instance,
                 .destroy_instance = destroy_instance,
                 .connect = builder_connect,
                 .disconnect = builder_disconnect,
                 .instance = builder_instance,
                 .connection = builder_connection,
                 .provided_port = provided_port,
                 .used_port = used_port,
                 .parameter = builder_parameter,
                 .set_parameter = set_parameter,
                 .insert = builder_insert,
                 .eject = builder_eject,
                 .interposed = builder_interposed,
                 .add_listener = add_listener,
                 .remove_listener = remove_listener},
        .framework = framework,
        .owner = owner};
}

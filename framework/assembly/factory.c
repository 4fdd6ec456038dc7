/* SPDX-License-Identifier: BSD-3-Clause */
/* factory.c: the ParameterPortFactory: parameter ports made by components, and listeners
 * of these ports and of `config`. */
#include "framework/assembly/assembly.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct cca_instance *owner_of(struct parameter_factory_port *self)
{
    return cca_container_of(self, struct cca_factory, port)->owner;
}

/* Find the framework's parameter port with a name; NULL with `err`. */
static struct cca_config *find_config(struct parameter_factory_port *self,
                                      const char *port, struct cca_error *err)
{
    struct cca_instance *owner = owner_of(self);
    const struct cca_socket *socket = cca_socket_in(owner, 0, port);
    struct cca_config *config = &owner->config;

    while (socket && config && socket->port != &config->port.base)
        config = config->next;
    if (socket && config)
        return config;
    cca_error_raise(err, -ENOENT, CCA_EXCEPTION_PORT_NOT_DEFINED,
                    "'%s' has no parameter port '%s' that the framework serves",
                    owner->name, port);
    return NULL;
}

static int create_config(struct parameter_factory_port *self, const char *port,
                         struct cca_error *err)
{
    struct cca_instance *owner = owner_of(self);
    struct cca_config *config = malloc(sizeof *config);
    int status;

    if (!config)
        return cca_no_memory(err);
    cca_config_init(config, owner, NULL);
    status = cca_services_add_provides_port(&owner->services, &config->port.base, port,
                                            NULL, err);
    if (status) {
        free(config);
        return status;
    }
    config->next = owner->config.next;
    owner->config.next = config;
    return 0;
}

static int set_title(struct parameter_factory_port *self, const char *port,
                     const char *title, struct cca_error *err)
{
    struct cca_socket *socket =
        find_config(self, port, err) ? cca_socket_in(owner_of(self), 0, port) : NULL;

    if (!socket)
        return -ENOENT;
    if (!title)
        return cca_error_set(err, -EINVAL, "the title of '%s' is nothing", port);
    return cca_typemap_put_string(socket->properties, "title", title) ? cca_no_memory(err)
                                                                      : 0;
}

static int set_group(struct parameter_factory_port *self, const char *port,
                     const char *group, struct cca_error *err)
{
    struct cca_config *config = find_config(self, port, err);
    char *copy = config && group ? strdup(group) : NULL;

    if (!config)
        return -ENOENT;
    if (group && !copy)
        return cca_no_memory(err);
    free(config->group);
    config->group = copy;
    return 0;
}

static int add_request(struct parameter_factory_port *self, const char *port,
                       const struct cca_param_decl *decl, struct cca_error *err)
{
    struct cca_config *config = find_config(self, port, err);
    struct cca_param_decl grouped;

    if (!config)
        return -ENOENT;
    if (!decl)
        return cca_error_set(err, -EINVAL, "'%s' declares no parameter for its port '%s'",
                             owner_of(self)->name, port);
    grouped = *decl;
    if (!grouped.group)
        grouped.group = config->group;
    return cca_params_add(config->params, &grouped, owner_of(self)->name, err);
}

static int clear_requests(struct parameter_factory_port *self, const char *port,
                          struct cca_error *err)
{
    struct cca_config *config = find_config(self, port, err);

    if (!config)
        return -ENOENT;
    if (config->params != &config->own)
        return cca_error_set(err, -ENOENT, "'%s' has made no parameter port '%s'",
                             owner_of(self)->name, port);
    cca_params_done(config->params);
    return 0;
}

static int read_one(const struct cca_param_decl *decl, const struct cca_param *param,
                    struct cca_typemap *map)
{
    switch (decl->type) {
    case CCA_INT:
        return cca_typemap_put_int(map, decl->name, (int)param->value.i);
    case CCA_LONG:
        return cca_typemap_put_long(map, decl->name, param->value.i);
    case CCA_FLOAT:
        return cca_typemap_put_float(map, decl->name, (float)param->value.d);
    case CCA_DOUBLE:
        return cca_typemap_put_double(map, decl->name, param->value.d);
    case CCA_BOOL:
        return cca_typemap_put_bool(map, decl->name, (int)param->value.i);
    default:
        return cca_typemap_put_string(map, decl->name, param->text);
    }
}

static int read_all(struct parameter_factory_port *self, const char *port,
                    struct cca_typemap *map, struct cca_error *err)
{
    const struct cca_config *config = find_config(self, port, err);

    if (!config)
        return -ENOENT;
    if (!map)
        return cca_error_set(err, -EINVAL,
                             "there is no map to put the parameters of '%s' into", port);
    for (size_t i = 0; i < config->params->count; i++) {
        const struct cca_param_decl *decl = config->params->items[i].decl;
        int status = read_one(decl, &config->params->items[i].value, map);

        if (status)
            return status == -EEXIST
                       ? cca_error_raise(err, status, CCA_EXCEPTION_BAD_PROPERTIES,
                                         "the map has '%s' with another type", decl->name)
                       : cca_no_memory(err);
    }
    return 0;
}

static int listen_to(struct parameter_factory_port *self, const char *port,
                     struct cca_parameter_listener listener)
{
    struct cca_config *config = find_config(self, port, NULL);

    if (!config)
        return -ENOENT;
    if (!listener.get && !listener.set)
        return -EINVAL;
    if (cca_array_reserve(&config->listeners, config->listener_count,
                          sizeof *config->listeners))
        return -ENOMEM;
    config->listeners[config->listener_count++] = listener;
    return 0;
}

/* Set the listener's entry to NULL rather than remove it: a delivery in progress goes on
 * by index. */
static int unlisten(struct parameter_factory_port *self, const char *port,
                    struct cca_parameter_listener listener)
{
    struct cca_config *config = find_config(self, port, NULL);

    for (size_t i = 0; config && i < config->listener_count; i++) {
        struct cca_parameter_listener *known = &config->listeners[i];

        if (known->get != listener.get || known->set != listener.set ||
            known->context != listener.context)
            continue;
        *known = (struct cca_parameter_listener){.get = NULL};
        return 0;
    }
    return -ENOENT;
}

static int add_get_listener(struct parameter_factory_port *self, const char *port,
                            parameter_get_listener listener, void *context)
{
    return listen_to(
        self, port, (struct cca_parameter_listener){.get = listener, .context = context});
}

static int remove_get_listener(struct parameter_factory_port *self, const char *port,
                               parameter_get_listener listener, void *context)
{
    return unlisten(self, port,
                    (struct cca_parameter_listener){.get = listener, .context = context});
}

static int add_set_listener(struct parameter_factory_port *self, const char *port,
                            parameter_set_listener listener, void *context)
{
    return listen_to(
        self, port, (struct cca_parameter_listener){.set = listener, .context = context});
}

static int remove_set_listener(struct parameter_factory_port *self, const char *port,
                               parameter_set_listener listener, void *context)
{
    return unlisten(self, port,
                    (struct cca_parameter_listener){.set = listener, .context = context});
}

void cca_factory_init(struct cca_instance *owner)
{
    owner->factory =
        (struct cca_factory){.port = {.base = {PARAMETER_FACTORY_PORT_TYPE,
                                               sizeof(struct parameter_factory_port)},
                                      .create = create_config,
                                      .set_title = set_title,
                                      .set_group = set_group,
                                      .add_request = add_request,
                                      .clear_requests = clear_requests,
                                      .read = read_all,
                                      .add_get_listener = add_get_listener,
                                      .remove_get_listener = remove_get_listener,
                                      .add_set_listener = add_set_listener,
                                      .remove_set_listener = remove_set_listener},
                             .owner = owner};
}

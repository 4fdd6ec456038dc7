/* SPDX-License-Identifier: BSD-3-Clause */
/* config.c: the provides port `config`, which the framework serves for parameters. */
#include "framework/assembly/assembly.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct cca_config *config_of(struct parameter_port *self)
{
    return cca_container_of(self, struct cca_config, port);
}

/* Return the name of the parameter port, which listeners get. */
static const char *port_name(const struct cca_config *config)
{
    const struct cca_instance *owner = config->owner;

    for (size_t i = 0; i < owner->socket_count; i++)
        if (owner->sockets[i]->port == &config->port.base)
            return owner->sockets[i]->name;
    return CCA_CONFIG_PORT;
}

/* Call the component's listeners of reads, which may update parameters. */
static void update(struct cca_config *config)
{
    size_t count = config->listener_count;

    if (config->updating)
        return;
    config->updating = 1;
    for (size_t i = 0; i < count; i++) {
        struct cca_parameter_listener listener = config->listeners[i];

        if (listener.get)
            listener.get(listener.context, port_name(config));
    }
    config->updating = 0;
}

static size_t config_count(struct parameter_port *self)
{
    update(config_of(self));
    return config_of(self)->params->count;
}

static const struct cca_param_decl *config_decl(struct parameter_port *self, size_t index)
{
    const struct cca_params *params = config_of(self)->params;

    return index < params->count ? params->items[index].decl : NULL;
}

static const char *config_get(struct parameter_port *self, const char *name)
{
    const struct cca_param *param;

    update(config_of(self));
    param = cca_params_find(config_of(self)->params, name, NULL);
    return param ? param->text : NULL;
}

/* Call the first `count` listeners until one refuses. `*told` is the number of listeners
 * that accepted. */
static int call_listeners(struct cca_config *config, const char *name, const char *value,
                          size_t count, size_t *told, struct cca_error *err)
{
    for (*told = 0; *told < count; ++*told) {
        struct cca_parameter_listener listener = config->listeners[*told];
        struct cca_error inner = {0};
        struct cca_activity before =
            cca_activity_begin(config->owner, "parameter listener");
        int status = listener.set ? listener.set(listener.context, port_name(config),
                                                 name, value, &inner)
                                  : 0;

        cca_activity_end(config->owner->framework, &before);
        if (status && !inner.text[0])
            snprintf(inner.text, sizeof inner.text, "returned %d", status);
        if (status)
            return cca_component_failed(err, status, &inner,
                                        "'%s' refuses '%s' as its parameter '%s'",
                                        config->owner->name, value, name);
    }
    return 0;
}

/* Set a parameter and call its listeners; restore the value if one refuses. */
static int config_set(struct parameter_port *self, const char *name, const char *value,
                      struct cca_error *err)
{
    struct cca_config *config = config_of(self);
    const char *who = config->owner->name;
    const struct cca_param *param = cca_params_find(config->params, name, NULL);
    char *before = param && config->listener_count ? strdup(param->text) : NULL;
    size_t told, again;
    int status;

    if (param && config->listener_count && !before)
        return cca_no_memory(err);
    status = cca_params_set(config->params, name, value, who, err);
    if (!status && before) {
        char *text = strdup(cca_params_find(config->params, name, NULL)->text);

        status =
            text ? call_listeners(config, name, text, config->listener_count, &told, err)
                 : cca_no_memory(err);
        if (status) {
            cca_params_set(config->params, name, before, who, NULL);
            if (text)
                call_listeners(config, name, before, told, &again, NULL);
        }
        free(text);
    }
    free(before);
    return status;
}

void cca_config_init(struct cca_config *config, struct cca_instance *owner,
                     struct cca_params *params)
{
    *config = (struct cca_config){
        .port = {.base = {PARAMETER_PORT_TYPE, sizeof(struct parameter_port)},
                 .count = config_count,
                 .decl = config_decl,
                 .get = config_get,
                 .set = config_set},
        .owner = owner,
        .params = params};
    if (!params)
        config->params = &config->own;
}

void cca_configs_done(struct cca_instance *owner)
{
    struct cca_config *config = &owner->config, *next;

    for (; config; config = next) {
        next = config->next;
        cca_params_done(&config->own);
        free(config->group);
        free(config->listeners);
        if (config != &owner->config)
            free(config);
    }
}

/* Find a provides port with parameters. */
static struct cca_socket *find_parameter_port(struct cca_framework *framework,
                                              const char *instance, const char *port,
                                              struct cca_error *err)
{
    struct cca_instance *found = cca_framework_find(framework, instance, err);
    struct cca_socket *socket = found ? cca_socket_get(found, 0, port, err) : NULL;

    if (!socket)
        return NULL;
    if (*socket->type && (strcmp(socket->type, PARAMETER_PORT_TYPE) != 0 ||
                          socket->size != sizeof(struct parameter_port))) {
        cca_error_raise(
            err, -EINVAL, CCA_EXCEPTION_BAD_PORT_TYPE,
            "'%s' of '%s' is %s of %zu bytes and has no parameters, %s of %zu has", port,
            instance, socket->type, socket->size, PARAMETER_PORT_TYPE,
            sizeof(struct parameter_port));
        return NULL;
    }
    return socket;
}

struct parameter_port *cca_framework_parameters(struct cca_framework *framework,
                                                const char *instance, const char *port,
                                                struct cca_error *err)
{
    struct cca_error own = {0};
    struct cca_socket *socket =
        find_parameter_port(framework, instance, port, err ? err : &own);

    if (!socket || !socket->port)
        return NULL;
    return cca_container_of(socket->port, struct parameter_port, base);
}

int cca_framework_set_parameter(struct cca_framework *framework, const char *instance,
                                const char *port, const char *name, const char *value,
                                struct cca_error *err)
{
    struct cca_error own = {0};
    struct cca_socket *socket;
    struct parameter_port *parameters;

    if (!err)
        err = &own;
    socket = find_parameter_port(framework, instance, port, err);
    if (!socket)
        return err->code;
    if (!socket->port) /* in a dry run the component's own parameters are unknown */
        return 0;
    parameters = cca_container_of(socket->port, struct parameter_port, base);
    return parameters->set(parameters, name, value, err);
}

const char *cca_framework_parameter(struct cca_framework *framework, const char *instance,
                                    const char *port, const char *name,
                                    struct cca_error *err)
{
    struct cca_error own = {0};
    struct cca_socket *socket =
        find_parameter_port(framework, instance, port, err ? err : &own);
    struct parameter_port *parameters;
    struct cca_nearest nearest;
    const struct cca_param_decl *decl;
    const char *text;
    char hint[CCA_HINT_SIZE];

    if (!socket)
        return NULL;
    if (!socket->port) /* in a dry run the component's own parameters are unknown */
        return "";
    parameters = cca_container_of(socket->port, struct parameter_port, base);
    text = parameters->get(parameters, name);
    if (text)
        return text;
    cca_nearest_init(&nearest, name);
    for (size_t i = 0; (decl = parameters->decl(parameters, i)); i++)
        cca_nearest_offer(&nearest, decl->name);
    cca_error_set(err, -ENOENT, "'%s' has no parameter '%s'%s", instance, name,
                  cca_nearest_hint(nearest.best, hint, sizeof hint));
    return NULL;
}

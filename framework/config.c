/* SPDX-License-Identifier: BSD-3-Clause */
/* config.c: the provides port `config` that the framework serves for declared parameters.
 */
#include "framework/assembly.h"

#include <errno.h>
#include <string.h>

static struct cca_services *owner_of(struct parameter_port *self)
{
    return cca_container_of(self, struct cca_config, port)->owner;
}

static size_t config_count(struct parameter_port *self)
{
    return owner_of(self)->params.count;
}

static const struct cca_param_decl *config_decl(struct parameter_port *self, size_t index)
{
    const struct cca_params *params = &owner_of(self)->params;

    return index < params->count ? &params->decls[index] : NULL;
}

static const char *config_get(struct parameter_port *self, const char *name)
{
    const struct cca_param *param = cca_params_find(&owner_of(self)->params, name, NULL);

    return param ? param->text : NULL;
}

static int config_set(struct parameter_port *self, const char *name, const char *value,
                      struct cca_error *err)
{
    struct cca_services *owner = owner_of(self);

    return cca_params_set(&owner->params, name, value, owner->name, err);
}

void cca_config_init(struct cca_services *owner)
{
    owner->config = (struct cca_config){
        .port = {.base = {PARAMETER_PORT_TYPE, sizeof(struct parameter_port)},
                 .count = config_count,
                 .decl = config_decl,
                 .get = config_get,
                 .set = config_set},
        .owner = owner};
}

/* A provides port that serves parameters. */
static struct cca_socket *find(struct cca_framework *framework, const char *instance,
                               const char *port, struct cca_error *err)
{
    struct cca_services *found = cca_framework_find(framework, instance, err);
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
    struct cca_socket *socket = find(framework, instance, port, err ? err : &own);

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
    socket = find(framework, instance, port, err);
    if (!socket)
        return err->code;
    if (!socket->port) /* the component's own, in a dry run: only it knows */
        return 0;
    parameters = cca_container_of(socket->port, struct parameter_port, base);
    return parameters->set(parameters, name, value, err);
}

const char *cca_framework_parameter(struct cca_framework *framework, const char *instance,
                                    const char *port, const char *name,
                                    struct cca_error *err)
{
    struct cca_error own = {0};
    struct cca_socket *socket = find(framework, instance, port, err ? err : &own);
    struct parameter_port *parameters;
    struct cca_nearest nearest;
    const struct cca_param_decl *decl;
    const char *text;
    char hint[CCA_HINT_SIZE];

    if (!socket)
        return NULL;
    if (!socket->port) /* the component's own, in a dry run */
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

/* SPDX-License-Identifier: BSD-3-Clause */
/* instance.c: create and destroy an instance of a class. */
#include "framework/assembly/assembly.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { INSTANCE_ALIGNMENT = 64 }; /* alignment of instances: the size of a cache line */

/* Add the uses ports that the class declares, and the provides port `config`. */
static int add_framework_ports(struct cca_instance *instance, struct cca_error *err)
{
    static const struct cca_port_decl config = {.name = CCA_CONFIG_PORT,
                                                .type = PARAMETER_PORT_TYPE,
                                                .size = sizeof(struct parameter_port),
                                                .flags = CCA_PORT_NO_PROXY};
    struct cca_error own = {0}, *e = err ? err : &own;
    struct cca_socket *socket;

    if (instance->params.count) {
        socket = cca_socket_new(instance, 0, &config, NULL, e);
        if (!socket)
            return e->code;
        socket->port = &instance->config.port.base;
    }
    for (const struct cca_port_decl *decl = instance->cls->uses; decl && decl->name;
         decl++)
        if (!cca_socket_new(instance, 1, decl, NULL, e))
            return e->code;
    return 0;
}

/* True if a declared provides port is the framework's own `config`. */
static int served_here(const struct cca_instance *instance,
                       const struct cca_port_decl *decl)
{
    return instance->params.count && !strcmp(decl->name, CCA_CONFIG_PORT) &&
           !strcmp(decl->type, PARAMETER_PORT_TYPE);
}

/* In a dry run of an interposer for any type: add the two ports that its set_services
 * would add. */
static int add_fronting_ports(struct cca_instance *instance, struct cca_error *err)
{
    const struct cca_port_decl decl = {.name = CCA_INTERPOSER_PORT,
                                       .type = instance->fronts->type,
                                       .size = instance->fronts->size,
                                       .min_connections = 1};

    for (int uses = 0; uses < 2; uses++)
        if (!cca_socket_new(instance, uses, &decl, NULL, err))
            return err->code;
    return 0;
}

/* In a dry run: add the provides ports as declared, without an implementation. */
static int add_declared_ports(struct cca_instance *instance, struct cca_error *err)
{
    struct cca_error own = {0}, *e = err ? err : &own;

    for (const struct cca_port_decl *decl = instance->cls->provides; decl && decl->name;
         decl++)
        if (!served_here(instance, decl) && !cca_socket_new(instance, 0, decl, NULL, e))
            return e->code;
    return instance->fronts && cca_class_fronts_any(instance->cls)
               ? add_fronting_ports(instance, e)
               : 0;
}

/* Check that all declared provides ports were added. Types and sizes were checked when
 * they were added. */
static int verify(const struct cca_instance *instance, struct cca_error *err)
{
    for (const struct cca_port_decl *decl = instance->cls->provides; decl && decl->name;
         decl++) {
        if (!cca_socket_in(instance, 0, decl->name))
            return cca_error_raise(
                err, -EPROTO, CCA_EXCEPTION_PORT_NOT_DEFINED,
                "class '%s' declares provides port '%s' and set_services did "
                "not add it",
                instance->cls->name, decl->name);
    }
    return 0;
}

/* Make the object: step 1 of the life of an instance (framework/cca.h). */
static int make_self(struct cca_instance *instance, struct cca_error *err)
{
    const struct cca_class *cls = instance->cls;
    struct cca_error inner = {0};
    struct cca_activity before;

    if (!cls->create) {
        if (posix_memalign(&instance->self, INSTANCE_ALIGNMENT, cls->instance_size)) {
            instance->self = NULL;
            return cca_no_memory(err);
        }
        memset(instance->self, 0, cls->instance_size);
        return 0;
    }
    before = cca_activity_begin(instance, "create");
    instance->self = cls->create(cca_repository_descriptor(cls), &inner);
    cca_activity_end(instance->framework, &before);
    return instance->self ? 0
                          : cca_component_failed(err, inner.code, &inner,
                                                 "class '%s' makes no instance '%s'",
                                                 cls->name, instance->name);
}

/* Step 2: store the services pointer, and add the ports of `implements`. */
static int fill_self(struct cca_instance *instance, struct cca_error *err)
{
    const struct cca_class *cls = instance->cls;
    struct cca_services *services = &instance->services;
    char *self = instance->self;
    int status = 0;

    if (cls->instance_size && cls->services_offset != CCA_NO_SERVICES)
        memcpy(self + cls->services_offset, &services, sizeof(struct cca_services *));
    for (const struct cca_port_impl *impl = cls->implements;
         !status && impl && impl->name; impl++) {
        memcpy(self + impl->offset, impl->port, impl->port->size);
        status = cca_services_add_provides_port(
            services, (struct cca_port *)(self + impl->offset), impl->name, NULL, err);
    }
    return status;
}

/* Step 3: call set_services. */
static int set_services(struct cca_instance *instance, struct cca_error *err)
{
    const struct cca_class *cls = instance->cls;
    struct cca_error inner = {0};
    struct cca_activity before;
    int status;

    if (!cls->set_services)
        return 0;
    before = cca_activity_begin(instance, "set_services");
    status = cls->set_services(instance->self, &instance->services, &inner);
    cca_activity_end(instance->framework, &before);
    if (status && !inner.text[0])
        snprintf(inner.text, sizeof inner.text, "returned %d", status);
    return status ? cca_component_failed(err, status, &inner,
                                         "set_services of '%s' (class '%s')",
                                         instance->name, cls->name)
                  : 0;
}

static int bring_up(struct cca_instance *instance, struct cca_error *err)
{
    int status = make_self(instance, err);

    if (!status)
        status = fill_self(instance, err);
    if (!status)
        status = set_services(instance, err);
    return status ? status : verify(instance, err);
}

/* Step 5: call destroy. */
static void destroy_self(struct cca_instance *instance)
{
    const struct cca_class *cls = instance->cls;
    struct cca_activity before;

    if (!instance->self)
        return;
    if (cls->destroy) {
        before = cca_activity_begin(instance, "destroy");
        cls->destroy(instance->self);
        cca_activity_end(instance->framework, &before);
    }
    if (!cls->create)
        free(instance->self);
}

static void link_in(struct cca_instance *instance)
{
    struct cca_framework *framework = instance->framework;

    cca_list_append(&framework->instances, &instance->link);
    if (!instance->hidden)
        cca_list_append(&framework->visible, &instance->visible_link);
    instance->linked = 1;
}

static struct cca_table *names_of(const struct cca_instance *instance)
{
    struct cca_framework *framework = instance->framework;

    return instance->hidden ? &framework->hidden_names : &framework->names;
}

static int check_name(struct cca_framework *framework, const char *name, int hidden,
                      struct cca_error *err)
{
    if (!cca_name_valid(name))
        return cca_error_set(
            err, -EINVAL,
            "'%s' cannot name an instance: 1 to %d letters, digits, '_' and "
            "'-' are allowed",
            name, CCA_NAME_LONGEST);
    if (cca_table_find(hidden ? &framework->hidden_names : &framework->names, name))
        return cca_error_set(err, -EEXIST, "there is an instance '%s' already", name);
    return 0;
}

static struct cca_instance *new_instance(struct cca_framework *framework,
                                         const struct cca_class_info *info,
                                         const struct cca_class *cls, const char *name)
{
    struct cca_instance *instance = calloc(1, sizeof *instance);

    if (!instance || !(instance->name = strdup(name))) {
        free(instance);
        return NULL;
    }
    instance->services.instance = instance;
    instance->framework = framework;
    instance->cls = cls;
    instance->info = info;
    cca_connection_events_init(instance);
    instance->builder = framework->builder;
    instance->builder.owner = instance;
    cca_service_registry_init(instance);
    cca_config_init(&instance->config, instance, &instance->params);
    cca_factory_init(instance);
    return instance;
}

int cca_instance_create(struct cca_framework *framework,
                        const struct cca_class_info *info, const char *name, int hidden,
                        struct cca_socket *fronts, struct cca_instance **created,
                        struct cca_error *err)
{
    struct cca_error own = {0};
    struct cca_instance *instance;
    const struct cca_class *cls;
    int status = check_name(framework, name, hidden, err);

    if (!status && framework->options.dry)
        status = cca_repository_rehearse(framework->repository, info, 0, err);
    if (status)
        return status;
    cls = framework->options.dry
              ? &info->cls
              : cca_repository_load(framework->repository, info, 0, &own);
    if (!cls)
        return cca_error_raise(err, own.code, own.exception, "%s", own.text);
    instance = new_instance(framework, info, cls, name);
    if (!instance)
        return cca_no_memory(err);
    instance->hidden = hidden;
    instance->fronts = fronts;
    status = cca_params_init(&instance->params, cls->params, cls->name, err);
    if (!status)
        status = add_framework_ports(instance, err);
    if (!status)
        status = framework->options.dry ? add_declared_ports(instance, err)
                                        : bring_up(instance, err);
    if (!status && cca_table_put(names_of(instance), instance->name, instance))
        status = cca_no_memory(err);
    if (status) {
        cca_instance_destroy(instance);
        return status;
    }
    link_in(instance);
    *created = instance;
    return 0;
}

void cca_embedded_free(struct cca_class_info *info)
{
    if (!info)
        return;
    free(info->file);
    free(info->memory);
    free(info);
}

int cca_instance_embed(struct cca_framework *framework, struct cca_class_info *info,
                       const char *name, const struct cca_typemap *properties,
                       struct cca_instance **created, struct cca_error *err)
{
    int status = check_name(framework, name, 0, err);
    struct cca_instance *instance =
        status ? NULL : new_instance(framework, info, &info->cls, name);

    if (!instance) {
        cca_embedded_free(info);
        return status ? status : cca_no_memory(err);
    }
    instance->embedded = info;
    instance->properties = cca_typemap_new();
    if (!instance->properties || cca_typemap_merge(instance->properties, properties) ||
        cca_table_put(names_of(instance), instance->name, instance)) {
        cca_instance_destroy(instance);
        return cca_no_memory(err);
    }
    link_in(instance);
    *created = instance;
    return 0;
}

void cca_instance_release(struct cca_instance *instance)
{
    while (instance->release_count) {
        struct cca_release release = instance->releases[--instance->release_count];
        struct cca_activity before = cca_activity_begin(instance, "release");

        release.function(release.context);
        cca_activity_end(instance->framework, &before);
    }
}

void cca_instance_destroy(struct cca_instance *instance)
{
    struct cca_framework *framework = instance->framework;

    cca_instance_release(instance);
    cca_builder_forget(instance);
    cca_instance_unserve(instance);
    if (instance->linked) {
        cca_table_remove(names_of(instance), instance->name);
        cca_list_remove(&framework->instances, &instance->link);
        if (!instance->hidden)
            cca_list_remove(&framework->visible, &instance->visible_link);
    }
    framework->dispatching -= !!instance->dispatch + !!instance->shadow;
    destroy_self(instance);
    cca_dispatch_free(instance->dispatch);
    cca_slot_free(instance->slot);
    cca_dispatch_free(instance->shadow);
    cca_builder_forget(instance); /* the component's destroy may have added listeners */
    cca_instance_unserve(instance);
    while (instance->socket_count)
        cca_socket_free(instance->sockets[instance->socket_count - 1]);
    free(instance->sockets);
    cca_table_done(&instance->socket_names[0]);
    cca_table_done(&instance->socket_names[1]);
    cca_configs_done(instance);
    cca_params_done(&instance->params);
    cca_typemap_free(instance->properties);
    free(instance->listeners);
    free(instance->releases);
    free(instance->description);
    free(instance->name);
    cca_embedded_free(instance->embedded);
    free(instance);
}

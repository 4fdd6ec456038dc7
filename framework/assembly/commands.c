/* SPDX-License-Identifier: BSD-3-Clause */
/* commands.c: commands of a main program: create, remove, insert, eject, get a port. */
#include "framework/assembly/assembly.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Write a default name: the class name (of `a.b.Name` the last part) with the lowest free
 * number. */
static int default_name(struct cca_framework *framework, const char *class_name,
                        char *name, size_t size)
{
    const char *leaf = cca_class_leaf(class_name);

    for (unsigned number = 0; number != (unsigned)-1; number++) {
        snprintf(name, size, "%s%u", leaf, number);
        if (!cca_table_find(&framework->names, name))
            return 0;
    }
    return -EEXIST;
}

static int create_instance(struct cca_framework *framework, const char *class_name,
                           const char *name, struct cca_error *err)
{
    const struct cca_class_info *info =
        cca_repository_find(framework->repository, class_name);
    struct cca_instance *instance;
    struct builder_event event = {.type = BUILDER_CREATED};
    size_t before = framework->instances.count;
    char buffer[2 * CCA_NAME_LONGEST], *copy;
    int status;

    if (!info)
        return cca_repository_unknown(framework->repository, class_name, err);
    if (!name) {
        default_name(framework, class_name, buffer, sizeof buffer);
        name = buffer;
    }
    copy = strdup(name);
    if (!copy)
        return cca_no_memory(err);
    status = cca_instance_create(framework, info, name, 0, NULL, &instance, err);
    if (!status && framework->options.measure) {
        status = cca_interpose_all(instance, err);
        if (status)
            cca_instance_roll_back(framework, before);
    }
    if (status) {
        free(copy);
        return status;
    }
    free(framework->last_created);
    framework->last_created = copy;
    event.instance = instance->name;
    instance->announced = 1;
    cca_builder_event(framework, &event);
    return 0;
}

int cca_framework_create(struct cca_framework *framework, const char *class_name,
                         const char *name, struct cca_error *err)
{
    int status = cca_change_begin(framework, "instantiate", err);

    if (status)
        return status;
    status = create_instance(framework, class_name, name, err);
    cca_change_end(framework);
    return status;
}

int cca_framework_remove(struct cca_framework *framework, const char *name,
                         struct cca_error *err)
{
    return cca_framework_remove_within(framework, name, 0, err);
}

int cca_framework_remove_within(struct cca_framework *framework, const char *name,
                                double timeout_s, struct cca_error *err)
{
    struct cca_error own = {0};
    struct cca_instance *instance = cca_framework_find(framework, name, err ? err : &own);
    int status = instance ? cca_timeout_check(timeout_s, err) : -ENOENT;

    if (status)
        return status;
    if (instance->hidden)
        return cca_error_set(err, -EPERM,
                             "'%s' was made by the framework for its interposers", name);
    if (instance->embedded)
        return cca_error_set(
            err, -EPERM, "'%s' is the program's own, which alone can release it", name);
    status = cca_change_begin(framework, "remove", err);
    if (status)
        return status;
    framework->patience_s = timeout_s;
    status = cca_instance_remove(instance, err);
    cca_change_end(framework);
    return status;
}

/* Find the provides socket that `insert`, `eject`, `dispatch` or `shadow` names. */
static struct cca_socket *interposed_socket(struct cca_framework *framework,
                                            const char *instance, const char *port,
                                            struct cca_error *err)
{
    struct cca_instance *found = cca_framework_find(framework, instance, err);

    return found ? cca_socket_get(found, 0, port, err) : NULL;
}

int cca_framework_insert(struct cca_framework *framework, const char *instance,
                         const char *port, const char *class_name, struct cca_error *err)
{
    struct cca_error own = {0};
    struct cca_socket *socket =
        interposed_socket(framework, instance, port, err ? err : &own);
    int status = socket ? cca_change_begin(framework, "insert", err) : -ENOENT;

    if (status)
        return status;
    status = cca_interpose(socket, class_name, err);
    cca_change_end(framework);
    return status;
}

int cca_framework_eject(struct cca_framework *framework, const char *instance,
                        const char *port, struct cca_error *err)
{
    struct cca_error own = {0};
    struct cca_socket *socket =
        interposed_socket(framework, instance, port, err ? err : &own);
    int status = socket ? cca_change_begin(framework, "eject", err) : -ENOENT;

    if (status)
        return status;
    status = cca_eject(socket, err);
    cca_change_end(framework);
    return status;
}

int cca_framework_dispatch(struct cca_framework *framework, const char *instance,
                           const char *port, const char *file, struct cca_error *err)
{
    struct cca_error own = {0};
    struct cca_socket *socket =
        interposed_socket(framework, instance, port, err ? err : &own);
    int status = socket ? cca_change_begin(framework, "dispatch", err) : -ENOENT;

    if (status)
        return status;
    status = cca_dispatch(socket, file, err);
    cca_change_end(framework);
    return status;
}

int cca_framework_shadow(struct cca_framework *framework, const char *instance,
                         const char *port, const char *classes, const char *rate,
                         struct cca_error *err)
{
    struct cca_error own = {0};
    struct cca_socket *socket =
        interposed_socket(framework, instance, port, err ? err : &own);
    int status = socket ? cca_change_begin(framework, "shadow", err) : -ENOENT;

    if (status)
        return status;
    status = cca_shadow(socket, classes, rate, err);
    cca_change_end(framework);
    return status;
}

void *cca_framework_port(struct cca_framework *framework, const char *instance,
                         const char *port, const char *type, size_t size,
                         struct cca_error *err)
{
    struct cca_error own = {0}, *e = err ? err : &own;
    struct cca_instance *found = cca_framework_find(framework, instance, e);
    struct cca_socket *socket = found ? cca_socket_get(found, 0, port, e) : NULL;

    if (!socket || cca_framework_settle(framework, e))
        return NULL;
    if (!type || strcmp(socket->type, type) != 0 || socket->size != size) {
        cca_error_raise(
            err, -EINVAL, CCA_EXCEPTION_BAD_PORT_TYPE,
            "'%s' of '%s' is %s of %zu bytes, the main program wants %s of %zu", port,
            instance, socket->type, socket->size, type ? type : "no type", size);
        return NULL;
    }
    if (!socket->port) {
        cca_error_set(err, -ENOTSUP, "'%s' has no code in a dry run", instance);
        return NULL;
    }
    socket->lent++;
    return cca_socket_port(socket);
}

int cca_framework_release_port(struct cca_framework *framework, const char *instance,
                               const char *port, struct cca_error *err)
{
    struct cca_error own = {0}, *e = err ? err : &own;
    struct cca_instance *found = cca_framework_find(framework, instance, e);
    struct cca_socket *socket = found ? cca_socket_get(found, 0, port, e) : NULL;

    if (!socket)
        return -ENOENT;
    if (!socket->lent)
        return cca_error_raise(err, -EINVAL, CCA_EXCEPTION_PORT_NOT_IN_USE,
                               "the main program does not hold '%s' of '%s'", port,
                               instance);
    socket->lent--;
    return 0;
}

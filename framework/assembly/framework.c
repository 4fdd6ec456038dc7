/* SPDX-License-Identifier: BSD-3-Clause */
/* framework.c: the framework object, its properties, and the commands that change the
 * assembly. */
#include "framework/assembly/assembly.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

int cca_name_valid(const char *name)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    size_t length = name ? strlen(name) : 0;

    return length > 0 && length <= CCA_NAME_LONGEST && strspn(name, letters) == length;
}

int cca_change_begin(struct cca_framework *framework, const char *command,
                     struct cca_error *err)
{
    if (framework->changing)
        return cca_error_set(
            err, -EBUSY,
            "'%s' inside '%s': a listener or a component that is being made "
            "may not change the assembly",
            command, framework->changing);
    framework->changing = command;
    return 0;
}

void cca_change_end(struct cca_framework *framework)
{
    framework->changing = NULL;
    framework->patience_s = 0;
}

int cca_component_failed(struct cca_error *err, int code, const struct cca_error *inner,
                         const char *format, ...)
{
    char what[300];
    va_list args;

    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (code >= 0) /* a component's own number */
        code = inner->code < 0 ? inner->code : -ECANCELED;
    return cca_error_raise(err, code, CCA_EXCEPTION_UNEXPECTED, "%s%s%s", what,
                           inner->text[0] ? ": " : "", inner->text);
}

struct cca_framework *cca_framework_new(const struct cca_framework_options *options,
                                        struct cca_error *err)
{
    struct cca_framework *framework = calloc(1, sizeof *framework);

    if (!framework) {
        cca_no_memory(err);
        return NULL;
    }
    if (options)
        framework->options = *options;
    cca_list_init(&framework->instances);
    cca_list_init(&framework->visible);
    cca_list_init(&framework->connections);
    framework->thread = pthread_self();
    pthread_mutex_init(&framework->words_lock, NULL);
    cca_builder_init(&framework->builder, framework, NULL);
    cca_abstract_framework_init(&framework->abstract, framework);
    cca_component_repository_init(&framework->component_repository, framework);
    framework->repository = cca_repository_new();
    framework->properties = cca_typemap_new();
    framework->asked = cca_typemap_new();
    if (!framework->repository || !framework->properties || !framework->asked) {
        cca_no_memory(err);
        cca_framework_free(framework);
        return NULL;
    }
    if (framework->options.strict)
        cca_repository_be_strict(framework->repository);
    return framework;
}

/* Break every connection; whoever is told may not refuse. */
static void cut_all(struct cca_framework *framework)
{
    struct cca_link *link;

    for (link = cca_list_last(&framework->instances); link;
         link = cca_list_before(&framework->instances, link)) {
        struct cca_instance *instance = cca_instance_of_link(link);

        for (size_t i = instance->socket_count; i-- > 0;) {
            struct cca_socket *socket = instance->sockets[i];

            while (socket->uses && socket->count) {
                struct cca_connection *connection =
                    socket->connections[socket->count - 1];

                cca_connection_event(connection->user, connection->provider,
                                     CONNECTION_DISCONNECT_PENDING, NULL);
                cca_connection_cut(connection, NULL);
            }
        }
    }
}

static void destroy_all(struct cca_framework *framework, int hidden)
{
    struct cca_link *link = cca_list_last(&framework->instances), *before;

    for (; link; link = before) {
        before = cca_list_before(&framework->instances, link);
        if (cca_instance_of_link(link)->hidden == hidden)
            cca_instance_destroy(cca_instance_of_link(link));
    }
}

void cca_framework_free(struct cca_framework *framework)
{
    struct cca_link *link;

    if (!framework)
        return;
    framework->changing = "quit";
    for (link = cca_list_last(&framework->instances); link;
         link = cca_list_before(&framework->instances, link))
        cca_instance_release(cca_instance_of_link(link));
    /* The assembly goes as a whole: builders are not told of each piece. */
    framework->listener_count = 0;
    cut_all(framework);
    destroy_all(framework, 0);
    destroy_all(framework, 1);
    for (size_t i = 0; i < framework->unproxied_count; i++) {
        free(framework->unproxied[i].type);
        free(framework->unproxied[i].why);
    }
    free(framework->unproxied);
    cca_table_done(&framework->unproxied_types);
    cca_table_done(&framework->names);
    cca_table_done(&framework->hidden_names);
    cca_typemap_free(framework->properties);
    cca_typemap_free(framework->asked);
    cca_repository_free(framework->repository);
    pthread_mutex_destroy(&framework->words_lock);
    free(framework->listeners);
    free(framework->last_created);
    free(framework);
}

struct cca_repository *cca_framework_repository(struct cca_framework *framework)
{
    return framework->repository;
}

struct cca_cohort *cca_framework_cohort(const struct cca_framework *framework)
{
    return framework->options.cohort;
}

int cca_framework_set_property(struct cca_framework *framework, const char *key,
                               const char *value)
{
    return cca_typemap_put_string(framework->properties, key, value);
}

int cca_framework_property_asked(struct cca_framework *framework, const char *key)
{
    int asked;

    pthread_mutex_lock(&framework->words_lock);
    asked = cca_typemap_get_bool(framework->asked, key, 0);
    pthread_mutex_unlock(&framework->words_lock);
    return asked;
}

const char *cca_framework_last_created(const struct cca_framework *framework)
{
    return framework->last_created;
}

const char *cca_framework_unproxied(const struct cca_framework *framework, size_t index)
{
    return index < framework->unproxied_count ? framework->unproxied[index].type : NULL;
}

const char *cca_framework_unproxied_why(const struct cca_framework *framework,
                                        size_t index)
{
    return index < framework->unproxied_count ? framework->unproxied[index].why : NULL;
}

struct builder_port *cca_framework_builder(struct cca_framework *framework)
{
    return &framework->builder.port;
}

struct cca_instance *cca_framework_find(struct cca_framework *framework, const char *name,
                                        struct cca_error *err)
{
    struct cca_instance *found = cca_table_find(&framework->names, name);
    struct cca_nearest nearest;
    char hint[CCA_HINT_SIZE];

    if (!found)
        found = cca_table_find(&framework->hidden_names, name);
    if (found || !err)
        return found;
    cca_nearest_init(&nearest, name);
    for (struct cca_link *link = cca_list_first(&framework->visible); link;
         link = cca_list_next(&framework->visible, link))
        cca_nearest_offer(&nearest, cca_instance_of_visible(link)->name);
    cca_error_set(err, -ENOENT, "no instance '%s'%s", name,
                  cca_nearest_hint(nearest.best, hint, sizeof hint));
    return NULL;
}

/* The class name, of `a.b.Name` the last part, with the lowest free number. */
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

static int create(struct cca_framework *framework, const char *class_name,
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
    status = create(framework, class_name, name, err);
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

/* insert and eject begin alike. */
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
        cca_error_set(err, -ENOTSUP, "'%s' is not there: no component code runs",
                      instance);
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

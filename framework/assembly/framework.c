/* SPDX-License-Identifier: BSD-3-Clause */
/* framework.c: create and free the framework object; its properties. */
#include "framework/assembly/assembly.h"

#include <stdlib.h>
#include <string.h>

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
    framework->unsettled = framework->options.served != NULL;
    cca_list_init(&framework->instances);
    cca_list_init(&framework->visible);
    cca_list_init(&framework->connections);
    framework->thread = pthread_self();
    pthread_mutex_init(&framework->words_lock, NULL);
    cca_builder_init(framework);
    cca_abstract_framework_init(&framework->abstract, framework);
    cca_component_repository_init(&framework->component_repository, framework);
    cca_swapper_init(&framework->swapper, framework);
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

/* Break every connection; listeners cannot refuse. */
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
    /* the whole assembly is freed: builders get no event for each part */
    framework->listener_count = 0;
    cut_all(framework);
    destroy_all(framework, 0);
    destroy_all(framework, 1);
    cca_swapper_done(&framework->swapper);
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

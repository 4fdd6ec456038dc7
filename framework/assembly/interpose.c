/* SPDX-License-Identifier: BSD-3-Clause */
/* interpose.c: insert an interposer in front of a provides port, and eject it.
 *
 * An interposer is an instance of a class that provides and uses a port of the fronted
 * type, both named `port`; a class for described types adds both in set_services. Its
 * other required uses ports are connected to servers: instances that provide the type, or
 * a new instance of the class that serves it. */
#include "framework/assembly/assembly.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/clock.h"

/* The framework's property interposing_ns is the CPU time, in ns, spent on making
 * interposers and their servers. It is empty while interposers are being made. */
static struct cca_framework *interposing_begin(struct cca_framework *framework)
{
    if (!framework->interposing++) {
        framework->interposing_start_ns = cca_clock_ns(CLOCK_THREAD_CPUTIME_ID);
        cca_typemap_put_string(framework->properties, "interposing_ns", "");
    }
    return framework;
}

static void interposing_end(struct cca_framework **begun)
{
    struct cca_framework *framework = *begun;
    char text[32];

    if (--framework->interposing)
        return;
    framework->interposing_ns +=
        cca_clock_ns(CLOCK_THREAD_CPUTIME_ID) - framework->interposing_start_ns;
    snprintf(text, sizeof text, "%lld", (long long)framework->interposing_ns);
    cca_typemap_put_string(framework->properties, "interposing_ns", text);
}

#define INTERPOSING(framework)                                                           \
    struct cca_framework *interposing_begun __attribute__((cleanup(interposing_end))) =  \
        interposing_begin(framework);                                                    \
    (void)interposing_begun

/* Check, by the descriptor alone, that instances of a class can be put in front of
 * `provider`. */
static int check_class(const struct cca_class *cls, const struct cca_socket *provider,
                       struct cca_error *err)
{
    const struct cca_port_decl *ends[2] = {
        cca_port_decl_find(cls->provides, CCA_INTERPOSER_PORT),
        cca_port_decl_find(cls->uses, CCA_INTERPOSER_PORT)};
    static const char *const verbs[2] = {"provide", "use"};
    int status;

    /* wire_interposer() checks the interposer's ports when they exist */
    if (cca_class_fronts_any(cls)) {
        const struct cca_framework *framework = provider->owner->framework;
        char *description =
            cca_repository_description(framework->repository, cls, provider->type);

        free(description);
        if (!description && errno == ENOMEM)
            return cca_no_memory(err);
        return description
                   ? 0
                   : cca_error_set(err, -ENOTSUP,
                                   "class '%s' cannot front '%s' of '%s': no file "
                                   "%s on the path describes %s",
                                   cls->name, provider->name, provider->owner->name,
                                   cls->proxy_for, provider->type);
    }
    for (int i = 0; i < 2; i++) {
        if (!ends[i] || strcmp(ends[i]->type, provider->type) != 0)
            return cca_error_raise(
                err, -EINVAL, CCA_EXCEPTION_BAD_PORT_TYPE,
                "class '%s' cannot front '%s' of '%s': it does not %s a port "
                "'%s' of type %s",
                cls->name, provider->name, provider->owner->name, verbs[i],
                CCA_INTERPOSER_PORT, provider->type);
        if (ends[i]->size != provider->size)
            return cca_error_raise(
                err, -EINVAL, CCA_EXCEPTION_BAD_PORT_TYPE,
                "class '%s' cannot front '%s' of '%s': it was made for %s of "
                "%zu bytes, this one has %zu",
                cls->name, provider->name, provider->owner->name, provider->type,
                ends[i]->size, provider->size);
    }
    status = cca_signatures_match(cls, provider->owner->cls, provider->type, err);
    for (size_t i = 0; i < provider->count && !status; i++)
        status = cca_signatures_match(provider->connections[i]->user->owner->cls, cls,
                                      provider->type, err);
    return status;
}

void cca_unique_name(struct cca_framework *framework, const char *stem,
                     char name[CCA_NAME_LONGEST + 1])
{
    enum { NUMBER = 11 }; /* room for the number at the end of an instance name */
    size_t length;

    snprintf(name, CCA_NAME_LONGEST + 1 - NUMBER, "%s", stem);
    length = strlen(name);
    for (size_t i = 0; i < length; i++)
        if (!cca_name_valid((char[]){name[i], '\0'}))
            name[i] = '_';
    for (unsigned number = 2; cca_framework_find(framework, name, NULL); number++)
        snprintf(name + length, NUMBER, "%u", number);
}

/* Find a provides port of `type` with room for a connection, of an instance that is
 * neither `user` nor an interposer. Instances of the script come first. `user` may be
 * NULL. */
static struct cca_socket *find_provider(struct cca_framework *framework,
                                        const struct cca_instance *user, const char *type)
{
    for (int hidden = 0; hidden < 2; hidden++)
        for (struct cca_link *link = cca_list_first(&framework->instances); link;
             link = cca_list_next(&framework->instances, link)) {
            struct cca_instance *instance = cca_instance_of_link(link);

            if (instance == user || instance->hidden != hidden || instance->fronts ||
                instance->rival || instance->cls->proxy_for)
                continue;
            for (size_t i = 0; i < instance->socket_count; i++) {
                struct cca_socket *socket = instance->sockets[i];

                if (!socket->uses && !strcmp(socket->type, type) &&
                    socket->count < (size_t)socket->max)
                    return socket;
            }
        }
    return NULL;
}

static int connect_needs(struct cca_instance *user, const struct cca_socket *except,
                         int later, struct cca_error *err);

/* Find the class that serves the type of `need`. */
static int find_server(const struct cca_socket *need, const struct cca_class_info **info,
                       struct cca_error *err)
{
    *info = cca_repository_serves(need->owner->framework->repository, need->type);
    if (*info && strcmp((*info)->cls.name, need->owner->cls->name) != 0)
        return 0;
    return cca_error_set(
        err, -ENOENT,
        "'%s' needs %s: no instance provides it and no class on the path "
        "serves it",
        need->owner->name, need->type);
}

/* Create a hidden instance of a class that serves a type. */
static int make_hidden(struct cca_framework *framework, const struct cca_class_info *info,
                       struct cca_error *err)
{
    struct cca_instance *server;
    char name[CCA_NAME_LONGEST + 1];
    int status;

    cca_unique_name(framework, info->cls.name, name);
    status = cca_instance_create(framework, info, name, 1, NULL, &server, err);
    return status ? status : connect_needs(server, NULL, 0, err);
}

static int make_server(const struct cca_socket *need, struct cca_error *err)
{
    const struct cca_class_info *info;
    int status = find_server(need, &info, err);

    return status ? status : make_hidden(need->owner->framework, info, err);
}

/* Create the instance that the option `served` requires, unless there is one. */
static int serve_anyway(struct cca_framework *framework, struct cca_error *err)
{
    const char *type = framework->options.served;
    const struct cca_class_info *info;

    if (!type || find_provider(framework, NULL, type))
        return 0;
    info = cca_repository_serves(framework->repository, type);
    return info ? make_hidden(framework, info, err)
                : cca_error_set(err, -ENOENT, "no class on the path serves %s", type);
}

/* Connect the required uses ports, except one, of an instance that the framework created.
 * If `later` is true, a missing server is not created before cca_framework_settle, as the
 * script may create one until then. */
static int connect_needs(struct cca_instance *user, const struct cca_socket *except,
                         int later, struct cca_error *err)
{
    for (size_t i = 0; i < user->socket_count; i++) {
        struct cca_socket *need = user->sockets[i], *provider;
        int status = 0;

        if (!need->uses || need == except || need->service ||
            need->count >= (size_t)need->min)
            continue;
        provider = find_provider(user->framework, user, need->type);
        if (!provider && later) {
            const struct cca_class_info *info;

            status = find_server(need, &info, err);
            if (status)
                return status;
            user->framework->unsettled = 1;
            continue;
        }
        if (!provider) {
            status = make_server(need, err);
            provider = status ? NULL : find_provider(user->framework, user, need->type);
        }
        if (!status && !provider)
            status = cca_error_set(
                err, -ENOENT,
                "'%s' needs %s, and the class that serves it provides no such port",
                user->name, need->type);
        if (!status)
            status = cca_connection_make(need, provider, CCA_SERVING, err);
        if (status)
            return status;
    }
    return 0;
}

/* True for ports of the framework and of measurement components, in front of which no
 * proxy is put. */
static int internal(const struct cca_socket *provider)
{
    const struct cca_instance *owner = provider->owner;

    return owner->hidden || owner->cls->proxy_for || owner->cls->serves ||
           !strncmp(provider->type, CCA_SERVICE_PREFIX, strlen(CCA_SERVICE_PREFIX));
}

/* True if the component forbids interposers at this port. */
static int forbidden(const struct cca_socket *provider)
{
    return provider->flags & CCA_PORT_NO_PROXY ||
           !cca_typemap_get_bool(provider->properties, "ABLE_TO_PROXY", 1);
}

/* Find the class of an interposer by name or by type. */
static int find_class(const struct cca_socket *provider, const char *class_name,
                      const struct cca_class_info **info, struct cca_error *err)
{
    struct cca_repository *repository = provider->owner->framework->repository;

    if (internal(provider) || forbidden(provider))
        return cca_error_set(err, -ENOTSUP, "no interposer may front '%s' of '%s' (%s)",
                             provider->name, provider->owner->name, provider->type);
    *info = class_name ? cca_repository_find(repository, class_name)
                       : cca_repository_proxy_for(repository, provider->type);
    if (!*info && class_name)
        return cca_repository_unknown(repository, class_name, err);
    if (!*info)
        return cca_error_set(err, -ENOTSUP,
                             "no class on the path is a proxy for %s; 'proxygen HEADER' "
                             "makes one from the header of the port",
                             provider->type);
    return check_class(&(*info)->cls, provider, err);
}

/* When the servers of an interposer are made. */
enum servers {
    SERVERS_NOW,
    SERVERS_LATER, /* by cca_framework_settle: the script may create some until then */
    SERVERS_NEVER  /* its uses ports but the fronted one become optional */
};

/* Connect a new interposer to its servers and to the fronted port; then redirect users of
 * that port to it. */
static int wire_interposer(struct cca_instance *interposer, struct cca_socket *provider,
                           enum servers servers, struct cca_error *err)
{
    struct cca_socket *front = cca_socket_in(interposer, 0, CCA_INTERPOSER_PORT);
    struct cca_socket *back = cca_socket_in(interposer, 1, CCA_INTERPOSER_PORT);
    int status = 0;

    if (!front || !back)
        return cca_error_set(err, -EPROTO,
                             "class '%s' has made no ports '%s' to front '%s'",
                             interposer->cls->name, CCA_INTERPOSER_PORT, provider->name);
    if (strcmp(front->type, provider->type) != 0 || front->size != provider->size)
        return cca_error_raise(
            err, -EINVAL, CCA_EXCEPTION_BAD_PORT_TYPE,
            "class '%s' provides %s of %zu bytes in front of %s of %zu",
            interposer->cls->name, front->type, front->size, provider->type,
            provider->size);
    for (size_t i = 0; servers == SERVERS_NEVER && i < interposer->socket_count; i++)
        if (interposer->sockets[i] != back)
            interposer->sockets[i]->min = 0;
    if (servers != SERVERS_NEVER)
        status = connect_needs(interposer, back, servers == SERVERS_LATER, err);
    if (!status)
        status = cca_connection_make(back, provider, CCA_FRONTING, err);
    if (!status)
        provider->front = front;
    return status;
}

static int interpose(struct cca_socket *provider, const char *class_name,
                     enum servers servers, struct cca_error *err)
{
    struct cca_framework *framework = provider->owner->framework;
    size_t before = framework->instances.count;
    const struct cca_class_info *info = NULL;
    struct cca_instance *interposer;
    char stem[2 * CCA_NAME_LONGEST + 16], name[CCA_NAME_LONGEST + 1];
    int status;

    INTERPOSING(framework);
    if (!*provider->type) /* the port's type is unknown in a dry run */
        return 0;
    if (provider->front)
        return cca_error_set(err, -EEXIST, "'%s' of '%s' has the interposer '%s' already",
                             provider->name, provider->owner->name,
                             provider->front->owner->name);
    status = find_class(provider, class_name, &info, err);
    if (!status)
        status = cca_socket_idle(provider, err);
    if (status)
        return status;
    snprintf(stem, sizeof stem, "%s_%s_proxy", provider->owner->name, provider->name);
    cca_unique_name(framework, stem, name);
    status = cca_instance_create(framework, info, name, 1, provider, &interposer, err);
    if (!status)
        status = wire_interposer(interposer, provider, servers, err);
    if (status)
        cca_instance_roll_back(framework, before);
    else
        interposer->marked = servers == SERVERS_LATER;
    return status;
}

/* A script may insert an interposer where .measure has inserted one. */
int cca_interpose(struct cca_socket *provider, const char *class_name,
                  struct cca_error *err)
{
    struct cca_instance *marked = provider->front ? provider->front->owner : NULL;

    if (marked && marked->marked) {
        int same = !class_name || !strcmp(class_name, marked->cls->name);
        int status = same ? 0 : cca_eject(provider, err);

        if (same)
            marked->marked = 0;
        if (same || status)
            return status;
    }
    return interpose(provider, class_name, SERVERS_NOW, err);
}

int cca_interpose_bare(struct cca_socket *provider, struct cca_error *err)
{
    return interpose(provider, NULL, SERVERS_NEVER, err);
}

int cca_framework_settle(struct cca_framework *framework, struct cca_error *err)
{
    size_t before = framework->instances.count;
    struct cca_link *link, *next;
    const int needed =
        framework->unsettled || framework->dispatching || framework->swapper.slots;
    int status = needed ? cca_change_begin(framework, "settle", err) : 0;

    if (status || !needed)
        return status;
    INTERPOSING(framework);
    for (link = cca_list_first(&framework->instances); link && !status; link = next) {
        struct cca_instance *instance = cca_instance_of_link(link);

        next = cca_list_next(&framework->instances, link);
        if (instance->fronts)
            status = connect_needs(instance, NULL, 0, err);
    }
    if (!status)
        status = serve_anyway(framework, err);
    if (!status)
        status = cca_dispatch_follow(framework, err);
    if (!status)
        status = cca_slots_follow(framework, err);
    framework->unsettled = status != 0;
    if (status)
        cca_instance_roll_back(framework, before);
    cca_change_end(framework);
    return status;
}

int cca_eject(struct cca_socket *provider, struct cca_error *err)
{
    int status;

    if (!*provider->type)
        return 0;
    if (!provider->front)
        return cca_error_set(err, -ENOENT, "'%s' of '%s' has no interposer",
                             provider->name, provider->owner->name);
    if (provider->owner->slot)
        return cca_error_set(err, -EBUSY,
                             "the class of '%s' can be swapped by its proxies",
                             provider->owner->name);
    status = cca_socket_idle(provider, err);
    return status ? status : cca_instance_remove(provider->front->owner, err);
}

/* Add a port type that remains unmeasured to the framework's list, once. */
static int note_unproxied(struct cca_framework *framework, const char *type,
                          const char *why)
{
    struct cca_unproxied made;

    if (cca_table_find(&framework->unproxied_types, type))
        return 0;
    if (cca_array_reserve(&framework->unproxied, framework->unproxied_count, sizeof made))
        return -ENOMEM;
    made = (struct cca_unproxied){strdup(type), why ? strdup(why) : NULL};
    if (!made.type || (why && !made.why) ||
        cca_table_put(&framework->unproxied_types, made.type, made.type)) {
        free(made.type);
        free(made.why);
        return -ENOMEM;
    }
    framework->unproxied[framework->unproxied_count++] = made;
    return 0;
}

/* Insert a proxy for described types. It is no failure if the proxy cannot serve this
 * type; the type is then not tried again. */
static int interpose_any(struct cca_socket *provider, struct cca_error *err)
{
    struct cca_framework *framework = provider->owner->framework;
    struct cca_error own = {0};
    int status;

    if (cca_table_find(&framework->unproxied_types, provider->type))
        return 0;
    status = interpose(provider, NULL, SERVERS_LATER, &own);
    if (status == -ENOTSUP && own.exception == CCA_EXCEPTION_UNEXPECTED)
        return note_unproxied(framework, provider->type, own.text) ? cca_no_memory(err)
                                                                   : 0;
    return status ? cca_error_raise(err, status, own.exception, "%s", own.text) : 0;
}

int cca_interpose_all(struct cca_instance *instance, struct cca_error *err)
{
    struct cca_framework *framework = instance->framework;
    int status = 0;

    for (size_t i = 0; !status && i < instance->socket_count; i++) {
        struct cca_socket *socket = instance->sockets[i];
        const struct cca_class_info *proxy;

        if (socket->uses || internal(socket))
            continue;
        proxy = forbidden(socket)
                    ? NULL
                    : cca_repository_proxy_for(framework->repository, socket->type);
        if (!proxy)
            status =
                note_unproxied(framework, socket->type, NULL) ? cca_no_memory(err) : 0;
        else if (cca_class_fronts_any(&proxy->cls))
            status = interpose_any(socket, err);
        else
            status = interpose(socket, NULL, SERVERS_LATER, err);
    }
    return status;
}

/* True if the class is to serve optional uses ports now: an option of the run requests
 * the class, or --measure is given and the class needs no option. */
static int serves_now(const struct cca_framework *framework, const struct cca_class *cls)
{
    if (!(cls->flags & CCA_SERVES_ASKED))
        return framework->options.measure;
    for (const struct cca_param_decl *decl = cls->params; decl && decl->name; decl++)
        if (cca_typemap_get_string(framework->properties, decl->name, NULL))
            return 1;
    return 0;
}

static int serve(struct cca_socket *socket, struct cca_error *err)
{
    const struct cca_instance *owner = socket->owner;
    const struct cca_class_info *server;
    struct cca_socket *provider;
    int status = 0;

    if (!socket->uses || socket->service || socket->count || socket->min ||
        owner->cls->proxy_for || owner->cls->serves)
        return 0;
    server = cca_repository_serves(owner->framework->repository, socket->type);
    if (!server || !serves_now(owner->framework, &server->cls))
        return 0;
    provider = find_provider(owner->framework, owner, socket->type);
    if (!provider) {
        status = make_server(socket, err);
        provider = status ? NULL : find_provider(owner->framework, owner, socket->type);
    }
    return provider ? cca_connection_make(socket, provider, CCA_SERVING, err) : status;
}

int cca_serve_optional(struct cca_framework *framework, struct cca_error *err)
{
    int status = 0;

    INTERPOSING(framework);
    for (struct cca_link *link = cca_list_first(&framework->visible); link && !status;
         link = cca_list_next(&framework->visible, link)) {
        struct cca_instance *instance = cca_instance_of_visible(link);

        for (size_t i = 0; i < instance->socket_count && !status; i++)
            status = serve(instance->sockets[i], err);
    }
    return status;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* dispatch.c: instances of further classes behind the proxy of a provides port (the
 * slot), and the rules by which the proxy chooses among them in each call.
 *
 * The framework makes an instance of each class that the rules name, a rival of the
 * slot's instance. The proxy owns its rivals: they are removed with it. */
#include "framework/assembly/assembly.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int cca_dispatch_check(const struct cca_socket *slot, struct cca_error *err)
{
    const struct cca_class *cls = slot->owner->cls;
    unsigned flags;

    cca_rival_port(cls, slot, &flags);
    return cca_independent_check(cls->name, slot->name, slot->flags | flags, err);
}

/* --- Rivals --------------------------------------------------------------- */

int cca_rival_make(struct cca_instance *slot, const struct cca_class_info *info,
                   struct cca_instance **made, struct cca_error *err)
{
    struct cca_framework *framework = slot->framework;
    char stem[2 * CCA_NAME_LONGEST + 2], name[CCA_NAME_LONGEST + 1];
    int status;

    snprintf(stem, sizeof stem, "%s_%s", slot->name, cca_class_leaf(info->cls.name));
    cca_unique_name(framework, stem, name);
    status = cca_instance_create(framework, info, name, 1, NULL, made, err);
    if (!status)
        (*made)->rival = 1;
    return status;
}

int cca_dispatch_rival(struct cca_dispatch *dispatch, struct cca_socket *slot,
                       const char *class_name, struct cca_error *err)
{
    const struct cca_repository *repository = slot->owner->framework->repository;
    const struct cca_class_info *info = cca_repository_find(repository, class_name);
    struct cca_instance *rival;
    const char *port;
    unsigned flags;
    int status;

    if (!info)
        return cca_repository_unknown(repository, class_name, err);
    port = cca_rival_port(&info->cls, slot, &flags);
    if (!port)
        return cca_error_set(err, -EINVAL, "class '%s' provides no port of type %s",
                             class_name, slot->type);
    status = cca_independent_check(class_name, port, flags, err);
    if (!status)
        status = cca_rival_make(slot->owner, info, &rival, err);
    if (status)
        return status;
    dispatch->ends[dispatch->count++] = cca_socket_in(rival, 0, port);
    return dispatch->ends[dispatch->count - 1]
               ? 0
               : cca_error_set(err, -EPROTO, "class '%s' has made no port '%s'",
                               class_name, port);
}

/* Rivals call the same instances as the slot's instance does. Calls of measurement and of
 * the framework's own ports are no part of the program. */
static int check_called(const struct cca_socket *slot, struct cca_error *err)
{
    const struct cca_instance *owner = slot->owner;

    for (size_t i = 0; i < owner->socket_count; i++)
        for (size_t j = 0; owner->sockets[i]->uses && j < owner->sockets[i]->count; j++) {
            const struct cca_socket *called = owner->sockets[i]->connections[j]->provider;
            struct cca_error own = {0};

            if (!called->owner->cls->serves && cca_dispatch_check(called, &own))
                return cca_error_set(
                    err, -ENOTSUP,
                    "'%s' of '%s' cannot be shadowed: rivals would call '%s' of '%s', "
                    "and %s",
                    slot->name, owner->name, called->name, called->owner->name, own.text);
        }
    return 0;
}

int cca_dispatch_follow(struct cca_framework *framework, struct cca_error *err)
{
    int status = 0;

    for (struct cca_link *link = cca_list_first(&framework->instances);
         framework->dispatching && link && !status;
         link = cca_list_next(&framework->instances, link)) {
        for (int which = 0; which < 2 && !status; which++) {
            const struct cca_dispatch *dispatch =
                cca_dispatch_of(cca_instance_of_link(link), which);

            if (dispatch && which)
                status = check_called(dispatch->ends[0], err);
            for (size_t i = 1; dispatch && i < dispatch->count && !status; i++)
                status = cca_rival_follow(dispatch->ends[0]->owner,
                                          dispatch->ends[i]->owner, err);
        }
    }
    return status;
}

/* --- The command ---------------------------------------------------------- */

struct dispatch_target *cca_dispatch_targets(const struct cca_dispatch *dispatch)
{
    struct dispatch_target *targets = calloc(dispatch->count, sizeof *targets);

    for (size_t i = 0; targets && i < dispatch->count; i++)
        targets[i] = cca_rival_target(dispatch->ends[i]);
    return targets;
}

/* Pass the rules to the proxy. */
static int set_rules(struct cca_dispatch *dispatch, struct cca_socket *port,
                     struct cca_error *err)
{
    struct dispatch_port *proxy =
        cca_container_of(port->port, struct dispatch_port, base);
    struct dispatch_target *targets = cca_dispatch_targets(dispatch);
    const struct dispatch_learning learning = {
        dispatch->rules.limit, dispatch->rules.costs, dispatch->rules.cost_count};
    struct cca_error own = {0};
    int line = 0, status;

    if (!targets)
        return cca_no_memory(err);
    status = proxy->set(proxy, targets, dispatch->count, dispatch->rules.items,
                        dispatch->rules.count, &learning, &line, &own);
    free(targets);
    if (status && line)
        return cca_error_set(err, status, "%s:%d: %s", dispatch->file, line, own.text);
    return status ? cca_error_set(err, status, "%s: %s", dispatch->file, own.text) : 0;
}

/* Find the dispatch port of the slot's proxy, which is made if there is none. */
static struct cca_socket *find_proxy(struct cca_socket *slot, struct cca_error *err)
{
    struct cca_error own = {0}, *e = err ? err : &own;
    struct cca_socket *port;

    if (!slot->front && cca_interpose_bare(slot, e))
        return NULL;
    port = cca_socket_in(slot->front->owner, 0, DISPATCH_PORT_NAME);
    if (!port || strcmp(port->type, DISPATCH_PORT_TYPE) != 0) {
        cca_error_set(e, -ENOTSUP,
                      "the interposer '%s' of class '%s' cannot choose among classes",
                      slot->front->owner->name, slot->front->owner->cls->name);
        return NULL;
    }
    if (slot->front->owner->dispatch) {
        cca_error_set(e, -EEXIST, "'%s' of '%s' has rules already, of %s", slot->name,
                      slot->owner->name, slot->front->owner->dispatch->file);
        return NULL;
    }
    return port;
}

/* Read the rules, make the proxy and the rivals, and put the rules in force. */
static int begin(struct cca_dispatch *dispatch, struct cca_socket *slot,
                 struct cca_error *err)
{
    const struct cca_class *cls = slot->owner->cls;
    const struct cca_rules *rules = &dispatch->rules;
    struct cca_socket *port;
    int status = cca_rules_read(&dispatch->rules, dispatch->file, cls->name, err);

    if (status)
        return status;
    if (strcmp(rules->port_type, slot->type) != 0)
        return cca_error_set(err, -EINVAL, "%s has rules for %s; '%s' of '%s' is %s",
                             dispatch->file, rules->port_type, slot->name,
                             slot->owner->name, slot->type);
    status = cca_slot_at_home(slot->owner, err);
    if (!status)
        status = cca_dispatch_check(slot, err);
    port = status ? NULL : find_proxy(slot, err);
    if (!port)
        return status ? status : err->code;
    dispatch->ends = calloc(rules->class_count, sizeof *dispatch->ends);
    if (!dispatch->ends)
        return cca_no_memory(err);
    dispatch->ends[dispatch->count++] = slot;
    for (size_t i = 1; i < rules->class_count && !status; i++)
        status = cca_dispatch_rival(dispatch, slot, rules->classes[i], err);
    if (!status && !slot->owner->framework->options.dry)
        status = set_rules(dispatch, port, err);
    if (!status) {
        slot->front->owner->dispatch = dispatch;
        slot->owner->framework->dispatching++;
        slot->owner->framework->unsettled = 1;
    }
    return status;
}

int cca_dispatch(struct cca_socket *slot, const char *file, struct cca_error *err)
{
    struct cca_error own = {0}, *e = err ? err : &own;
    struct cca_framework *framework = slot->owner->framework;
    const size_t before = framework->instances.count;
    struct cca_dispatch *dispatch;
    int status;

    if (!*slot->type) /* the port's type is unknown in a dry run */
        return 0;
    status = cca_socket_idle(slot, err);
    if (status)
        return status;
    dispatch = calloc(1, sizeof *dispatch);
    if (!dispatch || !(dispatch->file = strdup(file))) {
        free(dispatch);
        return cca_no_memory(err);
    }
    status = begin(dispatch, slot, e);
    if (status) {
        cca_instance_roll_back(framework, before);
        cca_dispatch_free(dispatch);
    }
    return status;
}

/* --- Changes by learning --------------------------------------------------- */

static void put_change(const struct cca_dispatch *dispatch,
                       const struct dispatch_change *change,
                       void (*put)(void *context, const char *text), void *context)
{
    const char *from = dispatch->ends[change->from]->owner->cls->name;
    const char *to = dispatch->ends[change->to]->owner->cls->name;
    char text[600];

    if (change->reason == DISPATCH_STOPPED)
        snprintf(
            text, sizeof text,
            "%s:%d: %s in place of %s from call %llu on: the rules have lost half of "
            "the limit of %g %%",
            dispatch->file, change->line, to, from, (unsigned long long)change->call + 1,
            100 * dispatch->rules.limit);
    else
        snprintf(
            text, sizeof text,
            "%s:%d: %s in place of %s from call %llu on: %.3g us a call, not %.3g us "
            "(%llu and %llu calls timed)",
            dispatch->file, change->line, to, from, (unsigned long long)change->call + 1,
            1e-3 * change->to_ns, 1e-3 * change->from_ns,
            (unsigned long long)change->to_calls, (unsigned long long)change->from_calls);
    put(context, text);
}

void cca_framework_learned(struct cca_framework *framework,
                           void (*put)(void *context, const char *text), void *context)
{
    struct dispatch_change changes[64];

    for (struct cca_link *link = cca_list_first(&framework->instances);
         framework->dispatching && link;
         link = cca_list_next(&framework->instances, link)) {
        const struct cca_instance *proxy = cca_instance_of_link(link);
        struct cca_socket *socket =
            proxy->dispatch ? cca_socket_in(proxy, 0, DISPATCH_PORT_NAME) : NULL;
        struct dispatch_port *port =
            socket ? cca_container_of(socket->port, struct dispatch_port, base) : NULL;
        size_t count;

        if (!port || framework->options.dry)
            continue;
        do {
            count = port->changes(port, changes, sizeof changes / sizeof *changes);
            for (size_t i = 0; i < count; i++)
                put_change(proxy->dispatch, &changes[i], put, context);
        } while (count);
    }
}

void cca_dispatch_free(struct cca_dispatch *dispatch)
{
    if (!dispatch)
        return;
    cca_rules_done(&dispatch->rules);
    free(dispatch->ends);
    free(dispatch->file);
    free(dispatch);
}

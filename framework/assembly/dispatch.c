/* SPDX-License-Identifier: BSD-3-Clause */
/* dispatch.c: instances of further classes behind the proxy of a provides port (the
 * slot), and the rules by which the proxy chooses among them in each call.
 *
 * The framework makes an instance of each class that the rules name, a rival of the
 * slot's instance. A rival has the connections of that instance, and its values of
 * parameters with the same names; both are brought up to date before each `go`. The proxy
 * owns its rivals: they are removed with it. */
#include "framework/assembly/assembly.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- Classes -------------------------------------------------------------- */

/* Find the provides port of a class that can stand in for `slot`: a port of the same
 * type, preferably of the same name. */
static const char *find_port(const struct cca_class *cls, const struct cca_socket *slot,
                             unsigned *flags)
{
    const char *found = NULL;

    *flags = 0;
    for (const struct cca_port_decl *decl = cls->provides; decl && decl->name; decl++)
        if (!strcmp(decl->type, slot->type) &&
            (!found || strcmp(decl->name, slot->name) == 0)) {
            found = decl->name;
            *flags = decl->flags;
        }
    for (const struct cca_port_impl *impl = cls->implements; impl && impl->name; impl++)
        if (!found && !strcmp(impl->port->type, slot->type))
            found = impl->name;
    return found;
}

/* Check that calls of a port may go to instances of several classes. */
static int check_independent(const char *class_name, const char *port, unsigned flags,
                             struct cca_error *err)
{
    return flags & CCA_PORT_INDEPENDENT
               ? 0
               : cca_error_set(err, -ENOTSUP,
                               "class '%s' does not declare that calls of its port '%s' "
                               "are independent (CCA_PORT_INDEPENDENT)",
                               class_name, port);
}

/* --- Rivals --------------------------------------------------------------- */

static int make_rival(struct cca_dispatch *dispatch, struct cca_socket *slot,
                      const char *class_name, struct cca_error *err)
{
    struct cca_framework *framework = slot->owner->framework;
    const struct cca_class_info *info =
        cca_repository_find(framework->repository, class_name);
    struct cca_instance *rival;
    char stem[2 * CCA_NAME_LONGEST + 2], name[CCA_NAME_LONGEST + 1];
    const char *port;
    unsigned flags;
    int status;

    if (!info)
        return cca_repository_unknown(framework->repository, class_name, err);
    port = find_port(&info->cls, slot, &flags);
    if (!port)
        return cca_error_set(err, -EINVAL, "class '%s' provides no port of type %s",
                             class_name, slot->type);
    status = check_independent(class_name, port, flags, err);
    if (status)
        return status;
    snprintf(stem, sizeof stem, "%s_%s", slot->owner->name, cca_class_leaf(class_name));
    cca_unique_name(framework, stem, name);
    status = cca_instance_create(framework, info, name, 1, NULL, &rival, err);
    if (status)
        return status;
    rival->rival = 1;
    dispatch->ends[dispatch->count++] = cca_socket_in(rival, 0, port);
    return dispatch->ends[dispatch->count - 1]
               ? 0
               : cca_error_set(err, -EPROTO, "class '%s' has made no port '%s'",
                               class_name, port);
}

/* Make and break connections of a rival's uses port, so that it is connected to the same
 * ports as the uses port of the slot's instance. */
static int follow_connections(const struct cca_socket *from, struct cca_socket *to,
                              struct cca_error *err)
{
    int status = 0;

    for (size_t i = to->count; i-- > 0 && !status;) {
        size_t j = 0;

        while (j < from->count &&
               from->connections[j]->provider != to->connections[i]->provider)
            j++;
        if (j < from->count)
            continue;
        status = cca_connection_may_break(to->connections[i], err);
        if (!status)
            status = cca_connection_cut(to->connections[i], err);
    }
    for (size_t j = 0; j < from->count && !status; j++) {
        size_t i = 0;

        while (i < to->count &&
               to->connections[i]->provider != from->connections[j]->provider)
            i++;
        if (i == to->count)
            status =
                cca_connection_make(to, from->connections[j]->provider, CCA_SERVING, err);
    }
    return status;
}

/* Give a rival the parameters and connections of the slot's instance. */
static int follow(struct cca_instance *slot, struct cca_instance *rival,
                  struct cca_error *err)
{
    int status = 0;

    for (size_t i = 0; i < slot->params.count && !status; i++) {
        const char *name = slot->params.items[i].decl->name;
        const char *text = slot->params.items[i].value.text;
        const struct cca_param *own = cca_params_find(&rival->params, name, NULL);

        if (own && strcmp(own->text, text) != 0)
            status = cca_framework_set_parameter(slot->framework, rival->name,
                                                 CCA_CONFIG_PORT, name, text, err);
    }
    for (size_t i = 0; i < slot->socket_count && !status; i++) {
        const struct cca_socket *from = slot->sockets[i];
        struct cca_socket *to = from->uses ? cca_socket_in(rival, 1, from->name) : NULL;

        if (to && !to->service && !strcmp(to->type, from->type))
            status = follow_connections(from, to, err);
    }
    return status;
}

int cca_dispatch_follow(struct cca_framework *framework, struct cca_error *err)
{
    int status = 0;

    for (struct cca_link *link = cca_list_first(&framework->instances);
         framework->dispatching && link && !status;
         link = cca_list_next(&framework->instances, link)) {
        const struct cca_dispatch *dispatch = cca_instance_of_link(link)->dispatch;

        for (size_t i = 1; dispatch && i < dispatch->count && !status; i++)
            status = follow(dispatch->ends[0]->owner, dispatch->ends[i]->owner, err);
    }
    return status;
}

/* --- The command ---------------------------------------------------------- */

/* Pass the rules to the proxy. */
static int set_rules(struct cca_dispatch *dispatch, struct cca_socket *port,
                     struct cca_error *err)
{
    struct dispatch_port *proxy =
        cca_container_of(port->port, struct dispatch_port, base);
    struct dispatch_target *targets = calloc(dispatch->count, sizeof *targets);
    struct cca_error own = {0};
    int line = 0, status;

    if (!targets)
        return cca_no_memory(err);
    for (size_t i = 0; i < dispatch->count; i++) {
        const struct cca_socket *end = dispatch->ends[i];

        targets[i] = (struct dispatch_target){.port = end->port,
                                              .instance = end->owner->name,
                                              .port_name = end->name,
                                              .class_name = end->owner->cls->name,
                                              .build_id = end->owner->info->build_id};
    }
    status = proxy->set(proxy, targets, dispatch->count, dispatch->rules.items,
                        dispatch->rules.count, &line, &own);
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
    unsigned flags;
    int status = cca_rules_read(&dispatch->rules, dispatch->file, cls->name, err);

    if (status)
        return status;
    if (strcmp(rules->port_type, slot->type) != 0)
        return cca_error_set(err, -EINVAL, "%s has rules for %s; '%s' of '%s' is %s",
                             dispatch->file, rules->port_type, slot->name,
                             slot->owner->name, slot->type);
    find_port(cls, slot, &flags);
    status = check_independent(cls->name, slot->name, slot->flags | flags, err);
    port = status ? NULL : find_proxy(slot, err);
    if (!port)
        return status ? status : err->code;
    dispatch->ends = calloc(rules->class_count, sizeof *dispatch->ends);
    if (!dispatch->ends)
        return cca_no_memory(err);
    dispatch->ends[dispatch->count++] = slot;
    for (size_t i = 1; i < rules->class_count && !status; i++)
        status = make_rival(dispatch, slot, rules->classes[i], err);
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

void cca_dispatch_free(struct cca_dispatch *dispatch)
{
    if (!dispatch)
        return;
    cca_rules_done(&dispatch->rules);
    free(dispatch->ends);
    free(dispatch->file);
    free(dispatch);
}

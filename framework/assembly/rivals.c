/* SPDX-License-Identifier: BSD-3-Clause */
/* rivals.c: instances of further classes that stand behind the proxy of a provides port,
 * beside the instance of the script (the slot's): for `dispatch` and `swap`.
 *
 * A rival has the connections of the slot's instance, and its values of parameters with
 * the same names; both are brought up to date before each `go`. */
#include "framework/assembly/assembly.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- Classes -------------------------------------------------------------- */

const char *cca_rival_port(const struct cca_class *cls, const struct cca_socket *slot,
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

int cca_independent_check(const char *class_name, const char *port, unsigned flags,
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

int cca_rival_follow(struct cca_instance *slot, struct cca_instance *rival,
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

struct dispatch_target cca_rival_target(const struct cca_socket *port)
{
    return (struct dispatch_target){.port = port->port,
                                    .instance = port->owner->name,
                                    .port_name = port->name,
                                    .class_name = port->owner->cls->name,
                                    .build_id = port->owner->info->build_id};
}

/* --- Slots ---------------------------------------------------------------- */

int cca_slot_at_home(const struct cca_instance *instance, struct cca_error *err)
{
    const struct cca_slot *slot = instance->slot;

    return !slot || slot->current == instance
               ? 0
               : cca_error_set(err, -EBUSY,
                               "'%s' is %s since a swap; rules and shadow calls need its "
                               "own class %s",
                               instance->name, slot->current->cls->name,
                               instance->cls->name);
}

void cca_slot_free(struct cca_slot *slot)
{
    struct cca_slot **at;

    if (!slot)
        return;
    at = &slot->instance->framework->swapper.slots;
    while (*at && *at != slot)
        at = &(*at)->next;
    if (*at)
        *at = slot->next;
    free(slot->reason);
    free(slot->voted_reason);
    free(slot->rivals);
    free(slot->ports);
    free(slot);
}

int cca_slots_follow(struct cca_framework *framework, struct cca_error *err)
{
    int status = 0;

    for (struct cca_slot *slot = framework->swapper.slots; slot; slot = slot->next)
        for (size_t i = 0; i < slot->rival_count && !status; i++)
            status = cca_rival_follow(slot->instance, slot->rivals[i], err);
    return status;
}

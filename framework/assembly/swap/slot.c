/* SPDX-License-Identifier: BSD-3-Clause */
/* slot.c: instances whose class can be exchanged while the program runs, and which class
 * may replace which. */
#include "framework/assembly/assembly.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ports/handover_port.h"
#include "ports/slot_port.h"

/* --- Making --------------------------------------------------------------- */

/* True for a port that moves with the class: ports of the framework's types stay. */
static int moves(const struct cca_socket *socket)
{
    return !socket->uses &&
           strncmp(socket->type, CCA_SERVICE_PREFIX, strlen(CCA_SERVICE_PREFIX)) != 0;
}

/* Find the slot port of the proxy in front of a port; the proxy is made if there is none.
 */
static struct cca_socket *find_proxy(struct cca_socket *port, struct cca_error *err)
{
    struct cca_socket *found;

    if (!port->front && cca_interpose_bare(port, err))
        return NULL;
    found = cca_socket_in(port->front->owner, 0, SLOT_PORT_NAME);
    if (found && strcmp(found->type, SLOT_PORT_TYPE) == 0)
        return found;
    cca_error_set(err, -ENOTSUP,
                  "the interposer '%s' of class '%s' cannot exchange its target",
                  port->front->owner->name, port->front->owner->cls->name);
    return NULL;
}

/* Let the proxy of a port count its calls. */
static int arm(struct cca_slot *slot, struct cca_socket *port, struct cca_error *err)
{
    struct cca_socket *proxy;
    struct slot_port *gate;
    struct dispatch_target target;
    int status = 0;

    if (!*port->type) /* the port's type is unknown in a dry run */
        return 0;
    status = cca_socket_idle(port, err);
    proxy = status ? NULL : find_proxy(port, err);
    if (!proxy)
        return status ? status : err->code;
    if (!slot->instance->framework->options.dry) {
        gate = cca_container_of(proxy->port, struct slot_port, base);
        target = cca_rival_target(port);
        status = gate->arm(gate, &target, err);
    }
    if (!status)
        slot->ports[slot->port_count++] = port;
    return status;
}

static int fill(struct cca_slot *slot, struct cca_error *err)
{
    struct cca_instance *instance = slot->instance;
    const size_t count = instance->socket_count;
    int status = 0;

    slot->ports = calloc(count + 1, sizeof(struct cca_socket *));
    if (!slot->ports)
        return cca_no_memory(err);
    for (size_t i = 0; i < count && !status; i++)
        if (moves(instance->sockets[i]))
            status = arm(slot, instance->sockets[i], err);
    if (!status && !slot->port_count && !instance->framework->options.dry)
        status = cca_error_set(err, -EINVAL, "'%s' provides no port", instance->name);
    return status;
}

int cca_slot_make(struct cca_instance *instance, struct cca_error *err)
{
    struct cca_swapper *swapper = &instance->framework->swapper;
    const size_t before = instance->framework->instances.count;
    struct cca_error own = {0};
    struct cca_slot *slot, **last = &swapper->slots;
    int status;

    if (instance->slot)
        return 0;
    if (instance->hidden || instance->embedded)
        return cca_error_set(err, -EPERM, "'%s' is no instance of the script",
                             instance->name);
    slot = calloc(1, sizeof *slot);
    if (!slot)
        return cca_no_memory(err);
    slot->instance = slot->current = instance;
    status = fill(slot, err ? err : &own);
    if (status) {
        cca_slot_free(slot);
        cca_instance_roll_back(instance->framework, before);
        return status;
    }
    while (*last)
        last = &(*last)->next;
    *last = slot;
    instance->slot = slot;
    instance->framework->unsettled = 1;
    return 0;
}

/* --- Which class may replace which ---------------------------------------- */

static int has_handover(const struct cca_class *cls)
{
    for (const struct cca_port_decl *decl = cls->provides; decl && decl->name; decl++)
        if (strcmp(decl->type, HANDOVER_PORT_TYPE) == 0)
            return 1;
    for (const struct cca_port_impl *impl = cls->implements; impl && impl->name; impl++)
        if (strcmp(impl->port->type, HANDOVER_PORT_TYPE) == 0)
            return 1;
    return 0;
}

/* Check that a class without a port for its state keeps none. */
static int check_stateless(const struct cca_slot *slot, const struct cca_class *cls,
                           struct cca_error *err)
{
    int status = 0;

    for (size_t i = 0; i < slot->port_count && !status; i++) {
        unsigned flags;
        const char *port = cca_rival_port(cls, slot->ports[i], &flags);

        status = cca_independent_check(cls->name, port ? port : slot->ports[i]->name,
                                       flags, NULL);
        if (status)
            cca_error_set(err, status,
                          "class '%s' declares neither that calls of its port '%s' are "
                          "independent (CCA_PORT_INDEPENDENT) nor a port %s for its "
                          "state",
                          cls->name, port ? port : slot->ports[i]->name,
                          HANDOVER_PORT_TYPE);
    }
    return status;
}

/* Check that no rules and no shadow calls name classes beside the slot's own. */
static int check_alone(const struct cca_slot *slot, struct cca_error *err)
{
    for (size_t i = 0; i < slot->port_count; i++) {
        const struct cca_socket *port = slot->ports[i];
        const struct cca_instance *proxy = port->front->owner;

        if (proxy->dispatch || proxy->shadow)
            return cca_error_set(
                err, -ENOTSUP, "'%s' of '%s' has %s, and they need its class %s",
                port->name, slot->instance->name,
                proxy->dispatch ? "rules" : "shadow calls", slot->instance->cls->name);
    }
    return 0;
}

int cca_slot_check(const struct cca_slot *slot, const struct cca_class_info *info,
                   struct cca_error *err)
{
    const struct cca_class *own = slot->instance->cls, *cls = &info->cls;
    unsigned flags;
    int status = check_alone(slot, err);

    for (size_t i = 0; i < slot->port_count && !status; i++) {
        const struct cca_socket *port = slot->ports[i];

        if (!cca_rival_port(cls, port, &flags))
            status = cca_error_set(err, -EINVAL, "class '%s' provides no port of type %s",
                                   cls->name, port->type);
        else
            status = cca_signatures_match(port->front->owner->cls, cls, port->type, err);
    }
    if (status || (has_handover(own) && has_handover(cls)))
        return status;
    status = check_stateless(slot, has_handover(cls) ? own : cls, err);
    if (!status && check_stateless(slot, has_handover(cls) ? cls : own, NULL))
        status =
            cca_error_set(err, -ENOTSUP, "class '%s' does not take the state of '%s'",
                          has_handover(cls) ? own->name : cls->name,
                          has_handover(cls) ? cls->name : own->name);
    return status;
}

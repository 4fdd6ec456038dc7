/* SPDX-License-Identifier: BSD-3-Clause */
/* swap.c: exchange the class of a slot as one transaction.
 *
 *     check ─ make ─ ready ─ close ─ give ─ take ─ connect ─ agree ─▶ open
 *                      │                                       │
 *                      └── all ranks                all ranks ─┴─▶ undo, open
 *
 * Ready and agree are reductions over the ranks; a failure of any step on any rank is
 * theirs, too. The instance before keeps its state, so undo only connects the ports as
 * before, and removes the new instance. */
#include "framework/assembly/assembly.h"
#include "framework/cohort.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "ports/handover_port.h"
#include "ports/slot_port.h"

enum { PATIENCE_MS = 1000 }; /* time that calls in progress have to end */

/* One swap in progress. */
struct deal {
    struct cca_slot *slot;
    const struct cca_class_info *info;
    struct cca_instance *before, *after;
    size_t instances; /* number of instances before the swap */
    int made;         /* true if `after` was made by this swap */
    size_t closed;    /* number of ports of the slot that are closed */
    size_t moved;     /* number of ports whose calls go to `after` */
    void *state;
    size_t state_size;
    struct swap_outcome *outcome;
    int64_t start_ns;
};

/* --- Log ------------------------------------------------------------------ */

/* Copy a string to the buffer `*at`, and advance it. */
static const char *keep(char **at, const char *text)
{
    char *copy = *at;

    *at = stpcpy(copy, text) + 1;
    return copy;
}

/* Add an outcome without result to the log. Returns NULL: out of memory. */
static struct cca_swap *log_add(struct cca_slot *slot, const struct cca_class_info *info,
                                const char *reason)
{
    struct cca_swapper *swapper = &slot->instance->framework->swapper;
    const char *texts[] = {slot->instance->name, slot->current->cls->name, info->cls.name,
                           reason ? reason : ""};
    size_t size = 0;
    struct cca_swap *swap = calloc(1, sizeof *swap);
    char *at;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        size += strlen(texts[i]) + 1;
    if (!swap || !(swap->strings = malloc(size)) ||
        cca_array_reserve(&swapper->log, swapper->log_count, sizeof *swapper->log)) {
        if (swap)
            free(swap->strings);
        free(swap);
        return NULL;
    }
    at = swap->strings;
    swap->outcome = (struct swap_outcome){.instance = keep(&at, texts[0]),
                                          .from = keep(&at, texts[1]),
                                          .to = keep(&at, texts[2]),
                                          .reason = keep(&at, texts[3]),
                                          .to_instance = "",
                                          .text = swap->failure.text,
                                          .step = swapper->steps};
    swapper->log[swapper->log_count++] = swap;
    return swap;
}

/* Complete an outcome, and send it to the listeners. */
static void log_end(struct cca_slot *slot, struct cca_swap *swap, int status,
                    const char *text)
{
    const struct builder_event event = {.type = BUILDER_SWAPPED,
                                        .instance = slot->instance->name,
                                        .swap = &swap->outcome};

    swap->outcome.status = status;
    if (status)
        cca_error_set(&swap->failure, status, "%s", text);
    cca_builder_event(slot->instance->framework, &event);
}

void cca_swap_refused(struct cca_slot *slot, const struct cca_class_info *info,
                      const char *reason, const char *text)
{
    struct cca_swap *swap = log_add(slot, info, reason);

    if (!swap)
        return;
    swap->outcome.stage = SWAP_READY;
    log_end(slot, swap, -ECANCELED, text);
}

/* --- Steps ---------------------------------------------------------------- */

static struct slot_port *gate_of(const struct cca_socket *port)
{
    return cca_container_of(cca_socket_in(port->front->owner, 0, SLOT_PORT_NAME)->port,
                            struct slot_port, base);
}

/* Find the port of an instance that stands in for a port of the slot. */
static struct cca_socket *stand_in(const struct cca_instance *instance,
                                   struct cca_socket *port)
{
    unsigned flags;
    const char *name = instance == port->owner
                           ? port->name
                           : cca_rival_port(instance->cls, port, &flags);

    return name ? cca_socket_in(instance, 0, name) : NULL;
}

static struct handover_port *handover_of(const struct cca_instance *instance)
{
    for (size_t i = 0; i < instance->socket_count; i++)
        if (!instance->sockets[i]->uses &&
            strcmp(instance->sockets[i]->type, HANDOVER_PORT_TYPE) == 0)
            return cca_container_of(instance->sockets[i]->port, struct handover_port,
                                    base);
    return NULL;
}

static int check(struct deal *deal, struct cca_error *err)
{
    return cca_slot_check(deal->slot, deal->info, err);
}

static int is_usable(const struct cca_instance *instance, const char *class_name)
{
    return !instance->spoiled && strcmp(instance->cls->name, class_name) == 0;
}

/* Find the instance of the class, or make one. */
static int make(struct deal *deal, struct cca_error *err)
{
    struct cca_slot *slot = deal->slot;
    const char *name = deal->info->cls.name;
    int status = 0;

    if (is_usable(slot->instance, name))
        deal->after = slot->instance;
    for (size_t i = 0; i < slot->rival_count && !deal->after; i++)
        if (is_usable(slot->rivals[i], name))
            deal->after = slot->rivals[i];
    if (!deal->after) {
        if (cca_array_reserve(&slot->rivals, slot->rival_count,
                              sizeof(struct cca_instance *)))
            return cca_no_memory(err);
        status = cca_rival_make(slot->instance, deal->info, &deal->after, err);
        deal->made = !status;
    }
    if (!status && deal->after != slot->instance)
        status = cca_rival_follow(slot->instance, deal->after, err);
    for (size_t i = 0; i < slot->port_count && !status; i++)
        if (!stand_in(deal->after, slot->ports[i]))
            status = cca_error_set(err, -EPROTO, "class '%s' has made no port %s", name,
                                   slot->ports[i]->type);
    return status;
}

static int ready(struct deal *deal, struct cca_error *err)
{
    uint64_t digest = cca_digest_text(0, deal->slot->instance->name);

    digest = cca_digest_text(digest, deal->info->cls.name);
    return cca_swap_agree(&deal->slot->instance->framework->swapper, digest, 0, err);
}

static int close_ports(struct deal *deal, struct cca_error *err)
{
    int status = 0;

    while (deal->closed < deal->slot->port_count && !status) {
        struct slot_port *gate = gate_of(deal->slot->ports[deal->closed]);

        status = gate->close(gate, PATIENCE_MS / 1e3, err);
        deal->closed += !status;
    }
    return status;
}

static int give(struct deal *deal, struct cca_error *err)
{
    struct handover_port *from = handover_of(deal->before),
                         *to = handover_of(deal->after);
    struct cca_error inner = {0};
    struct cca_activity before;
    int status;

    if (!from || !to)
        return 0;
    if (strcmp(from->layout(from), to->layout(to)) != 0)
        return cca_error_set(err, -EINVAL,
                             "class '%s' has its state as '%s', class '%s' as '%s'",
                             deal->before->cls->name, from->layout(from),
                             deal->after->cls->name, to->layout(to));
    before = cca_activity_begin(deal->before, "give");
    status = from->give(from, &deal->state, &deal->state_size, &inner);
    cca_activity_end(deal->before->framework, &before);
    return status ? cca_component_failed(err, status, &inner, "'%s' gives no state",
                                         deal->before->name)
                  : 0;
}

static int take(struct deal *deal, struct cca_error *err)
{
    struct handover_port *to = handover_of(deal->after);
    struct cca_error inner = {0};
    struct cca_activity before;
    int status;

    if (!to || !handover_of(deal->before))
        return 0;
    before = cca_activity_begin(deal->after, "take");
    status = to->take(to, deal->state, deal->state_size, &inner);
    cca_activity_end(deal->after->framework, &before);
    deal->after->spoiled = status != 0;
    return status ? cca_component_failed(err, status, &inner, "'%s' takes no state",
                                         deal->after->name)
                  : 0;
}

static int connect_ports(struct deal *deal, struct cca_error *err)
{
    int status = 0;

    while (deal->moved < deal->slot->port_count && !status) {
        struct cca_socket *port = deal->slot->ports[deal->moved];
        struct slot_port *gate = gate_of(port);
        const struct dispatch_target target =
            cca_rival_target(stand_in(deal->after, port));

        status = gate->move(gate, &target, err);
        deal->moved += !status;
    }
    return status;
}

/* Agree on the result of all steps since `ready`. */
static int agree(struct deal *deal, int status, struct cca_error *err)
{
    return cca_swap_agree(&deal->slot->instance->framework->swapper, 1, status, err);
}

/* --- The transaction ------------------------------------------------------ */

static int (*const stages[])(struct deal *deal, struct cca_error *err) = {
    [SWAP_CHECK] = check,          [SWAP_MAKE] = make, [SWAP_READY] = ready,
    [SWAP_CLOSE] = close_ports,    [SWAP_GIVE] = give, [SWAP_TAKE] = take,
    [SWAP_CONNECT] = connect_ports};

static void take_time(struct deal *deal, enum swap_stage stage)
{
    const int64_t now = cca_clock_ns(CLOCK_MONOTONIC);

    deal->outcome->ns[stage] += now - deal->start_ns;
    deal->start_ns = now;
}

/* Run the steps `from` to `to` until one fails. */
static int run(struct deal *deal, enum swap_stage from, enum swap_stage to,
               struct cca_error *err)
{
    int status = 0;

    for (enum swap_stage stage = from; stage <= to && !status; stage++) {
        deal->outcome->stage = stage;
        status = stages[stage](deal, err);
        take_time(deal, stage);
    }
    return status;
}

/* Connect the ports as before; the slots are closed, so this cannot fail. */
static void undo(struct deal *deal)
{
    while (deal->moved) {
        struct cca_socket *port = deal->slot->ports[--deal->moved];
        struct slot_port *gate = gate_of(port);
        const struct dispatch_target target =
            cca_rival_target(stand_in(deal->before, port));

        gate->move(gate, &target, NULL);
    }
}

static void open_ports(struct deal *deal)
{
    while (deal->closed) {
        struct slot_port *gate = gate_of(deal->slot->ports[--deal->closed]);

        gate->open(gate);
    }
}

/* Run all steps; the ranks agree twice. A rank that has failed takes part in both
 * reductions, or in the first one. */
static int transact(struct deal *deal, struct cca_error *err)
{
    struct cca_swapper *swapper = &deal->slot->instance->framework->swapper;
    int status = run(deal, SWAP_CHECK, SWAP_MAKE, err);

    if (status)
        return cca_swap_agree(swapper, 0, status, err);
    status = run(deal, SWAP_READY, SWAP_READY, err);
    if (status)
        return status;
    status = run(deal, SWAP_CLOSE, SWAP_CONNECT, err);
    if (!status)
        deal->outcome->stage = SWAP_AGREE;
    status = agree(deal, status, err);
    take_time(deal, SWAP_AGREE);
    if (status)
        undo(deal);
    return status;
}

int cca_swap(struct cca_slot *slot, const struct cca_class_info *info, const char *reason,
             struct cca_error *err)
{
    struct cca_framework *framework = slot->instance->framework;
    struct cca_error own = {0};
    struct cca_swap *swap;
    struct deal deal = {.slot = slot,
                        .info = info,
                        .before = slot->current,
                        .instances = framework->instances.count,
                        .start_ns = cca_clock_ns(CLOCK_MONOTONIC)};
    int status;

    if (strcmp(slot->current->cls->name, info->cls.name) == 0)
        return 0;
    swap = log_add(slot, info, reason);
    if (!swap) /* the other ranks wait for this one */
        return cca_swap_agree(&framework->swapper, 0, cca_no_memory(err), err);
    deal.outcome = &swap->outcome;
    status = transact(&deal, &own);
    if (!status) {
        slot->current = deal.after;
        swap->outcome.to_instance = deal.after->name;
        if (deal.made)
            slot->rivals[slot->rival_count++] = deal.after;
    }
    open_ports(&deal);
    if (status && deal.made)
        cca_instance_roll_back(framework, deal.instances);
    free(deal.state);
    log_end(slot, swap, status, own.text);
    return status ? cca_error_raise(err, status, own.exception, "%s", own.text) : 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* proxy.h: shared code of all generated proxies: the code around a call, and the
 * connection to the target.
 *
 * A proxy provides and uses a port of one type, both named "port". It measures when its
 * uses ports "port" (the target) and "monitor" are both connected, in any order; it then
 * opens its methods at the monitor, and does so again whenever one of the two ports is
 * reconnected. Otherwise it forwards calls without measuring. Without a target, methods
 * return -ENOTCONN where they return a signed integer, else zero.
 *
 * Through its port "dispatch" the framework gives it further targets, and rules that name
 * the target of each call (ports/dispatch_port.h). Calls are recorded as calls of the
 * target that they went to. */
#ifndef PROXIES_PROXY_H
#define PROXIES_PROXY_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/cca.h"
#include "ports/connection_event_port.h"
#include "ports/monitor_port.h"
#include "ports/slot_port.h"
#include "proxies/proxy_memory.h"
#include "proxies/proxy_table.h"
#include "proxies/proxy_float.h"
#include "proxies/proxy_shadow.h"
#include "proxies/proxy_turn.h"
#include "proxies/proxy_value.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- One call ------------------------------------------------------------- */

/* An open invocation. If an exception or a cancellation leaves its block before
 * proxy_end, it is closed as unwound. */
struct proxy_call {
    /* the recorder's port; NULL: the invocation is closed */
    struct monitor_port *monitor;
    struct monitor_frame *frame;
};

static inline void proxy_unwind(struct proxy_call *call)
{
    if (call->monitor)
        call->monitor->unwind(call->monitor, call->frame);
}

#define PROXY_CALL __attribute__((cleanup(proxy_unwind))) struct proxy_call

static inline struct proxy_call proxy_begin(struct monitor_port *monitor,
                                            struct monitor_method *method,
                                            const union monitor_value *in)
{
    struct proxy_call call = {monitor, monitor->begin(monitor, method, in)};

    return call;
}

static inline void proxy_end(struct proxy_call *call, const union monitor_value *out)
{
    struct monitor_port *monitor = call->monitor;

    call->monitor = NULL;
    monitor->end(monitor, call->frame, out);
}

static inline uint64_t proxy_now(const struct proxy_call *call)
{
    return call->monitor->now(call->monitor);
}

/* End a call after which getters were called; the call itself ended at `when`. */
static inline void proxy_end_at(struct proxy_call *call, const union monitor_value *out,
                                uint64_t when)
{
    struct monitor_port *monitor = call->monitor;

    call->monitor = NULL;
    monitor->end_at(monitor, call->frame, out, when);
}

/* State saved around calls of getters: errno and the floating-point environment are
 * preserved. */
struct proxy_pure {
    int number;
    struct proxy_float floats;
};

static inline struct proxy_pure proxy_pure(void)
{
    struct proxy_pure pure = {errno, proxy_float_save()};

    return pure;
}

static inline void proxy_pure_done(struct proxy_pure *pure)
{
    proxy_float_restore(&pure->floats, pure);
    errno = pure->number;
}

#define PROXY_PURE                                                                       \
    __attribute__((cleanup(proxy_pure_done), unused)) struct proxy_pure proxy_pure_now = \
        proxy_pure()

/* --- The target ----------------------------------------------------------- */

/* Data that are used only when ports are connected. */
struct proxy_state {
    struct cca_services *services;
    const struct proxy_table *table;
    struct cca_port *port; /* the port that the proxy provides */
    struct proxy_link *link;
    struct monitor_method **methods; /* the recorder's structs for the measured methods,
                                        in the order of the table; no pointer is NULL */
    /* Set the functions of the port after link->target or link->dispatch has changed. */
    void (*attach)(struct proxy_state *state);
    /* all pointers in `methods` point to it while calls are not measured, and while each
     * call chooses its target: the methods of the targets are in link->dispatch */
    struct monitor_method off;
    struct dispatch_port dispatch;
    struct slot_port slot;
    /* while the target is announced to go: the target, and link->dispatch before */
    void *leaving;
    struct proxy_dispatch *kept;
    /* target 0 before the last move, until the slot is open again; its `methods` NULL:
     * none */
    struct proxy_target moved;
    /* of each measured method; NULL: the proxy makes no shadow calls */
    const struct proxy_shadowed *shadowed;
    struct shadow_port shadow;
};

static inline void proxy_close_methods(struct proxy_state *state)
{
    struct proxy_dispatch *dispatch = state->link->dispatch;
    size_t measured = 0;

    for (size_t m = 0; m < state->table->method_count; m++) {
        if (state->table->methods[m].unmeasured)
            continue;
        for (size_t t = 0; dispatch && t < dispatch->target_count; t++)
            dispatch->targets[t].methods[measured] = &state->off;
        state->methods[measured++] = &state->off;
    }
}

/* Open all measured methods of one target. `methods` gets the recorder's structs. */
static inline int proxy_open_target(struct proxy_state *state,
                                    const struct cca_peer *peer,
                                    struct monitor_method **methods,
                                    struct cca_error *err)
{
    struct monitor_port *monitor = state->link->monitor;
    size_t measured = 0;

    for (size_t m = 0; m < state->table->method_count; m++) {
        const struct proxy_table_method *method = &state->table->methods[m];
        struct monitor_method_decl decl;
        struct cca_error why;
        struct monitor_method *opened;

        if (method->unmeasured)
            continue;
        memset(&decl, 0, sizeof decl);
        memset(&why, 0, sizeof why);
        decl.instance = peer->instance;
        decl.port = peer->port;
        decl.method = method->name;
        decl.class_name = peer->class_name;
        decl.build_id = peer->build_id;
        decl.port_type = state->table->port_type;
        decl.values = method->values;
        decl.in_count = method->in_count;
        decl.out_count = method->out_count;
        opened = monitor->method_open(monitor, &decl, &why);
        if (!opened)
            return cca_error_set(err, why.code < 0 ? why.code : -EIO,
                                 "%s.%s.%s cannot be measured: %s", peer->instance,
                                 peer->port, method->name,
                                 why.text[0] ? why.text : "the monitor refused");
        methods[measured++] = opened;
    }
    return 0;
}

/* Open all measured methods if both ports are connected. On failure no method is
 * measured. */
static inline int proxy_open_methods(struct proxy_state *state, struct cca_error *err)
{
    struct proxy_dispatch *dispatch = state->link->dispatch;
    struct cca_peer peer;
    int status = 0;

    proxy_close_methods(state);
    if (!state->link->target || !state->link->monitor)
        return 0;
    for (size_t t = 0; dispatch && t < dispatch->target_count && status >= 0; t++) {
        const struct dispatch_target *about = &dispatch->targets[t].about;

        memset(&peer, 0, sizeof peer);
        peer.instance = about->instance;
        peer.port = about->port_name;
        peer.class_name = about->class_name;
        peer.build_id = about->build_id;
        status = proxy_open_target(state, &peer, dispatch->targets[t].methods, err);
    }
    if (!dispatch)
        status = cca_services_get_peer(state->services, "port", &peer, err);
    if (!dispatch && status >= 0)
        status = proxy_open_target(state, &peer, state->methods, err);
    if (status >= 0 && state->link->shadow)
        status = proxy_shadow_open(state->link->shadow, state->link->monitor, err);
    if (status < 0)
        proxy_close_methods(state);
    return status < 0 ? status : 0;
}

/* Handle a connection of one of the proxy's uses ports that is new, or that stays after a
 * disconnection was announced. */
static inline int proxy_take(struct proxy_state *state,
                             const struct connection_event *event, struct cca_error *err)
{
    struct proxy_link *link = state->link;

    if (strcmp(event->port, "port") == 0 && !link->target) {
        link->target = cca_services_get(state->services, "port", err);
        if (!link->target)
            return err && err->code ? err->code : -EIO;
        if (link->target == state->leaving)
            link->dispatch = state->kept;
        else
            proxy_dispatch_free(state->kept);
        state->leaving = NULL;
        state->kept = NULL;
        state->attach(state);
    } else if (strcmp(event->port, "monitor") == 0 && !link->monitor) {
        link->monitor =
            (struct monitor_port *)cca_services_get(state->services, "monitor", err);
        if (!link->monitor)
            return err && err->code ? err->code : -EIO;
    } else {
        return 0;
    }
    return proxy_open_methods(state, err);
}

/* Handle the announced end of a connection of the proxy. */
static inline void proxy_let_go(struct proxy_state *state,
                                const struct connection_event *event)
{
    struct proxy_link *link = state->link;

    if (strcmp(event->port, "monitor") == 0 && link->monitor) {
        proxy_close_methods(state);
        if (link->shadow)
            link->shadow->apart = NULL;
        link->monitor = NULL;
        cca_services_release_port(state->services, "monitor", NULL);
    } else if (strcmp(event->port, "port") == 0 && link->target) {
        state->kept = link->dispatch;
        state->leaving = link->target;
        link->dispatch = NULL;
        proxy_close_methods(state);
        link->target = NULL;
        state->attach(state);
        cca_services_release_port(state->services, "port", NULL);
    }
}

/* Put rules in force, and free those before; `made` NULL: calls have a fixed target.
 * After a failure `made` is freed, and calls go and are recorded as before. */
static inline int proxy_use_dispatch(struct proxy_state *state,
                                     struct proxy_dispatch *made, struct cca_error *err)
{
    struct proxy_dispatch *before = state->link->dispatch;
    int status;

    state->link->dispatch = made;
    state->attach(state);
    status = proxy_open_methods(state, err);
    if (status) {
        state->link->dispatch = before;
        state->attach(state);
        proxy_open_methods(state, NULL);
    }
    proxy_dispatch_free(status ? made : before);
    return status;
}

/* Implements `set` of the dispatch port. */
static inline int proxy_set_dispatch(struct dispatch_port *self,
                                     const struct dispatch_target *targets,
                                     size_t target_count,
                                     const struct dispatch_rule *rules, size_t rule_count,
                                     const struct dispatch_learning *learning, int *line,
                                     struct cca_error *err)
{
    struct proxy_state *state = cca_container_of(self, struct proxy_state, dispatch);
    struct proxy_dispatch *made = NULL;

    *line = 0;
    if (rule_count || state->link->gate || state->link->shadow) {
        made = proxy_dispatch_make(state->table, targets, target_count, rules, rule_count,
                                   line, err);
        if (!made)
            return err && err->code ? err->code : -EINVAL;
        if (learning && learning->limit > 0) {
            const int status = proxy_dispatch_learn(made, state->table, rules, rule_count,
                                                    learning, line, err);

            if (status) {
                proxy_dispatch_free(made);
                return status;
            }
        }
    }
    return proxy_use_dispatch(state, made, err);
}

/* --- The slot: exchange of target 0 ---------------------------------------- */

static inline struct proxy_state *proxy_slot_state(struct slot_port *self)
{
    return cca_container_of(self, struct proxy_state, slot);
}

/* Implements `arm` of the slot port. */
static inline int proxy_slot_arm(struct slot_port *self,
                                 const struct dispatch_target *target,
                                 struct cca_error *err)
{
    struct proxy_state *state = proxy_slot_state(self);
    struct proxy_link *link = state->link;
    struct proxy_dispatch *made = NULL;
    struct proxy_gate *gate;
    int line, status = 0;

    if (link->gate)
        return 0;
    gate = proxy_gate_new();
    if (!gate)
        return cca_no_memory(err);
    if (!link->dispatch) {
        made = proxy_dispatch_make(state->table, target, 1, NULL, 0, &line, err);
        if (!made) {
            proxy_gate_free(gate);
            return err && err->code ? err->code : -EINVAL;
        }
        status = proxy_use_dispatch(state, made, err);
    }
    if (status)
        proxy_gate_free(gate);
    else
        link->gate = gate;
    state->attach(state);
    return status;
}

static inline int proxy_slot_close(struct slot_port *self, double patience_s,
                                   struct cca_error *err)
{
    struct proxy_state *state = proxy_slot_state(self);
    size_t left = 0;
    int status;

    if (!state->link->gate || !state->link->dispatch)
        return cca_error_set(err, -EINVAL, "calls of %s are not counted",
                             state->table->port_type);
    status = proxy_gate_close(state->link->gate, patience_s, &left);
    if (status == -EDEADLK)
        return cca_error_set(err, status, "the swap is requested inside a call of %s",
                             state->table->port_type);
    return status ? cca_error_set(err, status, "%zu %s still in a call of %s after %g s",
                                  left, left == 1 ? "thread is" : "threads are",
                                  state->table->port_type, patience_s)
                  : 0;
}

/* Check that a target has all methods that users of the proxy's port have. */
static inline int proxy_slot_covers(const struct proxy_state *state,
                                    const struct dispatch_target *target,
                                    struct cca_error *err)
{
    typedef void (*function)(void);

    for (size_t m = 0; m < state->table->method_count; m++) {
        const size_t at = sizeof(struct cca_port) + m * sizeof(function);
        function own, found;

        memcpy(&own, (const char *)state->port + at, sizeof own);
        memcpy(&found, (const char *)target->port + at, sizeof found);
        if (own && !found)
            return cca_error_set(err, -EINVAL, "class %s has no %s", target->class_name,
                                 state->table->methods[m].name);
    }
    return 0;
}

/* Forget the target before the last move. */
static inline void proxy_slot_settle(struct proxy_state *state)
{
    free(state->moved.methods);
    state->moved.methods = NULL;
}

/* Implements `move` of the slot port. */
static inline int proxy_slot_move(struct slot_port *self,
                                  const struct dispatch_target *target,
                                  struct cca_error *err)
{
    struct proxy_state *state = proxy_slot_state(self);
    struct proxy_link *link = state->link;
    struct proxy_target *first;
    struct monitor_method **methods;
    struct cca_peer peer;
    int status;

    if (!link->gate || !proxy_gate_is_closed(link->gate))
        return cca_error_set(err, -EINVAL, "the port is open");
    first = &link->dispatch->targets[0];
    if (state->moved.methods && state->moved.port == target->port) {
        const struct proxy_target last = *first;

        *first = state->moved;
        state->moved = last;
        return 0;
    }
    status = proxy_slot_covers(state, target, err);
    if (status)
        return status;
    methods =
        (struct monitor_method **)calloc(state->table->method_count + 1, sizeof *methods);
    if (!methods)
        return cca_no_memory(err);
    for (size_t m = 0; m < state->table->method_count; m++)
        methods[m] = &state->off;
    memset(&peer, 0, sizeof peer);
    peer.instance = target->instance;
    peer.port = target->port_name;
    peer.class_name = target->class_name;
    peer.build_id = target->build_id;
    if (link->monitor && link->target)
        status = proxy_open_target(state, &peer, methods, err);
    if (status < 0) {
        free(methods);
        return status;
    }
    proxy_slot_settle(state);
    state->moved = *first;
    first->methods = methods;
    first->about = *target;
    first->port = target->port;
    return 0;
}

static inline void proxy_slot_open(struct slot_port *self)
{
    struct proxy_state *state = proxy_slot_state(self);

    proxy_slot_settle(state);
    if (state->link->gate)
        proxy_gate_open(state->link->gate);
}

/* Open the methods of the rivals. Shadow calls are made where calls choose their target,
 * so the proxy gets rules with one target if it has none. */
static inline int proxy_begin_shadow(struct proxy_state *state, struct cca_error *err)
{
    struct dispatch_target only;
    struct cca_peer peer;
    int line, status;

    if (state->link->dispatch)
        return proxy_open_methods(state, err);
    status = cca_services_get_peer(state->services, "port", &peer, err);
    if (status < 0)
        return status;
    only.port = (struct cca_port *)state->link->target;
    only.instance = peer.instance;
    only.port_name = peer.port;
    only.class_name = peer.class_name;
    only.build_id = peer.build_id;
    return proxy_set_dispatch(&state->dispatch, &only, 1, NULL, 0, NULL, &line, err);
}

/* Implements `set` of the shadow port. */
static inline int proxy_set_shadow(struct shadow_port *self,
                                   const struct dispatch_target *rivals, size_t count,
                                   double rate, uint64_t seed, struct cca_error *err)
{
    struct proxy_state *state = cca_container_of(self, struct proxy_state, shadow);
    int status;

    proxy_shadow_free(state->link->shadow);
    state->link->shadow = NULL;
    if (!count)
        return 0;
    state->link->shadow =
        proxy_shadow_make(state->table, state->shadowed, rivals, count, rate, seed, err);
    if (!state->link->shadow)
        return err && err->code ? err->code : -EINVAL;
    status = proxy_begin_shadow(state, err);
    if (status) { /* the caller destroys the rivals */
        proxy_shadow_free(state->link->shadow);
        state->link->shadow = NULL;
        proxy_open_methods(state, NULL);
    }
    return status;
}

/* Implements `changes` of the dispatch port. */
static inline size_t proxy_take_changes(struct dispatch_port *self,
                                        struct dispatch_change *changes, size_t room)
{
    struct proxy_state *state = cca_container_of(self, struct proxy_state, dispatch);
    struct proxy_dispatch *dispatch = state->link->dispatch;
    size_t count = 0;

    for (size_t m = 0; dispatch && m < dispatch->cell_count; m++)
        if (dispatch->cells[m].learner)
            count += proxy_learn_changes(dispatch->cells[m].learner, changes + count,
                                         room - count);
    return count;
}

static inline void proxy_end_dispatch(void *context)
{
    struct proxy_state *state = (struct proxy_state *)context;

    proxy_shadow_free(state->link->shadow);
    state->link->shadow = NULL;
    proxy_dispatch_free(state->link->dispatch);
    proxy_dispatch_free(state->kept);
    proxy_slot_settle(state);
    state->link->dispatch = NULL;
    state->kept = NULL;
    state->attach(state);
    proxy_close_methods(state);
    proxy_gate_free(state->link->gate);
    state->link->gate = NULL;
}

/* --- Life ----------------------------------------------------------------- */

static inline int proxy_listen(void *context, const struct connection_event *event,
                               struct cca_error *err)
{
    struct proxy_state *state = (struct proxy_state *)context;

    if (!event->uses) /* events of provides ports are ignored: "port" is also the name
                       * of the provides port */
        return 0;
    if (event->type == CONNECTION_CONNECTED)
        return proxy_take(state, event, err);
    if (event->type == CONNECTION_DISCONNECT_PENDING)
        proxy_let_go(state, event);
    return 0;
}

/* Implements set_services of every proxy. In `state` the members services, table, port,
 * link, methods and attach are set. */
static inline int proxy_set_services(struct proxy_state *state,
                                     struct cca_services *services, struct cca_error *err)
{
    struct connection_event_port *events;
    int status;

    state->port->type = state->table->port_type;
    state->port->size = state->table->port_size;
    state->dispatch.base.type = DISPATCH_PORT_TYPE;
    state->dispatch.base.size = sizeof state->dispatch;
    state->dispatch.set = proxy_set_dispatch;
    state->slot.base.type = SLOT_PORT_TYPE;
    state->slot.base.size = sizeof state->slot;
    state->slot.arm = proxy_slot_arm;
    state->slot.close = proxy_slot_close;
    state->slot.move = proxy_slot_move;
    state->slot.open = proxy_slot_open;
    state->shadow.base.type = SHADOW_PORT_TYPE;
    state->shadow.base.size = sizeof state->shadow;
    state->shadow.set = proxy_set_shadow;
    state->dispatch.changes = proxy_take_changes;
    proxy_close_methods(state);
    state->attach(state);
    status = cca_services_add_provides_port(services, state->port, "port", NULL, err);
    if (status >= 0)
        status = cca_services_add_provides_port(services, &state->dispatch.base,
                                                DISPATCH_PORT_NAME, NULL, err);
    if (status >= 0 && state->shadowed)
        status = cca_services_add_provides_port(services, &state->shadow.base,
                                                SHADOW_PORT_NAME, NULL, err);
    if (status >= 0)
        status = cca_services_add_provides_port(services, &state->slot.base,
                                                SLOT_PORT_NAME, NULL, err);
    if (status >= 0)
        status = cca_services_register_for_release(services, proxy_end_dispatch, state);
    if (status < 0)
        return status;
    events = (struct connection_event_port *)cca_services_get(services, "events", err);
    if (!events)
        return err && err->code ? err->code : -EIO;
    status = events->add_listener(events, CONNECTION_EVENT_ALL, proxy_listen, state);
    cca_services_release_port(services, "events", NULL);
    return status < 0 ? cca_error_set(err, status, "cannot listen to connection events")
                      : 0;
}

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* proxy_turn.h: a call of a proxy whose calls choose their target.
 *
 *     caller ─▶ PORT_proxy_METHOD    the target is fixed
 *            ─▶ PORT_chosen_METHOD   proxy_turn_enter │ in-values │ proxy_turn_choose,
 *                                    _start │ begin ─▶ target
 *                                    out-values │ end │ proxy_turn_end, _leave
 *
 * The port has the second function of a method only while link->dispatch is set: a proxy
 * with one target does not test whether there are others. A method that is not measured
 * enters and leaves only: its target is the first one. */
#ifndef PROXIES_PROXY_TURN_H
#define PROXIES_PROXY_TURN_H

#include <time.h>

#include "proxies/proxy_dispatch.h"
#include "proxies/proxy_gate.h"

struct proxy_shadow;

/* Data that every call uses; they lie next to the port and the methods in memory. */
struct proxy_link {
    void *target;                 /* the target's port, or NULL */
    struct monitor_port *monitor; /* port of the recorder; NULL: not connected */
    /* rules that choose the target of each call; NULL: it is `target` */
    struct proxy_dispatch *dispatch;
    /* counts the calls in progress, so that target 0 can be exchanged; NULL: they are not
     * counted. Only with `dispatch` */
    struct proxy_gate *gate;
    struct proxy_shadow *shadow; /* shadow calls; NULL: there are none */
};

/* A recorder that records nothing, for calls of targets that are not measured. */
static inline struct monitor_frame *proxy_silent_begin(struct monitor_port *self,
                                                       struct monitor_method *method,
                                                       const union monitor_value *in)
{
    (void)self;
    (void)method;
    (void)in;
    return NULL;
}

static inline void proxy_silent_end(struct monitor_port *self,
                                    struct monitor_frame *frame,
                                    const union monitor_value *out)
{
    (void)self;
    (void)frame;
    (void)out;
}

static inline void proxy_silent_unwind(struct monitor_port *self,
                                       struct monitor_frame *frame)
{
    (void)self;
    (void)frame;
}

static inline uint64_t proxy_silent_now(struct monitor_port *self)
{
    (void)self;
    return 0;
}

static inline void proxy_silent_end_at(struct monitor_port *self,
                                       struct monitor_frame *frame,
                                       const union monitor_value *out, uint64_t when)
{
    (void)self;
    (void)frame;
    (void)out;
    (void)when;
}

static struct monitor_port proxy_silent = {
    {MONITOR_PORT_TYPE, sizeof(struct monitor_port)},
    NULL, /* method_open */
    proxy_silent_begin,
    proxy_silent_end,
    proxy_silent_unwind,
    proxy_silent_now,
    proxy_silent_end_at,
    NULL,  /* pause */
    NULL,  /* resume */
    NULL}; /* apart */

/* An open turn. If an exception or a cancellation leaves its block before proxy_turn_end,
 * it is closed without out-values. */
struct proxy_turn {
    const struct proxy_target *target; /* first target 0, then the chosen one */
    struct monitor_method *method;     /* of the target */
    struct monitor_port *monitor;      /* records the call, or nothing */
    struct proxy_gate *gate;           /* counts the call; NULL: none does */
    struct proxy_seat *seat;
    struct proxy_timed timed; /* while rules learn */
};

static inline uint64_t proxy_turn_clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static inline struct proxy_turn proxy_turn_enter(const struct proxy_link *link)
{
    struct proxy_turn turn;

    turn.gate = link->gate;
    turn.seat = turn.gate ? proxy_gate_enter(turn.gate) : NULL;
    turn.target = &link->dispatch->targets[0];
    turn.method = NULL;
    turn.monitor = NULL;
    turn.timed.learner = NULL;
    return turn;
}

static inline void proxy_turn_choose(struct proxy_turn *turn,
                                     const struct proxy_link *link, size_t measured,
                                     const union monitor_value *in)
{
    const struct proxy_cells *cells = &link->dispatch->cells[measured];
    const size_t at = proxy_cell(cells, in);
    size_t target = cells->targets[at];

    if (cells->learner && cells->rules[at] != PROXY_NO_RULE)
        target = proxy_learn_target(cells->learner, cells->rules[at], in, &turn->timed);
    turn->target = &link->dispatch->targets[target];
    turn->method = turn->target->methods[measured];
    turn->monitor = monitor_method_on(turn->method) ? link->monitor : &proxy_silent;
}

/* The call of the target is next. */
static inline void proxy_turn_start(struct proxy_turn *turn)
{
    if (turn->timed.learner)
        turn->timed.start_ns = proxy_turn_clock();
}

static inline void proxy_turn_end(struct proxy_turn *turn, const union monitor_value *out)
{
    (void)out;
    if (turn->timed.learner)
        proxy_learn_finish(&turn->timed,
                           (double)(proxy_turn_clock() - turn->timed.start_ns));
    turn->target = NULL;
}

static inline void proxy_turn_leave(struct proxy_turn *turn)
{
    if (turn->gate)
        proxy_gate_leave(turn->gate, turn->seat);
}

#define PROXY_TURN __attribute__((cleanup(proxy_turn_leave))) struct proxy_turn

#endif

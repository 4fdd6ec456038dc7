/* SPDX-License-Identifier: BSD-3-Clause */
/* proxy_gate.h: calls in progress are counted per thread, and new calls can be made to
 * wait, so that the target of a proxy can be exchanged.
 *
 *     thread:  inside = 1, is it closed? ── no ──▶ call ─▶ inside = 0
 *                               └─ yes ─▶ inside = 0, wait until it is open, again
 *     closer:  closed = 1, wait until inside = 0 in all seats
 *
 * Each thread writes to a seat of its own: a call takes two stores and no lock. A seat is
 * found by the thread's id and belongs to it for ever; the C library uses ids again, so
 * seats are as many as threads lived at a time. */
#ifndef PROXIES_PROXY_GATE_H
#define PROXIES_PROXY_GATE_H

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ports/cca_error.h"

enum { PROXY_SEATS = 32, PROXY_SEAT_SIZE = 64 };

/* Calls of one thread, in a cache line of its own. */
struct proxy_seat {
    uintptr_t thread; /* its owner; 0: free; access by __atomic */
    unsigned inside;  /* number of nested calls in progress; only its owner writes it, by
                       * __atomic */
} __attribute__((aligned(PROXY_SEAT_SIZE)));

struct proxy_seats {
    struct proxy_seat seats[PROXY_SEATS];
    struct proxy_seats *next; /* seats of further threads; access by __atomic */
};

struct proxy_gate {
    struct proxy_seats seats; /* first: aligned as the gate */
    int closed;               /* access by __atomic */
    uintptr_t closer;         /* thread that has closed the gate; access by __atomic */
    pthread_mutex_t lock;
    pthread_cond_t changed; /* the gate was opened, or a call has ended while it was
                             * closed */
};

static inline uintptr_t proxy_thread(void)
{
    return (uintptr_t)pthread_self();
}

static inline struct proxy_gate *proxy_gate_new(void)
{
    struct proxy_gate *gate;
    pthread_condattr_t attributes;
    void *memory;

    if (posix_memalign(&memory, PROXY_SEAT_SIZE, sizeof *gate))
        return NULL;
    memset(memory, 0, sizeof *gate);
    gate = (struct proxy_gate *)memory;
    pthread_mutex_init(&gate->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&gate->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    return gate;
}

static inline void proxy_gate_free(struct proxy_gate *gate)
{
    struct proxy_seats *next;

    if (!gate)
        return;
    for (struct proxy_seats *seats = gate->seats.next; seats; seats = next) {
        next = seats->next;
        free(seats);
    }
    pthread_cond_destroy(&gate->changed);
    pthread_mutex_destroy(&gate->lock);
    free(gate);
}

/* --- Seats ---------------------------------------------------------------- */

static inline size_t proxy_seat_home(uintptr_t thread)
{
    return (size_t)((uint64_t)(thread >> 6) * UINT64_C(0x9e3779b97f4a7c15) >> 59);
}

/* Add seats behind `last`, unless another thread has done so. Returns NULL: out of
 * memory. */
static inline struct proxy_seats *proxy_seats_add(struct proxy_seats *last)
{
    struct proxy_seats *found = NULL;
    void *memory;

    if (posix_memalign(&memory, PROXY_SEAT_SIZE, sizeof *last))
        return NULL;
    memset(memory, 0, sizeof *last);
    if (__atomic_compare_exchange_n(&last->next, &found, (struct proxy_seats *)memory, 0,
                                    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return (struct proxy_seats *)memory;
    free(memory);
    return found;
}

/* Find the seat of a thread, or take a free one: search from its home on. */
static inline struct proxy_seat *proxy_seat_find(struct proxy_gate *gate,
                                                 uintptr_t thread)
{
    const size_t home = proxy_seat_home(thread);
    struct proxy_seats *seats = &gate->seats, *next;

    for (;;) {
        for (size_t i = 0; i < PROXY_SEATS; i++) {
            struct proxy_seat *seat = &seats->seats[(home + i) % PROXY_SEATS];
            uintptr_t owner = __atomic_load_n(&seat->thread, __ATOMIC_RELAXED);

            if (owner == thread || (!owner && __atomic_compare_exchange_n(
                                                  &seat->thread, &owner, thread, 0,
                                                  __ATOMIC_RELAXED, __ATOMIC_RELAXED)))
                return seat;
        }
        next = __atomic_load_n(&seats->next, __ATOMIC_ACQUIRE);
        if (!next)
            next = proxy_seats_add(seats);
        if (!next)
            abort(); /* a call that is not counted could meet a target that is gone */
        seats = next;
    }
}

/* --- Calls ---------------------------------------------------------------- */

/* Wait until the gate is open. A cancelled thread must not leave with the lock. */
static __attribute__((noinline, unused, cold)) void
proxy_gate_wait(struct proxy_gate *gate, struct proxy_seat *seat)
{
    int before;

    if (__atomic_load_n(&gate->closer, __ATOMIC_RELAXED) == proxy_thread())
        return; /* a call by the swap itself */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    pthread_mutex_lock(&gate->lock);
    while (__atomic_load_n(&gate->closed, __ATOMIC_SEQ_CST)) {
        __atomic_store_n(&seat->inside, 0, __ATOMIC_RELEASE);
        pthread_cond_broadcast(&gate->changed);
        while (__atomic_load_n(&gate->closed, __ATOMIC_ACQUIRE))
            pthread_cond_wait(&gate->changed, &gate->lock);
        __atomic_store_n(&seat->inside, 1, __ATOMIC_SEQ_CST);
    }
    pthread_mutex_unlock(&gate->lock);
    pthread_setcancelstate(before, NULL);
}

/* Begin a call; the result is for proxy_gate_leave. A call inside another one of the same
 * thread does not wait: the outer call could never end. */
static inline struct proxy_seat *proxy_gate_enter(struct proxy_gate *gate)
{
    const uintptr_t thread = proxy_thread();
    struct proxy_seat *seat = &gate->seats.seats[proxy_seat_home(thread)];

    if (__atomic_load_n(&seat->thread, __ATOMIC_RELAXED) != thread)
        seat = proxy_seat_find(gate, thread);
    if (seat->inside) {
        __atomic_store_n(&seat->inside, seat->inside + 1, __ATOMIC_RELAXED);
        return seat;
    }
    /* sequentially consistent: the closer sees this call, or the call sees the closed
     * gate */
    __atomic_store_n(&seat->inside, 1, __ATOMIC_SEQ_CST);
    if (__builtin_expect(__atomic_load_n(&gate->closed, __ATOMIC_SEQ_CST), 0))
        proxy_gate_wait(gate, seat);
    return seat;
}

static __attribute__((noinline, unused, cold)) void
proxy_gate_tell(struct proxy_gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->lock);
}

static inline void proxy_gate_leave(struct proxy_gate *gate, struct proxy_seat *seat)
{
    const unsigned inside = seat->inside - 1;

    __atomic_store_n(&seat->inside, inside, __ATOMIC_RELEASE);
    /* may read an old value: the closer looks again after a while */
    if (!inside && __builtin_expect(__atomic_load_n(&gate->closed, __ATOMIC_RELAXED), 0))
        proxy_gate_tell(gate);
}

/* --- The closer ----------------------------------------------------------- */

/* Number of threads with a call in progress, without the calling thread. `own` gets the
 * number of its own calls. */
static inline size_t proxy_gate_inside(struct proxy_gate *gate, unsigned *own)
{
    const uintptr_t thread = proxy_thread();
    size_t count = 0;

    *own = 0;
    for (struct proxy_seats *seats = &gate->seats; seats;
         seats = __atomic_load_n(&seats->next, __ATOMIC_ACQUIRE))
        for (size_t i = 0; i < PROXY_SEATS; i++) {
            const unsigned inside =
                __atomic_load_n(&seats->seats[i].inside, __ATOMIC_SEQ_CST);

            if (__atomic_load_n(&seats->seats[i].thread, __ATOMIC_RELAXED) == thread)
                *own = inside;
            else
                count += inside != 0;
        }
    return count;
}

static inline int proxy_gate_is_closed(const struct proxy_gate *gate)
{
    return __atomic_load_n(&gate->closed, __ATOMIC_RELAXED);
}

static inline void proxy_gate_open(struct proxy_gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    __atomic_store_n(&gate->closer, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&gate->closed, 0, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->lock);
}

static inline struct timespec proxy_time_after(struct timespec from, double seconds)
{
    const double whole = (double)(time_t)seconds;

    from.tv_sec += (time_t)seconds;
    from.tv_nsec += (long)((seconds - whole) * 1e9);
    if (from.tv_nsec >= 1000000000) {
        from.tv_nsec -= 1000000000;
        from.tv_sec++;
    }
    return from;
}

static inline int proxy_time_is_past(const struct timespec *limit)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec > limit->tv_sec ||
           (now.tv_sec == limit->tv_sec && now.tv_nsec >= limit->tv_nsec);
}

/* Close the gate and wait until no call is in progress. Returns 0; -EBUSY after
 * `patience_s` seconds, -EDEADLK: the calling thread is inside; the gate is then open. */
static inline int proxy_gate_close(struct proxy_gate *gate, double patience_s,
                                   size_t *left)
{
    struct timespec now, limit;
    unsigned own;
    int status = 0;

    clock_gettime(CLOCK_MONOTONIC, &now);
    limit = proxy_time_after(now, patience_s);
    pthread_mutex_lock(&gate->lock);
    __atomic_store_n(&gate->closer, proxy_thread(), __ATOMIC_RELAXED);
    __atomic_store_n(&gate->closed, 1, __ATOMIC_SEQ_CST);
    for (;;) {
        struct timespec again;

        *left = proxy_gate_inside(gate, &own);
        status = own ? -EDEADLK : *left && proxy_time_is_past(&limit) ? -EBUSY : 0;
        if (status || !*left)
            break;
        clock_gettime(CLOCK_MONOTONIC, &now);
        again = proxy_time_after(now, 1e-3);
        pthread_cond_timedwait(&gate->changed, &gate->lock, &again);
    }
    pthread_mutex_unlock(&gate->lock);
    if (status)
        proxy_gate_open(gate);
    return status;
}

#endif

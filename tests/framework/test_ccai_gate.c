/* SPDX-License-Identifier: BSD-3-Clause */
/* test_ccai_gate.c: the gate of a proxy: nested calls pass, a thread cannot wait for its
 * own call, and threads find seats of their own. */
#include "tests/lib/test.h"

#include "proxies/proxy_gate.h"

enum { THREADS = 3 * PROXY_SEATS };

TEST(a_thread_cannot_wait_for_its_own_call)
{
    struct proxy_gate *gate = proxy_gate_new();
    struct proxy_seat *seat = proxy_gate_enter(gate);
    size_t left;

    assert_int_equal(proxy_gate_close(gate, 1e9, &left), -EDEADLK);
    assert_false(proxy_gate_is_closed(gate));
    proxy_gate_leave(gate, seat);
    assert_int_equal(proxy_gate_close(gate, 0, &left), 0);
    proxy_gate_leave(gate, proxy_gate_enter(gate)); /* the closer's own calls pass */
    proxy_gate_open(gate);
    proxy_gate_free(gate);
}

struct visitor {
    struct proxy_gate *gate;
    struct proxy_seat *seat;
    pthread_barrier_t *barrier;
    pthread_t thread;
};

/* Two nested calls; the second begins when the gate is being closed. */
static void *visit(void *context)
{
    struct visitor *v = context;
    struct proxy_seat *inner;

    v->seat = proxy_gate_enter(v->gate);
    pthread_barrier_wait(v->barrier);
    while (!proxy_gate_is_closed(v->gate))
        sched_yield();
    inner = proxy_gate_enter(v->gate);
    if (inner != v->seat)
        abort();
    proxy_gate_leave(v->gate, inner);
    proxy_gate_leave(v->gate, v->seat);
    return NULL;
}

TEST(threads_have_seats_of_their_own_and_nested_calls_pass)
{
    static struct visitor visitors[THREADS];
    struct proxy_gate *gate = proxy_gate_new();
    pthread_barrier_t barrier;
    size_t left = 1;

    pthread_barrier_init(&barrier, NULL, THREADS + 1);
    for (int i = 0; i < THREADS; i++) {
        visitors[i].gate = gate;
        visitors[i].barrier = &barrier;
        pthread_create(&visitors[i].thread, NULL, visit, &visitors[i]);
    }
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < THREADS; i++)
        for (int j = 0; j < i; j++)
            assert_ptr_not_equal(visitors[i].seat, visitors[j].seat);
    assert_int_equal(proxy_gate_close(gate, 1e9, &left), 0);
    assert_int_equal(left, 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(visitors[i].thread, NULL);
    proxy_gate_open(gate);
    proxy_gate_free(gate);
    pthread_barrier_destroy(&barrier);
}

TESTS(NULL, NULL)

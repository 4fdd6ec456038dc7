/* SPDX-License-Identifier: BSD-3-Clause */
/* test_ccai_gate.c: the gate of a proxy: nested calls pass, a thread cannot wait for its
 * own call, and threads find seats of their own. A recorder that refuses to open methods:
 * rules, shadow calls and the target are those before, and a move back needs none. Shadow
 * calls have equal results by value. */
#include "tests/lib/test.h"

#include <math.h>

#include "proxies/proxy.h"

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

/* --- A port --------------------------------------------------------------- */

struct port {
    struct cca_port base;
    void (*work)(void);
};

static void work(void)
{
}

static const struct proxy_table_method methods[] = {{.name = "work"}};
static const struct proxy_table table = {.port_type = "test.Port/1",
                                         .port_size = sizeof(struct port),
                                         .methods = methods,
                                         .method_count = 1};

/* --- A recorder ----------------------------------------------------------- */

static const char *refused; /* class whose methods cannot be opened */
static struct monitor_method opened = {.on = 1};

static struct monitor_method *method_open(struct monitor_port *self,
                                          const struct monitor_method_decl *decl,
                                          struct cca_error *err)
{
    (void)self;
    if (refused && strcmp(decl->class_name, refused) == 0) {
        cca_error_set(err, -ENOSPC, "no room");
        return NULL;
    }
    return &opened;
}

static struct monitor_port *apart(struct monitor_port *self, struct cca_error *err)
{
    (void)err;
    return self;
}

static struct monitor_port monitor = {.method_open = method_open, .apart = apart};

/* --- A proxy -------------------------------------------------------------- */

static void shadow_count(void *const *args, int64_t *counts)
{
    (void)args, (void)counts;
}

static void shadow_call(void *to, void *const *args, void *result)
{
    (void)to, (void)args, (void)result;
}

static const struct proxy_shadowed shadowed[] = {
    {.name = "work", .count = shadow_count, .call = shadow_call}};
static struct port own = {.work = work}, first = {.work = work}, second = {.work = work};
static const struct dispatch_target ours = {.port = &first.base, .class_name = "First"};
static const struct dispatch_target theirs = {.port = &second.base,
                                              .class_name = "Second"};
static struct monitor_method *recorded[1];
static struct proxy_link proxy_link;
static struct proxy_state state;
static struct cca_error err;

static void attach(struct proxy_state *self)
{
    (void)self;
}

static int set_rules(const struct dispatch_target *rival)
{
    const struct dispatch_target targets[] = {ours, *rival};
    const struct dispatch_rule rule = {.line = 2, .method = "work", .target = 1};
    int line;

    return proxy_set_dispatch(&state.dispatch, targets, 2, &rule, 1, NULL, &line, &err);
}

static int set_up(void **test_state)
{
    (void)test_state;
    err = (struct cca_error){0};
    refused = NULL;
    recorded[0] = NULL;
    proxy_link = (struct proxy_link){.target = &first, .monitor = &monitor};
    state = (struct proxy_state){.table = &table,
                                 .port = &own.base,
                                 .link = &proxy_link,
                                 .methods = recorded,
                                 .attach = attach,
                                 .shadowed = shadowed};
    return set_rules(&theirs);
}

static int tear_down(void **test_state)
{
    (void)test_state;
    proxy_end_dispatch(&state);
    return 0;
}

/* Where calls of `work` go. */
static const void *called(void)
{
    const union monitor_value none[1] = {{0}};

    return proxy_choose(proxy_link.dispatch, 0, none)->port;
}

static int is_recorded(size_t target)
{
    return monitor_method_on(proxy_link.dispatch->targets[target].methods[0]);
}

TEST_WITH(rules_whose_calls_cannot_be_recorded_leave_those_before, set_up, tear_down)
{
    struct port third = {.work = work};
    const struct dispatch_target other = {.port = &third.base, .class_name = "Third"};

    (void)test_state;
    refused = "Third";
    assert_int_equal(set_rules(&other), -ENOSPC);
    assert_ptr_equal(called(), &second);
    assert_true(is_recorded(0) && is_recorded(1));
}

TEST_WITH(shadow_calls_that_cannot_be_recorded_are_not_made, set_up, tear_down)
{
    struct port third = {.work = work};
    const struct dispatch_target rival = {.port = &third.base, .class_name = "Third"};

    (void)test_state;
    refused = "Third";
    assert_int_equal(proxy_set_shadow(&state.shadow, &rival, 1, 1, 0, &err), -ENOSPC);
    assert_null(proxy_link.shadow);
    assert_true(is_recorded(0) && is_recorded(1));
    refused = NULL;
    assert_int_equal(proxy_set_shadow(&state.shadow, &rival, 1, 1, 0, &err), 0);
    assert_non_null(proxy_link.shadow);
}

TEST_WITH(a_move_back_needs_no_recorder, set_up, tear_down)
{
    struct slot_port *slot = &state.slot;
    const struct proxy_target *target = &proxy_link.dispatch->targets[0];

    (void)test_state;
    assert_int_equal(proxy_slot_arm(slot, &ours, &err), 0);
    assert_int_equal(proxy_slot_move(slot, &theirs, NULL), -EINVAL);
    assert_int_equal(proxy_slot_close(slot, 0, &err), 0);
    assert_int_equal(proxy_slot_move(slot, &theirs, &err), 0);
    assert_ptr_equal(target->port, &second);
    refused = "First";
    assert_int_equal(proxy_slot_move(slot, &ours, &err), 0);
    assert_ptr_equal(target->port, &first);
    assert_string_equal(target->about.class_name, "First");
    assert_true(is_recorded(0));
    assert_int_equal(proxy_slot_move(slot, &theirs, &err), 0);
    proxy_slot_open(slot);

    /* behind `open` the target before is forgotten */
    assert_int_equal(proxy_slot_close(slot, 0, &err), 0);
    assert_int_equal(proxy_slot_move(slot, &ours, &err), -ENOSPC);
    assert_ptr_equal(target->port, &second);
    proxy_slot_open(slot);
}

/* --- Results of shadow calls ---------------------------------------------- */

static union monitor_value out[PROXY_SHADOW_COUNT];

static void compare(char kind, size_t size, const void *chosen, const void *rival,
                    size_t count)
{
    const struct proxy_array array = {.size = size, .kind = kind};

    memset(out, 0, sizeof out);
    proxy_shadow_compare(&array, chosen, rival, count, out);
}

TEST(equal_infinities_and_nans_have_no_difference)
{
    const double chosen[] = {INFINITY, 3, NAN, -INFINITY},
                 rival[] = {INFINITY, 1, NAN, -INFINITY};

    compare('d', sizeof *chosen, chosen, rival, 4);
    assert_int_equal(out[PROXY_SHADOW_UNEQUAL].i, 1);
    assert_true(out[PROXY_SHADOW_DIFFERENCE].d == 4);
    assert_true(out[PROXY_SHADOW_LARGEST].d == 2);
}

TEST(padding_of_long_doubles_is_no_result)
{
    long double chosen[2], rival[2];

    memset(chosen, 0x11, sizeof chosen);
    memset(rival, 0x22, sizeof rival);
    for (int i = 0; i < 2; i++) { /* the value's bytes alone */
        const long double value = 1 + i;

        memcpy(&chosen[i], &value, PROXY_LONG_DOUBLE);
        memcpy(&rival[i], &value, PROXY_LONG_DOUBLE);
    }
    compare('l', sizeof *chosen, chosen, rival, 2);
    assert_int_equal(out[PROXY_SHADOW_UNEQUAL].i, 0);
    assert_true(out[PROXY_SHADOW_NORM].d == 5);
    rival[1] = 4;
    compare('l', sizeof *chosen, chosen, rival, 2);
    assert_int_equal(out[PROXY_SHADOW_UNEQUAL].i, 1);
    assert_true(out[PROXY_SHADOW_LARGEST].d == 2);
}

TESTS(NULL, NULL)

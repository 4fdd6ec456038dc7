/* SPDX-License-Identifier: BSD-3-Clause */
/* test_tau_timers.c: timers, groups and events of the Measurement port, by closed forms:
 * the clock is the test's own and moves only when the test says so. */
/* lane: alone, it measures time */
#include "tau_port/measurement.h"
#include "tests/lib/test.h"

#include <math.h>

static int64_t clock_ns;

static int64_t now(void)
{
    return clock_ns;
}

struct fixture {
    struct meas *meas;
    struct measurement_port *port;
};

static int setup(void **state)
{
    static struct fixture fixture;

    clock_ns = 1000;
    fixture.meas = meas_new(now, NULL);
    if (!fixture.meas)
        return -1;
    fixture.port = meas_port(fixture.meas);
    *state = &fixture;
    return 0;
}

static int teardown(void **state)
{
    meas_free(((struct fixture *)*state)->meas);
    return 0;
}

static struct measurement_port *port_of(void **state)
{
    return ((struct fixture *)*state)->port;
}

static void expect(struct measurement_port *port, int timer, int64_t calls,
                   int64_t subroutines, int64_t inclusive_ns, int64_t exclusive_ns)
{
    struct measurement_timer_values values;

    assert_int_equal(port->timer_values(port, timer, &values), 0);
    assert_int_equal(values.calls, calls);
    assert_int_equal(values.subroutines, subroutines);
    assert_int_equal(values.inclusive_ns, inclusive_ns);
    assert_int_equal(values.exclusive_ns, exclusive_ns);
}

TEST_WITH(a_name_and_group_give_the_same_timer_again, setup, teardown)
{
    struct measurement_port *port = port_of(test_state);
    int a = port->timer(port, "solve", "", NULL);
    int b = port->timer(port, "solve", "MPI", NULL);
    const char *group;

    assert_int_equal(a, 0);
    assert_int_equal(b, 1);
    assert_int_equal(port->timer(port, "solve", "", NULL), a);
    assert_int_equal(port->timer(port, "solve", NULL, NULL), a);
    assert_int_equal(port->timer(port, "solve", "MPI", NULL), b);
    assert_string_equal(port->timer_name(port, a, &group), "solve");
    assert_string_equal(group, "");
    assert_string_equal(port->timer_name(port, b, &group), "solve");
    assert_string_equal(group, "MPI");
    assert_null(port->timer_name(port, 2, &group));
    assert_null(port->timer_name(port, -1, NULL));
}

TEST_WITH(a_thousand_timers_keep_their_names, setup, teardown)
{
    struct measurement_port *port = port_of(test_state);
    char name[32];

    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "t%d", i);
        assert_int_equal(port->timer(port, name, "", NULL), i);
    }
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "t%d", i);
        assert_string_equal(port->timer_name(port, i, NULL), name);
        assert_int_equal(port->timer(port, name, "", NULL), i);
    }
}

TEST_WITH(wrong_arguments_are_refused_in_words, setup, teardown)
{
    struct measurement_port *port = port_of(test_state);
    struct measurement_timer_values timer;
    struct measurement_event_values event;
    struct cca_error err = {0};

    assert_int_equal(port->timer(port, "", "g", &err), -EINVAL);
    assert_string_equal(err.text, "a timer needs a name");
    memset(&err, 0, sizeof err);
    assert_int_equal(port->event(port, NULL, &err), -EINVAL);
    assert_string_equal(err.text, "an event needs a name");
    assert_int_equal(port->start(port, 0), -EINVAL);
    assert_int_equal(port->start(port, -1), -EINVAL);
    assert_int_equal(port->stop(port, 7), -EINVAL);
    assert_int_equal(port->trigger(port, 0, 1.0), -EINVAL);
    assert_int_equal(port->timer_values(port, 0, &timer), -EINVAL);
    assert_int_equal(port->event_values(port, 0, &event), -EINVAL);
    assert_null(port->event_name(port, 0));
}

TEST_WITH(nested_timers_share_the_time_out, setup, teardown)
{
    struct measurement_port *port = port_of(test_state);
    int outer = port->timer(port, "outer", "", NULL);
    int inner = port->timer(port, "inner", "", NULL);

    port->start(port, outer);
    clock_ns += 5;
    for (int i = 0; i < 3; i++) {
        port->start(port, inner);
        clock_ns += 100;
        port->stop(port, inner);
        clock_ns += 7;
    }
    expect(port, outer, 1, 3, 326, 26);
    port->stop(port, outer);
    clock_ns += 1000;
    expect(port, outer, 1, 3, 326, 26);
    expect(port, inner, 3, 0, 300, 300);
}

/* fib(n) makes 2 fib(n+1) - 1 calls: the timer counts them and its inclusive time is that
 * of the outermost alone. */
static int fib(struct measurement_port *port, int timer, int n)
{
    int result;

    port->start(port, timer);
    clock_ns += 1;
    result = n < 2 ? n : fib(port, timer, n - 1) + fib(port, timer, n - 2);
    port->stop(port, timer);
    return result;
}

TEST_WITH(recursion_counts_inclusive_time_once, setup, teardown)
{
    struct measurement_port *port = port_of(test_state);
    int timer = port->timer(port, "fib", "", NULL);

    assert_int_equal(fib(port, timer, 12), 144);
    expect(port, timer, 465, 0, 465, 465);
}

TEST_WITH(mutual_recursion_counts_each_outermost, setup, teardown)
{
    struct measurement_port *port = port_of(test_state);
    int a = port->timer(port, "a", "", NULL), b = port->timer(port, "b", "", NULL);

    port->start(port, a);
    clock_ns += 1;
    port->start(port, b);
    clock_ns += 10;
    port->start(port, a);
    clock_ns += 100;
    port->start(port, b);
    clock_ns += 1000;
    expect(port, a, 2, 2, 1111, 101);
    expect(port, b, 2, 1, 1110, 1010);
    port->stop(port, b);
    port->stop(port, a);
    port->stop(port, b);
    port->stop(port, a);
    expect(port, a, 2, 2, 1111, 101);
    expect(port, b, 2, 1, 1110, 1010);
}

TEST_WITH(stop_takes_only_the_timer_on_top, setup, teardown)
{
    struct measurement_port *port = port_of(test_state);
    int a = port->timer(port, "a", "", NULL), b = port->timer(port, "b", "", NULL);

    assert_int_equal(port->stop(port, a), -EPROTO);
    port->start(port, a);
    port->start(port, b);
    clock_ns += 3;
    assert_int_equal(port->stop(port, a), -EPROTO);
    expect(port, b, 1, 0, 3, 3);
    assert_int_equal(port->stop(port, b), 0);
    assert_int_equal(port->stop(port, a), 0);
    assert_int_equal(port->stop(port, a), -EPROTO);
    expect(port, a, 1, 1, 3, 0);
}

TEST_WITH(a_disabled_group_counts_nothing_and_nests, setup, teardown)
{
    struct measurement_port *port = port_of(test_state);
    int work = port->timer(port, "work", "", NULL);
    int send = port->timer(port, "MPI_Send", "MPI", NULL);

    assert_int_equal(port->enable_group(port, "MPI", 0), 0);
    port->start(port, work);
    clock_ns += 1;
    assert_int_equal(port->start(port, send), 0);
    clock_ns += 10;
    assert_int_equal(port->stop(port, send), 0);
    port->stop(port, work);
    expect(port, work, 1, 0, 11, 11);
    expect(port, send, 0, 0, 0, 0);
    assert_int_equal(port->enable_group(port, "MPI", 1), 0);
    port->start(port, send);
    clock_ns += 4;
    port->stop(port, send);
    expect(port, send, 1, 0, 4, 4);
}

TEST_WITH(a_switch_in_mid_run_leaves_running_timers_whole, setup, teardown)
{
    struct measurement_port *port = port_of(test_state);
    int outer = port->timer(port, "outer", "g", NULL);
    int leaf = port->timer(port, "leaf", "", NULL);

    port->start(port, outer);
    clock_ns += 1;
    port->enable_group(port, "g", 0);
    port->start(port, outer); /* recursion, not counted */
    clock_ns += 10;
    port->start(port, leaf); /* belongs to the outermost, which is the one counted */
    clock_ns += 100;
    port->stop(port, leaf);
    port->enable_group(port, "g", 1);
    assert_int_equal(port->stop(port, outer), 0);
    clock_ns += 1000;
    expect(port, outer, 1, 1, 1111, 1011);
    assert_int_equal(port->stop(port, outer), 0);
    expect(port, outer, 1, 1, 1111, 1011);
    expect(port, leaf, 1, 0, 100, 100);
}

TEST_WITH(a_group_may_be_disabled_before_it_has_timers, setup, teardown)
{
    struct measurement_port *port = port_of(test_state);
    int timer;

    port->enable_group(port, "later", 0);
    timer = port->timer(port, "t", "later", NULL);
    port->start(port, timer);
    port->stop(port, timer);
    expect(port, timer, 0, 0, 0, 0);
}

/* What must come out, by the definition: as time passes, the topmost counted timer gains
 * exclusive time, and each timer with a counted frame gains inclusive time. */
enum { TIMERS = 6, GROUPS = 2, DEPTH = 40 };

struct shadow {
    struct measurement_timer_values values[TIMERS];
    int stack[DEPTH], counted[DEPTH], depth;
};

static int top_of(const struct shadow *shadow)
{
    for (int i = shadow->depth - 1; i >= 0; i--) {
        if (shadow->counted[i])
            return shadow->stack[i];
    }
    return -1;
}

static void pass(struct shadow *shadow, int64_t ns)
{
    int seen[TIMERS] = {0}, top = top_of(shadow);

    clock_ns += ns;
    if (top >= 0)
        shadow->values[top].exclusive_ns += ns;
    for (int i = 0; i < shadow->depth; i++) {
        if (shadow->counted[i] && !seen[shadow->stack[i]]++)
            shadow->values[shadow->stack[i]].inclusive_ns += ns;
    }
}

static void shadow_start(struct shadow *shadow, int timer, int counted)
{
    int top = top_of(shadow);

    if (counted) {
        shadow->values[timer].calls++;
        if (top >= 0 && top != timer)
            shadow->values[top].subroutines++;
    }
    shadow->stack[shadow->depth] = timer;
    shadow->counted[shadow->depth++] = counted;
}

static unsigned next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(*seed >> 33);
}

TEST_WITH(random_nesting_agrees_with_the_definition, setup, teardown)
{
    struct measurement_port *port = port_of(test_state);
    struct shadow shadow = {0};
    int on[GROUPS] = {1, 1};
    uint64_t seed = 2005;
    char name[16];

    for (int i = 0; i < TIMERS; i++) {
        snprintf(name, sizeof name, "t%d", i);
        assert_int_equal(port->timer(port, name, i % GROUPS ? "odd" : "even", NULL), i);
    }
    for (int step = 0; step < 20000; step++) {
        int timer = (int)(next_random(&seed) % TIMERS);

        pass(&shadow, next_random(&seed) % 50);
        switch (next_random(&seed) % 16) {
        case 0:
            on[timer % GROUPS] ^= 1;
            port->enable_group(port, timer % GROUPS ? "odd" : "even", on[timer % GROUPS]);
            break;
        case 1:
        case 2:
        case 3:
        case 4:
        case 5:
        case 6:
        case 7:
        case 8:
            if (shadow.depth < DEPTH) {
                shadow_start(&shadow, timer, on[timer % GROUPS]);
                assert_int_equal(port->start(port, timer), 0);
            }
            break;
        default:
            if (shadow.depth)
                assert_int_equal(port->stop(port, shadow.stack[--shadow.depth]), 0);
        }
        timer = (int)(next_random(&seed) % TIMERS);
        expect(port, timer, shadow.values[timer].calls, shadow.values[timer].subroutines,
               shadow.values[timer].inclusive_ns, shadow.values[timer].exclusive_ns);
    }
    assert_true(shadow.values[0].calls > 500);
}

TEST_WITH(an_event_has_count_bounds_mean_and_deviation, setup, teardown)
{
    struct measurement_port *port = port_of(test_state);
    int event = port->event(port, "message size", NULL);
    struct measurement_event_values values;

    assert_int_equal(port->event(port, "message size", NULL), event);
    assert_string_equal(port->event_name(port, event), "message size");
    assert_int_equal(port->event_values(port, event, &values), 0);
    assert_int_equal(values.count, 0);
    assert_true(values.min == 0 && values.max == 0 && values.mean == 0);
    for (int i = 1; i <= 100; i++)
        assert_int_equal(port->trigger(port, event, i), 0);
    assert_int_equal(port->event_values(port, event, &values), 0);
    assert_int_equal(values.count, 100);
    assert_true(values.min == 1 && values.max == 100);
    assert_true(fabs(values.mean - 50.5) < 1e-12);
    /* of 1..n: n (n + 1) / 12 with the divisor n - 1 */
    assert_true(fabs(values.standard_deviation - sqrt(100.0 * 101 / 12)) < 1e-12);
}

TEST_WITH(a_large_offset_does_not_drown_the_deviation, setup, teardown)
{
    struct measurement_port *port = port_of(test_state);
    int event = port->event(port, "offset", NULL);
    struct measurement_event_values values;

    for (int i = 0; i < 1000; i++)
        port->trigger(port, event, 1e9 + i % 2);
    port->event_values(port, event, &values);
    assert_true(fabs(values.mean - (1e9 + .5)) < 1e-6);
    assert_true(fabs(values.standard_deviation - sqrt(.25 * 1000 / 999)) < 1e-9);
}

TEST_WITH(a_value_that_is_no_number_is_refused, setup, teardown)
{
    struct measurement_port *port = port_of(test_state);
    int event = port->event(port, "e", NULL);
    struct measurement_event_values values;

    port->trigger(port, event, -2);
    assert_int_equal(port->trigger(port, event, NAN), -EINVAL);
    assert_int_equal(port->trigger(port, event, INFINITY), -EINVAL);
    port->event_values(port, event, &values);
    assert_int_equal(values.count, 1);
    assert_true(values.min == -2 && values.max == -2 && values.mean == -2);
    assert_true(values.standard_deviation == 0);
}

TEST_WITH(two_instances_do_not_know_each_other, setup, teardown)
{
    struct measurement_port *port = port_of(test_state);
    struct meas *other = meas_new(now, NULL);
    struct measurement_port *second = meas_port(other);
    int a = port->timer(port, "a", "", NULL), b = second->timer(second, "b", "", NULL);

    assert_int_equal(a, b);
    port->start(port, a);
    second->start(second, b);
    clock_ns += 9;
    assert_int_equal(port->stop(port, a), 0);
    assert_int_equal(second->stop(second, b), 0);
    expect(second, b, 1, 0, 9, 9);
    expect(port, a, 1, 0, 9, 9);
    meas_free(other);
}

TEST_WITH(free_takes_running_timers, setup, teardown)
{
    struct meas *other = meas_new(now, NULL);
    struct measurement_port *port = meas_port(other);

    for (int i = 0; i < 100; i++)
        assert_int_equal(port->start(port, port->timer(port, "t", "", NULL)), 0);
    meas_free(other);
    meas_free(NULL);
}

TESTS(NULL, NULL)

/* SPDX-License-Identifier: BSD-3-Clause */
/* test_tau_threads.c: the Measurement port with real threads and real clocks: counts are
 * exact, times are only related to each other. */
/* lane: alone, it measures time */
#include "tau_port/measurement.h"
#include "tests/lib/test.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 8, CALLS = 2000 };

struct job {
    struct measurement_port *port;
    int outer, inner, event;
    atomic_int *running;
};

static void *work(void *argument)
{
    struct job *job = argument;
    struct measurement_port *port = job->port;

    for (int i = 0; i < CALLS; i++) {
        port->start(port, job->outer);
        port->start(port, job->inner);
        port->trigger(port, job->event, i);
        port->stop(port, job->inner);
        port->stop(port, job->outer);
    }
    if (job->running)
        atomic_fetch_sub(job->running, 1);
    return NULL;
}

static struct job job_of(struct meas *meas)
{
    struct measurement_port *port = meas_port(meas);

    return (struct job){.port = port,
                        .outer = port->timer(port, "outer", "", NULL),
                        .inner = port->timer(port, "inner", "", NULL),
                        .event = port->event(port, "i", NULL)};
}

static void check_counts(struct job *job, int64_t threads)
{
    struct measurement_port *port = job->port;
    struct measurement_timer_values outer, inner;
    struct measurement_event_values event;

    assert_int_equal(port->timer_values(port, job->outer, &outer), 0);
    assert_int_equal(port->timer_values(port, job->inner, &inner), 0);
    assert_int_equal(port->event_values(port, job->event, &event), 0);
    assert_int_equal(outer.calls, threads * CALLS);
    assert_int_equal(outer.subroutines, threads * CALLS);
    assert_int_equal(inner.calls, threads * CALLS);
    assert_int_equal(inner.subroutines, 0);
    assert_int_equal(outer.exclusive_ns + inner.inclusive_ns, outer.inclusive_ns);
    assert_int_equal(inner.inclusive_ns, inner.exclusive_ns);
    assert_true(outer.inclusive_ns > inner.inclusive_ns && inner.inclusive_ns > 0);
    assert_int_equal(event.count, threads * CALLS);
    assert_true(event.min == 0 && event.max == CALLS - 1);
    assert_true(fabs(event.mean - (CALLS - 1) / 2.0) < 1e-6);
}

TEST(counts_of_ended_threads_remain)
{
    struct meas *meas = meas_new(NULL, NULL);
    struct job job = job_of(meas);

    for (int i = 0; i < 20; i++) {
        pthread_t thread;

        assert_int_equal(pthread_create(&thread, NULL, work, &job), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
    }
    check_counts(&job, 20);
    meas_free(meas);
}

TEST(queries_while_threads_count_never_go_back)
{
    struct meas *meas = meas_new(NULL, NULL);
    struct job job = job_of(meas);
    struct measurement_port *port = job.port;
    struct measurement_timer_values last = {0}, values;
    atomic_int running = THREADS;
    pthread_t threads[THREADS];

    job.running = &running;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, &job), 0);
    do {
        assert_int_equal(port->timer_values(port, job.outer, &values), 0);
        assert_true(values.calls >= last.calls &&
                    values.inclusive_ns >= last.inclusive_ns);
        /* whole values: a call inside started after its caller */
        assert_true(values.subroutines <= values.calls);
        assert_true(values.exclusive_ns <= values.inclusive_ns);
        last = values;
    } while (atomic_load(&running) > 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    check_counts(&job, THREADS);
    meas_free(meas);
}

static void *leave_running(void *argument)
{
    struct job *job = argument;

    job->port->start(job->port, job->outer);
    job->port->start(job->port, job->inner);
    return NULL;
}

TEST(a_timer_running_when_its_thread_ends_stops_there)
{
    struct meas *meas = meas_new(NULL, NULL);
    struct job job = job_of(meas);
    struct measurement_timer_values first, second;
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, leave_running, &job), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    job.port->timer_values(job.port, job.outer, &first);
    assert_int_equal(first.calls, 1);
    assert_true(first.inclusive_ns > 0);
    job.port->timer_values(job.port, job.outer, &second);
    assert_int_equal(second.inclusive_ns, first.inclusive_ns);
    meas_free(meas);
}

struct survivor {
    struct job job;
    pthread_barrier_t barrier;
};

static void *outlive(void *argument)
{
    struct survivor *survivor = argument;

    work(&survivor->job);
    pthread_barrier_wait(&survivor->barrier); /* counted */
    pthread_barrier_wait(&survivor->barrier); /* measurement is gone */
    return NULL;
}

TEST(a_thread_may_outlive_the_measurement)
{
    struct meas *meas = meas_new(NULL, NULL);
    struct survivor survivor = {.job = job_of(meas)};
    pthread_t thread;

    pthread_barrier_init(&survivor.barrier, NULL, 2);
    assert_int_equal(pthread_create(&thread, NULL, outlive, &survivor), 0);
    pthread_barrier_wait(&survivor.barrier);
    check_counts(&survivor.job, 1);
    meas_free(meas);
    pthread_barrier_wait(&survivor.barrier);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_barrier_destroy(&survivor.barrier);
}

static void *define(void *argument)
{
    struct measurement_port *port = argument;
    char name[3] = "aa";

    for (int i = 0; i < 26 * 26; i++) {
        name[0] = (char)('a' + i / 26);
        name[1] = (char)('a' + i % 26);
        port->start(port, port->timer(port, name, "g", NULL));
        port->stop(port, port->timer(port, name, "g", NULL));
    }
    return NULL;
}

TEST(threads_that_define_the_same_names_share_them)
{
    struct meas *meas = meas_new(NULL, NULL);
    struct measurement_port *port = meas_port(meas);
    struct measurement_timer_values values;
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, define, port), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_null(port->timer_name(port, 26 * 26, NULL));
    for (int i = 0; i < 26 * 26; i++) {
        assert_non_null(port->timer_name(port, i, NULL));
        assert_int_equal(port->timer_values(port, i, &values), 0);
        assert_int_equal(values.calls, THREADS);
    }
    meas_free(meas);
}

TESTS(NULL, NULL)

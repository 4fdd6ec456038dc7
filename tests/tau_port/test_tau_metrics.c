/* SPDX-License-Identifier: BSD-3-Clause */
/* test_tau_metrics.c: lists of metrics, counters that components publish, and PAPI where
 * there is one: software-defined events work without any hardware counter. */
/* lane: alone, it measures time */
#include "tau_port/measurement.h"
#include "tau_port/papi.h"
#include "tests/lib/test.h"

#include <pthread.h>

static const char *list;
static int papi;

static const char *wanted(void *context, int *use_papi)
{
    (void)context;
    *use_papi = papi;
    return list;
}

/* A port with these metrics. */
static struct meas *measure(const char *metrics, int use_papi)
{
    struct meas *meas = meas_new(NULL, NULL);

    assert_non_null(meas);
    list = metrics;
    papi = use_papi;
    meas_metrics_from(meas, wanted, NULL);
    return meas;
}

static void expect_names(struct measurement_port *port, const char *names)
{
    char found[1024] = "";
    const char *name;

    for (int i = 0; (name = port->metric_name(port, i, NULL)); i++)
        snprintf(found + strlen(found), sizeof found - strlen(found), "%s%s",
                 i ? "," : "", name);
    assert_string_equal(found, names);
}

static const char *why_missing(struct measurement_port *port, const char *metric)
{
    const char *name, *why;

    for (int i = 0; (name = port->missing_metric(port, i, &why)); i++)
        if (strcmp(name, metric) == 0)
            return why;
    return NULL;
}

static int64_t value(struct measurement_port *port, int metric)
{
    int64_t number;

    port->read(port, metric, 1, &number);
    return number;
}

TEST(without_a_list_there_is_time_alone)
{
    struct meas *meas = meas_new(NULL, NULL);
    struct measurement_port *port = meas_port(meas);
    const char *unit = NULL;

    expect_names(port, "TIME");
    assert_int_equal(port->metric_count(port), 1);
    assert_string_equal(port->metric_name(port, 0, &unit), "TIME");
    assert_string_equal(unit, "ns");
    assert_null(port->metric_name(port, 1, &unit));
    assert_null(port->metric_name(port, -1, NULL));
    assert_null(port->missing_metric(port, 0, NULL));
    assert_null(port->missing_metric(port, -1, NULL));
    /* MPI time is not measured here: there is no address, and no metric that is always 0.
     */
    assert_null(port->mpi_time(port));
    meas_free(meas);
}

TEST(a_list_is_put_in_order_each_name_once)
{
    struct meas *meas =
        measure(" PROCESS_CPU_TIME ,sde:::a::x,\tCPU_TIME,,TIME,sde:::a::x, ", 0);
    struct measurement_port *port = meas_port(meas);

    expect_names(port, "TIME,CPU_TIME,PROCESS_CPU_TIME,sde:::a::x");
    meas_free(meas);
}

TEST(clocks_move_forward_and_agree_about_one_busy_thread)
{
    struct meas *meas = measure("CPU_TIME,PROCESS_CPU_TIME", 0);
    struct measurement_port *port = meas_port(meas);
    int64_t before[3], after[3];
    volatile double sum = 0;

    port->read(port, 0, 3, before);
    for (int i = 0; i < 1000000; i++)
        sum += i;
    port->read(port, 0, 3, after);
    assert_true(sum > 0);
    for (int i = 0; i < 3; i++)
        assert_true(after[i] > before[i]);
    /* Read inside, the thread's share is no more than that of all threads read around it.
     */
    {
        int64_t process = value(port, 2), thread = value(port, 1);

        for (int i = 0; i < 1000000; i++)
            sum += i;
        thread = value(port, 1) - thread;
        process = value(port, 2) - process;
        assert_true(thread <= process);
    }
    meas_free(meas);
}

TEST(what_cannot_be_measured_is_missing_with_a_reason)
{
    struct meas *meas =
        measure("NO_SUCH_EVENT,MPI_TIME,sde:::odd,sde:::a b::c,PAPI_BRU", 1);
    struct measurement_port *port = meas_port(meas);
    static const char *const names[] = {"NO_SUCH_EVENT", "MPI_TIME", "sde:::odd",
                                        "sde:::a b::c", "PAPI_BRU"};

    expect_names(port, "TIME");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_non_null(why_missing(port, names[i]));
        assert_true(strlen(why_missing(port, names[i])) > 0);
    }
    assert_int_equal(value(port, 1), MEASUREMENT_MISSING);
    assert_int_equal(value(port, -1), MEASUREMENT_MISSING);
    meas_free(meas);
}

TEST(more_metrics_than_there_is_room_for_are_missing)
{
    char names[1024] = "";
    struct meas *meas;

    for (int i = 0; i < 40; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "sde:::many::%d,",
                 i);
    meas = measure(names, 1);
    assert_int_equal(meas_port(meas)->metric_count(meas_port(meas)), 16);
    assert_string_equal(why_missing(meas_port(meas), "sde:::many::39"),
                        "too many metrics at once");
    meas_free(meas);
}

/* --- Counters, by PAPI and without ----------------------------------------------------
 */

/* A case with PAPI, and one without. */
#define BOTH(name)                                                                       \
    static void name(int use_papi);                                                      \
    TEST(name##_without_papi)                                                            \
    {                                                                                    \
        name(0);                                                                         \
    }                                                                                    \
    TEST(name##_with_papi)                                                               \
    {                                                                                    \
        name(1);                                                                         \
    }                                                                                    \
    static void name(int use_papi)

BOTH(a_counter_is_missing_until_it_is_published)
{
    struct meas *meas = measure("sde:::fake::steps", use_papi);
    struct measurement_port *port = meas_port(meas);
    struct counters_port *counters = meas_counters_port(meas);
    int id;

    expect_names(port, "TIME,sde:::fake::steps");
    assert_int_equal(value(port, 1), MEASUREMENT_MISSING);
    assert_string_equal(why_missing(port, "sde:::fake::steps"),
                        "no component publishes it");
    id = counters->counter(counters, "fake", "steps", NULL);
    assert_true(id >= 0);
    assert_int_equal(value(port, 1), 0);
    assert_null(why_missing(port, "sde:::fake::steps"));
    assert_int_equal(counters->add(counters, id, 42), 0);
    assert_int_equal(value(port, 1), 42);
    assert_int_equal(counters->counter(counters, "fake", "steps", NULL), id);
    assert_int_equal(counters->add(counters, id, -2), 0);
    assert_int_equal(value(port, 1), 40);
    meas_free(meas);
}

BOTH(a_counter_may_be_published_before_it_is_asked_for)
{
    struct meas *meas = measure("sde:::fake::late", use_papi);
    struct counters_port *counters = meas_counters_port(meas);
    int other = counters->counter(counters, "fake", "other", NULL);
    int id = counters->counter(counters, "fake", "late", NULL);

    assert_int_equal(counters->add(counters, other, 1000), 0);
    assert_int_equal(counters->add(counters, id, 7), 0);
    assert_int_equal(value(meas_port(meas), 1), 7);
    meas_free(meas);
}

struct job {
    struct meas *meas;
    int id, amount;
    int64_t before, after;
};

static void *count_apart(void *argument)
{
    struct job *job = argument;
    struct counters_port *counters = meas_counters_port(job->meas);

    job->before = value(meas_port(job->meas), 1);
    for (int i = 0; i < 1000; i++)
        counters->add(counters, job->id, job->amount);
    job->after = value(meas_port(job->meas), 1);
    return NULL;
}

BOTH(each_thread_reads_what_it_has_counted_itself)
{
    enum { THREADS = 8 };
    struct meas *meas = measure("sde:::fake::work", use_papi);
    struct counters_port *counters = meas_counters_port(meas);
    int id = counters->counter(counters, "fake", "work", NULL);
    pthread_t threads[THREADS];
    struct job jobs[THREADS];

    assert_int_equal(counters->add(counters, id, 5), 0);
    for (int i = 0; i < THREADS; i++) {
        jobs[i] = (struct job){.meas = meas, .id = id, .amount = i + 1};
        assert_int_equal(pthread_create(&threads[i], NULL, count_apart, &jobs[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(jobs[i].before, 0);
        assert_int_equal(jobs[i].after, 1000 * (i + 1));
    }
    assert_int_equal(value(meas_port(meas), 1), 5);
    meas_free(meas);
}

BOTH(two_ports_do_not_see_each_others_counts)
{
    struct meas *one = measure("sde:::fake::shared", use_papi), *two;
    struct counters_port *first = meas_counters_port(one), *second;
    int a = first->counter(first, "fake", "shared", NULL), b;

    assert_int_equal(meas_port(one)->metric_count(meas_port(one)), 2);
    two = measure("sde:::fake::shared", use_papi);
    second = meas_counters_port(two);
    b = second->counter(second, "fake", "shared", NULL);
    assert_int_equal(meas_port(two)->metric_count(meas_port(two)), 2);
    first->add(first, a, 3);
    second->add(second, b, 4);
    assert_int_equal(value(meas_port(one), 1), 3);
    assert_int_equal(value(meas_port(two), 1), 4);
    meas_free(one);
    second->add(second, b, 4);
    assert_int_equal(value(meas_port(two), 1), 8);
    meas_free(two);
}

struct reader {
    struct meas *meas;
    int id, skipped;
    int64_t first, second;
};

/* Another reader of PAPI, in a thread of its own: there is one event set a thread. */
static void *read_by_papi(void *argument)
{
    struct reader *reader = argument;
    struct counters_port *counters = meas_counters_port(reader->meas);
    struct meas_papi *events = meas_papi_new();
    struct meas_papi_thread *thread;

    reader->skipped = meas_papi_add(events, "sde:::fake::seen", NULL) != 0;
    if (!reader->skipped) {
        thread = meas_papi_thread_new(events);
        counters->add(counters, reader->id, 7);
        meas_papi_read(thread, &reader->first);
        counters->add(counters, reader->id, 8);
        meas_papi_read(thread, &reader->second);
        meas_papi_thread_free(thread, 1);
    }
    meas_papi_free(events);
    return NULL;
}

TEST(any_reader_of_papi_sees_a_counter)
{
    struct reader reader = {.meas = measure("sde:::fake::seen", 1)};
    struct counters_port *counters = meas_counters_port(reader.meas);
    pthread_t thread;

    reader.id = counters->counter(counters, "fake", "seen", NULL);
    assert_int_equal(value(meas_port(reader.meas), 1), 0);
    assert_int_equal(pthread_create(&thread, NULL, read_by_papi, &reader), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    meas_free(reader.meas);
    if (reader.skipped)
        skip();
    assert_int_equal(reader.first, 7);
    assert_int_equal(reader.second, 15);
}

TEST(bad_counters_are_refused)
{
    struct meas *meas = meas_new(NULL, NULL);
    struct counters_port *counters = meas_counters_port(meas);
    struct cca_error err = {0};

    assert_int_equal(counters->counter(counters, "a,b", "c", &err), -EINVAL);
    assert_non_null(strstr(err.text, "letters, digits"));
    assert_int_equal(counters->counter(counters, "", "c", NULL), -EINVAL);
    assert_int_equal(counters->counter(counters, "a", "c::d", NULL), -EINVAL);
    assert_int_equal(counters->counter(counters, NULL, "c", NULL), -EINVAL);
    assert_int_equal(counters->add(counters, 0, 1), -EINVAL);
    assert_int_equal(counters->add(counters, -1, 1), -EINVAL);
    meas_free(meas);
}

TEST(papi_counts_page_faults_where_it_can)
{
    enum { PAGES = 512, PAGE = 4096 };
    struct meas *meas = measure("perf::PAGE-FAULTS", 1);
    struct measurement_port *port = meas_port(meas);
    int64_t before;

    if (port->metric_count(port) == 1) {
        assert_non_null(why_missing(port, "perf::PAGE-FAULTS"));
        meas_free(meas);
        skip();
    }
    before = value(port, 1);
    assert_true(before != MEASUREMENT_MISSING);
    for (int round = 0; round < 2; round++) {
        /* Fresh from the system: each page faults when it is first touched. */
        volatile char *fresh = aligned_alloc(PAGE, (size_t)PAGES * 64 * PAGE);

        assert_non_null(fresh);
        for (size_t i = 0; i < (size_t)PAGES * 64; i += 64)
            fresh[i * PAGE] = 1;
        assert_true(value(port, 1) >= before + (round + 1) * (PAGES / 64));
        free((void *)fresh);
    }
    meas_free(meas);
}

/* This build says why where it has no PAPI, and a counter works all the same. */
TEST(there_is_papi_or_a_reason)
{
    struct meas_papi *events = meas_papi_new();
    struct cca_error err = {0};

    assert_non_null(events);
    assert_true(meas_papi_add(events, "NO_SUCH_EVENT", &err) < 0);
    print_message("PAPI: %s\n", err.text);
    assert_true(strlen(err.text) > 0);
    meas_papi_free(events);
}

TESTS(NULL, NULL)

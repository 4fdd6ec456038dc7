/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_experiment.c: what the recorder was told comes out of the reader, whatever the
 * tree. */
#include <math.h>
#include <pthread.h>

#include "mastermind/reader/experiment.h"
#include "tests/lib/experiment_fixture.h"
#include "tests/lib/test.h"

enum { METHODS = 5, THREADS = 3, SOME_VALUES = 24 };

static const struct monitor_value_decl mixed[] = {
    {.name = "a", .type = MONITOR_INT64, .kind = MONITOR_PARAM},
    {.name = "x", .type = MONITOR_DOUBLE, .kind = MONITOR_PARAM, .expression = "a / 2"},
    {.name = "m", .type = MONITOR_INT64, .kind = MONITOR_MODE},
    {.name = "b", .type = MONITOR_INT64, .kind = MONITOR_PARAM},
    {.name = "o", .type = MONITOR_INT64, .kind = MONITOR_OUT},
    {.name = "d", .type = MONITOR_DOUBLE, .kind = MONITOR_OUT},
};
static const size_t in_counts[METHODS] = {0, 2, 4, 4, 16};
static const size_t out_counts[METHODS] = {0, 0, 0, 2, 8};

/* What a call was, as the caller of the recorder knows it. */
struct shadow {
    uint64_t caller;
    int method, done, unwound;
    union monitor_value values[SOME_VALUES];
    int64_t callees_wall; /* filled while reading */
};

struct worker {
    struct fixture *fixture;
    struct monitor_method **methods;
    uint64_t seed;
    struct shadow *shadows; /* by invocation */
    uint64_t count, room, seen;
    uint64_t last_seq;
};

static uint64_t next_random(uint64_t *seed)
{
    uint64_t z = (*seed += 0x9e3779b97f4a7c15ULL);

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
    return z ^ z >> 31;
}

static union monitor_value random_value(uint64_t *seed)
{
    static const int64_t special[] = {0,
                                      -1,
                                      INT32_MAX,
                                      INT32_MIN,
                                      (int64_t)INT32_MAX + 1,
                                      (int64_t)INT32_MIN - 1,
                                      (int64_t)1 << 40,
                                      INT64_MAX,
                                      INT64_MIN,
                                      0x7ff8000000000001};
    union monitor_value value;
    uint64_t r = next_random(seed);

    value.i = (int64_t)(r >> 40) % 1000;
    if (r % 64 == 0)
        value.i = special[(r >> 8) % (sizeof special / sizeof *special)];
    return value;
}

static __attribute__((noinline)) void call(struct worker *w, uint64_t caller, int depth)
{
    union monitor_value values[SOME_VALUES] = {{0}};
    int method = (int)(next_random(&w->seed) % METHODS);
    size_t i, in = in_counts[method], out = out_counts[method];
    int children = depth ? (int)(next_random(&w->seed) % 4) : 0;
    int unwind = next_random(&w->seed) % 50 == 0;
    struct monitor_port *port = w->fixture->port;
    struct monitor_frame *frame;
    uint64_t self = ++w->count;

    if (self >= w->room) {
        w->room = 2 * w->room + 1024;
        w->shadows = realloc(w->shadows, w->room * sizeof *w->shadows);
        assert_non_null(w->shadows);
    }
    for (i = 0; i < in + out; i++)
        values[i] = random_value(&w->seed);
    memset(&w->shadows[self], 0, sizeof w->shadows[self]);
    w->shadows[self].caller = caller;
    w->shadows[self].method = method;
    w->shadows[self].unwound = unwind;
    memcpy(w->shadows[self].values, values, sizeof values);
    errno = 4711;
    frame = port->begin(port, w->methods[method], values);
    assert_non_null(frame);
    for (; children; children--)
        call(w, self, depth - 1);
    if (unwind)
        port->unwind(port, frame);
    else
        port->end(port, frame, values + in);
    assert_int_equal(errno, 4711);
}

static void *work(void *argument)
{
    struct worker *w = argument;

    while (w->count < 30000)
        call(w, 0, 8);
    return NULL;
}

/* Threads are numbered as they come: a worker is known by the values of its first rows.
 */
struct reading {
    struct worker *workers;
    int of_thread[THREADS];
    struct mm_method_info *const *methods;
    uint64_t rows;
};

static int same_values(const struct mm_row *row, const struct shadow *s, size_t count)
{
    return !count || !memcmp(row->values, s->values, count * sizeof *row->values);
}

static int check_row(const struct mm_row *row, void *context)
{
    struct reading *reading = context;
    struct worker *w = &reading->workers[reading->of_thread[row->thread]];
    struct shadow *s;
    int method = atoi(row->method->method + 1);

    assert_true(row->invocation >= 1 && row->invocation <= w->count);
    s = &w->shadows[row->invocation];
    assert_false(s->done);
    s->done = 1;
    w->seen++;
    reading->rows++;
    assert_int_equal(s->method, method);
    assert_int_equal(row->caller, s->caller);
    assert_int_equal(row->status, s->unwound ? MM_ROW_UNWOUND : MM_ROW_DONE);
    assert_true(
        same_values(row, s, in_counts[method] + (s->unwound ? 0 : out_counts[method])));
    assert_int_equal(row->mpi_ns, 0);
    assert_int_equal(row->caller_uncertain, 0);
    assert_true(row->start_ns > 0);
    assert_true(row->wall_ns >= row->exclusive_ns && row->exclusive_ns >= 0);
    assert_true(llabs(row->wall_ns - row->exclusive_ns - s->callees_wall) <= 32);
    if (s->caller)
        w->shadows[s->caller].callees_wall += row->wall_ns;
    return 0;
}

static void open_methods(struct fixture *f, struct monitor_method **methods)
{
    struct monitor_value_decl many[SOME_VALUES];
    char name[8], names[SOME_VALUES][8];
    size_t i;

    for (i = 0; i < SOME_VALUES; i++) {
        snprintf(names[i], sizeof names[i], "v%zu", i);
        many[i] =
            (struct monitor_value_decl){.name = names[i],
                                        .type = i % 3 ? MONITOR_INT64 : MONITOR_DOUBLE,
                                        .kind = i < 16 ? MONITOR_PARAM : MONITOR_OUT};
    }
    for (i = 0; i < METHODS; i++) {
        snprintf(name, sizeof name, "m%zu", i);
        methods[i] =
            fixture_method(f, "inst", name, i == 4 ? many : mixed + (i == 1 ? 2 : 0),
                           in_counts[i], out_counts[i]);
        assert_non_null(methods[i]);
    }
}

TEST(random_trees_come_back)
{
    struct mm_recorder_options options = {0};
    struct worker workers[THREADS] = {{0}};
    struct monitor_method *methods[METHODS];
    struct reading reading = {.workers = workers};
    struct mm_recorder_stats stats;
    struct mm_experiment *e;
    struct cca_error err = {0};
    struct fixture f;
    pthread_t thread;
    int i;

    fixture_begin(&f, &options, NULL);
    open_methods(&f, methods);
    for (i = 0; i < THREADS; i++) {
        workers[i] =
            (struct worker){.fixture = &f, .methods = methods, .seed = (uint64_t)i};
        reading.of_thread[i] = i;
        if (i) { /* one after the other, so that their numbers are known */
            assert_int_equal(pthread_create(&thread, NULL, work, &workers[i]), 0);
            pthread_join(thread, NULL);
        } else {
            work(&workers[i]);
        }
    }
    assert_int_equal(fixture_end(&f), 0);
    mm_recorder_stats(f.recorder, &stats);
    assert_int_equal(stats.dropped, 0);
    assert_int_equal(stats.threads, THREADS);
    e = mm_experiment_open(f.path, &err);
    if (!e)
        fail_msg("%s", err.text);
    assert_int_equal(e->method_count, METHODS);
    assert_string_equal(e->methods[3]->name, "inst.p.m3");
    assert_string_equal(e->methods[3]->values[1].expression, "a / 2");
    assert_int_equal(e->methods[3]->in_count, 4);
    assert_int_equal(e->finished, 1);
    assert_true(e->costs.rows[MM_ROW_PAIR].loop_ns > 0);
    assert_non_null(e->method_costs);
    i = mm_experiment_rows(e, check_row, &reading, &err);
    if (i)
        fail_msg("%s", err.text);
    assert_int_equal(reading.rows, stats.rows);
    for (i = 0; i < THREADS; i++) {
        assert_int_equal(workers[i].seen, workers[i].count);
        free(workers[i].shadows);
    }
    mm_experiment_free(e);
    fixture_remove(&f);
}

static int count_row(const struct mm_row *row, void *context)
{
    uint64_t *counts = context;

    counts[row->status]++;
    return 0;
}

/* While the run goes on: the rows so far and what is open. */
TEST(a_running_experiment_can_be_read)
{
    struct monitor_method *methods[METHODS];
    union monitor_value values[SOME_VALUES] = {{7}};
    struct monitor_frame *frame;
    uint64_t counts[4] = {0};
    struct mm_experiment *e;
    struct cca_error err = {0};
    struct fixture f;
    int i;

    fixture_begin(&f, NULL, NULL);
    open_methods(&f, methods);
    for (i = 0; i < 20000; i++) {
        frame = f.port->begin(f.port, methods[2], values);
        f.port->end(f.port, frame, NULL);
    }
    frame = f.port->begin(f.port, methods[2], values);
    e = mm_experiment_open(f.path, &err);
    assert_non_null(e);
    assert_false(e->finished);
    assert_int_equal(mm_experiment_rows(e, count_row, counts, &err), 0);
    assert_int_equal(counts[MM_ROW_DONE], 20000);
    assert_int_equal(counts[MM_ROW_OPEN], 1);
    mm_experiment_free(e);
    f.port->end(f.port, frame, NULL);
    fixture_end(&f);
    fixture_remove(&f);
}

/* Bounded: reading takes longer the more there is, and must not chase its own tail. */
enum { CHAINS = 250000 };

struct traffic {
    struct fixture *fixture;
    struct monitor_method *method;
    int running;
};

static __attribute__((noinline)) void call_down(struct traffic *t, int depth)
{
    union monitor_value values[SOME_VALUES] = {{.i = depth}, {.i = depth * 3}};
    struct monitor_frame *frame =
        t->fixture->port->begin(t->fixture->port, t->method, values);

    if (depth)
        call_down(t, depth - 1);
    t->fixture->port->end(t->fixture->port, frame, NULL);
}

static void *make_traffic(void *argument)
{
    struct traffic *t = argument;
    int i;

    for (i = 0; i < CHAINS; i++)
        call_down(t, 3);
    __atomic_fetch_sub(&t->running, 1, __ATOMIC_RELEASE);
    return NULL;
}

struct moving {
    uint64_t rows, next[THREADS];
};

/* Rows come in order of completion without gaps, whatever moves: of a chain of four the
 * numbers run 4 3 2 1, 8 7 6 5, ... */
static int check_moving(const struct mm_row *row, void *context)
{
    struct moving *m = context;
    uint64_t n;

    if (row->status == MM_ROW_OPEN)
        return 0;
    n = m->next[row->thread]++;
    m->rows++;
    assert_int_equal(row->invocation, n / 4 * 4 + 4 - n % 4);
    assert_int_equal(row->values[1].i, 3 * row->values[0].i);
    assert_int_equal(row->caller, n % 4 == 3 ? 0 : row->invocation - 1);
    return 0;
}

TEST(a_moving_experiment_can_be_read)
{
    struct monitor_method *methods[METHODS];
    struct traffic traffic = {0};
    struct moving moving;
    struct cca_error err = {0};
    struct mm_experiment *e;
    pthread_t threads[2];
    struct fixture f;
    uint64_t before = 0;
    int i, code, last;

    fixture_begin(&f, NULL, NULL);
    open_methods(&f, methods);
    traffic.fixture = &f;
    traffic.method = methods[1];
    traffic.running = 2;
    for (i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, make_traffic, &traffic), 0);
    do {
        last = !__atomic_load_n(&traffic.running, __ATOMIC_ACQUIRE);
        e = mm_experiment_open(f.path, &err);
        assert_non_null(e);
        memset(&moving, 0, sizeof moving);
        code = mm_experiment_rows(e, check_moving, &moving, &err);
        if (code)
            fail_msg("%s", err.text);
        assert_true(moving.rows >= before);
        before = moving.rows;
        mm_experiment_free(e);
    } while (!last);
    for (i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(before, 2 * 4 * CHAINS);
    assert_int_equal(fixture_end(&f), 0);
    fixture_remove(&f);
}

TESTS(NULL, NULL)

/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_live.c: what is read of a run that goes on is of one moment, although rows,
 * open calls and aggregates are read one after the other. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/stat.h>

#include "mastermind/reader/experiment.h"
#include "mastermind/reader/experiment_ring.h"
#include "tests/lib/experiment_fixture.h"
#include "tests/lib/test.h"

static const struct monitor_value_decl values[] = {
    {.name = "n", .type = MONITOR_INT64, .kind = MONITOR_PARAM},
};

struct program {
    struct fixture f;
    struct monitor_method *outer, *inner;
    struct mm_experiment *e;
    uint64_t calls, rows; /* as aggregates, and as rows said */
    int busy;             /* the reader is slow: calls go on meanwhile */
};

static void begin(struct program *p, enum mm_storage_mode mode, uint64_t count)
{
    struct mm_recorder_options options = {.storage = {.mode = mode, .count = count}};

    memset(p, 0, sizeof *p);
    fixture_begin(&p->f, &options, NULL);
    p->outer = fixture_method(&p->f, "i", "outer", values, 1, 0);
    p->inner = fixture_method(&p->f, "i", "inner", values, 1, 0);
}

static __attribute__((noinline)) struct monitor_frame *open_call(struct program *p,
                                                                 struct monitor_method *m)
{
    return p->f.port->begin(p->f.port, m, (union monitor_value[]){{.i = 1}});
}

/* From a younger place of the stack, as a callee is: one of the same age would prove that
 * the call before it has been left. */
static __attribute__((noinline)) struct monitor_frame *open_below(struct program *p,
                                                                  int depth)
{
    volatile char place[256];
    struct monitor_frame *frame;

    place[0] = 0;
    frame = depth ? open_below(p, depth - 1) : open_call(p, p->inner);
    place[1] = place[0]; /* no tail call */
    return frame;
}

static __attribute__((noinline)) void call(struct program *p, int count)
{
    for (int i = 0; i < count; i++)
        p->f.port->end(p->f.port, open_call(p, p->inner), NULL);
}

static void *call_in_thread(void *context)
{
    call(context, 40);
    return NULL;
}

static int on_row(const struct mm_row *row, void *context)
{
    struct program *p = context;
    pthread_t thread;

    p->rows += !row->counted && row->status != MM_ROW_OPEN;
    if (!p->busy)
        return 0;
    p->busy = 0;
    call(p, 1000);
    assert_int_equal(pthread_create(&thread, NULL, call_in_thread, p), 0);
    pthread_join(thread, NULL);
    return 0;
}

static int on_aggregate(const struct mm_aggregate *a, void *context)
{
    ((struct program *)context)->calls += a->calls;
    return 0;
}

static uint64_t calls_read(struct program *p, int busy)
{
    struct cca_error err = {0};

    p->calls = p->rows = 0;
    p->busy = busy;
    if (mm_experiment_rows(p->e, on_row, p, &err) ||
        mm_experiment_aggregates(p->e, on_aggregate, p, &err))
        fail_msg("%s", err.text);
    return p->calls + p->rows;
}

/* While rows are read a thousand calls are made, and a thread comes and goes. */
TEST(aggregates_are_those_of_the_rows)
{
    static const struct {
        enum mm_storage_mode mode;
        uint64_t count;
    } modes[] = {{MM_STORE_AGGREGATES, 0}, {MM_STORE_AUTO, 30}, {MM_STORE_SAMPLE, 7}};

    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        struct monitor_frame *frame;
        struct program p;

        begin(&p, modes[i].mode, modes[i].count);
        frame = open_call(&p, p.outer);
        call(&p, 100);
        p.e = mm_experiment_open(p.f.path, NULL);
        assert_non_null(p.e);
        assert_int_equal(calls_read(&p, 1), 100);
        assert_int_equal(calls_read(&p, 0), 1140); /* what is read again is of then */
        mm_experiment_free(p.e);
        p.f.port->end(p.f.port, frame, NULL);
        fixture_end(&p.f);
        p.e = mm_experiment_open(p.f.path, NULL);
        assert_int_equal(calls_read(&p, 0), 1141);
        mm_experiment_free(p.e);
        fixture_remove(&p.f);
    }
}

/* A call that ends between the two, and another that takes its place, are not open. */
TEST(calls_that_end_meanwhile_are_not_open)
{
    struct monitor_frame *outer, *middle, *inner;
    struct mm_ring_copy ring;
    struct program p;
    char path[PATH_MAX];

    begin(&p, MM_STORE_AGGREGATES, 0);
    outer = open_call(&p, p.outer);
    middle = open_below(&p, 1);
    inner = open_below(&p, 2);
    snprintf(path, sizeof path, "%s/thread-000.ring", p.f.rank);
    assert_int_equal(mm_ring_copy(&ring, path, 0, NULL), 0);
    assert_int_equal(ring.frame_count, 3);
    assert_int_equal(mm_ring_still_open(&ring, path, NULL), 0);
    assert_int_equal(ring.frame_count, 3); /* nothing has happened */
    assert_false(ring.moving);
    p.f.port->end(p.f.port, inner, NULL);
    p.f.port->end(p.f.port, middle, NULL);
    middle = open_below(&p, 1);
    inner = open_below(&p, 2);
    assert_int_equal(mm_ring_still_open(&ring, path, NULL), 0);
    assert_int_equal(ring.frame_count, 1);
    assert_int_equal(ring.frames[0].invocation, 1);
    assert_true(ring.moving);
    p.f.port->end(p.f.port, inner, NULL);
    p.f.port->end(p.f.port, middle, NULL);
    p.f.port->end(p.f.port, outer, NULL);
    fixture_end(&p.f); /* and the ring is gone */
    assert_int_equal(mm_ring_still_open(&ring, path, NULL), 0);
    assert_int_equal(ring.frame_count, 0);
    mm_ring_free(&ring);
    fixture_remove(&p.f);
}

static atomic_int ended;

static void *call_until_ended(void *context)
{
    struct program *p = context;
    struct monitor_frame *frame = open_call(p, p->outer);

    while (!ended)
        call(p, 100);
    p->f.port->end(p->f.port, frame, NULL);
    return NULL;
}

/* The thread changes the sums in the midst of a reading, also when the reader has lost
 * its processor there. */
TEST(aggregates_of_a_fast_thread_are_whole)
{
    int readings = test_count("READINGS", 3000, 300000);
    struct cca_error err = {0};
    struct program p;
    pthread_t thread;
    struct stat st;
    char path[PATH_MAX];

    begin(&p, MM_STORE_AGGREGATES, 0);
    ended = 0;
    assert_int_equal(pthread_create(&thread, NULL, call_until_ended, &p), 0);
    snprintf(path, sizeof path, "%s/thread-000.agg", p.f.rank);
    while (stat(path, &st))
        sched_yield();
    p.e = mm_experiment_open(p.f.path, NULL);
    assert_non_null(p.e);
    while (readings--) {
        p.calls = 0;
        if (mm_experiment_aggregates(p.e, on_aggregate, &p, &err))
            fail_msg("%s", err.text);
    }
    ended = 1;
    pthread_join(thread, NULL);
    mm_experiment_free(p.e);
    fixture_end(&p.f);
    fixture_remove(&p.f);
}

TESTS(NULL, NULL)

/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_apart.c: stretches of a thread that are no part of the run leave its rows as
 * they are. */
#include <pthread.h>
#include <setjmp.h>

#include "common/clock.h"
#include "mastermind/reader/experiment.h"
#include "tests/lib/experiment_fixture.h"
#include "tests/lib/test.h"

static int64_t counter;

static void read_counters(void *context, int64_t *values)
{
    (void)context;
    *values = counter;
}

static const struct mm_recorder_options with_counter = {.counter_count = 1,
                                                        .read_counters = read_counters};

static void work(int64_t ns)
{
    const int64_t start = cca_clock_ns(CLOCK_THREAD_CPUTIME_ID);

    while (cca_clock_ns(CLOCK_THREAD_CPUTIME_ID) - start < ns)
        counter++;
}

static __attribute__((noinline)) void inner(struct fixture *f, struct monitor_method *m)
{
    struct monitor_frame *frame = f->port->begin(f->port, m, NULL);

    f->port->end(f->port, frame, NULL);
}

/* Work for 20 ms in a stretch, with calls that must leave no trace. */
static __attribute__((noinline)) void stretch(struct fixture *f, struct monitor_method *m)
{
    struct monitor_pause pause, second;

    assert_int_equal(f->port->pause(f->port, &pause), 0);
    assert_int_equal(f->port->pause(f->port, &second), -EBUSY);
    for (int i = 0; i < 10; i++)
        inner(f, m);
    work(20000000);
    f->port->resume(f->port, &second);
    f->port->resume(f->port, &pause);
}

struct check {
    int64_t apart_ns;
    int rows;
};

static int check_row(const struct mm_row *row, void *context)
{
    struct check *check = context;

    check->rows++;
    assert_int_equal(row->counters[0], 0);
    assert_true(row->wall_ns - row->host_ns < check->apart_ns);
    assert_int_equal(row->status, MM_ROW_DONE);
    return 0;
}

static void check_rows(const struct fixture *f, struct check *check)
{
    struct cca_error err = {0};
    struct mm_experiment *e = mm_experiment_open(f->path, &err);

    assert_string_equal(err.text, "");
    assert_int_equal(mm_experiment_rows(e, check_row, check, &err), 0);
    mm_experiment_free(e);
}

static __attribute__((noinline)) void call_stretch(struct fixture *f,
                                                   struct monitor_method *m)
{
    struct monitor_frame *frame = f->port->begin(f->port, m, NULL);

    stretch(f, m);
    assert_true(counter > 0);
    f->port->end(f->port, frame, NULL);
}

TEST(rows_exclude_a_stretch)
{
    struct mm_recorder_stats stats;
    struct monitor_frame *outer;
    struct monitor_method *m;
    struct check check = {0};
    struct fixture f;

    fixture_begin(&f, &with_counter, NULL);
    m = fixture_method(&f, "i", "m", NULL, 0, 0);
    outer = f.port->begin(f.port, m, NULL);
    call_stretch(&f, m);
    inner(&f, m);
    f.port->end(f.port, outer, NULL);
    mm_recorder_stats(f.recorder, &stats);
    assert_int_equal(stats.nested, 0);
    assert_true(stats.apart_ns >= 20000000);
    check.apart_ns = stats.apart_ns;
    assert_int_equal(fixture_end(&f), 0);
    check_rows(&f, &check);
    assert_int_equal(check.rows, 3);
    fixture_remove(&f);
}

/* --- Left by longjmp */

static jmp_buf back;

static __attribute__((noinline)) void leave_stretch(struct fixture *f)
{
    struct monitor_pause pause;

    assert_int_equal(f->port->pause(f->port, &pause), 0);
    longjmp(back, 1);
}

TEST(calls_after_a_stretch_that_was_left_are_recorded)
{
    struct mm_recorder_stats stats;
    struct monitor_method *m;
    struct fixture f;

    fixture_begin(&f, NULL, NULL);
    m = fixture_method(&f, "i", "m", NULL, 0, 0);
    inner(&f, m);
    if (!setjmp(back))
        leave_stretch(&f);
    else
        f.port->end(f.port, f.port->begin(f.port, m, NULL), NULL);
    mm_recorder_stats(f.recorder, &stats);
    assert_int_equal(stats.rows, 2);
    assert_int_equal(fixture_end(&f), 0);
    fixture_remove(&f);
}

TESTS(NULL, NULL)

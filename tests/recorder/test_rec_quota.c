/* SPDX-License-Identifier: BSD-3-Clause */
/* test_rec_quota.c: rows of a budget that a thread has, at the end of what a counter
 * holds. */
#include "mastermind/recorder/hot.h"
#include "tests/lib/experiment_fixture.h"
#include "tests/lib/test.h"

static const struct monitor_value_decl values[] = {
    {.name = "axis", .type = MONITOR_INT64, .kind = MONITOR_MODE},
    {.name = "Q", .type = MONITOR_INT64, .kind = MONITOR_PARAM},
};

static struct fixture f;
static struct monitor_method *method;

static void begin(enum mm_storage_mode mode, uint64_t count)
{
    struct mm_recorder_options options = {.storage = {.mode = mode, .count = count}};

    fixture_begin(&f, &options, NULL);
    method = fixture_method(&f, "i", "m", values, 2, 0);
}

static struct mm_recorder_stats stats(void)
{
    struct mm_recorder_stats s;

    mm_recorder_stats(f.recorder, &s);
    return s;
}

static __attribute__((noinline)) int call(void)
{
    union monitor_value in[2] = {{.i = 1}, {.i = 2}};
    struct monitor_frame *frame = NULL;

    if (monitor_method_on(method))
        frame = f.port->begin(f.port, method, in);
    if (frame)
        f.port->end(f.port, frame, NULL);
    return frame != NULL;
}

/* One that is used up is not counted down with each further call: it would begin anew. */
TEST(a_quota_does_not_run_down)
{
    static const struct mm_storage modes[] = {{.mode = MM_STORE_AGGREGATES},
                                              {.mode = MM_STORE_AUTO, .count = 5}};
    enum { CALLS = 1000 };
    size_t i;
    int k, calls;

    for (i = 0; i < 2; i++) {
        begin(modes[i].mode, modes[i].count);
        for (k = calls = 0; k < 10; k++)
            calls += call();
        assert_non_null(mm_here);
        mm_here->quota[0] =
            INT32_MIN + CALLS / 2; /* as after two thousand million calls */
        for (k = 0; k < CALLS; k++)
            calls += call();
        assert_int_equal(calls, 10 + CALLS);
        assert_int_equal(stats().rows, modes[i].count);
        assert_int_equal(stats().folded, (uint64_t)calls - modes[i].count);
        assert_true(mm_here->quota[0] >= -1 && mm_here->quota[0] <= 0);
        assert_int_equal(fixture_end(&f), 0);
        fixture_remove(&f);
    }
}

/* Where there is no budget the rows of a lease end, too. */
TEST(rows_go_on_when_a_lease_ends)
{
    int k;

    begin(MM_STORE_ROWS, 0);
    assert_true(call());
    mm_here->quota[0] = 3;
    for (k = 0; k < 10; k++)
        assert_true(call());
    assert_int_equal(stats().rows, 11);
    assert_int_equal(stats().folded, 0);
    assert_int_equal(fixture_end(&f), 0);
    fixture_remove(&f);
}

TESTS(NULL, NULL)

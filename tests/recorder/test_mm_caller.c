/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_caller.c: mm_recorder_caller names the row of the innermost open call: its
 * numbers are those that the reader gives for that call. */
#include <pthread.h>

#include "mastermind/reader/experiment.h"
#include "tests/lib/experiment_fixture.h"
#include "tests/lib/test.h"

enum {
    THREADS = 3,
    DEPTH = 4,
    ROUNDS = 50,
    METHODS = 2,
    MOST = THREADS * DEPTH * ROUNDS
};

static const struct monitor_value_decl values[] = {
    {.name = "n", .type = MONITOR_INT64, .kind = MONITOR_PARAM},
};

/* What was answered inside the call with parameter n. */
static struct answer {
    int code, seen;
    int32_t method, thread;
    uint64_t invocation;
} answers[MOST];

static struct fixture f;
static struct monitor_method *methods[METHODS];
static jmp_buf out;

/* Like any callee, it has a stack frame of its own. */
static __attribute__((noinline)) void ask(struct answer *answer)
{
    answer->code =
        mm_recorder_caller(f.recorder, (uintptr_t)__builtin_frame_address(0),
                           &answer->method, &answer->thread, &answer->invocation);
}

/* Asks twice: before its callee, and after it in a call of its own. */
static void call(int n, int depth)
{
    union monitor_value in[1] = {{.i = n}};
    struct monitor_frame *frame = f.port->begin(f.port, methods[depth % METHODS], in);
    struct answer again;

    ask(&answers[n]);
    if (depth + 1 < DEPTH)
        call(n + 1, depth + 1);
    ask(&again);
    assert_int_equal(again.invocation, answers[n].invocation);
    assert_int_equal(again.method, answers[n].method);
    f.port->end(f.port, frame, NULL);
}

static void *run(void *argument)
{
    for (int i = 0; i < ROUNDS; i++)
        call((*(int *)argument * ROUNDS + i) * DEPTH, 0);
    return NULL;
}

static int on_row(const struct mm_row *row, void *context)
{
    struct answer *answer = &answers[row->values[0].i];

    (void)context;
    assert_in_range(row->values[0].i, 0, MOST - 1);
    assert_int_equal(answer->code, 0);
    assert_int_equal(answer->seen++, 0);
    assert_string_equal(answer->method ? "odd" : "even", row->method->method);
    assert_int_equal(answer->thread, row->thread);
    assert_int_equal(answer->invocation, row->invocation);
    return 0;
}

static void check_rows(int expected)
{
    struct cca_error err = {0};
    struct mm_experiment *experiment;
    int seen = 0;

    fixture_end(&f);
    experiment = mm_experiment_open(f.path, &err);
    assert_non_null(experiment);
    assert_int_equal(mm_experiment_rows(experiment, on_row, NULL, &err), 0);
    for (int i = 0; i < MOST; i++)
        seen += answers[i].seen;
    assert_int_equal(seen, expected);
    mm_experiment_free(experiment);
    fixture_remove(&f);
}

static void begin(void)
{
    memset(answers, 0, sizeof answers);
    fixture_begin(&f, NULL, NULL);
    /* Ids count from 0 in this order. */
    methods[0] = fixture_method(&f, "i", "even", values, 1, 0);
    methods[1] = fixture_method(&f, "i", "odd", values, 1, 0);
}

TEST(it_names_the_row_of_the_innermost_call_in_every_thread)
{
    int numbers[THREADS];
    pthread_t threads[THREADS];

    begin();
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        assert_int_equal(pthread_create(&threads[i], NULL, run, &numbers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    check_rows(MOST);
}

static void *ask_alone(void *answer)
{
    ask(answer);
    return NULL;
}

TEST(a_thread_outside_of_calls_has_none)
{
    struct answer answer = {.code = 7};
    union monitor_value in[1] = {{.i = 0}};
    struct monitor_frame *frame;
    pthread_t thread;

    begin();
    ask(&answer);
    assert_int_equal(answer.code, -1);
    frame = f.port->begin(f.port, methods[0], in);
    ask(&answers[0]);
    answer.code = 7;
    assert_int_equal(pthread_create(&thread, NULL, ask_alone, &answer), 0);
    pthread_join(thread, NULL);
    assert_int_equal(answer.code, -1);
    f.port->end(f.port, frame, NULL);
    answer.code = 7;
    ask(&answer);
    assert_int_equal(answer.code, -1);
    check_rows(1);
}

static __attribute__((noinline)) void leave(void)
{
    union monitor_value in[1] = {{.i = 1}};
    volatile char far[4096];

    far[0] = far[4095] = 0;
    f.port->begin(f.port, methods[1], in);
    ask(&answers[1]);
    longjmp(out, 1);
}

/* The frame is still open, and its call is over. */
TEST(a_call_that_was_left_by_longjmp_is_not_named)
{
    union monitor_value in[1] = {{.i = 0}};
    struct monitor_frame *frame;

    begin();
    frame = f.port->begin(f.port, methods[0], in);
    if (setjmp(out) == 0)
        leave();
    ask(&answers[0]);
    assert_int_equal(answers[0].invocation, 1);
    assert_int_equal(answers[1].invocation, 2);
    f.port->end(f.port, frame, NULL);
    check_rows(2);
}

TESTS(NULL, NULL)

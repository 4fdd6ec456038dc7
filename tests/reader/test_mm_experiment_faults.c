/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_experiment_faults.c: longjmp, signals, fork, threads, depth and full disks. */
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>

#include "mastermind/reader/experiment.h"
#include "tests/lib/experiment_fixture.h"
#include "tests/lib/test.h"

static const struct monitor_value_decl depth_value[] = {
    {.name = "depth", .type = MONITOR_INT64, .kind = MONITOR_PARAM},
};

/* Everything that a test wants to know of an experiment. */
struct census {
    uint64_t status[4], uncertain, rows, roots, caller_errors;
    int64_t exclusive, inclusive_roots;
    int64_t last_depth;
    int threads;
};

static int take_census(const struct mm_row *row, void *context)
{
    struct census *c = context;

    c->rows++;
    c->status[row->status]++;
    c->uncertain += (uint64_t)row->caller_uncertain;
    c->roots += !row->caller;
    c->exclusive += row->exclusive_ns;
    c->caller_errors += row->caller >= row->invocation;
    if (!row->caller)
        c->inclusive_roots += row->wall_ns;
    if (row->method->value_count)
        c->last_depth = row->values[0].i;
    if (row->thread + 1 > c->threads)
        c->threads = row->thread + 1;
    return 0;
}

static struct census read_back(const struct fixture *f)
{
    struct census census = {0};
    struct cca_error err = {0};
    struct mm_experiment *e = mm_experiment_open(f->path, &err);

    if (!e || mm_experiment_rows(e, take_census, &census, &err))
        fail_msg("%s", err.text);
    mm_experiment_free(e);
    assert_int_equal(census.caller_errors, 0);
    return census;
}

static struct fixture fixture;
static struct monitor_method *method;

static struct mm_recorder_options options; /* says who packs */

static int set_up(void **state)
{
    (void)state;
    fixture_begin(&fixture, &options, NULL);
    method = fixture_method(&fixture, "i", "m", depth_value, 1, 0);
    return method ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    fixture_remove(&fixture);
    return 0;
}

static struct monitor_frame *begin(int64_t depth)
{
    union monitor_value in[1] = {{.i = depth}};

    return fixture.port->begin(fixture.port, method, in);
}

static void end(struct monitor_frame *frame)
{
    fixture.port->end(fixture.port, frame, NULL);
}

/* A proxy's shape: the call is bracketed by one function's stack frame. */
static __attribute__((noinline)) void nest(int depth, void (*at_bottom)(void))
{
    struct monitor_frame *frame = begin(depth);

    if (depth > 1)
        nest(depth - 1, at_bottom);
    else if (at_bottom)
        at_bottom();
    end(frame);
    __asm__ volatile("");
}

#if TEST_TSAN /* it cannot hold deeper stacks itself */
enum { DEEP = 20000 };
#else
enum { DEEP = 100000 };
#endif

TEST_WITH(deep_recursion_is_kept, set_up, tear_down)
{
    struct census c;

    nest(DEEP, NULL);
    nest(3, NULL);
    nest(300, NULL); /* back over the seam of two chunks */
    assert_int_equal(fixture_end(&fixture), 0);
    c = read_back(&fixture);
    assert_int_equal(c.status[MM_ROW_DONE], DEEP + 303);
    assert_int_equal(c.roots, 3);
    assert_true(llabs(c.exclusive - c.inclusive_roots) <= DEEP + 303);
}

static jmp_buf out;

static void jump(void)
{
    longjmp(out, 1);
}

static __attribute__((noinline)) void jump_once(int depth)
{
    if (!setjmp(out))
        nest(depth, jump);
}

TEST_WITH(longjmp_over_frames_closes_them, set_up, tear_down)
{
    enum { JUMPS = 20000 };
    struct monitor_frame *frame;
    uint64_t expected = 0, seed = 5;
    struct census c;
    int i, depth;

    frame = begin(77);
    for (i = 0; i < JUMPS; i++) {
        seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
        depth = 1 + (int)(seed >> 61);
        jump_once(depth);
        expected += (uint64_t)depth;
    }
    end(frame);
    assert_int_equal(fixture_end(&fixture), 0);
    c = read_back(&fixture);
    assert_int_equal(c.status[MM_ROW_LONGJMP], expected);
    assert_int_equal(c.status[MM_ROW_DONE], 1);
    assert_true(llabs(c.exclusive - c.inclusive_roots) <= (int64_t)expected);
}

/* A calls B, B jumps back to A, A calls C from deeper down: C names B. */
static __attribute__((noinline)) void deeper(void)
{
    char room[4096];

    __asm__ volatile("" : : "r"(room) : "memory"); /* all of it may be in use */
    nest(1, NULL);
    __asm__ volatile("" : : "r"(room) : "memory");
}

TEST_WITH(a_dead_caller_is_marked, set_up, tear_down)
{
    struct monitor_frame *frame;
    struct census c;

    frame = begin(5);
    jump_once(1);
    deeper();
    end(frame);
    assert_int_equal(fixture_end(&fixture), 0);
    c = read_back(&fixture);
    assert_int_equal(c.rows, 3);
    assert_int_equal(c.status[MM_ROW_LONGJMP], 1);
    assert_int_equal(c.uncertain, 1);
}

TEST_WITH(end_without_frame_does_nothing, set_up, tear_down)
{
    struct monitor_frame *frame;

    end(NULL);
    frame = begin(1);
    end(frame);
    end(frame); /* closed already */
    assert_int_equal(fixture_end(&fixture), 0);
    assert_int_equal(read_back(&fixture).rows, 1);
}

static volatile sig_atomic_t taken, handled;

static void on_alarm(int number)
{
    struct monitor_frame *frame = begin(-1);

    (void)number;
    handled++;
    taken += frame != NULL;
    end(frame);
}

TEST_WITH(signal_handlers_may_call, set_up, tear_down)
{
    struct itimerval timer = {{0, 50}, {0, 50}}, none = {{0, 0}, {0, 0}};
    struct sigaction action = {.sa_handler = on_alarm}, before;
    struct mm_recorder_stats stats;
    struct census c;
    uint64_t calls = 0;

    taken = handled = 0;
    sigaction(SIGALRM, &action, &before);
    setitimer(ITIMER_REAL, &timer, NULL);
    while (handled < 2000) {
        nest(3, NULL);
        calls += 3;
    }
    setitimer(ITIMER_REAL, &none, NULL);
    sigaction(SIGALRM, &before, NULL);
    assert_int_equal(fixture_end(&fixture), 0);
    mm_recorder_stats(fixture.recorder, &stats);
    c = read_back(&fixture);
    assert_int_equal(c.status[MM_ROW_DONE], calls + (uint64_t)taken);
    assert_int_equal(c.status[MM_ROW_LONGJMP], 0);
    assert_int_equal(stats.nested, handled - taken);
    assert_int_equal(stats.rows, c.rows);
}

TEST_WITH(alternate_stacks_kill_no_frames, set_up, tear_down)
{
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_ONSTACK}, before;
    static char memory[65536];
    stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory};
    stack_t none = {.ss_flags = SS_DISABLE};
    struct monitor_frame *frame;

    sigaltstack(&stack, NULL);
    sigaction(SIGUSR1, &action, &before);
    frame = begin(1);
    raise(SIGUSR1);
    end(frame);
    sigaction(SIGUSR1, &before, NULL);
    sigaltstack(&none, NULL);
    assert_int_equal(fixture_end(&fixture), 0);
    assert_int_equal(read_back(&fixture).status[MM_ROW_DONE], 2);
}

TEST_WITH(a_forked_child_records_nothing, set_up, tear_down)
{
    struct monitor_frame *frame;
    struct census c;
    int i, j, status;
    pid_t child;

    frame = begin(9);
    for (i = 0; i < 20; i++) {
        child = fork();
        assert_true(child >= 0);
        if (!child) {
            struct monitor_method *later;

            for (j = 0; j < 10000; j++)
                nest(2, NULL);
            end(frame);
            later = fixture_method(&fixture, "i", "later", NULL, 0, 0);
            mm_recorder_switch(fixture.recorder, 1);
            j = !later || later->on || method->on ||
                mm_recorder_close(fixture.recorder, NULL);
            _exit(j);
        }
        nest(2, NULL);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
    end(frame);
    assert_int_equal(fixture_end(&fixture), 0);
    c = read_back(&fixture);
    assert_int_equal(c.rows, 41);
    assert_int_equal(c.threads, 1);
}

static void *short_life(void *argument)
{
    nest(*(int *)argument, NULL);
    if (*(int *)argument == 3)
        begin(4); /* never ended */
    return NULL;
}

TEST_WITH(threads_come_and_go, set_up, tear_down)
{
    enum { AT_ONCE = 4 };
    const int rounds = test_count("BIRTHS", 160, 4000) / AT_ONCE;
    int depths[AT_ONCE] = {1, 2, 3, 4}, i, j;
    struct mm_recorder_stats stats;
    pthread_t threads[AT_ONCE];
    struct census c;

    for (i = 0; i < rounds; i++) {
        for (j = 0; j < AT_ONCE; j++)
            assert_int_equal(pthread_create(&threads[j], NULL, short_life, &depths[j]),
                             0);
        for (j = 0; j < AT_ONCE; j++)
            pthread_join(threads[j], NULL);
    }
    mm_recorder_stats(fixture.recorder, &stats);
    assert_int_equal(fixture_end(&fixture), 0);
    c = read_back(&fixture);
    assert_int_equal(c.threads, rounds * AT_ONCE);
    assert_int_equal(c.status[MM_ROW_DONE], rounds * (1 + 2 + 3 + 4));
    assert_int_equal(c.status[MM_ROW_LONGJMP], rounds);
    assert_int_equal(stats.rows, c.rows);
    assert_int_equal(stats.threads, c.threads);
}

enum { MANY = 100000 };

static void many_calls(void)
{
    int i;

    for (i = 0; i < MANY; i++) /* more than the ring has room for */
        nest(1, NULL);
}

TEST_WITH(a_full_disk_drops_rows_and_counts_them, set_up, tear_down)
{
    struct rlimit before, small;
    struct mm_recorder_stats stats;
    struct census c;

    nest(1, NULL);
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 1 << 17; /* the segment passes that */
    setrlimit(RLIMIT_FSIZE, &small);
    nest(1, many_calls); /* SIGXFSZ is not ignored: it must not come through */
    setrlimit(RLIMIT_FSIZE, &before);
    mm_recorder_stats(fixture.recorder, &stats);
    assert_int_equal(stats.rows + stats.dropped, MANY + 2);
    assert_true(stats.dropped > 0);
    assert_true(stats.rows > 5000);
    assert_int_equal(fixture_end(&fixture), -EFBIG);
    c = read_back(&fixture);
    assert_int_equal(c.rows, stats.rows);
}

TEST_WITH(no_room_at_all_drops_all, set_up, tear_down)
{
    struct rlimit before, small;
    struct mm_recorder_stats stats;

    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 4096;
    setrlimit(RLIMIT_FSIZE, &small);
    nest(5, NULL);
    setrlimit(RLIMIT_FSIZE, &before);
    nest(5, NULL);
    mm_recorder_stats(fixture.recorder, &stats);
    assert_int_equal(stats.rows, 0);
    assert_int_equal(stats.dropped, 10);
    assert_int_equal(fixture_end(&fixture), -EFBIG);
    assert_int_equal(read_back(&fixture).rows, 0);
}

TEST_WITH(a_vanished_directory_drops_rows, set_up, tear_down)
{
    struct mm_recorder_stats stats;
    char file[400], away[400];

    nest(1, NULL);
    snprintf(away, sizeof away, "%s-away", fixture.rank);
    assert_int_equal(rename(fixture.rank, away), 0);
    many_calls();
    assert_int_equal(rename(away, fixture.rank), 0);
    mm_recorder_stats(fixture.recorder, &stats);
    assert_int_equal(stats.rows + stats.dropped, MANY + 1);
    assert_true(stats.dropped > 0 && stats.rows > 5000);
    assert_int_equal(fixture_end(&fixture), -ENOENT);
    assert_int_equal(read_back(&fixture).rows, stats.rows);
    snprintf(file, sizeof file, "%s/thread-000.ring", fixture.rank);
    assert_int_equal(access(file, F_OK), 0);
}

int main(void)
{
    struct rlimit stack;

    /* 100,000 levels need more than the usual 8 MiB in unoptimised builds. */
    if (!getrlimit(RLIMIT_STACK, &stack)) {
        stack.rlim_cur = stack.rlim_max;
        setrlimit(RLIMIT_STACK, &stack);
    }
    options.packing = MM_PACK_CALLER;
    if (cmocka_run_group_tests_name("caller packs", test_list, NULL, NULL))
        return 1;
    options.packing = MM_PACK_HELPER;
    return cmocka_run_group_tests_name("helper packs", test_list, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_steps.c: a signal between any two instructions of begin and end, whose handler
 * makes calls of its own, leaves for good, by longjmp, switches off, or reads what a
 * process that was killed there would leave. The processor steps; so no place is missed.
 */
#include <signal.h>
#include <ucontext.h>

#include "mastermind/reader/experiment.h"
#include "mastermind/recorder/hot.h"
#include "tests/lib/experiment_fixture.h"
#include "tests/lib/test.h"

#if defined(__x86_64__)
enum { TRAP_FLAG = 0x100, OUTER = 0, INNER = 1, OTHER = 2, METHODS = 3 };
enum { AFTER = 3 }; /* calls behind one that a handler has left */

static const struct monitor_value_decl values[] = {
    {.name = "axis", .type = MONITOR_INT64, .kind = MONITOR_MODE},
    {.name = "n", .type = MONITOR_INT64, .kind = MONITOR_PARAM},
};

static struct fixture f, another;
static struct monitor_method *theirs; /* of the other recorder */
static struct monitor_method *methods[METHODS];
static volatile long steps,
    wanted; /* instructions so far; the one before which we come */
static volatile int stepping;
static long
    look_every; /* a look changes nothing: one call can have many; 0: it has one */
static int looks;
static int gaps; /* the last row seems to have ended milliseconds ago */
static volatile enum { CALL, LEAVE, SWITCH_OFF, LOOK, CALL_ANOTHER } action;
static volatile uint64_t taken, refused; /* calls of the handler */
static volatile int busy; /* between a begin and its end, which no thread is */
static volatile uint64_t ended[METHODS];
static sigjmp_buf out;

static __attribute__((noinline)) int call(int method, int n)
{
    union monitor_value in[2] = {{.i = method}, {.i = n}};
    struct monitor_frame *frame = f.port->begin(f.port, methods[method], in);

    busy |= frame && mm_here->state != MM_IDLE(f.recorder);
    f.port->end(f.port, frame, NULL);
    ended[method]++;
    return frame != NULL;
}

/* A call of `other` with one of `inner` in it. */
static __attribute__((noinline)) void nest(int n)
{
    union monitor_value in[2] = {{.i = OTHER}, {.i = n}};
    struct monitor_frame *frame = f.port->begin(f.port, methods[OTHER], in);

    call(INNER, n);
    f.port->end(f.port, frame, NULL);
    ended[OTHER]++;
}

static __attribute__((noinline)) void call_another(void)
{
    union monitor_value in[2] = {{.i = 0}, {.i = 1}};
    struct monitor_frame *frame = another.port->begin(another.port, theirs, in);

    another.port->end(another.port, frame, NULL);
    if (frame)
        taken++;
}

static void look(void);

static void on_trap(int number, siginfo_t *info, void *context)
{
    ucontext_t *at = context;

    (void)number;
    (void)info;
    if (!stepping)
        at->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
    else if (action == LEAVE && sigismember(&at->uc_sigmask, SIGALRM))
        return; /* no signal of that kind comes here */
    else if (++steps == wanted && action == LOOK && look_every) {
        look();
        wanted += look_every;
    } else if (steps == wanted) {
        at->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
        stepping = 0;
        if (action == LEAVE)
            siglongjmp(out, 1);
        if (action == SWITCH_OFF)
            mm_recorder_switch(f.recorder, 0); /* as another thread may */
        else if (action == LOOK)
            look();
        else if (action == CALL_ANOTHER)
            call_another();
        else if (call(OTHER, (int)wanted % 4))
            taken++;
        else
            refused++;
    }
}

/* A call of `inner`, or nested ones to be looked at, with a signal before its instruction
 * `at`. Returns whether it has one. */
static __attribute__((noinline)) int interrupted(long at, int what)
{
    steps = 0;
    wanted = at;
    if (gaps && mm_here->recorder == f.recorder)
        mm_here->last_end -= 4 * (uint64_t)mm_here->gap_ticks;
    action = what;
    if (sigsetjmp(out, 1))
        return 1;
    stepping = 1;
    __asm__ volatile("pushfq; orq %0, (%%rsp); popfq"
                     :
                     : "i"(TRAP_FLAG)
                     : "memory", "cc");
    if (what == LOOK)
        nest((int)at % 4);
    else
        call(INNER, (int)at % 4);
    if (stepping) {
        stepping = 0;
        __asm__ volatile("nop"); /* the trap here sees it */
        return wanted != at;
    }
    return 1;
}

struct seen {
    uint64_t rows[METHODS], done[METHODS];
};

static struct seen seen;

static int count_row(const struct mm_row *row, void *context)
{
    int m = (int)row->method->index;

    (void)context;
    assert_int_equal(row->values[0].i, m);
    if (row->counted)
        return 0;
    seen.rows[m]++;
    seen.done[m] += row->status == MM_ROW_DONE;
    return 0;
}

static int count_aggregate(const struct mm_aggregate *a, void *context)
{
    int m = (int)a->method->index;

    (void)context;
    if (a->values)
        assert_int_equal(a->values[0].i, m);
    seen.rows[m] += a->calls;
    seen.done[m] += a->unfinished ? 0 : a->calls;
    return 0;
}

static void begin(const struct mm_storage *storage)
{
    static const char *const names[METHODS] = {"outer", "inner", "other"};
    struct mm_recorder_options options = {.storage = *storage};
    struct sigaction how = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_NODEFER};
    int i;

    memset(&seen, 0, sizeof seen);
    memset((void *)ended, 0, sizeof ended);
    taken = refused = 0;
    busy = 0;
    fixture_begin(&f, &options, NULL);
    for (i = 0; i < METHODS; i++)
        methods[i] = fixture_method(&f, "i", names[i], values, 2, 0);
    assert_int_equal(sigaction(SIGTRAP, &how, NULL), 0);
}

static void count_all(void)
{
    struct cca_error err = {0};
    struct mm_experiment *e = mm_experiment_open(f.path, &err);

    memset(&seen, 0, sizeof seen);
    if (!e || mm_experiment_rows(e, count_row, NULL, &err) ||
        mm_experiment_aggregates(e, count_aggregate, NULL, &err))
        fail_msg("before instruction %ld: %s", wanted, err.text);
    mm_experiment_free(e);
}

static void finish(void)
{
    signal(SIGTRAP, SIG_DFL);
    assert_int_equal(fixture_end(&f), 0);
    count_all();
    fixture_remove(&f);
}

/* What had ended is there once; of what is under way one call may have. */
static void look(void)
{
    uint64_t more = 0, open = 0;
    int m;

    looks++;
    count_all();
    for (m = 0; m < METHODS; m++) {
        if (seen.done[m] < ended[m])
            fail_msg("before instruction %ld: %d calls of %d, %d ended", wanted,
                     (int)seen.done[m], m, (int)ended[m]);
        more += seen.done[m] - ended[m];
        open += seen.rows[m] - seen.done[m];
    }
    if (more > 1 || !open || open > 3)
        fail_msg("before instruction %ld: %d calls too many, %d open", wanted, (int)more,
                 (int)open);
}

/* A step takes microseconds, and the last call all of them: each only in a soak run. Code
 * that is not optimised has five times as many: every fifth of these places there. Looks
 * are five times closer, for one call has many. */
static const struct mode {
    struct mm_storage storage;
    long stride;
    int gaps; /* with a reading behind each call */
} modes[] = {{{.mode = MM_STORE_ROWS}, 113, 0},
             {{.mode = MM_STORE_ROWS}, 797, 1},
             {{.mode = MM_STORE_AGGREGATES}, 359, 0},
             {{.mode = MM_STORE_AUTO, .count = 20}, 691, 0},
             {{.mode = MM_STORE_SAMPLE, .count = 3}, 997, 0},
             {{.mode = MM_STORE_RESERVOIR, .count = 20}, 997, 0}};
enum { MODES = sizeof modes / sizeof *modes };

static long stride_of(const struct mode *mode)
{
    return getenv("SOAK") ? 1 : TEST_DEBUG ? 5 * mode->stride : 3 * mode->stride;
}

/* Each of them is a call of its own method, or counted as nested. */
TEST(calls_of_a_handler_are_told_apart)
{
    struct mm_recorder_stats stats;
    uint64_t inner;
    int i;
    long at;

    for (i = 0; i < MODES; i++) {
        begin(&modes[i].storage);
        gaps = modes[i].gaps;
        inner = 0;
        /* A call is refused at few places: closer steps. */
        for (at = 1; interrupted(at, CALL); at += stride_of(&modes[i]) / 3 + 1)
            inner++;
        mm_recorder_stats(f.recorder, &stats);
        finish();
        assert_true(inner >= 4 && taken && refused);
        assert_int_equal(seen.done[INNER], inner + 1);
        assert_int_equal(seen.done[OTHER], taken);
        assert_int_equal(stats.nested, refused);
        assert_int_equal(stats.dropped, 0);
    }
}

/* Calls that had begun are there, and the thread is as idle as before. */
TEST(a_method_may_be_switched_off)
{
    uint64_t inner;
    int i;
    long at;

    for (i = 0; i < MODES; i++) {
        begin(&modes[i].storage);
        gaps = modes[i].gaps;
        call(INNER, 0);
        inner = 1;
        for (at = 1; interrupted(at, SWITCH_OFF); at += stride_of(&modes[i])) {
            inner++;
            assert_false(busy);
            assert_true(mm_here->state == MM_IDLE(f.recorder));
            assert_ptr_equal(mm_here->open, &mm_here->root);
            mm_recorder_switch(f.recorder, 1);
        }
        finish();
        assert_true(seen.done[INNER] > 2 && seen.done[INNER] <= inner + 1);
    }
}

/* Each time the outer call is another one, which had a callee before. */
static __attribute__((noinline)) int look_at(long at)
{
    union monitor_value in[2] = {{.i = OUTER}, {.i = at % 4}};
    struct monitor_frame *frame = f.port->begin(f.port, methods[OUTER], in);
    int was_seen;

    call(INNER, 1);
    was_seen = interrupted(at, LOOK);
    f.port->end(f.port, frame, NULL);
    ended[OUTER]++;
    return was_seen;
}

/* Whatever the instruction before which a process is killed, what it leaves is whole.
 * Each of the four values of n is looked at in a call of its own; in a soak run, each
 * place. */
TEST(a_process_may_be_killed_anywhere)
{
    long at, stride;
    int i;

    for (i = 0; i < MODES; i++) {
        stride = (stride_of(&modes[i]) + 4) / 5;
        look_every = getenv("SOAK") ? 0 : 4 * stride;
        begin(&modes[i].storage);
        gaps = modes[i].gaps;
        call(INNER, 0);
        looks = 0;
        for (at = 1; (!look_every || at <= look_every) && look_at(at); at += stride)
            ;
        finish();
        assert_true(looks > 4);
        for (int m = 0; m < METHODS; m++)
            assert_int_equal(seen.done[m], ended[m]);
    }
}

static __attribute__((noinline)) int leave_at(long at)
{
    union monitor_value in[2] = {{.i = OUTER}, {.i = at % 4}};
    struct monitor_frame *frame = f.port->begin(f.port, methods[OUTER], in);
    int was_left = interrupted(at, LEAVE), i;

    for (i = 0; i < AFTER; i++)
        call(OTHER, (int)at % 4);
    f.port->end(f.port, frame, NULL);
    return was_left;
}

/* What follows one that was left is what it is, and what was left is there at most once.
 */
TEST(a_handler_may_leave_for_good)
{
    uint64_t count;
    long at;
    int i;

    for (i = 0; i < MODES; i++) {
        begin(&modes[i].storage);
        gaps = modes[i].gaps;
        leave_at(INT32_MAX); /* the thread is known */
        count = 2;
        for (at = 1; leave_at(at); at += stride_of(&modes[i]))
            count++;
        finish();
        assert_true(count >= 4);
        assert_int_equal(seen.done[OUTER], count);
        assert_int_equal(seen.done[OTHER], AFTER * count);
        assert_true(seen.rows[INNER] <= count && seen.rows[INNER] > count / 2);
    }
}

static __attribute__((noinline)) void begin_and_leave(void)
{
    union monitor_value in[2] = {{.i = OTHER}, {.i = 1}};
    volatile char deeper[512] = {0};

    (void)deeper;
    f.port->begin(f.port, methods[OTHER], in);
    siglongjmp(out, 1);
}

static __attribute__((noinline)) void leave_open(void)
{
    if (!sigsetjmp(out, 1))
        begin_and_leave();
}

/* Whether a call finds that the other recorder had the last one, or what was left open: a
 * handler that calls through the other brings none of the two into the other's rows. */
TEST(recorders_are_told_apart)
{
    struct mm_recorder_options options = {.storage = {.mode = MM_STORE_ROWS}};
    struct mm_recorder_stats stats;
    uint64_t inner;
    int left;
    long at;

    gaps = 0;
    for (left = 0; left < 2; left++) {
        begin(&options.storage);
        fixture_begin(&another, &options, NULL);
        theirs = fixture_method(&another, "i", "theirs", values, 2, 0);
        call(INNER, 0);
        call_another();
        inner = 1;
        for (at = 1;; at += stride_of(&modes[0])) {
            if (!left)
                call_another();
            else
                leave_open();
            inner++;
            if (!interrupted(at, CALL_ANOTHER))
                break;
        }
        mm_recorder_stats(another.recorder, &stats);
        assert_int_equal(stats.rows, taken);
        assert_int_equal(stats.threads, 1);
        mm_recorder_stats(f.recorder, &stats);
        assert_int_equal(stats.threads, 1);
        assert_int_equal(fixture_end(&another), 0);
        fixture_remove(&another);
        finish();
        assert_int_equal(seen.done[INNER], inner);
        assert_int_equal(seen.rows[OTHER], left ? inner - 1 : 0);
    }
}
#endif

int main(void)
{
#if defined(__x86_64__)
    if (TEST_ASAN || TEST_TSAN) {
        puts("a sanitizer's instructions are many times ours");
        return 77;
    }
    return cmocka_run_group_tests(test_list, NULL, NULL);
#else
    puts("only on x86-64 the processor is told to step");
    return 77;
#endif
}

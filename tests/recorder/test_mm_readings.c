/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_readings.c: what the host took from a row, against this program's own readings.
 *
 * Calls on a core that a competitor shares, calls that sleep, that are stopped, that
 * contain others. Before and after each call the test reads clocks and switches itself;
 * so nothing here depends on how busy the machine is. */
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "mastermind/format/layout.h"
#include "mastermind/reader/experiment.h"
#include "tests/lib/competitor.h"
#include "tests/lib/experiment_fixture.h"
#include "tests/lib/test.h"

enum { US = 1000, MS = 1000 * US, MOST = 40000 };

static const struct monitor_value_decl values[] = {
    {.name = "worker", .type = MONITOR_INT64, .kind = MONITOR_PARAM},
    {.name = "n", .type = MONITOR_INT64, .kind = MONITOR_PARAM},
};

/* Readings of the calling thread. */
struct truth {
    int64_t wall_ns, cpu_ns;
    long voluntary, involuntary;
};

static int64_t now_ns(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static struct truth read_truth(void)
{
    struct truth t = {now_ns(CLOCK_MONOTONIC), now_ns(CLOCK_THREAD_CPUTIME_ID), 0, 0};
    struct rusage use;

    getrusage(RUSAGE_THREAD, &use);
    t.voluntary = use.ru_nvcsw;
    t.involuntary = use.ru_nivcsw;
    return t;
}

static struct truth less(struct truth a, struct truth b)
{
    return (struct truth){a.wall_ns - b.wall_ns, a.cpu_ns - b.cpu_ns,
                          a.voluntary - b.voluntary, a.involuntary - b.involuntary};
}

static int64_t lost(struct truth t)
{
    return t.wall_ns > t.cpu_ns ? t.wall_ns - t.cpu_ns : 0;
}

static void burn(int64_t ns)
{
    int64_t until = now_ns(CLOCK_THREAD_CPUTIME_ID) + ns;

    while (now_ns(CLOCK_THREAD_CPUTIME_ID) < until)
        continue;
}

static void nap(int64_t ns)
{
    struct timespec t = {0, ns};

    nanosleep(&t, NULL);
}

/* A call and what is known of it: `call` from begin to end, `since` from the end of the
 * call before. */
struct known {
    struct truth call, since;
    int64_t behind_ns; /* what the call with the reading before lost outside of its row */
    int seen;
    struct mm_row row;
};

struct recording {
    struct fixture f;
    struct monitor_method *method;
    struct known *known; /* [worker][MOST / workers] */
};

static void begin(struct recording *r, const struct mm_recorder_options *options)
{
    fixture_begin(&r->f, options, NULL);
    r->method = fixture_method(&r->f, "i", "m", values, 2, 0);
    r->known = calloc(MOST, sizeof *r->known);
    assert_non_null(r->known);
}

static int keep_row(const struct mm_row *row, void *context)
{
    struct recording *r = context;
    struct known *k = &r->known[row->values[1].i];

    assert_in_range(row->values[1].i, 0, MOST - 1);
    assert_true(row->lost_ns >= 0 && row->lost_ns <= row->wall_ns);
    assert_true(row->lost_exclusive_ns >= 0 &&
                row->lost_exclusive_ns <= row->exclusive_ns);
    k->row = *row;
    k->seen++;
    return 0;
}

static void look(struct recording *r)
{
    struct cca_error err = {0};
    struct mm_experiment *e = mm_experiment_open(r->f.path, &err);

    if (!e || mm_experiment_rows(e, keep_row, r, &err))
        fail_msg("%s", err.text);
    mm_experiment_free(e);
}

static void end(struct recording *r)
{
    fixture_end(&r->f);
    look(r);
    fixture_remove(&r->f);
}

static struct monitor_frame *enter(struct recording *r, int worker, int n)
{
    const union monitor_value in[2] = {{.i = worker}, {.i = n}};

    return r->f.port->begin(r->f.port, r->method, in);
}

/* The first call of a thread makes files, which its own readings here must not contain.
 */
static void warm_up(struct recording *r, int n)
{
    r->f.port->end(r->f.port, enter(r, 0, n), NULL);
}

/* Call number n, which does `what` for `ns`. */
static void call(struct recording *r, int worker, int n, void (*what)(int64_t),
                 int64_t ns, struct truth *before)
{
    struct truth start = read_truth(), stop;
    struct monitor_frame *frame = enter(r, worker, n);

    what(ns);
    r->f.port->end(r->f.port, frame, NULL);
    stop = read_truth();
    r->known[n].call = less(stop, start);
    r->known[n].since = less(stop, *before);
    *before = stop;
}

/* What a call has lost at least: what was lost before its first reading of the clock, or
 * behind its last, is not in its row. */
static int64_t lost_inside(const struct known *k)
{
    int64_t outside = k->call.wall_ns - k->row.wall_ns;

    return lost(k->call) > outside ? lost(k->call) - outside : 0;
}

/* What it can be told to have lost at most: all that was lost since the call that had the
 * reading before, and what that one had lost behind its reading; no more than it lasted.
 */
static int64_t lost_at_most(const struct known *k, struct truth since)
{
    int64_t most = lost(since) + k->behind_ns;

    return most < k->row.wall_ns ? most : k->row.wall_ns;
}

/* What the reader says of a call that took long enough to have a reading; `since` is from
 * the end of the call with the reading before. */
static void check_since(const struct known *k, int n, struct truth since)
{
    int64_t slack = k->call.wall_ns / 20, told = k->row.lost_ns;

    if (told + slack < lost_inside(k) || told > lost_at_most(k, since) + slack)
        fail_msg("call %d of %" PRId64 " ns: lost %" PRId64 " to %" PRId64
                 ", told %" PRId64,
                 n, k->call.wall_ns, lost_inside(k), lost_at_most(k, since), told);
    if (since.voluntary == 0 && k->row.waited)
        fail_msg("call %d is told to have waited", n);
    if (k->call.voluntary && !k->row.waited)
        fail_msg("call %d has waited", n);
    assert_int_equal(k->row.lost_exclusive_ns, told);
    assert_int_equal(k->row.waited_exclusive, k->row.waited);
}

/* Of a call that was lost, what is not in its row. */
static int64_t lost_outside(const struct known *k)
{
    int64_t outside = k->call.wall_ns - k->row.wall_ns;

    return lost(k->call) < outside ? lost(k->call) : outside;
}

static void check_long(const struct known *k, int n)
{
    check_since(k, n, k->since);
}

TEST(long_calls_on_a_shared_core)
{
    enum { CALLS = 40 };
    struct truth before, sum = {0};
    int64_t told = 0, least = 0, most = 0;
    struct recording r;
    cpu_set_t usual;
    pid_t competitor = compete(&usual);

    if (!competitor)
        skip();
    begin(&r, NULL);
    warm_up(&r, MOST - 1);
    before = read_truth();
    for (int n = 0; n < CALLS; n++)
        call(&r, 0, n, burn, 2 * MS, &before);
    be_alone(competitor, &usual);
    end(&r);
    for (int n = 0; n < CALLS; n++) {
        assert_int_equal(r.known[n].seen, 1);
        r.known[n].behind_ns = n ? lost_outside(&r.known[n - 1]) : 0;
        check_long(&r.known[n], n);
        told += r.known[n].row.lost_ns;
        least += lost_inside(&r.known[n]);
        most += lost_at_most(&r.known[n], r.known[n].since);
        sum.wall_ns += r.known[n].call.wall_ns;
        sum.cpu_ns += r.known[n].call.cpu_ns;
        sum.involuntary += r.known[n].call.involuntary;
    }
    assert_true(sum.involuntary >= 3 && lost(sum) * 5 > sum.wall_ns); /* they did share */
    assert_true(told * 20 > least * 19 && told * 20 < most * 21);
    free(r.known);
}

/* Only calls that the host has held up say so, by as much. */
TEST(short_calls_on_a_shared_core)
{
    enum { CALLS = 3000 };
    int64_t told = 0, least = 0, most = 0, behind_ns = 0;
    struct truth before, since = {0};
    struct recording r;
    cpu_set_t usual;
    pid_t competitor = compete(&usual);
    int held = 0;

    if (!competitor)
        skip();
    begin(&r, NULL);
    warm_up(&r, MOST - 1);
    before = read_truth();
    for (int n = 0; n < CALLS; n++)
        call(&r, 0, n, burn, 20 * US, &before);
    be_alone(competitor, &usual);
    end(&r);
    for (int n = 0; n < CALLS; n++) {
        struct known *k = &r.known[n];

        assert_int_equal(k->seen, 1);
        k->behind_ns = behind_ns;
        since.wall_ns += k->since.wall_ns;
        since.cpu_ns += k->since.cpu_ns;
        since.voluntary += k->since.voluntary;
        if (k->row.wall_ns < MM_GAP_NS) {
            assert_true(k->row.lost_ns <= lost_at_most(k, since) + 20 * US);
            continue;
        }
        check_since(k, n, since);
        held++;
        told += k->row.lost_ns;
        least += lost_inside(k);
        most += lost_at_most(k, since);
        since = (struct truth){0};
        behind_ns = lost_outside(k);
    }
    assert_true(held >= 3);
    assert_true(told * 20 > least * 19 && told * 20 < most * 21);
    free(r.known);
}

/* A call that slept for nearly all of its time is told so. On a host that takes the core
 * for the time of waking up, it did not. */
static int told_most(const struct known *k)
{
    return k->row.lost_ns * 10 > k->row.wall_ns * 8 ||
           lost_inside(k) * 10 < k->row.wall_ns * 9;
}

static void wait_for_nothing(int64_t ns)
{
    poll(NULL, 0, (int)(ns / MS));
}

TEST(calls_that_sleep_have_waited)
{
    enum { CALLS = 12 };
    struct truth before;
    struct recording r;

    begin(&r, NULL);
    warm_up(&r, MOST - 1);
    before = read_truth();
    for (int n = 0; n < CALLS; n++)
        call(&r, 0, n,
             n % 3 == 0   ? nap
             : n % 3 == 1 ? wait_for_nothing
                          : burn,
             3 * MS, &before);
    end(&r);
    for (int n = 0; n < CALLS; n++) {
        r.known[n].behind_ns = n ? lost_outside(&r.known[n - 1]) : 0;
        check_long(&r.known[n], n);
        if (n % 3 < 2) {
            assert_int_equal(r.known[n].row.waited, 1);
            assert_true(told_most(&r.known[n]));
        }
    }
    free(r.known);
}

/* Many windows, packed by the caller, whose own writing of files is no waiting; and the
 * same said of the ring and of the segment. */
TEST(packed_windows_keep_readings)
{
    enum { CALLS = 30000, EACH = 3000 };
    struct mm_recorder_options options = {.packing = MM_PACK_CALLER,
                                          .storage.size_limit = 32 << 20};
    struct truth before;
    struct recording r;

    begin(&r, &options);
    before = read_truth();
    for (int n = 0; n < CALLS; n++)
        if (n % EACH == 10)
            call(&r, 0, n, nap, 2 * MS, &before);
        else
            r.f.port->end(r.f.port, enter(&r, 0, n), NULL);
    look(&r);
    end(&r);
    for (int n = 0; n < CALLS; n++) {
        assert_int_equal(r.known[n].seen, 2);
        if (n % EACH == 10) {
            assert_int_equal(r.known[n].row.waited, 1);
            assert_true(told_most(&r.known[n]));
        } else if (r.known[n].row.wall_ns < MM_GAP_NS) {
            assert_int_equal(r.known[n].row.lost_ns, 0);
            assert_int_equal(r.known[n].row.waited, 0);
        }
    }
    free(r.known);
}

TEST(a_caller_has_the_wait_of_its_callee)
{
    struct truth start, middle, stop;
    struct monitor_frame *outer;
    const struct mm_row *row;
    struct recording r;

    begin(&r, NULL);
    start = read_truth();
    outer = enter(&r, 0, 0);
    call(&r, 0, 1, nap, 3 * MS, &start);
    middle = read_truth();
    burn(3 * MS);
    r.f.port->end(r.f.port, outer, NULL);
    stop = read_truth();
    end(&r);
    check_long(&r.known[1], 1);
    row = &r.known[0].row;
    assert_int_equal(row->waited, 1);
    assert_true(row->lost_ns >= r.known[1].row.lost_ns);
    stop = less(stop, middle);
    if (!stop.voluntary)
        assert_int_equal(row->waited_exclusive, 0);
    assert_true(row->lost_exclusive_ns <= lost(stop) + stop.wall_ns / 20);
    free(r.known);
}

/* What lies between readings, summed up. */
struct sums {
    uint64_t count, voluntary, recording;
    int64_t end_ns, wall_ns, cpu_ns;
};

static int add_interval(const struct mm_interval *i, void *context)
{
    struct sums *s = context;

    assert_int_equal(i->rank + i->thread, 0);
    if (s->count++) /* each begins where the one before ended, but for rounding */
        assert_in_range(i->start_ns - s->end_ns + 2, 0, 4);
    s->end_ns = i->start_ns + i->wall_ns;
    s->wall_ns += i->wall_ns;
    s->cpu_ns += i->cpu_ns;
    s->voluntary += i->voluntary;
    s->recording += (uint64_t)i->recording;
    return 0;
}

TEST(intervals_add_up_to_the_time_of_the_thread)
{
    enum { CALLS = 20000 };
    struct mm_recorder_options options = {.packing = MM_PACK_CALLER,
                                          .storage.size_limit = 32 << 20};
    struct cca_error err = {0};
    struct mm_experiment *e;
    struct truth start, calls, stop;
    struct sums sums = {0};
    struct recording r;

    begin(&r, &options);
    start = read_truth();
    for (int n = 0; n < CALLS; n++) {
        struct monitor_frame *frame = enter(&r, 0, n);

        if (n % (CALLS / 4) == 5)
            nap(2 * MS);
        r.f.port->end(r.f.port, frame, NULL);
    }
    calls = less(read_truth(), start); /* ending writes files, which is not in them */
    fixture_end(&r.f);
    stop = less(read_truth(), start);
    e = mm_experiment_open(r.f.path, &err);
    assert_non_null(e);
    assert_int_equal(mm_experiment_intervals(e, add_interval, &sums, &err), 0);
    mm_experiment_free(e);
    fixture_remove(&r.f);
    free(r.known);
    assert_in_range(sums.voluntary, 4, stop.voluntary);
    assert_true(sums.recording >= 2); /* windows packed here */
    assert_true(sums.wall_ns <= stop.wall_ns && sums.wall_ns * 2 > calls.wall_ns);
    assert_true(sums.cpu_ns <= stop.cpu_ns && sums.cpu_ns * 2 > calls.cpu_ns);
}

static struct recording *handled;

static void on_signal(int number)
{
    struct truth before = read_truth();

    (void)number;
    call(handled, 0, 1, nap, 2 * MS, &before);
}

TEST(a_signal_handler_waits_inside_a_call)
{
    struct monitor_frame *frame;
    struct recording r;

    begin(&r, NULL);
    handled = &r;
    signal(SIGUSR1, on_signal);
    frame = enter(&r, 0, 0);
    raise(SIGUSR1);
    r.f.port->end(r.f.port, frame, NULL);
    signal(SIGUSR1, SIG_DFL);
    end(&r);
    assert_int_equal(r.known[0].seen + r.known[1].seen, 2);
    assert_int_equal(r.known[1].row.caller, r.known[0].row.invocation);
    assert_int_equal(r.known[1].row.waited, 1);
    assert_int_equal(r.known[0].row.waited, 1);
    free(r.known);
}

/* Each thread has readings of its own. */
static void *sleep_often(void *argument)
{
    struct truth before;

    warm_up(argument, MOST - 2);
    before = read_truth();
    for (int n = 0; n < 5; n++)
        call(argument, 1, 10 + n, nap, 2 * MS, &before);
    return NULL;
}

TEST(threads_have_their_own)
{
    struct truth before;
    struct recording r;
    pthread_t thread;

    begin(&r, NULL);
    assert_int_equal(pthread_create(&thread, NULL, sleep_often, &r), 0);
    warm_up(&r, MOST - 1);
    before = read_truth();
    for (int n = 0; n < 5; n++)
        call(&r, 0, n, burn, 2 * MS, &before);
    pthread_join(thread, NULL);
    end(&r);
    for (int n = 0; n < 5; n++) {
        check_long(&r.known[n], n);
        check_long(&r.known[10 + n], 10 + n);
        assert_int_equal(r.known[10 + n].row.waited, 1);
    }
    free(r.known);
}

/* The kernel counts a stop as a sleep. */
TEST(a_stopped_call_has_waited)
{
    struct {
        int inside, go;
    } *shared =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct recording r;
    int status;
    pid_t pid;

    assert_true(shared != MAP_FAILED);
    begin(&r, NULL);
    fixture_end(&r.f); /* the child begins another: nothing is recorded in children */
    fixture_remove(&r.f);
    pid = fork();
    assert_true(pid >= 0);
    if (!pid) {
        struct monitor_frame *frame;

        prctl(PR_SET_PDEATHSIG, SIGKILL);
        begin(&r, NULL);
        frame = enter(&r, 0, 0);
        __atomic_store_n(&shared->inside, 1, __ATOMIC_RELEASE);
        while (!__atomic_load_n(&shared->go, __ATOMIC_ACQUIRE))
            continue;
        r.f.port->end(r.f.port, frame, NULL);
        end(&r);
        _exit(r.known[0].seen != 1                 ? 1
              : !r.known[0].row.waited             ? 2
              : r.known[0].row.lost_ns < MM_GAP_NS ? 3
                                                   : 0);
    }
    while (!__atomic_load_n(&shared->inside, __ATOMIC_ACQUIRE))
        continue;
    kill(pid, SIGSTOP);
    assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
    assert_true(WIFSTOPPED(status));
    nap(3 * MS);
    __atomic_store_n(&shared->go, 1, __ATOMIC_RELEASE);
    kill(pid, SIGCONT);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    munmap(shared, 4096);
    free(r.known);
}

static int copy_row(const struct mm_row *row, void *context)
{
    *(struct mm_row *)context = *row;
    return 0;
}

/* Reservoirs have no readings among them: each row has its losses. */
TEST(rows_of_reservoirs_have_what_they_lost)
{
    struct mm_recorder_options options = {
        .storage = {.mode = MM_STORE_RESERVOIR, .count = 5}};
    struct cca_error err = {0};
    struct mm_experiment *e;
    struct truth before;
    struct recording r;

    begin(&r, &options);
    before = read_truth();
    call(&r, 0, 0, nap, 2 * MS, &before);
    fixture_end(&r.f);
    e = mm_experiment_open(r.f.path, &err);
    assert_non_null(e);
    assert_int_equal(mm_experiment_rows(e, copy_row, &r.known[0].row, &err), 0);
    assert_true(r.known[0].row.lost_ns > MS && r.known[0].row.waited);
    assert_int_equal(r.known[0].row.lost_exclusive_ns, r.known[0].row.lost_ns);
    mm_experiment_free(e);
    fixture_remove(&r.f);
    free(r.known);
}

TESTS(NULL, NULL)

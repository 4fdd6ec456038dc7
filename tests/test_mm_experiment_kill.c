/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_experiment_kill.c: kill -9 anywhere loses no finished row and tears none.
 *
 * A child records on 1 to 8 threads and counts, in shared memory, each call that has ended;
 * the parent kills it when the count passes a random number and reads what is there.
 * The recorder's helper packs in every other child. 40 kills, 1000 with SOAK set; the first
 * argument says another number. */
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "mastermind/analysis/experiment.h"
#include "tests/experiment_fixture.h"
#include "tests/test.h"

enum { WORKERS = 8 };

static struct {
    char path[256], rank[300];
    int ready;
    struct {
        uint64_t ended;
        char far[120]; /* from the next counter */
    } workers[WORKERS];
} *shared;

static int kills;

static const struct monitor_value_decl values[] = {
    { .name = "worker", .type = MONITOR_INT64, .kind = MONITOR_PARAM },
    { .name = "n", .type = MONITOR_INT64, .kind = MONITOR_PARAM },
    { .name = "mix", .type = MONITOR_INT64, .kind = MONITOR_PARAM },
    { .name = "x", .type = MONITOR_DOUBLE, .kind = MONITOR_OUT },
};

static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
    return z ^ z >> 31;
}

struct job {
    struct monitor_port *port;
    struct monitor_method *method;
    int worker;
};

/* Every 64th mix is wide, so that both kinds of rows are torn if any. */
static int64_t mixed(uint64_t worker, uint64_t n)
{
    return (int64_t)(mix(worker << 40 | n) >> (n % 64 ? 36 : 8));
}

static __attribute__((noinline)) void call(const struct job *job, uint64_t *n, int depth)
{
    union monitor_value in[3] = { { .i = job->worker },
                                  { .i = (int64_t)*n },
                                  { .i = mixed((uint64_t)job->worker, *n) } };
    union monitor_value out[1] = { { .d = (double)*n / 3 } };
    struct monitor_frame *frame = job->port->begin(job->port, job->method, in);

    ++*n;
    while (depth-- > 0)
        call(job, n, depth);
    job->port->end(job->port, frame, out);
    __atomic_fetch_add(&shared->workers[job->worker].ended, 1, __ATOMIC_RELEASE);
}

static void *work(void *argument)
{
    uint64_t n = 0;

    for (;;)
        call(argument, &n, (int)(n % 5));
    return NULL;
}

static void child(int workers, enum mm_packing packing)
{
    struct mm_recorder_options options = { .packing = packing };
    struct job jobs[WORKERS];
    struct fixture f;
    pthread_t thread;
    int i;

    fixture_begin(&f, &options, NULL);
    strcpy(shared->path, f.path);
    strcpy(shared->rank, f.rank);
    for (i = 0; i < workers; i++) {
        jobs[i] = (struct job){ f.port, fixture_method(&f, "i", "m", values, 3, 1), i };
        if (i && pthread_create(&thread, NULL, work, &jobs[i]))
            abort();
    }
    __atomic_store_n(&shared->ready, 1, __ATOMIC_RELEASE);
    work(&jobs[0]);
}

struct found {
    uint64_t done[WORKERS], open[WORKERS];
    uint64_t newest[WORKERS]; /* highest invocation */
};

static int take_row(const struct mm_row *row, void *context)
{
    struct found *found = context;
    uint64_t worker = (uint64_t)row->values[0].i, n = (uint64_t)row->values[1].i;

    assert_true(worker < WORKERS);
    assert_int_equal(row->values[2].i, mixed(worker, n));
    assert_int_equal(row->invocation, n + 1);
    assert_true(row->caller < row->invocation);
    if (row->invocation > found->newest[worker])
        found->newest[worker] = row->invocation;
    if (row->status == MM_ROW_OPEN) {
        found->open[worker]++;
        return 0;
    }
    assert_int_equal(row->status, MM_ROW_DONE);
    assert_true(row->values[3].d == (double)n / 3);
    found->done[worker]++;
    return 0;
}

static void kill_and_look(uint64_t seed)
{
    int workers = 1 + (int)(mix(seed) % WORKERS), i, status;
    static const uint64_t targets[] = { 300, 60000, 400000 }; /* no, few, many full windows */
    uint64_t target = mix(seed + 1) % targets[mix(seed + 2) % 3], ended, highest;
    struct found found;
    struct fixture f = { .rank = "" };
    struct cca_error err = { 0 };
    struct mm_experiment *e;
    pid_t pid;

    memset(&found, 0, sizeof found);
    memset(shared, 0, sizeof *shared);
    pid = fork();
    assert_true(pid >= 0);
    if (!pid)
        child(workers, seed / 1000 % 2 ? MM_PACK_HELPER : MM_PACK_CALLER);
    do {
        ended = 0;
        for (i = 0; i < workers; i++)
            ended += __atomic_load_n(&shared->workers[i].ended, __ATOMIC_ACQUIRE);
        assert_int_equal(waitpid(pid, &status, WNOHANG), 0);
    } while (!__atomic_load_n(&shared->ready, __ATOMIC_ACQUIRE) || ended < target);
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    e = mm_experiment_open(shared->path, &err);
    if (!e || mm_experiment_rows(e, take_row, &found, &err))
        fail_msg("seed %" PRIu64 ": %s in %s", seed, err.text, shared->path);
    mm_experiment_free(e);
    for (i = 0; i < WORKERS; i++) {
        highest = shared->workers[i].ended;
        if (found.done[i] != highest && found.done[i] != highest + 1)
            fail_msg("seed %" PRIu64 ": worker %d of %d: %" PRIu64 " rows, %" PRIu64
                     " calls ended, in %s", seed, i, workers, found.done[i], highest,
                     shared->path);
        /* Each invocation is there once, ended or open. */
        assert_int_equal(found.done[i] + found.open[i], found.newest[i]);
    }
    strcpy(f.path, shared->path);
    strcpy(f.rank, shared->rank);
    fixture_remove(&f);
}

static void no_finished_row_is_lost(void **state)
{
    int i;

    (void)state;
    for (i = 0; i < kills; i++) {
        if (i % 100 == 0 && i)
            print_message("%d of %d kills\n", i, kills);
        kill_and_look((uint64_t)i * 1000);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(no_finished_row_is_lost) };

    kills = test_count("KILLS", 40, 1000);
    if (argc > 1)
        kills = atoi(argv[1]);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
                  0);
    if (shared == MAP_FAILED)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}

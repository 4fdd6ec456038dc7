/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_experiment_kill.c: kill -9 anywhere loses no finished row and tears none.
 *
 * A child records on 1 to 8 threads and is killed when a random number of calls have
 * ended (killed.h). The recorder's helper packs in every other child. */
#include "mastermind/reader/experiment.h"
#include "tests/lib/killed.h"

enum { WORKERS = KILLED_WORKERS };

static const struct monitor_value_decl values[] = {
    {.name = "worker", .type = MONITOR_INT64, .kind = MONITOR_PARAM},
    {.name = "n", .type = MONITOR_INT64, .kind = MONITOR_PARAM},
    {.name = "mix", .type = MONITOR_INT64, .kind = MONITOR_PARAM},
    {.name = "x", .type = MONITOR_DOUBLE, .kind = MONITOR_OUT},
};

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

/* A few calls sleep for a millisecond, which a reading behind them must tell. */
static int sleeps(uint64_t n)
{
    return n % 4096 == 9;
}

static __attribute__((noinline)) void call(const struct job *job, uint64_t *n, int depth)
{
    static const struct timespec millisecond = {0, 1000000};
    union monitor_value in[3] = {
        {.i = job->worker}, {.i = (int64_t)*n}, {.i = mixed((uint64_t)job->worker, *n)}};
    union monitor_value out[1] = {{.d = (double)*n / 3}};
    struct monitor_frame *frame = job->port->begin(job->port, job->method, in);

    if (sleeps(*n))
        nanosleep(&millisecond, NULL);
    ++*n;
    while (depth-- > 0)
        call(job, n, depth);
    job->port->end(job->port, frame, out);
    killed_ended(job->worker);
}

static void *work(void *argument)
{
    uint64_t n = 0;

    for (;;)
        call(argument, &n, (int)(n % 5));
    return NULL;
}

static void child(int workers, uint64_t seed)
{
    struct mm_recorder_options options = {.packing =
                                              seed % 2 ? MM_PACK_HELPER : MM_PACK_CALLER};
    struct job jobs[WORKERS];
    struct fixture f;
    pthread_t thread;
    int i;

    fixture_begin(&f, &options, NULL);
    killed_tell(&f);
    for (i = 0; i < workers; i++) {
        jobs[i] = (struct job){f.port, fixture_method(&f, "i", "m", values, 3, 1), i};
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
    assert_true(row->lost_ns >= 0 && row->lost_ns <= row->wall_ns);
    assert_true(row->lost_ns > 0 || !sleeps(n));
    assert_true(row->values[3].d == (double)n / 3);
    found->done[worker]++;
    return 0;
}

static void kill_and_look(uint64_t seed)
{
    int workers = 1 + (int)(mix(seed) % WORKERS), i;
    static const uint64_t targets[] = {300, 60000,
                                       400000}; /* no, few, many full windows */
    uint64_t target = mix(seed + 1) % targets[mix(seed + 2) % 3], highest;
    struct found found;
    struct cca_error err = {0};
    struct mm_experiment *e;

    memset(&found, 0, sizeof found);
    killed_run(child, workers, seed, target);
    e = mm_experiment_open(shared->path, &err);
    if (!e || mm_experiment_rows(e, take_row, &found, &err))
        fail_msg("seed %" PRIu64 ": %s in %s", seed, err.text, shared->path);
    mm_experiment_free(e);
    for (i = 0; i < WORKERS; i++) {
        highest = shared->workers[i].ended;
        if (found.done[i] != highest && found.done[i] != highest + 1)
            fail_msg("seed %" PRIu64 ": worker %d of %d: %" PRIu64 " rows, %" PRIu64
                     " calls ended, in %s",
                     seed, i, workers, found.done[i], highest, shared->path);
        /* Each invocation is there once, ended or open. */
        assert_int_equal(found.done[i] + found.open[i], found.newest[i]);
    }
    killed_remove();
}

int main(int argc, char **argv)
{
    return killed_main(argc, argv, kill_and_look);
}

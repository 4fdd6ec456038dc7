/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_aggregates_kill.c: kill -9 anywhere loses no finished call, whatever is kept of
 * it.
 *
 * As test_mm_experiment_kill.c, with budgets, samples, reservoirs and aggregates: calls
 * that have ended are rows or in aggregates, once, and the dual's times add up with what
 * was open. */
#include "mastermind/counts/dual/dual.h"
#include "mastermind/reader/experiment.h"
#include "tests/lib/killed.h"

enum { WORKERS = 3, METHODS = 3 }; /* at most KILLED_WORKERS */

static const struct monitor_value_decl values[] = {
    {.name = "worker", .type = MONITOR_INT64, .kind = MONITOR_PARAM},
    {.name = "n", .type = MONITOR_INT64, .kind = MONITOR_PARAM},
};

static const struct mm_storage storages[] = {
    {.mode = MM_STORE_AUTO, .count = 100}, {.mode = MM_STORE_AUTO, .count = 5000},
    {.mode = MM_STORE_SAMPLE, .count = 3}, {.mode = MM_STORE_RESERVOIR, .count = 20},
    {.mode = MM_STORE_AGGREGATES},
};
enum { STORAGES = sizeof storages / sizeof *storages };

struct job {
    struct monitor_port *port;
    struct monitor_method *methods[METHODS];
    int worker;
};

static __attribute__((noinline)) void call(const struct job *job, uint64_t *n, int depth)
{
    uint64_t chance = mix(*n << 2 | (uint64_t)job->worker);
    union monitor_value in[2] = {{.i = job->worker}, {.i = (int64_t)(chance % 11)}};
    struct monitor_frame *frame =
        job->port->begin(job->port, job->methods[chance / 16 % METHODS], in);

    ++*n;
    while (depth-- > 0)
        call(job, n, depth);
    job->port->end(job->port, frame, NULL);
    killed_ended(job->worker);
}

static void *work(void *argument)
{
    uint64_t n = 0;

    for (;;)
        call(argument, &n, (int)(n % 7));
    return NULL;
}

static void child(int workers, uint64_t seed)
{
    static const char *const names[METHODS] = {"a", "b", "c"};
    struct mm_recorder_options options = {.storage = storages[seed % STORAGES]};
    struct job jobs[WORKERS];
    struct fixture f;
    pthread_t thread;
    int i, k;

    fixture_begin(&f, &options, NULL);
    killed_tell(&f);
    for (i = 0; i < workers; i++) {
        jobs[i] = (struct job){.port = f.port, .worker = i};
        for (k = 0; k < METHODS; k++)
            jobs[i].methods[k] = fixture_method(&f, "i", names[k], values, 2, 0);
    }
    for (i = 1; i < workers; i++)
        if (pthread_create(&thread, NULL, work, &jobs[i]))
            abort();
    __atomic_store_n(&shared->ready, 1, __ATOMIC_RELEASE);
    work(&jobs[0]);
}

struct found {
    uint64_t entries;
    uint64_t rows[WORKERS], open[WORKERS], counted[WORKERS], folded[WORKERS];
};

static int take_row(const struct mm_row *row, void *context)
{
    struct found *found = context;
    uint64_t worker = (uint64_t)row->values[0].i;

    assert_true(worker < WORKERS);
    assert_true(row->values[1].i >= 0 && row->values[1].i < 11);
    assert_true(row->caller < row->invocation);
    if (row->status == MM_ROW_OPEN)
        found->open[worker]++;
    else if (row->counted)
        found->counted[worker]++;
    else
        found->rows[worker]++;
    return 0;
}

static int take_aggregate(const struct mm_aggregate *a, void *context)
{
    struct found *found = context;

    assert_non_null(a->values);
    assert_true(a->values[0].i >= 0 && a->values[0].i < WORKERS);
    found->entries++;
    found->folded[a->values[0].i] += a->calls;
    return 0;
}

/* Exclusive times add up to what the threads began with: nothing is lost or there twice.
 */
static void check_dual(struct mm_experiment *e, uint64_t seed, const struct found *found)
{
    struct mm_row_source source = mm_row_source_of(e);
    struct cca_error err = {0};
    struct mm_dual *dual;
    int64_t exclusive = 0, difference;
    uint64_t calls = 0, edges = 0, all = 0;
    size_t i;

    source.costs = NULL;
    dual = mm_dual_new(&source, NULL, NULL, NULL, &err);
    if (!dual)
        fail_msg("%s", err.text);
    for (i = 0; i < dual->vertex_count; i++) {
        exclusive += dual->vertices[i].exclusive_ns;
        calls += dual->vertices[i].calls;
    }
    for (i = 0; i < dual->edge_count; i++)
        edges += dual->edges[i].calls;
    for (i = 0; i < WORKERS; i++)
        all += found->rows[i] + found->open[i] + found->folded[i];
    assert_int_equal(calls, all);
    assert_int_equal(edges, all);
    assert_int_equal(dual->vertices[dual->lost_vertex].subrs, 0);
    difference = exclusive - dual->total_ns;
    /* Each number was rounded. */
    if (llabs(difference) > (int64_t)(dual->rows + found->entries + 10))
        fail_msg("seed %" PRIu64 ": exclusive times are %" PRId64 " ns, expected %" PRId64
                 ", in %s",
                 seed, exclusive, dual->total_ns, e->path);
    mm_dual_free(dual);
}

static void kill_and_look(uint64_t seed)
{
    const struct mm_storage *storage = &storages[seed % STORAGES];
    int workers = 1 + (int)(mix(seed) % WORKERS), i;
    uint64_t target = mix(seed + 1) % (mix(seed + 2) % 3 ? 60000 : 300), ended, sum;
    struct found found;
    struct cca_error err = {0};
    struct mm_experiment *e;

    memset(&found, 0, sizeof found);
    killed_run(child, workers, seed, target);
    e = mm_experiment_open(shared->path, &err);
    if (!e || mm_experiment_rows(e, take_row, &found, &err) ||
        mm_experiment_aggregates(e, take_aggregate, &found, &err))
        fail_msg("seed %" PRIu64 ": %s in %s", seed, err.text, shared->path);
    for (i = 0; i < WORKERS; i++) {
        ended = shared->workers[i].ended;
        sum = found.rows[i] + found.folded[i];
        if (sum != ended && sum != ended + 1)
            fail_msg("seed %" PRIu64 ": worker %d of %d: %" PRIu64 " rows and %" PRIu64
                     " in aggregates, %" PRIu64 " calls ended, in %s",
                     seed, i, workers, found.rows[i], found.folded[i], ended,
                     shared->path);
        assert_true(found.counted[i] <= found.folded[i]);
        if (storage->mode == MM_STORE_SAMPLE)
            assert_true(found.counted[i] + 2 * METHODS >= found.folded[i] / 3);
        if (storage->mode == MM_STORE_RESERVOIR)
            assert_true(found.counted[i] + 1 >= (sum < 20 ? 0 : 20));
    }
    check_dual(e, seed, &found);
    mm_experiment_free(e);
    killed_remove();
}

int main(int argc, char **argv)
{
    return killed_main(argc, argv, kill_and_look);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* measure.c: loops of calls of each kind, in turns, in as many threads as a case has. */
#include "bench/measure.h"
#include "bench/probe.h"

#include <errno.h>
#include <pthread.h>

#include "bench/compute_port.h"

#include "bench/compute_port_proxy.c" /* as generated: what it has is static */

#if defined(__x86_64__)
#include <x86intrin.h>
#define TICKS() __rdtsc()
#else
#define TICKS() ((uint64_t)clock())
#endif

enum { BATCH_CALLS = 500000, LEAST_ALONE = 5 };

/* Where a loop begins decides by half a nanosecond what its steps cost: all begin alike.
 */
#define ALIKE __attribute__((noinline, aligned(64)))

/* --- The loops ------------------------------------------------------------ */

static __thread int64_t mpi_ns;
static __thread unsigned mpi_calls;

static const int64_t *mpi_time(void *unused)
{
    (void)unused;
    return &mpi_ns;
}

static ALIKE int compute(struct compute_port *self, int axis, int nx, int ny,
                         const double *in, double *out)
{
    (void)self, (void)axis, (void)nx, (void)ny, (void)in, (void)out;
    if (!(++mpi_calls & 255))
        mpi_ns += 1000;
    __asm__ volatile("");
    return 0;
}

/* The least: the record of 32 bytes goes to a small buffer that stays in the cache. */
struct least {
    struct compute_port port;
    struct compute_port *target;
    void (*record)(struct least *self, uint64_t start, uint64_t wall, uint64_t a,
                   uint64_t b);
    uint64_t buffer[4096][4];
    unsigned next;
};

static ALIKE void record(struct least *self, uint64_t start, uint64_t wall, uint64_t a,
                         uint64_t b)
{
    uint64_t *row = self->buffer[self->next++ & 4095];

    row[0] = start;
    row[1] = wall;
    row[2] = a;
    row[3] = b;
}

static ALIKE int least(struct compute_port *self, int axis, int nx, int ny,
                       const double *in, double *out)
{
    struct least *p = (struct least *)self;
    uint64_t start = TICKS();
    int result = p->target->compute(p->target, axis, nx, ny, in, out);

    p->record(p, start, TICKS() - start, (uint64_t)axis, (uint64_t)nx * (uint64_t)ny);
    return result;
}

/* One thread's part of a case. */
struct worker {
    struct compute_port_proxy on, off;
    struct least least;
    struct compute_port direct, ejected;
    pthread_barrier_t *together; /* all do the same at the same time */
    const struct wish *wish;
    unsigned mask; /* different values, less one */
    double ns[KINDS][BATCHES];
    double gain[BATCHES]; /* the least of the probes around each kind */
    double wall, cpu;
    long
        rss_kib[2]; /* after the first batch of monitored calls, at the end of the last */
};

static double now(const struct wish *wish)
{
    return bench_seconds(wish->cpu ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC);
}

static long rss_kib(void)
{
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");

    if (f && fscanf(f, "%*d %ld", &pages) != 1)
        pages = 0;
    if (f)
        fclose(f);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* An odd factor leaves no value out. */
static ALIKE void loop(struct compute_port *port, long calls, unsigned mask)
{
    unsigned key;
    long i;

    for (i = 0; i < calls; i++) {
        key = (unsigned)i * 5125 & mask;
        port->compute(port, (int)(key & 1), 64 + 8 * (int)(key >> 1), 64, NULL, NULL);
    }
}

static double least_gain(double gain)
{
    double now_gain = probe_gain();

    return now_gain < gain ? now_gain : gain;
}

static void *work(void *argument)
{
    struct worker *w = argument;
    struct compute_port *ports[] = {&w->direct, &w->least.port, &w->off.port, &w->ejected,
                                    &w->on.port};
    double wall = bench_seconds(CLOCK_MONOTONIC),
           cpu = bench_seconds(CLOCK_THREAD_CPUTIME_ID);
    int batch, kind;

    for (batch = -1; batch < BATCHES; batch++) { /* one to warm up */
        double gain = 9;

        pthread_barrier_wait(w->together);
        gain = least_gain(gain);
        for (kind = 0; kind < KINDS; kind++) {
            long calls = kind == MONITORED ? w->wish->calls / BATCHES : BATCH_CALLS;
            double start = now(w->wish);

            loop(ports[kind], calls, w->mask);
            if (batch >= 0)
                w->ns[kind][batch] = (now(w->wish) - start) * 1e9 / (double)calls;
            gain = least_gain(gain);
        }
        if (batch >= 0)
            w->gain[batch] = gain;
        w->rss_kib[batch >= 0] = rss_kib();
    }
    w->wall = bench_seconds(CLOCK_MONOTONIC) - wall;
    w->cpu = bench_seconds(CLOCK_THREAD_CPUTIME_ID) - cpu;
    return NULL;
}

/* --- A case --------------------------------------------------------------- */

/* What connecting would do: a proxy between the direct port and the monitor. */
static int prepare_proxy(struct compute_port_proxy *p, struct compute_port *target,
                         struct monitor_port *monitor)
{
    struct monitor_method_decl decl = {.instance = "empty",
                                       .port = "port",
                                       .method = "compute",
                                       .class_name = "Empty",
                                       .build_id = "",
                                       .port_type = COMPUTE_PORT_TYPE,
                                       .values = proxy_methods[0].values,
                                       .in_count = proxy_methods[0].in_count,
                                       .out_count = proxy_methods[0].out_count};

    p->link.target = target;
    p->link.monitor = monitor;
    p->state.link = &p->link;
    attach_compute_port_proxy(&p->state);
    p->methods[0] = monitor->method_open(monitor, &decl, NULL);
    return p->methods[0] ? 0 : -1;
}

static int prepare_worker(struct worker *w, const struct wish *wish, long keys,
                          struct monitor_port *port, pthread_barrier_t *together)
{
    w->wish = wish;
    w->mask = (unsigned)keys - 1;
    w->together = together;
    w->direct.compute = w->ejected.compute = compute;
    w->least.port.compute = least;
    w->least.target = &w->direct;
    w->least.record = record;
    if (prepare_proxy(&w->on, &w->direct, port) ||
        prepare_proxy(&w->off, &w->direct, port))
        return -1;
    w->off.methods[0]->on = 0;
    return 0;
}

static int run_threads(struct worker *workers, int threads)
{
    pthread_t ids[MAX_THREADS];
    int i;

    for (i = 0; i < threads; i++)
        if (pthread_create(&ids[i], NULL, work, &workers[i]))
            return -1; /* main returns */
    for (i = 0; i < threads; i++)
        pthread_join(ids[i], NULL);
    return 0;
}

/* Bring the batches that had the core alone to the front. Returns how many. */
static int keep_alone(struct worker *w)
{
    static double best; /* of all cases */
    int count = 0;

    for (int batch = 0; batch < BATCHES; batch++)
        if (w->gain[batch] > best)
            best = w->gain[batch];
    for (int batch = 0; batch < BATCHES; batch++) {
        if (!probe_is_alone(w->gain[batch], best))
            continue;
        for (int kind = 0; kind < KINDS; kind++)
            w->ns[kind][count] = w->ns[kind][batch];
        count++;
    }
    return count;
}

/* With too few batches alone all of them are printed, and nothing is judged. */
static void look_at(struct worker *w, struct outcome *out)
{
    int alone = keep_alone(w), count = alone < LEAST_ALONE ? BATCHES : alone, kind;
    double direct = bench_quantile_of(w->ns[DIRECT], count, .5), busy = w->wall / w->cpu;
    double floor = bench_spread_of(w->ns[FLOOR], count);
    double monitored = bench_spread_of(w->ns[MONITORED], count);
    double spread = floor > monitored ? floor : monitored;
    double cost = bench_quantile_of(w->ns[MONITORED], count, .5) - direct;

    out->quiet &= alone >= LEAST_ALONE && (w->wish->cpu || bench_is_quiet(busy, spread));
    out->alone = alone < out->alone ? alone : out->alone;
    out->busy = busy > out->busy ? busy : out->busy;
    out->spread = spread > out->spread ? spread : out->spread;
    if (cost <= out->ns[MONITORED])
        return;
    for (kind = 0; kind < KINDS; kind++)
        out->ns[kind] =
            bench_quantile_of(w->ns[kind], count, .5) - (kind == DIRECT ? 0 : direct);
    out->low = bench_quantile_of(w->ns[MONITORED], count, .1) - direct;
    out->high = bench_quantile_of(w->ns[MONITORED], count, .9) - direct;
    memcpy(out->rss_kib, w->rss_kib, sizeof out->rss_kib);
}

static int run_in(const char *path, const struct wish *wish, const struct bar *bar,
                  struct worker *workers, struct outcome *out)
{
    struct mm_recorder_options options = {.directory = path,
                                          .packing = (enum mm_packing)bar->packing,
                                          .mpi_time = mpi_time};
    struct cca_error err = {0};
    struct mm_recorder *recorder = NULL;
    pthread_barrier_t together;
    int i;

    if (!mm_storage_parse(bar->storage, &options.storage, &err))
        recorder = mm_recorder_new(&options, &err);
    pthread_barrier_init(&together, NULL, (unsigned)bar->threads);
    for (i = 0; recorder && i < bar->threads; i++)
        if (prepare_worker(&workers[i], wish, bar->keys, mm_recorder_port(recorder),
                           &together))
            cca_error_set(&err, -EIO, "no method");
    if (!err.code && run_threads(workers, bar->threads))
        cca_error_set(&err, -EAGAIN, "cannot make a thread");
    if (!err.code)
        mm_recorder_close(recorder, &err);
    if (err.code) {
        fprintf(stderr, "monitored_call: %s\n", err.text);
        return 5;
    }
    mm_recorder_stats(recorder, &out->stats);
    out->bytes = bench_files(path, 0) / (double)(out->stats.rows + out->stats.folded);
    out->quiet = 1;
    out->alone = BATCHES;
    for (i = 0; i < bar->threads; i++)
        look_at(&workers[i], out);
    return 0;
}

int monitored_run(const struct wish *wish, const struct bar *bar, struct outcome *out)
{
    struct worker *workers = NULL;
    char path[PATH_MAX];
    int status;

    memset(out, 0, sizeof *out);
    if (posix_memalign((void **)&workers, 64, (size_t)bar->threads * sizeof *workers))
        return 5;
    memset(workers, 0, (size_t)bar->threads * sizeof *workers);
    if (bench_folder(path)) {
        fprintf(stderr, "monitored_call: cannot make '%s': %s\n", path, strerror(errno));
        free(workers);
        return 5;
    }
    status = run_in(path, wish, bar, workers, out);
    bench_files(path, 1);
    free(workers);
    if (!status && out->stats.dropped) {
        fprintf(stderr, "monitored_call: found %llu rows dropped, expected none\n",
                (unsigned long long)out->stats.dropped);
        return 1;
    }
    return status;
}

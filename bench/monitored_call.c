/* SPDX-License-Identifier: BSD-3-Clause */
/* monitored_call.c: what recording one call costs, as a multiple of the least it could cost.
 *
 *   monitored_call [--calls N] [--threads N] [--packing caller|helper] [--cpu] [--monotonic]
 *                  [--storage MODE] [--keys N] [--limit RATIO] [--json]
 *
 * direct     an empty function through a port
 * floor      two TSC reads and one indirect call that stores 32 bytes
 * off        the proxy that proxygen makes, switched off
 * ejected    no proxy: direct again, what is left is noise
 * monitored  the proxy: two integers, MPI time, caller and callees, every row on file; all
 *            calls in one go, their mean
 *
 * Without --threads and --packing: one thread, then two, with each who can pack; then, without
 * --storage, aggregates of 16 and of 8192 keys instead of rows. Calls have N (16, a power of
 * two) different pairs of values, in no order that a cache could foresee. A cost is a
 * loop less the direct loop, in nanoseconds a call. Where the machine is not quiet no ratio is
 * printed, but with --cpu: then times are CPU time of the calling thread, which are right on
 * a busy machine but for its caches, and have nothing of what the helper and the kernel
 * do elsewhere.
 * Exit 0; 1: not quiet or the limit is passed; 5: no files. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "bench/compute_port.h"
#include "mastermind/recorder/layout.h"
#include "mastermind/recorder/recorder.h"

#include "bench/compute_port_proxy.c" /* as generated: what it has is static */

#if defined(__x86_64__)
#include <x86intrin.h>
#define TICKS() __rdtsc()
#else
#define TICKS() ((uint64_t)clock())
#endif

enum { DIRECT, FLOOR, OFF, EJECTED, MONITORED, KINDS };
enum { BATCHES = 21, BATCH_CALLS = 500000, MAX_THREADS = 64 };
static const char *const names[KINDS] = { "direct", "floor", "off", "ejected", "monitored" };
static const char *const packings[] = { [MM_PACK_CALLER] = "caller", [MM_PACK_HELPER] = "helper" };

static __attribute__((noinline)) int compute(struct compute_port *self, int axis, int nx, int ny,
                                             const double *in, double *out)
{
    (void)self, (void)axis, (void)nx, (void)ny, (void)in, (void)out;
    __asm__ volatile("");
    return 0;
}

/* The least: the record of 32 bytes goes to a small buffer that stays in the cache. */
struct least {
    struct compute_port port;
    struct compute_port *target;
    void (*record)(struct least *self, uint64_t start, uint64_t wall, uint64_t a, uint64_t b);
    uint64_t buffer[4096][4];
    unsigned next;
};

static __attribute__((noinline)) void record(struct least *self, uint64_t start, uint64_t wall,
                                             uint64_t a, uint64_t b)
{
    uint64_t *row = self->buffer[self->next++ & 4095];

    row[0] = start;
    row[1] = wall;
    row[2] = a;
    row[3] = b;
}

static __attribute__((noinline)) int least(struct compute_port *self, int axis, int nx, int ny,
                                           const double *in, double *out)
{
    struct least *p = (struct least *)self;
    uint64_t start = TICKS();
    int result = p->target->compute(p->target, axis, nx, ny, in, out);

    p->record(p, start, TICKS() - start, (uint64_t)axis, (uint64_t)nx * (uint64_t)ny);
    return result;
}

struct wish {
    long calls;
    int threads, packing, cpu, json; /* 0: all */
    const char *storage; /* or NULL */
    long keys;
    double limit;
};

/* One thread's part of a run. */
struct worker {
    struct compute_port_proxy on, off;
    struct least least;
    struct compute_port direct, ejected;
    pthread_barrier_t *together; /* all do the same at the same time */
    const struct wish *wish;
    double ns[KINDS][BATCHES];
    double mean; /* monitored */
    double wall, cpu;
    long rss_kib[2]; /* after the first batch of monitored calls, at the end of the last */
};

static double seconds(clockid_t id)
{
    struct timespec t;

    clock_gettime(id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double now(const struct wish *wish)
{
    return seconds(wish->cpu ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC);
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

/* `mask`: different values, less one; an odd factor leaves none out. */
static __attribute__((noinline)) void loop(struct compute_port *port, long calls, unsigned mask)
{
    unsigned key;
    long i;

    for (i = 0; i < calls; i++) {
        key = (unsigned)i * 5125 & mask;
        port->compute(port, (int)(key & 1), 64 + 8 * (int)(key >> 1), 64, NULL, NULL);
    }
}

/* The kinds that record nothing, in turns. */
static void compare_kinds(struct worker *w)
{
    struct compute_port *ports[] = { &w->direct, &w->least.port, &w->off.port, &w->ejected };
    double start;
    int batch, kind;

    for (batch = -1; batch < BATCHES; batch++) { /* one to warm up */
        for (kind = 0; kind < MONITORED; kind++) {
            start = now(w->wish);
            loop(ports[kind], BATCH_CALLS, (unsigned)w->wish->keys - 1);
            if (batch >= 0)
                w->ns[kind][batch] = (now(w->wish) - start) * 1e9 / BATCH_CALLS;
        }
    }
}

static void *work(void *argument)
{
    struct worker *w = argument;
    long calls = w->wish->calls / BATCHES;
    double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_THREAD_CPUTIME_ID), at[BATCHES + 1];
    int batch;

    pthread_barrier_wait(w->together);
    compare_kinds(w);
    pthread_barrier_wait(w->together);
    loop(&w->on.port, calls, (unsigned)w->wish->keys - 1); /* one to warm up */
    w->rss_kib[0] = rss_kib();
    at[0] = now(w->wish);
    for (batch = 0; batch < BATCHES; batch++) {
        loop(&w->on.port, calls, (unsigned)w->wish->keys - 1);
        at[batch + 1] = now(w->wish);
        w->ns[MONITORED][batch] = (at[batch + 1] - at[batch]) * 1e9 / (double)calls;
    }
    w->mean = (at[BATCHES] - at[0]) * 1e9 / (double)(calls * BATCHES);
    w->rss_kib[1] = rss_kib();
    w->wall = seconds(CLOCK_MONOTONIC) - wall;
    w->cpu = seconds(CLOCK_THREAD_CPUTIME_ID) - cpu;
    return NULL;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double quantile(const double *values, double q)
{
    double sorted[BATCHES];

    memcpy(sorted, values, sizeof sorted);
    qsort(sorted, BATCHES, sizeof *sorted, compare);
    return sorted[(int)(q * (BATCHES - 1) + .5)];
}

/* --- What a run tells -------------------------------------------------------------------- */

struct result {
    struct mm_recorder_stats stats;
    const char *packing;
    int threads;
    double segment_bytes; /* a row */
};

static const char *storage_of(const struct wish *wish)
{
    return wish->storage ? wish->storage : "rows";
}

static void print_json(const struct worker *w, int thread, const struct result *r,
                       const double *ns, double ratio)
{
    int kind;

    printf("{\"schema\": \"mastermind/bench/monitored_call/2\", \"packing\": \"%s\", \"threads\": %d,"
           " \"thread\": %d, \"calls\": %ld, \"storage\": \"%s\", \"keys\": %ld, \"clock\": \"%s\","
           " \"ratio\": %.3f",
           r->packing, r->threads, thread, w->wish->calls, storage_of(w->wish), w->wish->keys,
           w->wish->cpu ? "thread CPU time" : "wall", ratio);
    for (kind = 0; kind < KINDS; kind++)
        printf(", \"%s_ns\": %.3f", names[kind], ns[kind]);
    printf(", \"ring_bytes\": %d, \"segment_bytes\": %.2f, \"rss_kib\": [%ld, %ld],"
           " \"call_ns\": %.2f, \"dropped\": %llu}\n", 40, r->segment_bytes, w->rss_kib[0],
           w->rss_kib[1], r->stats.call_ns, (unsigned long long)r->stats.dropped);
}

static void print_text(const struct worker *w, int thread, const struct result *r,
                       const double *ns)
{
    int kind;

    printf("%s, %ld keys, %s packs, thread %d of %d, %ld calls, %s; median [10 %%, 90 %%],"
           " monitored: mean\n",
           storage_of(w->wish), w->wish->keys, r->packing, thread + 1, r->threads, w->wish->calls,
           w->wish->cpu ? "CPU time of the thread" : "wall time");
    for (kind = 0; kind < KINDS; kind++) {
        double less = kind == DIRECT ? 0 : quantile(w->ns[DIRECT], .5);

        printf("  %-10s %7.2f ns  [%.2f, %.2f]  ", names[kind], ns[kind],
               quantile(w->ns[kind], .1) - less, quantile(w->ns[kind], .9) - less);
        if (kind == DIRECT)
            printf("loop and call\n");
        else
            printf("%.2f x floor\n", ns[kind] / ns[FLOOR]);
    }
    printf("  %.2f bytes a call on file; resident %ld KiB, then %ld KiB\n", r->segment_bytes,
           w->rss_kib[0], w->rss_kib[1]);
}

/* Numbers of one thread. Returns 1 if they cannot be trusted or pass the limit. */
static int report(const struct worker *w, int thread, const struct result *r)
{
    double ns[KINDS], spread, busy = w->wall / w->cpu, ratio, direct = quantile(w->ns[DIRECT], .5);
    int kind;

    for (kind = 0; kind < KINDS; kind++)
        ns[kind] = quantile(w->ns[kind], .5) - (kind == DIRECT ? 0 : direct);
    ns[MONITORED] = w->mean - direct;
    spread = (quantile(w->ns[FLOOR], .75) - quantile(w->ns[FLOOR], .25)) / ns[FLOOR];
    if (!w->wish->cpu && (busy > 1.02 || spread > .05)) {
        fprintf(stderr, "monitored_call: the machine is not quiet: wall/CPU %.3f (at most 1.02),"
                " spread of the floor %.1f %% (at most 5)\n", busy, 100 * spread);
        return 1;
    }
    ratio = ns[MONITORED] / ns[FLOOR];
    if (w->wish->json)
        print_json(w, thread, r, ns, ratio);
    else
        print_text(w, thread, r, ns);
    if (r->stats.dropped) {
        fprintf(stderr, "monitored_call: found %llu rows dropped, expected none\n",
                (unsigned long long)r->stats.dropped);
        return 1;
    }
    if (w->wish->limit > 0 && ratio > w->wish->limit) {
        fprintf(stderr, "monitored_call: found %.2f x floor, expected at most %.2f\n", ratio,
                w->wish->limit);
        return 1;
    }
    return 0;
}

/* --- A run ------------------------------------------------------------------------------- */

/* What connecting would do: a proxy between the direct port and the monitor. */
static int prepare_proxy(struct compute_port_proxy *p, struct compute_port *target,
                         struct monitor_port *monitor)
{
    struct monitor_method_decl decl = { .instance = "empty", .port = "port", .method = "compute",
                                        .class_name = "Empty", .build_id = "",
                                        .port_type = COMPUTE_PORT_TYPE,
                                        .values = proxy_methods[0].values,
                                        .in_count = proxy_methods[0].in_count,
                                        .out_count = proxy_methods[0].out_count };

    p->link.target = target;
    p->link.monitor = monitor;
    p->state.link = &p->link;
    attach_compute_port_proxy(&p->state);
    p->methods[0] = monitor->method_open(monitor, &decl, NULL);
    return p->methods[0] ? 0 : -1;
}

static int prepare_worker(struct worker *w, const struct wish *wish, struct monitor_port *port,
                          pthread_barrier_t *together)
{
    w->wish = wish;
    w->together = together;
    w->direct.compute = w->ejected.compute = compute;
    w->least.port.compute = least;
    w->least.target = &w->direct;
    w->least.record = record;
    if (prepare_proxy(&w->on, &w->direct, port) || prepare_proxy(&w->off, &w->direct, port))
        return -1;
    w->off.methods[0]->on = 0;
    return 0;
}

/* Sizes of all files in `path`; removes them too if `clean`. */
static double look_into(const char *path, int clean)
{
    char file[PATH_MAX + 256];
    struct dirent *entry;
    double bytes = 0;
    struct stat st;
    DIR *dir = opendir(path);

    while (dir && (entry = readdir(dir)) != NULL) {
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] == '.')
            continue;
        bytes += stat(file, &st) ? 0 : (double)st.st_size;
        if (clean)
            unlink(file);
    }
    if (dir)
        closedir(dir);
    if (clean)
        rmdir(path);
    return bytes;
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

static int run_in(const char *path, const struct wish *wish, int threads, int packing,
                  struct worker *workers)
{
    struct mm_recorder_options options = { .directory = path, .packing = packing };
    struct result result = { .packing = packings[packing], .threads = threads };
    struct cca_error err = { 0 };
    struct mm_recorder *recorder = NULL;
    pthread_barrier_t together;
    int i, status = 0;

    if (!wish->storage || !mm_storage_parse(wish->storage, &options.storage, &err))
        recorder = mm_recorder_new(&options, &err);

    pthread_barrier_init(&together, NULL, (unsigned)threads);
    for (i = 0; recorder && i < threads; i++)
        if (prepare_worker(&workers[i], wish, mm_recorder_port(recorder), &together))
            cca_error_set(&err, -EIO, "no method");
    if (!err.code && run_threads(workers, threads))
        cca_error_set(&err, -EAGAIN, "cannot make a thread");
    if (!err.code)
        mm_recorder_close(recorder, &err);
    if (err.code) {
        fprintf(stderr, "monitored_call: %s\n", err.text);
        return 5;
    }
    mm_recorder_stats(recorder, &result.stats);
    result.segment_bytes = look_into(path, 0) /
                           (double)(result.stats.rows + result.stats.folded);
    for (i = 0; i < threads; i++)
        status |= report(&workers[i], i, &result);
    return status;
}

static int run(const struct wish *wish, int threads, int packing)
{
    struct worker *workers = NULL;
    char path[PATH_MAX];
    int status;

    snprintf(path, sizeof path, "%s/mm-bench-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    if (posix_memalign((void **)&workers, 64, (size_t)threads * sizeof *workers))
        return 5;
    memset(workers, 0, (size_t)threads * sizeof *workers);
    if (!mkdtemp(path)) {
        fprintf(stderr, "monitored_call: cannot make '%s': %s\n", path, strerror(errno));
        free(workers);
        return 5;
    }
    status = run_in(path, wish, threads, packing, workers);
    look_into(path, 1);
    free(workers);
    return status;
}

/* --- The command line -------------------------------------------------------------------- */

static int misuse(const char *found)
{
    fprintf(stderr, "monitored_call: found '%s', expected [--calls N] [--threads N]"
            " [--packing caller|helper] [--cpu] [--monotonic] [--storage MODE] [--keys N]"
            " [--limit RATIO] [--json]\n", found);
    return 2;
}

static int parse_packing(const char *word, struct wish *wish)
{
    for (int i = MM_PACK_CALLER; i <= MM_PACK_HELPER; i++)
        if (!strcmp(word, packings[i]))
            wish->packing = i;
    return wish->packing ? 0 : misuse(word);
}

static int parse(int argc, char **argv, struct wish *wish)
{
    int i;

    for (i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--json"))
            wish->json = 1;
        else if (!strcmp(argv[i], "--cpu"))
            wish->cpu = 1;
        else if (!strcmp(argv[i], "--monotonic"))
            setenv("MM_CLOCK", "monotonic", 1);
        else if (!strcmp(argv[i], "--calls") && i + 1 < argc)
            wish->calls = atol(argv[++i]);
        else if (!strcmp(argv[i], "--threads") && i + 1 < argc)
            wish->threads = atoi(argv[++i]);
        else if (!strcmp(argv[i], "--limit") && i + 1 < argc)
            wish->limit = atof(argv[++i]);
        else if (!strcmp(argv[i], "--storage") && i + 1 < argc)
            wish->storage = argv[++i];
        else if (!strcmp(argv[i], "--keys") && i + 1 < argc)
            wish->keys = atol(argv[++i]);
        else if (!strcmp(argv[i], "--packing") && i + 1 < argc) {
            if (parse_packing(argv[++i], wish))
                return 2;
        } else
            return misuse(argv[i]);
    }
    if (wish->calls < BATCHES || wish->threads < 0 || wish->threads > MAX_THREADS ||
        wish->keys < 2 || wish->keys > 1 << 20 || wish->keys & (wish->keys - 1))
        return misuse("a number out of range");
    return 0;
}

int main(int argc, char **argv)
{
    struct wish wish = { .calls = 100000000, .keys = 16 };
    int status = parse(argc, argv, &wish), packing, threads;

    for (threads = 1; !status && threads <= MAX_THREADS; threads++) {
        if (wish.threads ? threads != wish.threads : threads > 2)
            continue;
        for (packing = MM_PACK_CALLER; packing <= MM_PACK_HELPER; packing++)
            if (!wish.packing || packing == wish.packing)
                status |= run(&wish, threads, packing);
    }
    if (wish.storage || wish.threads || wish.packing)
        return status;
    wish.storage = "aggregates";
    status |= run(&wish, 1, MM_PACK_CALLER);
    wish.keys = 8192;
    return status | run(&wish, 1, MM_PACK_CALLER);
}

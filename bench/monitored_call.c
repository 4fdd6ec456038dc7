/* SPDX-License-Identifier: BSD-3-Clause */
/* monitored_call.c: what recording one call costs, as a multiple of the least it could cost.
 *
 *   monitored_call [--calls N] [--threads N] [--monotonic] [--limit RATIO] [--json]
 *
 * direct     an empty function through a pointer
 * floor      two TSC reads and one indirect call that stores 32 bytes
 * monitored  a proxy written as proxygen writes it, two integer parameters, every row kept
 * off        the same proxy, switched off
 *
 * Cost is a loop less the direct loop, in nanoseconds a call. Batches of the kinds take turns;
 * the median counts. Exit 0; 1: the machine is not quiet or the limit is passed; 5: no files. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "mastermind/recorder/recorder.h"

#if defined(__x86_64__)
#include <x86intrin.h>
#define TICKS() __rdtsc()
#else
#define TICKS() ((uint64_t)clock())
#endif

enum { KINDS = 4, DIRECT = 0, FLOOR = 1, MONITORED = 2, OFF = 3, BATCHES = 21 };
static const char *const names[KINDS] = { "direct", "floor", "monitored", "off" };

struct target {
    int (*compute)(struct target *self, int axis, int nx, int ny, const double *in, double *out);
};

static __attribute__((noinline)) int compute(struct target *self, int axis, int nx, int ny,
                                             const double *in, double *out)
{
    (void)self, (void)axis, (void)nx, (void)ny, (void)in, (void)out;
    __asm__ volatile("");
    return 0;
}

/* What a proxy is: the same signature, and who stands behind. */
struct proxy {
    struct target port;
    struct target *target;
    struct monitor_port *monitor;
    struct monitor_method *method;
};

static __attribute__((noinline)) int proxied(struct target *self, int axis, int nx, int ny,
                                             const double *in, double *out)
{
    struct proxy *p = (struct proxy *)self;
    union monitor_value values[2];
    struct monitor_frame *frame;
    int result;

    if (!monitor_method_on(p->method))
        return p->target->compute(p->target, axis, nx, ny, in, out);
    values[0].i = axis;
    values[1].i = (int64_t)nx * ny;
    frame = p->monitor->begin(p->monitor, p->method, values);
    result = p->target->compute(p->target, axis, nx, ny, in, out);
    p->monitor->end(p->monitor, frame, NULL);
    return result;
}

/* The least: the record of 32 bytes goes to a small buffer that stays in the cache. */
struct least {
    struct target port;
    struct target *target;
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

static __attribute__((noinline)) int least(struct target *self, int axis, int nx, int ny,
                                           const double *in, double *out)
{
    struct least *p = (struct least *)self;
    uint64_t start = TICKS();
    int result = p->target->compute(p->target, axis, nx, ny, in, out);

    p->record(p, start, TICKS() - start, (uint64_t)axis, (uint64_t)nx * (uint64_t)ny);
    return result;
}

static double seconds(clockid_t id)
{
    struct timespec t;

    clock_gettime(id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static __attribute__((noinline)) void loop(struct target *port, long calls)
{
    long i;

    for (i = 0; i < calls; i++)
        port->compute(port, (int)(i & 1), 64 + 8 * (int)(i & 7), 64, NULL, NULL);
}

struct worker {
    struct proxy on, off;
    struct least least;
    struct target direct;
    long calls; /* of a batch */
    double ns[KINDS][BATCHES];
    double wall, cpu;
};

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

static void *work(void *argument)
{
    struct worker *w = argument;
    struct target *ports[KINDS] = { &w->direct, &w->least.port, &w->on.port, &w->off.port };
    double start, cpu_start = 0, wall_start = 0;
    int batch, kind;

    for (batch = -1; batch < BATCHES; batch++) { /* one to warm up */
        if (!batch) {
            wall_start = seconds(CLOCK_MONOTONIC);
            cpu_start = seconds(CLOCK_THREAD_CPUTIME_ID);
        }
        for (kind = 0; kind < KINDS; kind++) {
            start = seconds(CLOCK_MONOTONIC);
            loop(ports[kind], w->calls);
            if (batch >= 0)
                w->ns[kind][batch] = (seconds(CLOCK_MONOTONIC) - start) * 1e9 / (double)w->calls;
        }
    }
    w->wall = seconds(CLOCK_MONOTONIC) - wall_start;
    w->cpu = seconds(CLOCK_THREAD_CPUTIME_ID) - cpu_start;
    return NULL;
}

static void remove_directory(const char *path)
{
    char file[PATH_MAX + 256];
    struct dirent *entry;
    DIR *dir = opendir(path);

    while (dir && (entry = readdir(dir)) != NULL) {
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] != '.')
            unlink(file);
    }
    if (dir)
        closedir(dir);
    rmdir(path);
}

struct wish {
    long calls;
    int threads, json;
    double limit;
};

static int misuse(const char *found)
{
    fprintf(stderr, "monitored_call: found '%s', expected [--calls N] [--threads N]"
            " [--monotonic] [--limit RATIO] [--json]\n", found);
    return 2;
}

static int parse(int argc, char **argv, struct wish *wish)
{
    int i;

    for (i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--json"))
            wish->json = 1;
        else if (!strcmp(argv[i], "--monotonic"))
            setenv("MM_CLOCK", "monotonic", 1);
        else if (!strcmp(argv[i], "--calls") && i + 1 < argc)
            wish->calls = atol(argv[++i]);
        else if (!strcmp(argv[i], "--threads") && i + 1 < argc)
            wish->threads = atoi(argv[++i]);
        else if (!strcmp(argv[i], "--limit") && i + 1 < argc)
            wish->limit = atof(argv[++i]);
        else
            return misuse(argv[i]);
    }
    if (wish->calls < BATCHES + 1 || wish->threads < 1 || wish->threads > 64)
        return misuse("a number out of range");
    return 0;
}

/* Numbers of one thread. Returns 1 if they cannot be trusted or pass the limit. */
static int report(const struct worker *w, int thread, const struct wish *wish,
                  const struct mm_recorder_stats *stats)
{
    double ns[KINDS], spread, busy = w->wall / w->cpu, ratio;
    int kind;

    for (kind = 0; kind < KINDS; kind++)
        ns[kind] = quantile(w->ns[kind], .5);
    spread = (quantile(w->ns[FLOOR], .75) - quantile(w->ns[FLOOR], .25)) / ns[FLOOR];
    if (busy > 1.02 || spread > .05) {
        fprintf(stderr, "monitored_call: the machine is not quiet: wall/CPU %.3f (at most 1.02),"
                " spread of the floor %.1f %% (at most 5)\n", busy, 100 * spread);
        return 1;
    }
    ratio = (ns[MONITORED] - ns[DIRECT]) / (ns[FLOOR] - ns[DIRECT]);
    if (wish->json) {
        printf("{\"schema\": \"mastermind/bench/monitored_call/1\", \"thread\": %d, "
               "\"calls\": %ld, \"ratio\": %.3f, \"dropped\": %llu, \"call_ns\": %.2f",
               thread, wish->calls, ratio, (unsigned long long)stats->dropped, stats->call_ns);
        for (kind = 0; kind < KINDS; kind++)
            printf(", \"%s_ns\": %.3f", names[kind], ns[kind] - (kind ? ns[DIRECT] : 0));
        printf("}\n");
    } else {
        printf("thread %d, %ld calls, clock cost included, median of %d batches [10 %%, 90 %%]\n",
               thread, wish->calls, BATCHES);
        for (kind = 0; kind < KINDS; kind++)
            printf("  %-10s %7.2f ns  [%.2f, %.2f]  %s%.2f x floor\n", names[kind],
                   ns[kind] - (kind ? ns[DIRECT] : 0),
                   quantile(w->ns[kind], .1) - (kind ? ns[DIRECT] : 0),
                   quantile(w->ns[kind], .9) - (kind ? ns[DIRECT] : 0), kind ? "" : "loop ",
                   kind ? (ns[kind] - ns[DIRECT]) / (ns[FLOOR] - ns[DIRECT]) : 0.);
    }
    if (wish->limit > 0 && ratio > wish->limit) {
        fprintf(stderr, "monitored_call: found %.2f x floor, expected at most %.2f\n", ratio,
                wish->limit);
        return 1;
    }
    return 0;
}

static int open_methods(struct monitor_port *port, struct monitor_method **on,
                        struct monitor_method **off)
{
    static const struct monitor_value_decl values[] = {
        { .name = "axis", .type = MONITOR_INT64, .kind = MONITOR_MODE },
        { .name = "Q", .expression = "nx * ny", .type = MONITOR_INT64, .kind = MONITOR_PARAM },
    };
    struct monitor_method_decl decl = { .instance = "flux", .port = "flux", .method = "compute",
                                        .class_name = "Empty", .build_id = "",
                                        .port_type = "bench.Port/1", .values = values,
                                        .in_count = 2 };

    *on = port->method_open(port, &decl, NULL);
    *off = port->method_open(port, &decl, NULL);
    if (!*on || !*off)
        return -1;
    (*off)->on = 0;
    return 0;
}

static int run(const struct wish *wish, struct worker *workers, struct mm_recorder *recorder)
{
    struct monitor_port *port = mm_recorder_port(recorder);
    struct monitor_method *on, *off;
    struct mm_recorder_stats stats;
    struct cca_error err = { 0 };
    pthread_t threads[64];
    int i, status = 0;

    if (open_methods(port, &on, &off))
        return 5;
    for (i = 0; i < wish->threads; i++) {
        struct worker *w = &workers[i];

        w->direct.compute = compute;
        w->on = (struct proxy){ { proxied }, &w->direct, port, on };
        w->off = (struct proxy){ { proxied }, &w->direct, port, off };
        w->least.port.compute = least;
        w->least.target = &w->direct;
        w->least.record = record;
        w->calls = wish->calls / BATCHES;
        if (pthread_create(&threads[i], NULL, work, w)) {
            fprintf(stderr, "monitored_call: cannot make a thread\n");
            return 5;
        }
    }
    for (i = 0; i < wish->threads; i++)
        pthread_join(threads[i], NULL);
    if (mm_recorder_close(recorder, &err)) {
        fprintf(stderr, "monitored_call: %s\n", err.text);
        return 5;
    }
    mm_recorder_stats(recorder, &stats);
    for (i = 0; i < wish->threads; i++)
        status |= report(&workers[i], i, wish, &stats);
    return status;
}

int main(int argc, char **argv)
{
    struct wish wish = { .calls = 10000000, .threads = 1 };
    struct mm_recorder_options options = { 0 };
    struct mm_recorder *recorder;
    struct cca_error err = { 0 };
    struct worker *workers;
    char path[PATH_MAX];
    int status = parse(argc, argv, &wish);

    if (status)
        return status;
    snprintf(path, sizeof path, "%s/mm-bench-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    workers = calloc((size_t)wish.threads, sizeof *workers);
    if (!workers || !mkdtemp(path)) {
        fprintf(stderr, "monitored_call: cannot make '%s': %s\n", path, strerror(errno));
        free(workers);
        return 5;
    }
    options.directory = path;
    recorder = mm_recorder_new(&options, &err);
    if (recorder)
        status = run(&wish, workers, recorder);
    else
        fprintf(stderr, "monitored_call: %s\n", err.text);
    remove_directory(path);
    free(workers);
    return recorder ? status : 5;
}

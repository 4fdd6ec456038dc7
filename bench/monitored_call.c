/* SPDX-License-Identifier: BSD-3-Clause */
/* monitored_call.c: what recording one call costs, as a multiple of the least it could cost.
 *
 * direct     an empty function through a port
 * floor      two TSC reads and one indirect call that stores 32 bytes
 * off        the proxy that proxygen makes, switched off
 * ejected    no proxy: direct again, what is left is noise
 * monitored  the proxy: two integers, MPI time, caller and callees, all on file
 *
 * A cost is a loop less the direct loop, in nanoseconds a call: the median of 21 batches, in
 * which the kinds take turns. Calls have different pairs of values in no order that a cache
 * could foresee, and each 256th spends time in MPI. A table compares costs with the bars that
 * the project has set itself. Where the machine is not quiet nothing is compared, but with
 * --cpu: then times are CPU time of the calling thread, which are right on a busy machine but
 * for its caches, and have nothing of what the helper and the kernel do elsewhere.
 * Exit 0; 1: not quiet, a bar is missed or the limit is passed; 2: misuse; 5: no files. */
#include <errno.h>
#include <pthread.h>

#include "bench/bench.h"
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
enum { BATCH_CALLS = 500000, MAX_THREADS = 64, NO_LIMIT = 0 };
static const char *const names[KINDS] = { "direct", "floor", "off", "ejected", "monitored" };
static const char *const packings[] = { [MM_PACK_CALLER] = "caller", [MM_PACK_HELPER] = "helper" };

static const char help[] =
    "usage: monitored_call [options]\n"
    "What recording one call costs, and whether that is within its bars.\n"
    "  --calls N                 calls of each case (100000000)\n"
    "  --threads N               only cases of N threads, and what they are compared with\n"
    "  --packing caller|helper   only cases in which that one packs\n"
    "  --storage MODE            this case alone: rows, aggregates, auto:ROWS, ...\n"
    "  --keys N                  and with so many pairs of values, a power of two (16)\n"
    "  --limit RATIO             exit with 1 where a cost is more, in floors\n"
    "  --cpu                     CPU time of the thread: on machines that are not quiet\n"
    "  --monotonic               record with CLOCK_MONOTONIC instead of the TSC\n"
    "  --json                    a line of JSON for each case, and one of all bars\n"
    "  -h, --help\n";

struct wish {
    long calls, keys;
    int threads, packing, cpu, json; /* 0: all */
    const char *storage;             /* or NULL */
    double limit;
};

/* What is measured together, and what it may cost. */
struct bar {
    const char *storage;
    int packing, threads;
    long keys;
    double most; /* floors; with several threads: costs of one thread. 0: none is set */
};

static const struct bar bars[] = {
    { "rows", MM_PACK_HELPER, 1, 16, 1.5 },
    { "rows", MM_PACK_HELPER, 2, 16, 1.1 },
    { "rows", MM_PACK_CALLER, 1, 16, 2.2 },
    { "rows", MM_PACK_CALLER, 2, 16, 1.1 },
    { "aggregates", MM_PACK_CALLER, 1, 16, 2.0 },
    { "aggregates", MM_PACK_CALLER, 1, 8192, 3.0 },
    { "auto:1000000", MM_PACK_CALLER, 1, 16, 2.0 },
};
enum { BARS = sizeof bars / sizeof *bars };
static const double most_off_ns = 2.0, most_ejected_ns = 0.5; /* nothing but noise */

/* --- The loops --------------------------------------------------------------------------- */

static __thread int64_t mpi_ns;
static __thread unsigned mpi_calls;

static const int64_t *mpi_time(void *unused)
{
    (void)unused;
    return &mpi_ns;
}

static __attribute__((noinline)) int compute(struct compute_port *self, int axis, int nx, int ny,
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

/* One thread's part of a case. */
struct worker {
    struct compute_port_proxy on, off;
    struct least least;
    struct compute_port direct, ejected;
    pthread_barrier_t *together; /* all do the same at the same time */
    const struct wish *wish;
    unsigned mask; /* different values, less one */
    double ns[KINDS][BATCHES];
    double wall, cpu;
    long rss_kib[2]; /* after the first batch of monitored calls, at the end of the last */
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
static __attribute__((noinline)) void loop(struct compute_port *port, long calls, unsigned mask)
{
    unsigned key;
    long i;

    for (i = 0; i < calls; i++) {
        key = (unsigned)i * 5125 & mask;
        port->compute(port, (int)(key & 1), 64 + 8 * (int)(key >> 1), 64, NULL, NULL);
    }
}

static void *work(void *argument)
{
    struct worker *w = argument;
    struct compute_port *ports[] = { &w->direct, &w->least.port, &w->off.port, &w->ejected,
                                     &w->on.port };
    double wall = bench_seconds(CLOCK_MONOTONIC), cpu = bench_seconds(CLOCK_THREAD_CPUTIME_ID);
    int batch, kind;

    for (batch = -1; batch < BATCHES; batch++) { /* one to warm up */
        pthread_barrier_wait(w->together);
        for (kind = 0; kind < KINDS; kind++) {
            long calls = kind == MONITORED ? w->wish->calls / BATCHES : BATCH_CALLS;
            double start = now(w->wish);

            loop(ports[kind], calls, w->mask);
            if (batch >= 0)
                w->ns[kind][batch] = (now(w->wish) - start) * 1e9 / (double)calls;
        }
        w->rss_kib[batch >= 0] = rss_kib();
    }
    w->wall = bench_seconds(CLOCK_MONOTONIC) - wall;
    w->cpu = bench_seconds(CLOCK_THREAD_CPUTIME_ID) - cpu;
    return NULL;
}

/* --- A case ------------------------------------------------------------------------------ */

/* What came out, of the thread to which it cost most. */
struct outcome {
    int quiet;
    double ns[KINDS]; /* medians, less direct */
    double low, high; /* monitored: 10 % and 90 % */
    double busy, spread;
    double bytes; /* a call on file */
    long rss_kib[2];
    struct mm_recorder_stats stats;
};

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
    if (prepare_proxy(&w->on, &w->direct, port) || prepare_proxy(&w->off, &w->direct, port))
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

static void look_at(const struct worker *w, struct outcome *out)
{
    double direct = bench_quantile(w->ns[DIRECT], .5), busy = w->wall / w->cpu;
    double spread = bench_spread(w->ns[FLOOR]);
    double cost = bench_quantile(w->ns[MONITORED], .5) - direct;
    int kind;

    out->quiet &= w->wish->cpu || bench_is_quiet(busy, spread);
    out->busy = busy > out->busy ? busy : out->busy;
    out->spread = spread > out->spread ? spread : out->spread;
    if (cost <= out->ns[MONITORED])
        return;
    for (kind = 0; kind < KINDS; kind++)
        out->ns[kind] = bench_quantile(w->ns[kind], .5) - (kind == DIRECT ? 0 : direct);
    out->low = bench_quantile(w->ns[MONITORED], .1) - direct;
    out->high = bench_quantile(w->ns[MONITORED], .9) - direct;
    memcpy(out->rss_kib, w->rss_kib, sizeof out->rss_kib);
}

static int run_in(const char *path, const struct wish *wish, const struct bar *bar,
                  struct worker *workers, struct outcome *out)
{
    struct mm_recorder_options options = { .directory = path,
                                           .packing = (enum mm_packing)bar->packing,
                                           .mpi_time = mpi_time };
    struct cca_error err = { 0 };
    struct mm_recorder *recorder = NULL;
    pthread_barrier_t together;
    int i;

    if (!mm_storage_parse(bar->storage, &options.storage, &err))
        recorder = mm_recorder_new(&options, &err);
    pthread_barrier_init(&together, NULL, (unsigned)bar->threads);
    for (i = 0; recorder && i < bar->threads; i++)
        if (prepare_worker(&workers[i], wish, bar->keys, mm_recorder_port(recorder), &together))
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
    for (i = 0; i < bar->threads; i++)
        look_at(&workers[i], out);
    return 0;
}

static int run(const struct wish *wish, const struct bar *bar, struct outcome *out)
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

/* --- What is told ------------------------------------------------------------------------ */

/* A line of the table: a cost and its bar. */
struct line {
    char mode[48];
    int threads;
    long keys; /* 0: it has none */
    double ns, floors, value, most;
    const char *unit; /* of value and most */
    int met;          /* -1: cannot be said */
};

static void print_line(const struct line *l, const struct outcome *out)
{
    printf("%-28s %2d %6.0ld %8.2f ns %6.2f x", l->mode, l->threads, l->keys, l->ns, l->floors);
    if (l->most > 0)
        printf("  %6.2f of %4.2f %-10s %s\n", l->value, l->most, l->unit,
               l->met < 0 ? "not quiet" : l->met ? "met" : "MISSED");
    else
        printf("  [%.2f, %.2f]\n", out->low, out->high);
}

static void print_case(const struct bar *bar, const struct wish *wish, const struct outcome *out)
{
    int kind;

    printf("{\"schema\": \"mastermind/bench/monitored_call/3\", \"storage\": \"%s\","
           " \"packing\": \"%s\", \"threads\": %d, \"keys\": %ld, \"calls\": %ld,"
           " \"clock\": \"%s\", \"quiet\": %s, \"busy\": %.4f, \"spread\": %.4f",
           bar->storage, packings[bar->packing], bar->threads, bar->keys, wish->calls,
           wish->cpu ? "thread CPU time" : "wall", out->quiet ? "true" : "false", out->busy,
           out->spread);
    if (out->quiet)
        printf(", \"ratio\": %.3f", out->ns[MONITORED] / out->ns[FLOOR]);
    for (kind = 0; kind < KINDS; kind++)
        printf(", \"%s_ns\": %.3f", names[kind], out->ns[kind]);
    printf(", \"monitored_10_ns\": %.3f, \"monitored_90_ns\": %.3f, \"ring_bytes\": 40,"
           " \"segment_bytes\": %.2f, \"rss_kib\": [%ld, %ld], \"call_ns\": %.2f,"
           " \"dropped\": %llu}\n", out->low, out->high, out->bytes, out->rss_kib[0],
           out->rss_kib[1], out->stats.call_ns, (unsigned long long)out->stats.dropped);
}

static void print_summary(const struct wish *wish, const struct line *lines, int count)
{
    int i;

    printf("{\"schema\": \"mastermind/bench/bars/1\", \"processor\": \"%s\", \"cores\": %ld,"
           " \"clock\": \"%s\", \"bars\": [", bench_processor(),
           sysconf(_SC_NPROCESSORS_ONLN), wish->cpu ? "thread CPU time" : "wall");
    for (i = 0; i < count; i++)
        printf("%s{\"mode\": \"%s\", \"threads\": %d, \"keys\": %ld, \"ns\": %.3f,"
               " \"floors\": %.3f, \"value\": %.3f, \"bar\": %.2f, \"unit\": \"%s\","
               " \"met\": %s}", i ? ", " : "", lines[i].mode, lines[i].threads, lines[i].keys,
               lines[i].ns, lines[i].floors, lines[i].value, lines[i].most, lines[i].unit,
               lines[i].met < 0 ? "null" : lines[i].met ? "true" : "false");
    puts("]}");
}

static void set_line(struct line *l, const struct outcome *out, double ns, double value,
                     double most, const char *unit)
{
    l->ns = ns;
    l->floors = ns / out->ns[FLOOR];
    l->value = value;
    l->most = most;
    l->unit = unit;
    l->met = out->quiet ? value <= most : -1;
}

/* Several threads are compared with one, where that has been measured; `one`: its cost, or 0. */
static void make_line(struct line *l, const struct bar *bar, const struct outcome *out, double one)
{
    double ns = out->ns[MONITORED], floors = ns / out->ns[FLOOR];

    snprintf(l->mode, sizeof l->mode, "%s%s%s", bar->storage, strcmp(bar->storage, "rows") ? "" : ", packed by ",
             strcmp(bar->storage, "rows") ? "" : packings[bar->packing]);
    l->threads = bar->threads;
    l->keys = bar->keys;
    if (bar->threads == 1)
        set_line(l, out, ns, floors, bar->most, "floors");
    else
        set_line(l, out, ns, one > 0 ? ns / one : 0, one > 0 ? bar->most : 0, "of one");
}

/* What is not recorded, as measured with the first case. */
static int make_other_lines(struct line *l, const struct outcome *out)
{
    strcpy(l[0].mode, "switched off");
    strcpy(l[1].mode, "ejected");
    l[0].threads = l[1].threads = 1;
    set_line(&l[0], out, out->ns[OFF], out->ns[OFF], most_off_ns, "ns");
    set_line(&l[1], out, out->ns[EJECTED], out->ns[EJECTED], most_ejected_ns, "ns");
    return 2;
}

static void print_head(const struct wish *wish)
{
    printf("%s, %ld cores; %s; medians of %d batches, %ld calls a case\n"
           "%-28s %2s %6s %11s %8s  %s\n", bench_processor(), sysconf(_SC_NPROCESSORS_ONLN),
           wish->cpu ? "CPU time of the thread" : "wall time", BATCHES, wish->calls,
           "mode", "th", "keys", "a call", "floors", "bar");
}

static void print_quiet(const struct wish *wish, double floor_ns, double busy, double spread)
{
    printf("floor %.2f ns; wall/CPU time at most %.3f (quiet: %.2f), spread of the floor at most"
           " %.1f %% (%.0f)%s\n", floor_ns, busy, BENCH_MOST_BUSY, 100 * spread,
           100 * BENCH_MOST_SPREAD, wish->cpu ? "; not asked for: CPU time" : "");
}

/* --- All cases --------------------------------------------------------------------------- */

static int is_wanted(const struct wish *wish, const struct bar *bar)
{
    int compared = wish->threads == 2 && !strcmp(bar->storage, "rows"); /* with one */

    return (!wish->threads || bar->threads == wish->threads || compared) &&
           (!wish->packing || bar->packing == wish->packing);
}

/* Measure `count` cases. Returns the exit status. */
static int run_all(const struct wish *wish, const struct bar *cases, int count)
{
    struct line lines[BARS + 2] = { 0 };
    double one[MM_PACK_HELPER + 1] = { 0 }, busy = 0, spread = 0, floor_ns = 0;
    struct outcome out;
    int i, n = 0, first = 1, code, status = 0;

    if (!wish->json)
        print_head(wish);
    for (i = 0; i < count; i++) {
        if (!is_wanted(wish, &cases[i]))
            continue;
        code = run(wish, &cases[i], &out);
        if (code)
            return code;
        if (wish->json)
            print_case(&cases[i], wish, &out);
        make_line(&lines[n], &cases[i], &out, one[cases[i].packing]);
        if (!wish->json)
            print_line(&lines[n], &out);
        fflush(stdout);
        if (cases[i].threads == 1 && !strcmp(cases[i].storage, "rows"))
            one[cases[i].packing] = out.ns[MONITORED];
        if (!out.quiet || (lines[n].most > 0 && !lines[n].met) ||
            (wish->limit > NO_LIMIT && lines[n].floors > wish->limit))
            status = 1;
        n += lines[n].most > 0;
        busy = out.busy > busy ? out.busy : busy;
        spread = out.spread > spread ? out.spread : spread;
        floor_ns = out.ns[FLOOR];
        if (!first || count == 1 || cases[i].threads > 1)
            continue;
        first = 0;
        make_other_lines(&lines[n], &out);
        for (code = 0; code < 2; code++, n++) {
            if (!wish->json)
                print_line(&lines[n], &out);
            status |= !lines[n].met;
        }
    }
    if (!wish->json)
        print_quiet(wish, floor_ns, busy, spread);
    else if (count > 1)
        print_summary(wish, lines, n);
    return status;
}

/* --- The command line -------------------------------------------------------------------- */

static int misuse(const char *found)
{
    fprintf(stderr, "monitored_call: found '%s', expected one of:\n%s", found, help);
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
        (wish->keys && (wish->keys < 2 || wish->keys > 1 << 20 || wish->keys & (wish->keys - 1))))
        return misuse("a number out of range");
    return 0;
}

int main(int argc, char **argv)
{
    struct wish wish = { .calls = 100000000 };
    struct bar alone;
    int status;

    if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
        fputs(help, stdout);
        return 0;
    }
    status = parse(argc, argv, &wish);
    if (status)
        return status;
    if (!wish.storage && !wish.keys && wish.threads <= 2)
        return run_all(&wish, bars, BARS);
    alone = (struct bar){ .storage = wish.storage ? wish.storage : "rows",
                          .packing = wish.packing ? wish.packing : MM_PACK_CALLER,
                          .threads = wish.threads ? wish.threads : 1,
                          .keys = wish.keys ? wish.keys : 16 };
    wish.packing = wish.threads = 0;
    return run_all(&wish, &alone, 1);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* ffi_call.c: what a call costs through the libffi proxy, beside the generated one.
 *
 * Each for a method with plain arguments and for one that takes and returns a struct of
 * 32 bytes:
 *
 * direct     an empty function through a port
 * off        a proxy, switched off
 * monitored  a proxy that reports two integers to the recorder, every row on file
 *
 * Kinds take turns; a price is the median of a kind less that of direct, in nanoseconds a
 * call. Where the machine is not quiet no price is printed, but with --cpu: then times
 * are CPU time of the calling thread. Exit 0; 1: not quiet; 2: misuse; 5: no files. */
#include <errno.h>

#include "bench/bench.h"
#include "bench/call_port.h"
#include "mastermind/recorder/recorder.h"
#include "proxies/ffi/call.h"
#include "proxies/ffi/description.h"

#include "bench/call_port_proxy.c" /* as generated: what it has is static */

enum { DIRECT, OFF, FFI_OFF, MONITORED, FFI_MONITORED, KINDS };
enum { PLAIN, CELL, METHODS };
static const char *const names[KINDS] = {"direct", "generated_off", "ffi_off",
                                         "generated_monitored", "ffi_monitored"};
static const char *const methods[METHODS] = {"plain", "cell"};

static const char help[] =
    "usage: ffi_call [options]\n"
    "What a call costs through the libffi proxy, beside the generated one; one thread.\n"
    "  --calls N      calls of each kind (4200000)\n"
    "  --cpu          CPU time of the thread: on machines that are not quiet\n"
    "  --json         one line of JSON\n"
    "  -h, --help\n"
    "Options of monitored_call are taken and change nothing.\n";

/* A libffi proxy as FfiProxy builds it. */
struct ffi_side {
    struct call_port port;
    struct proxy_link link;
    struct monitor_method *opened[METHODS];
    struct fproxy_method made[METHODS];
};

struct bench {
    struct call_port direct;
    struct call_port_proxy on, off;
    struct ffi_side ffi_on, ffi_off;
    struct fproxy_pool pool;
    struct pg_port *described;
    long calls; /* of a batch */
    int cpu, json;
    double ns[METHODS][KINDS][BATCHES];
};

static __attribute__((noinline)) int plain(struct call_port *self, int axis, int nx,
                                           int ny, const double *in, double *out)
{
    (void)self, (void)axis, (void)nx, (void)ny, (void)in, (void)out;
    __asm__ volatile("");
    return 0;
}

static __attribute__((noinline)) struct call_cell
cell(struct call_port *self, int axis, int nx, int ny, struct call_cell given)
{
    (void)self, (void)axis, (void)nx, (void)ny;
    __asm__ volatile("");
    return given;
}

static __attribute__((noinline)) void loop_plain(struct call_port *port, long calls)
{
    for (long i = 0; i < calls; i++)
        port->plain(port, (int)(i & 1), 64 + 8 * (int)(i & 7), 64, NULL, NULL);
}

static __attribute__((noinline)) void loop_cell(struct call_port *port, long calls)
{
    struct call_cell given = {1, 2, 3, 4};

    for (long i = 0; i < calls; i++)
        given = port->cell(port, (int)(i & 1), 64 + 8 * (int)(i & 7), 64, given);
}

/* --- Proxies, connected as the framework would ---------------------------- */

static struct monitor_method *method_open(struct monitor_port *monitor, size_t index)
{
    const struct proxy_table_method *method = &proxy_methods[index];
    struct monitor_method_decl decl = {.instance = "empty",
                                       .port = "port",
                                       .method = method->name,
                                       .class_name = "Empty",
                                       .build_id = "",
                                       .port_type = CALL_PORT_TYPE,
                                       .values = method->values,
                                       .in_count = method->in_count,
                                       .out_count = method->out_count};

    return monitor->method_open(monitor, &decl, NULL);
}

static int prepare_generated(struct call_port_proxy *proxy, struct bench *b,
                             struct monitor_port *monitor, int on)
{
    proxy->link = (struct proxy_link){&b->direct, monitor};
    proxy->state.link = &proxy->link;
    attach_call_port_proxy(&proxy->state);
    for (size_t i = 0; i < METHODS; i++) {
        proxy->methods[i] = method_open(monitor, i);
        if (!proxy->methods[i])
            return -EIO;
        proxy->methods[i]->on = on;
    }
    return 0;
}

static int prepare_ffi(struct ffi_side *side, struct bench *b,
                       struct monitor_port *monitor, int on, struct cca_error *err)
{
    side->link = (struct proxy_link){&b->direct, monitor};
    for (size_t i = 0; i < METHODS; i++) {
        struct fproxy_method *made = &side->made[i];

        side->opened[i] = method_open(monitor, i);
        if (!side->opened[i])
            return -EIO;
        side->opened[i]->on = on;
        made->link = &side->link;
        made->measured = &side->opened[i];
        made->offset = b->described->methods[i].offset;
        if (fproxy_method_init(made, &b->pool, &b->described->methods[i], err) < 0)
            return err->code;
        memcpy((char *)&side->port + made->offset, &made->code, sizeof made->code);
    }
    return 0;
}

static int prepare(struct bench *b, struct monitor_port *monitor, struct cca_error *err)
{
    int status;

    b->direct = (struct call_port){{CALL_PORT_TYPE, sizeof b->direct}, plain, cell};
    status = prepare_generated(&b->on, b, monitor, 1);
    if (status == 0)
        status = prepare_generated(&b->off, b, monitor, 0);
    if (status == 0)
        status = prepare_ffi(&b->ffi_on, b, monitor, 1, err);
    if (status == 0)
        status = prepare_ffi(&b->ffi_off, b, monitor, 0, err);
    return status < 0 ? cca_error_set(err, status, "no method") : 0;
}

/* --- Measuring ------------------------------------------------------------ */

static void measure(struct bench *b)
{
    struct call_port *ports[KINDS] = {&b->direct, &b->off.port, &b->ffi_off.port,
                                      &b->on.port, &b->ffi_on.port};
    clockid_t id = b->cpu ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;

    for (int batch = -1; batch < BATCHES; batch++) /* one to warm up */
        for (int method = 0; method < METHODS; method++)
            for (int kind = 0; kind < KINDS; kind++) {
                double start = bench_seconds(id);

                (method == PLAIN ? loop_plain : loop_cell)(ports[kind], b->calls);
                if (batch >= 0)
                    b->ns[method][kind][batch] =
                        (bench_seconds(id) - start) * 1e9 / (double)b->calls;
            }
}

static void report_method(const struct bench *b, int method)
{
    double direct = bench_quantile(b->ns[method][DIRECT], .5);

    printf(b->json ? "%s\"%s\": {" : "%s%s: median [10 %%, 90 %%]\n",
           b->json && method ? ", " : "", methods[method]);
    for (int kind = 0; kind < KINDS; kind++) {
        const double *ns = b->ns[method][kind];
        double less = kind == DIRECT ? 0 : direct;

        if (b->json)
            printf("%s\"%s_ns\": %.3f", kind ? ", " : "", names[kind],
                   bench_quantile(ns, .5) - less);
        else
            printf("  %-20s %7.2f ns  [%.2f, %.2f]\n", names[kind],
                   bench_quantile(ns, .5) - less, bench_quantile(ns, .1) - less,
                   bench_quantile(ns, .9) - less);
    }
    if (b->json)
        putchar('}');
}

/* 0, or 1: the numbers are those of another program too. */
static int report(const struct bench *b, double busy)
{
    const double *ns = b->ns[PLAIN][FFI_OFF];
    double spread = bench_spread(ns);

    if (!b->cpu && !bench_is_quiet(busy, spread)) {
        fprintf(stderr,
                "ffi_call: the machine is not quiet: wall/CPU %.3f (at most %.2f), "
                "spread %.1f %% (at most %.0f)\n",
                busy, BENCH_MOST_BUSY, 100 * spread, 100 * BENCH_MOST_SPREAD);
        return 1;
    }
    if (!b->json)
        printf(
            "%s, %ld cores; %s; wall/CPU %.3f, spread %.1f %%; medians of %d batches\n",
            bench_processor(), sysconf(_SC_NPROCESSORS_ONLN),
            b->cpu ? "CPU time of the thread" : "wall time", busy, 100 * spread, BATCHES);
    if (b->json)
        printf("{\"schema\": \"mastermind/bench/ffi_call/1\", \"calls\": %ld, \"clock\": "
               "\"%s\", ",
               b->calls * BATCHES, b->cpu ? "thread CPU time" : "wall");
    for (int method = 0; method < METHODS; method++)
        report_method(b, method);
    if (b->json)
        puts("}");
    return 0;
}

static int run_in(struct bench *b, const char *path)
{
    struct mm_recorder_options options = {.directory = path};
    struct cca_error err = {0};
    struct mm_recorder *recorder = mm_recorder_new(&options, &err);
    double wall, cpu;

    if (recorder && prepare(b, mm_recorder_port(recorder), &err) == 0) {
        wall = bench_seconds(CLOCK_MONOTONIC);
        cpu = bench_seconds(CLOCK_THREAD_CPUTIME_ID);
        measure(b);
        wall = bench_seconds(CLOCK_MONOTONIC) - wall;
        cpu = bench_seconds(CLOCK_THREAD_CPUTIME_ID) - cpu;
        mm_recorder_close(recorder, &err);
        if (!err.code)
            return report(b, wall / cpu);
    }
    fprintf(stderr, "ffi_call: %s\n", err.text);
    return 5;
}

/* The document that the build made, beside this program's own directory. */
static struct pg_port *read_description(struct cca_error *err)
{
    char path[PATH_MAX + 64];
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    char *slash;

    path[length < 0 ? 0 : length] = 0;
    slash = strrchr(path, '/');
    strcpy(slash ? slash : path, "/../gen/bench/bench.CallPort-1.describe.json");
    return fproxy_description_read(path, err);
}

static int run(struct bench *b)
{
    struct cca_error err = {0};
    char path[PATH_MAX];
    int status;

    b->described = read_description(&err);
    if (!b->described || bench_folder(path)) {
        fprintf(stderr, "ffi_call: %s\n", err.code ? err.text : strerror(errno));
        return 5;
    }
    status = run_in(b, path);
    bench_files(path, 1);
    for (int i = 0; i < METHODS; i++) {
        fproxy_method_done(&b->ffi_on.made[i]);
        fproxy_method_done(&b->ffi_off.made[i]);
    }
    fproxy_pool_done(&b->pool);
    pg_port_free(b->described);
    return status;
}

/* Options that say what monitored_call is to measure: `make bench` gives all to both. */
static int is_of_others(const char *option)
{
    static const char *const others[] = {"--threads", "--packing", "--storage",
                                         "--keys",    "--limit",   "--monotonic"};

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!strcmp(option, others[i]))
            return 1;
    return 0;
}

int main(int argc, char **argv)
{
    struct bench *b = aligned_alloc(64, (sizeof *b + 63) / 64 * 64);
    long calls = 4200000;
    int status = 0;

    if (!b)
        return 5;
    memset(b, 0, sizeof *b);
    for (int i = 1; i < argc && !status; i++) {
        if (!strcmp(argv[i], "--json"))
            b->json = 1;
        else if (!strcmp(argv[i], "--cpu"))
            b->cpu = 1;
        else if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
            status = -1;
        else if (!strcmp(argv[i], "--calls") && i + 1 < argc &&
                 (calls = atol(argv[i + 1])) >= BATCHES)
            i++;
        else if (is_of_others(argv[i]))
            i += strcmp(argv[i], "--monotonic") != 0;
        else {
            fprintf(stderr, "ffi_call: found '%s', expected one of:\n%s", argv[i], help);
            status = 2;
        }
    }
    if (status) {
        if (status < 0)
            fputs(help, stdout);
        free(b);
        return status < 0 ? 0 : status;
    }
    b->calls = calls / BATCHES;
    status = run(b);
    free(b);
    return status;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* engine.c: what an operation of the estimator costs, beside a queue of events.
 *
 * The program is the reference's: in each step a process computes, sends 1 KB to its
 * right neighbour, receives from the left one, and all do an all-reduce by recursive
 * doubling, written as messages; a core a process. It is compiled. Beside it, in the same
 * process and in turn: a pop and a push of a binary heap of P entries of 16 bytes with
 * random times, which a simulator with a queue pays for each event. Of each the fastest
 * round counts. Then a model of 20 elements on N8P32, and the memory of 2^20 processes;
 * where it is installed, SimGrid's time for the same program (simgrid.c).
 *
 * Exit 0; 1: a bar is missed (--bar); 2: misuse; 4: a run fails; 5: no memory. */
#include <getopt.h>
#include <math.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "activity/compile/compile.h"
#include "activity/compile/emit.h"
#include "activity/run/engine.h"
#include "bench/bench.h"

#define MOST_MEAN 1.5
#define MOST_RATIO 2.0
#define MOST_ELEMENTS_US 50.0
#define MOST_MB 200.0
#define LEAST_SIMGRID 20.0

static const char help[] =
    "usage: engine [options]\n"
    "What an operation of the estimator costs, as a multiple of a heap's pop and push.\n"
    "  --rounds N  of the largest number of processes (5), six times as many of others\n"
    "  --bar       status 1 if the mean is above 1.5, a ratio above 2, 20 elements take\n"
    "              more than 50 us or 2^20 processes more than 200 MB, or SimGrid takes\n"
    "              less than 20 times as long\n"
    "  --simgrid FILE  the program that measures SimGrid\n"
    "  --json      one line of JSON\n"
    "  -h, --help\n";

static const int64_t sizes[] = {4, 32, 256, 1024, 8192, 131072};
enum { SIZES = sizeof sizes / sizeof *sizes };

static const char reference[] =
    "model reference\n"
    "global long STEPS = 1\n"
    "global long d\n"
    "global long q\n"
    "activity Main {\n"
    "  loop s = 1..STEPS {\n"
    "    action Compute cost 1e-3\n"
    "    send Right to (pid + 1)%nproc bytes 1024\n"
    "    recv Left from (pid + nproc - 1)%nproc\n"
    "    code { d = 1; }\n"
    "    while d < nproc {\n"
    "      code { if pid/d%2 == 0 { q = pid + d; } else { q = pid - d; } d = 2*d; }\n"
    "      send Give to q bytes 8\n"
    "      recv Take from q\n"
    "    }\n"
    "  }\n"
    "}\n";

/* LAPW0's shape: 20 elements. */
static const char twenty[] =
    "model twenty\n"
    "global long NAT = 64\n"
    "activity Main {\n"
    "  action A1 cost 0.1 allreduce R1 cost 0.01 action A2 cost 0.2*NAT/nproc\n"
    "  allreduce R2 cost 0.01 action A3 cost 0.3 action A4 cost 0.2 + pid*0.01\n"
    "  bcast B1 root 0 cost 0.01 action A5 cost 0.1 barrier B2 cost 0.001\n"
    "  action A6 cost 0.4*NAT/nproc allreduce R3 cost 0.01 action A7 cost 0.1\n"
    "  action A8 cost 0.1 reduce R4 root 0 cost 0.01 action A9 cost 0.05\n"
    "  if pid > 0 { recv Before from pid - 1 }\n"
    "  action Output cost 0.02\n"
    "  if pid < nproc - 1 { send After to pid + 1 bytes 8 }\n"
    "  action A10 cost 0.1 allreduce R5 cost 0.01\n"
    "}\n";

struct bench {
    int rounds, bar, json;
    double heap_ns[SIZES], engine_ns[SIZES];
    const char *simgrid;
    double simgrid_ns[SIZES]; /* 0: not measured */
    double elements_us, memory_mb;
};

/* --- The heap. --- */

struct entry {
    double time;
    uint32_t actor, sequence;
};

static double random_time(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

static void sink(struct entry *heap, int64_t count, int64_t at, struct entry entry)
{
    int64_t child;

    while ((child = 2 * at + 1) < count) {
        child += child + 1 < count && heap[child + 1].time < heap[child].time;
        if (heap[child].time >= entry.time)
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = entry;
}

static struct entry pop(struct entry *heap, int64_t *count)
{
    struct entry first = heap[0], last = heap[--*count];

    if (*count > 0)
        sink(heap, *count, 0, last);
    return first;
}

static void push(struct entry *heap, int64_t *count, struct entry entry)
{
    int64_t at = (*count)++;

    for (; at > 0 && heap[(at - 1) / 2].time > entry.time; at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = entry;
}

/* Nanoseconds of a pop and a push. */
static double time_heap(int64_t entries)
{
    const int64_t turns = entries > 10000 ? 2000000 : 1000000;
    struct entry *heap = malloc((size_t)entries * sizeof *heap);
    uint64_t state = 42;
    int64_t count = 0;
    double start, took;

    if (!heap)
        exit(5);
    for (int64_t i = 0; i < entries; i++)
        push(heap, &count,
             (struct entry){.time = random_time(&state), .actor = (uint32_t)i});
    for (int64_t i = 0; i < entries; i++) { /* as it is after a while */
        struct entry first = pop(heap, &count);

        first.time += random_time(&state);
        push(heap, &count, first);
    }
    start = bench_seconds(CLOCK_THREAD_CPUTIME_ID);
    for (int64_t i = 0; i < turns; i++) {
        struct entry first = pop(heap, &count);

        first.time += random_time(&state);
        push(heap, &count, first);
    }
    took = bench_seconds(CLOCK_THREAD_CPUTIME_ID) - start;
    free(heap);
    return took / (double)turns * 1e9;
}

/* --- The engine. --- */

static void give_up(const struct cca_error *err)
{
    fprintf(stderr, "engine: %s\n", err->text);
    exit(4);
}

struct compiled {
    struct act_model *model;
    struct act_program program;
    char *path, *folder;
    void *handle;
};

/* A model of a text, compiled and loaded; STEPS as given. */
static struct compiled compile(const char *text, int64_t steps)
{
    struct compiled c;
    struct cca_error err = {0};
    char *source = NULL, value[32];
    size_t size;
    FILE *out;

    c.model = act_model_read("bench.act", text, strlen(text), &err);
    if (!c.model)
        give_up(&err);
    snprintf(value, sizeof value, "%lld", (long long)steps);
    if (steps && act_model_set(c.model, "STEPS", value, &err))
        give_up(&err);
    out = open_memstream(&source, &size);
    if (!out || act_emit_prelude(out) || act_emit(c.model, "", 0, out, &err) ||
        fclose(out) || act_compile("bench.act", source, &c.path, &c.folder, &err) ||
        act_compile_load(c.path, "", c.model, NULL, &c.program, &c.handle, &err))
        give_up(&err);
    free(source);
    return c;
}

static void end(struct compiled *c)
{
    act_compile_done(c->path, c->folder);
    act_model_free(c->model);
}

static struct act_run_options options_of(int64_t processes)
{
    struct act_run_options options = {
        .config = {.nodes = (processes + 3) / 4, .processes = processes}};

    act_machine_usual(&options.machine);
    for (int n = 0; n < ACT_NETWORKS; n++)
        options.machine.networks[n] = (struct act_network){.latency_s = 5e-6 * (n + 1),
                                                           .send_s = 5e-7,
                                                           .receive_s = 5e-7,
                                                           .gap_s = 1e-7,
                                                           .byte_s = 1e-9,
                                                           .eager = 65536};
    return options;
}

static int64_t steps_of(int64_t processes)
{
    int64_t steps = 1000000 / (processes * (int64_t)(3 + 2 * log2((double)processes)));

    return steps > 2 ? steps : 2;
}

/* Nanoseconds of an operation. */
static double time_engine(struct compiled *c, int64_t processes)
{
    struct act_run_options options = options_of(processes);
    struct act_result result;
    struct cca_error err = {0};
    double start = bench_seconds(CLOCK_THREAD_CPUTIME_ID), took;

    if (act_run(&c->program, &options, &result, &err))
        give_up(&err);
    took = bench_seconds(CLOCK_THREAD_CPUTIME_ID) - start;
    took /= (double)result.operations;
    act_result_free(&result);
    return took * 1e9;
}

static void measure_sizes(struct bench *bench)
{
    for (int i = 0; i < SIZES; i++) {
        struct compiled c = compile(reference, steps_of(sizes[i]));

        bench->heap_ns[i] = bench->engine_ns[i] = INFINITY;
        /* short ones more often: others use the machine, too */
        for (int r = 0; r < bench->rounds * (sizes[i] < 10000 ? 6 : 1); r++) {
            bench->heap_ns[i] = fmin(bench->heap_ns[i], time_heap(sizes[i]));
            bench->engine_ns[i] = fmin(bench->engine_ns[i], time_engine(&c, sizes[i]));
        }
        end(&c);
    }
}

static void measure_elements(struct bench *bench)
{
    struct compiled c = compile(twenty, 0);

    bench->elements_us = INFINITY;
    for (int r = 0; r < 20 * bench->rounds; r++) {
        struct act_run_options options = options_of(32);
        struct act_result result;
        struct cca_error err = {0};
        double start = bench_seconds(CLOCK_THREAD_CPUTIME_ID);

        if (act_run(&c.program, &options, &result, &err))
            give_up(&err);
        bench->elements_us = fmin(bench->elements_us,
                                  1e6 * (bench_seconds(CLOCK_THREAD_CPUTIME_ID) - start));
        act_result_free(&result);
    }
    end(&c);
}

/* The largest memory of a child that runs 2^20 processes, all that it needs included. */
static void measure_memory(struct bench *bench)
{
    struct rusage usage;
    int status;
    pid_t pid;

    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        struct compiled c = compile(reference, 1);

        time_engine(&c, 1 << 20);
        end(&c);
        _exit(0);
    }
    if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || status != 0)
        exit(4);
    bench->memory_mb = (double)usage.ru_maxrss * 1024 / 1e6;
}

/* Numbers of processes that SimGrid can have in reasonable time. */
static void measure_simgrid(struct bench *bench)
{
    char command[PATH_MAX + 64];

    for (int i = 0; bench->simgrid && i < SIZES && sizes[i] < 10000; i++) {
        double ns = 0;
        FILE *out;

        snprintf(command, sizeof command, "'%s' %lld %lld", bench->simgrid,
                 (long long)sizes[i], (long long)(steps_of(sizes[i]) / 50 + 2));
        out = popen(command, "r");
        if (!out || fscanf(out, "%lf", &ns) != 1 || pclose(out) != 0) {
            fprintf(stderr, "engine: %s fails\n", bench->simgrid);
            exit(4);
        }
        bench->simgrid_ns[i] = ns;
    }
}

/* --- What it says. --- */

static double ratio(const struct bench *bench, int i)
{
    return bench->engine_ns[i] / bench->heap_ns[i];
}

static double mean(const struct bench *bench)
{
    double sum = 0;

    for (int i = 0; i < SIZES; i++)
        sum += log(ratio(bench, i));
    return exp(sum / SIZES);
}

static void print_text(const struct bench *bench)
{
    printf("%s\n\n%10s  %14s  %12s  %6s\n", bench_processor(), "processes",
           "an operation", "pop and push", "ratio");
    for (int i = 0; i < SIZES; i++)
        printf("%10lld  %11.1f ns  %9.1f ns  %6.2f\n", (long long)sizes[i],
               bench->engine_ns[i], bench->heap_ns[i], ratio(bench, i));
    printf("geometric mean %31.2f\n\n", mean(bench));
    for (int i = 0; bench->simgrid && i < SIZES; i++)
        if (bench->simgrid_ns[i] > 0)
            printf("%10lld  %8.0f ns, %.0f times as long, with SimGrid (CM02)\n",
                   (long long)sizes[i], bench->simgrid_ns[i],
                   bench->simgrid_ns[i] / bench->engine_ns[i]);
    printf("%s20 elements, N8P32: %.1f us\n2^20 processes: %.0f MB\n",
           bench->simgrid ? "\n" : "", bench->elements_us, bench->memory_mb);
}

static void print_json(const struct bench *bench)
{
    printf("{\"processor\": \"%s\", \"sizes\": [", bench_processor());
    for (int i = 0; i < SIZES; i++)
        printf("%s{\"processes\": %lld, \"operation_ns\": %.2f, \"heap_ns\": %.2f, "
               "\"simgrid_ns\": %.2f}",
               i ? ", " : "", (long long)sizes[i], bench->engine_ns[i], bench->heap_ns[i],
               bench->simgrid_ns[i]);
    printf("], \"mean_ratio\": %.3f, \"elements_us\": %.2f, \"memory_mb\": %.1f}\n",
           mean(bench), bench->elements_us, bench->memory_mb);
}

static int is_missed(const struct bench *bench)
{
    int missed = mean(bench) > MOST_MEAN || bench->elements_us > MOST_ELEMENTS_US ||
                 bench->memory_mb > MOST_MB;

    for (int i = 0; i < SIZES; i++)
        missed |= ratio(bench, i) > MOST_RATIO ||
                  (bench->simgrid_ns[i] > 0 &&
                   bench->simgrid_ns[i] < LEAST_SIMGRID * bench->engine_ns[i]);
    return missed;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"rounds", required_argument, NULL, 'r'},
                                            {"bar", no_argument, NULL, 'b'},
                                            {"json", no_argument, NULL, 'j'},
                                            {"simgrid", required_argument, NULL, 's'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    struct bench bench = {.rounds = 5};
    int option;

    while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1)
        switch (option) {
        case 'r':
            bench.rounds = atoi(optarg);
            break;
        case 'b':
            bench.bar = 1;
            break;
        case 's':
            bench.simgrid = optarg;
            break;
        case 'j':
            bench.json = 1;
            break;
        case 'h':
            fputs(help, stdout);
            return 0;
        default:
            return 2;
        }
    if (bench.rounds < 1 || optind < argc) {
        fputs(help, stderr);
        return 2;
    }
    measure_memory(&bench); /* before this process is large */
    measure_sizes(&bench);
    measure_elements(&bench);
    measure_simgrid(&bench);
    if (bench.json)
        print_json(&bench);
    else
        print_text(&bench);
    return bench.bar && is_missed(&bench);
}

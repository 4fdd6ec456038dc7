/* SPDX-License-Identifier: BSD-3-Clause */
/* kernels.c: record real kernels for the benchmark of models.
 *
 *     kernels [--seed N] [--calls N] [--scale PERCENT] [--busy] > calls.csv
 *
 * Each line is one call: kernel,mode,size,set,wall_ns,cpu_ns. Set "train" is what a
 * modeller may see; "interp", "x2", "x4", "x16" are the truth at other sizes. All calls
 * are in one shuffled order, so neither sizes nor sets follow the drift of the host; an
 * untimed call of the same kernel and size goes before each (but of set x16, which no
 * cache holds), so that a call finds the caches as it would in a loop. With --busy a
 * process on the same CPU spins now and then.
 *
 * Exit 0; 2: misuse; 5: no memory or no process. */
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { VARIABLES = 5, NODE = 8, TRAIN_SIZES = 11, SETS = 5, INSIDE = 5 };

static double *in, *out, *more; /* arrays that all kernels share */
static size_t *ring;            /* NODE words a node; the first is the next node */
static volatile double sink;
static uint64_t state = 88172645463325252u;

static double random_unit(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state >> 11) / 9007199254740992.0;
}

static double minmod(double a, double b)
{
    return a * b <= 0 ? 0 : fabs(a) < fabs(b) ? a : b;
}

/* Left and right states at the faces of a square patch, along x or along y. */
static void reconstruct(size_t cells, int along_y)
{
    size_t n = (size_t)sqrt((double)cells), step = along_y ? n : 1;

    for (size_t v = 0; v < VARIABLES; v++) {
        const double *u = in + v * n * n;
        double *left = out + v * n * n, *right = more + v * n * n;

        for (size_t line = 1; line + 1 < n; line++)
            for (size_t i = 1; i + 1 < n; i++) {
                size_t at = along_y ? i * n + line : line * n + i;
                double slope = minmod(u[at + step] - u[at], u[at] - u[at - step]);

                left[at] = u[at] + .5 * slope;
                right[at] = u[at] - .5 * slope;
            }
    }
}

/* Pressure between two states, iterated until it stands; the number of steps depends on
 * the states. */
static void riemann(size_t faces, int mode)
{
    (void)mode;
    for (size_t i = 0; i < faces; i++) {
        double pl = .1 + in[i], pr = .1 + 4 * in[i + 1], du = in[i + 2] - .5;
        double p = .5 * (pl + pr);

        for (int step = 0; step < 30; step++) {
            double fl = (p - pl) / sqrt(1.2 * p + .2 * pl);
            double fr = (p - pr) / sqrt(1.2 * p + .2 * pr);
            double change = (fl + fr + du) /
                            (1 / sqrt(1.2 * p + .2 * pl) + 1 / sqrt(1.2 * p + .2 * pr));

            p = p - change > 1e-3 ? p - change : .5 * p;
            if (fabs(change) < 1e-8 * p)
                break;
        }
        out[i] = p;
    }
}

/* A kinetic flux: erf and exp at each face. */
static void kinetic(size_t faces, int mode)
{
    (void)mode;
    for (size_t i = 0; i < faces; i++) {
        double u = in[i] - .5, s = u * sqrt(.5 / (.1 + in[i + 1]));
        double half = .5 * (1 + erf(s)), tail = .28 * exp(-s * s);

        out[i] = in[i + 2] * (u * half + tail);
        more[i] = out[i] * u + .5 * half;
    }
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void sort(size_t n, int mode)
{
    (void)mode;
    qsort(out, n, sizeof *out, compare);
}

static void multiply(size_t n, int mode)
{
    (void)mode;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0;

            for (size_t k = 0; k < n; k++)
                sum += in[i * n + k] * more[k * n + j];
            out[i * n + j] = sum;
        }
}

static void triad(size_t n, int mode)
{
    (void)mode;
    for (size_t i = 0; i < n; i++)
        out[i] = in[i] + 1.5 * more[i];
}

static void chase(size_t n, int mode)
{
    size_t at = 0;

    (void)mode;
    for (size_t i = 0; i < n; i++)
        at = ring[at * NODE];
    sink = (double)at;
}

/* A sweep over a square grid. */
static void jacobi(size_t cells, int mode)
{
    size_t n = (size_t)sqrt((double)cells);

    (void)mode;
    for (size_t i = 1; i + 1 < n; i++)
        for (size_t j = 1; j + 1 < n; j++) {
            size_t at = i * n + j;

            out[at] = .25 * (in[at - 1] + in[at + 1] + in[at - n] + in[at + n]);
        }
}

/* --- Preparation, not timed
 * -------------------------------------------------------------- */
static void prepare_sort(size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = random_unit();
}

static void prepare_more(size_t n)
{
    memcpy(more, in, n * n * sizeof *more);
}

/* One cycle through n nodes in random order (Sattolo). */
static void prepare_ring(size_t n)
{
    static size_t done;

    if (done == n)
        return;
    done = n;
    for (size_t i = 0; i < n; i++)
        ring[i * NODE] = i;
    for (size_t i = n - 1; i > 0; i--) {
        size_t j = (size_t)(random_unit() * (double)i), kept = ring[i * NODE];

        ring[i * NODE] = ring[j * NODE];
        ring[j * NODE] = kept;
    }
}

static struct kernel {
    const char *name;
    void (*run)(size_t n, int mode);
    void (*prepare)(size_t n);
    int modes;
    size_t least;             /* of the sizes of training */
    size_t low_most, at_most; /* largest size of training: by seed, between these */
    int squares;              /* the size is n * n of a whole n */
    int far;                  /* calls at 16 times the largest */
    size_t most;
} kernels[] = {
    {"reconstruct", reconstruct, NULL, 2, 16 * 16, 64 * 64, 144 * 144, 1, 12, 0},
    {"riemann", riemann, NULL, 1, 64, 3000, 12000, 0, 12, 0},
    {"kinetic", kinetic, NULL, 1, 64, 4000, 20000, 0, 12, 0},
    {"qsort", sort, prepare_sort, 1, 64, 3000, 16000, 0, 12, 0},
    {"dgemm", multiply, prepare_more, 1, 8, 24, 56, 0, 5, 0},
    {"triad", triad, NULL, 1, 2048, 20000, 524288, 0, 12, 0},
    {"chase", chase, prepare_ring, 1, 256, 4096, 98304, 0, 8, 0},
    {"jacobi", jacobi, NULL, 1, 24 * 24, 128 * 128, 512 * 512, 1, 12, 0},
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

static const char *const set_names[SETS] = {"train", "interp", "x2", "x4", "x16"};

struct call {
    const struct kernel *kernel;
    int mode, set;
    size_t size;
};

static size_t whole(const struct kernel *k, double size)
{
    double n = floor(sqrt(size) + .5);

    return (size_t)(k->squares ? n * n : floor(size + .5));
}

/* Size number `at` of training; sizes between the first and the last differ by seed. */
static double training_size(const struct kernel *k, double at)
{
    double size = (double)k->least *
                  pow((double)k->most / (double)k->least, at / (TRAIN_SIZES - 1));

    return at > 0 && at < TRAIN_SIZES - 1 ? size * exp(.2 * (random_unit() - .5)) : size;
}

/* Add `repeats` calls of a size in each mode. */
static size_t calls_add(struct call *calls, size_t count, const struct kernel *k, int set,
                        double size, int repeats)
{
    for (int mode = 0; mode < k->modes; mode++)
        for (int i = 0; i < repeats; i++)
            calls[count++] = (struct call){k, mode, set, whole(k, size)};
    return count;
}

/* All calls of a recording, shuffled. */
static size_t calls_make(struct call *calls, int train, int percent)
{
    static const int truth[SETS] = {0, 60, 40, 30, 0}, times[SETS] = {0, 0, 2, 4, 16};
    size_t count = 0;

    for (struct kernel *k = kernels; k < kernels + KERNELS; k++) {
        k->most =
            whole(k, (double)k->low_most *
                         pow((double)k->at_most / (double)k->low_most, random_unit()));
        for (int i = 0; i < TRAIN_SIZES; i++)
            count = calls_add(calls, count, k, 0, training_size(k, i), train);
        for (int i = 0; i < INSIDE; i++)
            count = calls_add(calls, count, k, 1, training_size(k, 1.5 + 1.7 * i),
                              truth[1] * percent / 100);
        for (int set = 2; set < SETS; set++)
            count = calls_add(calls, count, k, set, (double)times[set] * (double)k->most,
                              (set == SETS - 1 ? k->far : truth[set]) * percent / 100);
    }
    for (size_t i = count - 1; i > 0; i--) {
        size_t j = (size_t)(random_unit() * (double)(i + 1));
        struct call kept = calls[i];

        calls[i] = calls[j];
        calls[j] = kept;
    }
    return count;
}

static int64_t now_ns(clockid_t id)
{
    struct timespec t;

    clock_gettime(id, &t);
    return t.tv_sec * (int64_t)1000000000 + t.tv_nsec;
}

static void call_record(const struct call *c)
{
    const struct kernel *k = c->kernel;
    int64_t wall, cpu;

    for (int timed = c->set == SETS - 1; timed < 2; timed++) {
        if (k->prepare)
            k->prepare(c->size);
        cpu = now_ns(CLOCK_THREAD_CPUTIME_ID);
        wall = now_ns(CLOCK_MONOTONIC);
        k->run(c->size, c->mode);
        wall = now_ns(CLOCK_MONOTONIC) - wall;
        cpu = now_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
    }
    printf("%s,%d,%zu,%s,%lld,%lld\n", k->name, c->mode, c->size, set_names[c->set],
           (long long)wall, (long long)cpu);
}

static void *array_new(size_t count, size_t size)
{
    void *array = malloc(count * size);

    if (!array) {
        fprintf(stderr, "kernels: out of memory\n");
        exit(5);
    }
    memset(array, 0, count * size);
    return array;
}

/* Spin and sleep in turns, some milliseconds each, until the parent ends. */
static void disturb(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) {
        int64_t end = now_ns(CLOCK_MONOTONIC) + (int64_t)(8e6 * random_unit());
        struct timespec rest = {0, (long)(3e7 * random_unit())};

        while (now_ns(CLOCK_MONOTONIC) < end)
            sink = sink + 1;
        nanosleep(&rest, NULL);
    }
}

/* Stay on the CPU of now; with `busy` a process that spins does, too. Its id, or 0. */
static pid_t place(int busy)
{
    pid_t child = 0;
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET((unsigned)sched_getcpu(), &set);
    sched_setaffinity(0, sizeof set, &set);
    if (busy && (child = fork()) == 0)
        disturb();
    if (child < 0) {
        fprintf(stderr, "kernels: fork: %s\n", strerror(errno));
        exit(5);
    }
    return child;
}

static long number(const char *option, const char *text)
{
    char *end = NULL;
    long value = text ? strtol(text, &end, 10) : 0;

    if (!text || !*text || *end || value < 1 || value > 1000000) {
        fprintf(stderr, "kernels: %s: '%s', expected a number from 1\n", option,
                text ? text : "");
        exit(2);
    }
    return value;
}

int main(int argc, char **argv)
{
    size_t words = 3072 * 3072 + 64; /* the largest: jacobi at x16 */
    struct call *calls;
    int train = 12, percent = 100, busy = 0;
    size_t count;
    pid_t child;

    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--busy"))
            busy = 1;
        else if (!strcmp(argv[i], "--seed"))
            state ^= (uint64_t)number("--seed", argv[++i]) * 2654435769u;
        else if (!strcmp(argv[i], "--calls"))
            train = (int)number("--calls", argv[++i]);
        else if (!strcmp(argv[i], "--scale"))
            percent = (int)number("--scale", argv[++i]);
        else {
            fprintf(stderr, "kernels: unknown option '%s'\n", argv[i]);
            return 2;
        }
    }
    in = array_new(words, sizeof *in);
    out = array_new(words, sizeof *out);
    more = array_new(words, sizeof *more);
    ring = array_new((size_t)16 * 98304 * NODE, sizeof *ring);
    calls =
        array_new((size_t)2 * KERNELS * (size_t)(TRAIN_SIZES * train + 6 * percent + 60),
                  sizeof *calls);
    for (size_t i = 0; i < words; i++)
        in[i] = random_unit();
    child = place(busy);
    count = calls_make(calls, train, percent);
    puts("kernel,mode,size,set,wall_ns,cpu_ns");
    for (size_t i = 0; i < count; i++)
        call_record(&calls[i]);
    if (child > 0) {
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    free(in);
    free(out);
    free(more);
    free(ring);
    free(calls);
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_call.c: what a wrapper around a function of MPI costs, over two readings of the
 * clock.
 *
 * MPI_Initialized needs no other process, and no MPI_Init: it is called plain, through
 * its wrapper while that is switched off, and while it measures. Batches of the three
 * alternate; each is timed with the thread's CPU clock. */
#include <dlfcn.h>
#include <stdint.h>

#include "bench/bench.h"
#include "mastermind/format/clock.h"
#include "tau_port/pmpi/mpi_time.h"

enum { CALLS = 100000, MOST_NS = 10 };

static const char help[] =
    "usage: mpi_call [options]\n"
    "What the wrappers of each flavour of MPI cost a call. Exit 1 where one costs more "
    "than two\n"
    "readings of the clock and 10 ns; 0 else, also where it is too loud here to say.\n"
    "  --json         one line of JSON a flavour\n"
    "  -h, --help\n"
    "It is measured in CPU time, as with --cpu; options of the other programs mean "
    "nothing here.\n";

typedef int (*initialized_function)(int *flag);

struct costs {
    double plain[BATCHES], off[BATCHES], on[BATCHES], clock[BATCHES];
    double busy;
};

static double calls_ns(initialized_function function)
{
    double start = bench_seconds(CLOCK_THREAD_CPUTIME_ID);
    int flag;

    for (int i = 0; i < CALLS; i++)
        function(&flag);
    return 1e9 * (bench_seconds(CLOCK_THREAD_CPUTIME_ID) - start) / CALLS;
}

static double clocks_ns(int tsc)
{
    double start = bench_seconds(CLOCK_THREAD_CPUTIME_ID);
    volatile uint64_t ticks;

    for (int i = 0; i < CALLS; i++)
        ticks = mm_clock_ticks(tsc);
    (void)ticks;
    return 2e9 * (bench_seconds(CLOCK_THREAD_CPUTIME_ID) - start) / CALLS;
}

static void measure(struct costs *costs, const struct meas_mpi *mpi,
                    initialized_function wrapped, initialized_function plain)
{
    struct mm_clock_origin origin;
    double wall = bench_seconds(CLOCK_MONOTONIC),
           cpu = bench_seconds(CLOCK_THREAD_CPUTIME_ID);

    mm_clock_begin(&origin);
    for (int i = -1; i < BATCHES; i++) { /* the first warms up */
        int at = i < 0 ? 0 : i;

        costs->plain[at] = calls_ns(plain);
        mpi->enable(0);
        costs->off[at] = calls_ns(wrapped);
        mpi->enable(1);
        costs->on[at] = calls_ns(wrapped);
        costs->clock[at] = clocks_ns(origin.tsc);
    }
    costs->busy = (bench_seconds(CLOCK_MONOTONIC) - wall) /
                  (bench_seconds(CLOCK_THREAD_CPUTIME_ID) - cpu);
}

/* 0, or 1 where the bar is missed. */
static int print(const char *flavour, const struct costs *c, int json)
{
    double plain = bench_quantile(c->plain, .5), off = bench_quantile(c->off, .5),
           on = bench_quantile(c->on, .5), clock = bench_quantile(c->clock, .5);
    double over = on - plain - clock;
    int quiet = bench_is_quiet(c->busy, bench_spread(c->clock)), met = over <= MOST_NS;

    if (json)
        printf("{\"flavour\": \"%s\", \"plain_ns\": %.2f, \"off_ns\": %.2f, \"on_ns\": "
               "%.2f, "
               "\"clock_ns\": %.2f, \"over_clock_ns\": %.2f, \"bar_ns\": %d, \"quiet\": "
               "%s}\n",
               flavour, plain, off, on, clock, over, MOST_NS, quiet ? "true" : "false");
    else
        printf(
            "%-8s  plain %5.1f ns, switched off +%.1f, measured +%.1f = %.2f x two clock "
            "readings (%.1f); bar +%d: %s\n",
            flavour, plain, off - plain, on - plain, (on - plain) / clock, clock, MOST_NS,
            met     ? "met"
            : quiet ? "MISSED"
                    : "not met, too loud here to say");
    return !met && quiet;
}

static int run(const char *flavour, int json)
{
    const char *tree = getenv("O");
    struct costs costs;
    char path[PATH_MAX];
    const struct meas_mpi *mpi;
    initialized_function wrapped, plain;
    void *library;

    snprintf(path, sizeof path, "%s/lib/libmeas_%s.so", tree ? tree : "build/release",
             flavour);
    if (access(path, F_OK) != 0)
        return 0;
    library = dlopen(path, RTLD_NOW);
    mpi = library ? dlsym(library, MEAS_MPI) : NULL;
    *(void **)&wrapped = library ? dlsym(library, "MPI_Initialized") : NULL;
    *(void **)&plain = library ? dlsym(library, "PMPI_Initialized") : NULL;
    if (!mpi || !wrapped || !plain) {
        fprintf(stderr, "mpi_call: %s\n", dlerror());
        return 5;
    }
    measure(&costs, mpi, wrapped, plain);
    return print(flavour, &costs, json);
}

/* Options of the others: `make bench` gives all to each. */
static int is_of_others(const char *option)
{
    static const char *const others[] = {"--threads", "--packing", "--storage",
                                         "--keys",    "--limit",   "--calls"};

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!strcmp(option, others[i]))
            return 1;
    return 0;
}

int main(int argc, char **argv)
{
    int json = 0, result;

    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            fputs(help, stdout);
            return 0;
        }
        if (!strcmp(argv[i], "--json")) {
            json = 1;
        } else if (is_of_others(argv[i])) {
            i++;
        } else if (strcmp(argv[i], "--cpu") != 0 && strcmp(argv[i], "--monotonic") != 0) {
            fprintf(stderr, "mpi_call: found '%s', expected one of:\n%s", argv[i], help);
            return 2;
        }
    }
    result = run("openmpi", json);
    return result ? result : run("mpich", json);
}

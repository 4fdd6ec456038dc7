/* SPDX-License-Identifier: BSD-3-Clause */
/* message_pair.c: what sampling adds to a message, one process that sends to itself:
 * Irecv, Send, Wait.
 *
 * The program starts itself once for each request, so that each is agreed upon in
 * MPI_Init. In such a run batches of four kinds take turns, in CPU time of the thread:
 *
 *   floor    two clock readings and one indirect call that stores 32 bytes
 *   plain    PMPI_Irecv, PMPI_Send, PMPI_Wait
 *   wrapped  MPI_Irecv, MPI_Send, MPI_Wait, as a program calls them
 *
 * What is stated is wrapped less plain, in floors. Linked per flavour of MPI with the
 * wrappers, as `mastermind record` would preload them. */
#include <mpi.h>

#include "bench/bench.h"
#include "bench/probe.h"
#include "mastermind/format/clock.h"

#include <errno.h>
#include <math.h>
#include <sys/wait.h>

#ifdef OPEN_MPI
#define FLAVOUR "openmpi"
#else
#define FLAVOUR "mpich"
#endif

enum { PAIRS = 20000, BYTES = 4 };

static const char help[] =
    "usage: message_pair [--json] [REQUEST...]\n"
    "What sampling messages adds to a send and receive, in floors of a measured call.\n"
    "Exit 1 where an unsampled pair costs more than one floor or a sampled one more "
    "than\n"
    "eight; 0 else, also where it is too loud here to say.\n";

/* A request, and the most that a pair may cost under it; 0: no bar. */
static const struct wish {
    const char *request;
    double most;
} wishes[] = {
    {"", 0},
    {"P-0-OFF", 1},
    {"P-0.01-FREQ", 0},
    {"P-1-OFF", 0},
    {"P-1-STAT", 0},
    {"P-1-FREQ", 8},
    {"P-1-WRITE", 0},
    {"P-1-FREQ,via=slots", 0},
    {"P-1-FREQ,via=files", 0},
    {"C-1000-FREQ", 0},
    {"T-0.001-FREQ", 0},
};

/* --- One run ------------------------------------------------------------------ */

static int tsc;
static uint64_t buffer[4096][4];
static unsigned next;

static __attribute__((noinline)) void store(uint64_t start, uint64_t wall, uint64_t a,
                                            uint64_t b)
{
    uint64_t *row = buffer[next++ & 4095];

    row[0] = start;
    row[1] = wall;
    row[2] = a;
    row[3] = b;
}

static void (*volatile store_call)(uint64_t, uint64_t, uint64_t, uint64_t) = store;

static double floor_ns(void)
{
    double start = bench_seconds(CLOCK_THREAD_CPUTIME_ID);

    for (int i = 0; i < PAIRS; i++) {
        uint64_t begin = mm_clock_ticks(tsc);

        store_call(begin, mm_clock_ticks(tsc) - begin, (uint64_t)i, 0);
    }
    return 1e9 * (bench_seconds(CLOCK_THREAD_CPUTIME_ID) - start) / PAIRS;
}

static double plain_ns(void)
{
    double start = bench_seconds(CLOCK_THREAD_CPUTIME_ID);
    char in[BYTES], out[BYTES] = "abc";
    MPI_Request request;

    for (int i = 0; i < PAIRS; i++) {
        PMPI_Irecv(in, BYTES, MPI_BYTE, 0, 7, MPI_COMM_WORLD, &request);
        PMPI_Send(out, BYTES, MPI_BYTE, 0, 7, MPI_COMM_WORLD);
        PMPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    return 1e9 * (bench_seconds(CLOCK_THREAD_CPUTIME_ID) - start) / PAIRS;
}

static double wrapped_ns(void)
{
    double start = bench_seconds(CLOCK_THREAD_CPUTIME_ID);
    char in[BYTES], out[BYTES] = "abc";
    MPI_Request request;

    for (int i = 0; i < PAIRS; i++) {
        MPI_Irecv(in, BYTES, MPI_BYTE, 0, 7, MPI_COMM_WORLD, &request);
        MPI_Send(out, BYTES, MPI_BYTE, 0, 7, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    return 1e9 * (bench_seconds(CLOCK_THREAD_CPUTIME_ID) - start) / PAIRS;
}

/* Measure under the request of the environment: one line for the parent. */
static int run_one(void)
{
    double least[BATCHES], plain[BATCHES], wrapped[BATCHES], more[BATCHES], gain = 4,
                                                                            best = 0;
    struct mm_clock_origin origin;

    MPI_Init(NULL, NULL);
    mm_clock_begin(&origin);
    tsc = origin.tsc;
    for (int i = -1; i < BATCHES; i++) { /* the first warms up */
        int at = i < 0 ? 0 : i;
        double one;

        least[at] = floor_ns();
        plain[at] = plain_ns();
        wrapped[at] = wrapped_ns();
        more[at] = (wrapped[at] - plain[at]) / least[at];
        one = probe_gain();
        gain = fmin(gain, one);
        best = fmax(best, one);
    }
    printf("%.17g %.17g %.17g %.17g %.17g %.17g %.17g\n", bench_quantile(least, .5),
           bench_quantile(plain, .5), bench_quantile(wrapped, .5),
           bench_quantile(more, .5), bench_quantile(more, .25), bench_quantile(more, .75),
           (double)probe_is_alone(gain, best));
    fflush(stdout);
    MPI_Finalize();
    return 0;
}

/* --- All of them ------------------------------------------------------------------ */

struct result {
    double least, plain, wrapped, floors, low, high, alone;
};

/* 0, or 5 after words. */
static int run_request(const char *request, struct result *r)
{
    char command[PATH_MAX + 300], own[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    FILE *out;
    int fields;

    own[length < 0 ? 0 : length] = 0;
    if (*request)
        setenv("MASTERMIND_RECORD_MESSAGES", request, 1);
    else
        unsetenv("MASTERMIND_RECORD_MESSAGES");
    setenv("MASTERMIND_RECORD_MPI_TIME", "off", 1);
    setenv("MASTERMIND_RECORD", "0", 1); /* nobody; but for children, too */
    setenv("MASTERMIND_RECORD_CHILDREN", "1", 1);
    snprintf(command, sizeof command, "'%s' --one", own);
    out = popen(command, "re");
    fields = out ? fscanf(out, "%lf %lf %lf %lf %lf %lf %lf", &r->least, &r->plain,
                          &r->wrapped, &r->floors, &r->low, &r->high, &r->alone)
                 : 0;
    if (out && pclose(out) == 0 && fields == 7)
        return 0;
    fprintf(stderr, "message_pair: the run of '%s' failed\n", request);
    return 5;
}

static int print(const char *request, double most, const struct result *r, int json)
{
    int met = most <= 0 || r->floors <= most,
        quiet = r->alone > 0 && r->high - r->low <= .25 * (1 + r->floors);

    if (json)
        printf("{\"flavour\": \"" FLAVOUR "\", \"request\": \"%s\", \"floor_ns\": %.2f, "
               "\"plain_ns\": %.2f, \"wrapped_ns\": %.2f, \"floors\": %.3f, "
               "\"floors_q25\": %.3f, \"floors_q75\": %.3f, \"quiet\": %s}\n",
               request, r->least, r->plain, r->wrapped, r->floors, r->low, r->high,
               quiet ? "true" : "false");
    else
        printf("%-8s %-20s floor %5.1f ns  plain %6.1f  wrapped %6.1f  +%5.2f floors "
               "[%.2f, %.2f]%s%s\n",
               FLAVOUR, *request ? request : "(not asked)", r->least, r->plain,
               r->wrapped, r->floors, r->low, r->high,
               most <= 0 ? ""
               : met     ? "  met"
               : quiet   ? "  MISSED"
                         : "  not met, too loud here to say",
               quiet || json ? "" : " (loud)");
    return !met && quiet;
}

int main(int argc, char **argv)
{
    int json = 0, first = 1, missed = 0;

    if (argc > 1 && !strcmp(argv[1], "--one"))
        return run_one();
    if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
        fputs(help, stdout);
        return 0;
    }
    if (argc > 1 && !strcmp(argv[1], "--json")) {
        json = 1;
        first = 2;
    }
    for (int i = first; i < argc; i++) {
        struct result r;

        if (argv[i][0] == '-') {
            fprintf(stderr, "message_pair: found '%s', expected one of:\n%s", argv[i],
                    help);
            return 2;
        }
        if (run_request(argv[i], &r))
            return 5;
        print(argv[i], 0, &r, json);
    }
    for (size_t i = 0; first >= argc && i < sizeof wishes / sizeof *wishes; i++) {
        struct result r;

        if (run_request(wishes[i].request, &r))
            return 5;
        missed |= print(wishes[i].request, wishes[i].most, &r, json);
    }
    return missed;
}

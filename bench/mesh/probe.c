/* SPDX-License-Identifier: BSD-3-Clause */
/* probe.c: what mesh probes cost a program.
 *
 *     probe            both parts; exit 1: a bound does not hold
 *     probe --calls    what a call costs, beside a reading of the time stamp counter and
 * a store of 4 bytes, in one process; bound: 1.25 for the chained probe probe --auto CPU
 * time of whole programs with `auto` over that without a profile; bound: 1.01, with steps
 * taken and with nobody who takes them
 *
 * The least of many rounds: the machine may be busy with others. */
#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench/bench.h"
#include "mesh/probe/mm_mesh.h"
#include "mesh/probe/segment.h"

#if defined(__x86_64__)
#include <x86intrin.h>

enum { NX = 30, NY = 20, NZ = 20, CELLS = NX * NY * NZ, ROUNDS = 61, TIMES = 10 };
enum { PAIRS = 9 };

#define MOST_CHAINED 1.25
#define MOST_AUTO 1.01

static float stored[CELLS];
static int64_t c_order[CELLS], f_order[CELLS];

/* A reading of the counter and a store for each cell. */
static void read_and_store(int64_t cells)
{
    uint64_t last = __rdtsc();

    for (int64_t c = 0; c < cells; c++) {
        uint64_t now = __rdtsc();

        *(volatile float *)&stored[c] = (float)(int64_t)(now - last);
        last = now;
    }
}

enum call {
    STORE,
    CHAINED,
    CHAINED_FORTRAN,
    RUNS,
    GIVEN,
    GIVEN_FORTRAN,
    IDLE,
    UNPROFILED
};

static const char *const call_names[] = {"TSC read + 4-byte store",
                                         "mm_mesh_cell, chained",
                                         "the same, loops as Fortran",
                                         "mm_mesh_cell, blocks",
                                         "mm_mesh_value",
                                         "the same, loops as Fortran",
                                         "mm_mesh_cell, step not told",
                                         "mm_mesh_cell, not profiled"};

/* ns of one call, the least of ROUNDS. */
static double time_call(enum call call, struct mm_mesh *m, int p, int64_t cells)
{
    const int64_t *order =
        call == CHAINED_FORTRAN || call == GIVEN_FORTRAN ? f_order : c_order;
    double least = 1e9;

    for (int round = 0; round < ROUNDS; round++) {
        double begin = bench_seconds(CLOCK_THREAD_CPUTIME_ID), passed;

        for (int t = 0; t < TIMES; t++)
            if (call == STORE)
                read_and_store(cells);
            else if (call == GIVEN || call == GIVEN_FORTRAN)
                for (int64_t c = 0; c < cells; c++)
                    mm_mesh_value(m, p, order[c], 1);
            else
                for (int64_t c = 0; c < cells; c++)
                    mm_mesh_cell(m, p, order[c]);
        passed = bench_seconds(CLOCK_THREAD_CPUTIME_ID) - begin;
        least = passed < least ? passed : least;
    }
    return 1e9 * least / (double)cells / TIMES;
}

/* A mesh with this rank's box in it, and orders of its cells. */
static struct mm_mesh *open_mesh(const char *cells, const char *name, int *cost,
                                 int *work, int64_t *count)
{
    const int64_t n[3] = {NX, NY, NZ}, lo[3] = {3, 2, 2}, hi[3] = {27, 18, 18};
    struct cca_error err = {0};
    struct mm_mesh *m;

    setenv(MESH_CELLS_VARIABLE, cells, 1);
    m = mm_mesh_open(name, 3, n, &err);
    if (!m) {
        fprintf(stderr, "probe: %s\n", err.text);
        exit(4);
    }
    *cost = mm_mesh_probe(m, "cost", "time");
    *work = mm_mesh_probe(m, "work", "given");
    mm_mesh_box(m, 0, lo, hi);
    *count = 0;
    for (int64_t i = lo[0]; i < hi[0]; i++)
        for (int64_t j = lo[1]; j < hi[1]; j++)
            for (int64_t k = lo[2]; k < hi[2]; k++)
                c_order[(*count)++] = mm_mesh_index(m, 0, i, j, k);
    *count = 0;
    for (int64_t k = lo[2]; k < hi[2]; k++)
        for (int64_t j = lo[1]; j < hi[1]; j++)
            for (int64_t i = lo[0]; i < hi[0]; i++)
                f_order[(*count)++] = mm_mesh_index(m, 0, i, j, k);
    return m;
}

/* Remove the segments of a process. */
static void remove_segments(pid_t pid)
{
    DIR *folder = opendir(MESH_SHARED_FOLDER);
    const struct dirent *entry;
    struct mesh_segment_name name;
    char path[512];

    while (folder && (entry = readdir(folder)) != NULL)
        if (mesh_segment_parse(entry->d_name, &name) && name.pid == pid) {
            snprintf(path, sizeof path, MESH_SHARED_FOLDER "/%s", entry->d_name);
            unlink(path);
        }
    if (folder)
        closedir(folder);
}

/* All calls, beside one another in each of three passes. 0, or 1 beyond the bound. */
static int measure_calls(void)
{
    double ns[UNPROFILED + 1];
    int cost, work;
    int64_t cells;
    struct mm_mesh *m = open_mesh("all", "cells", &cost, &work, &cells), *blocks, *idle;

    blocks = open_mesh("all:blocks", "blocks", &cost, &work, &cells);
    idle = open_mesh("all:every=2", "idle", &cost, &work, &cells);
    mm_mesh_step(m, 0, 0);
    mm_mesh_step(blocks, 0, 0);
    mm_mesh_step(idle, 1, 0);
    for (int call = STORE; call <= UNPROFILED; call++)
        ns[call] = 1e9;
    for (int pass = 0; pass < 3; pass++)
        for (int call = STORE; call <= UNPROFILED; call++) {
            struct mm_mesh *of = call == RUNS         ? blocks
                                 : call == IDLE       ? idle
                                 : call == UNPROFILED ? NULL
                                                      : m;
            int given = call == GIVEN || call == GIVEN_FORTRAN;
            double found = time_call((enum call)call, of, given ? work : cost, cells);

            ns[call] = found < ns[call] ? found : ns[call];
        }
    printf("%-30s %8s %8s\n", "a cell", "ns", "times");
    for (int call = STORE; call <= UNPROFILED; call++)
        printf("%-30s %8.2f %8.3f\n", call_names[call], ns[call], ns[call] / ns[STORE]);
    mm_mesh_close(m);
    mm_mesh_close(blocks);
    mm_mesh_close(idle);
    remove_segments(getpid());
    if (ns[CHAINED] <= MOST_CHAINED * ns[STORE] &&
        ns[CHAINED_FORTRAN] <= MOST_CHAINED * ns[STORE])
        return 0;
    fprintf(stderr, "probe: a chained probe costs more than %.2f\n", MOST_CHAINED);
    return 1;
}

/* The program: cells of `sweeps` sweeps, `steps` steps. Its CPU time, seconds. */
static double compute(int profiled, int sweeps, int steps)
{
    double begin = bench_seconds(CLOCK_PROCESS_CPUTIME_ID);
    const int64_t n[3] = {NX, NY, NZ}, lo[3] = {0};
    static double u[CELLS];
    struct mm_mesh *m;
    int cost, work;

    if (profiled)
        setenv(MESH_CELLS_VARIABLE, "all:auto", 1);
    else
        unsetenv(MESH_CELLS_VARIABLE);
    m = mm_mesh_open("bench", 3, n, NULL);
    cost = mm_mesh_probe(m, "cost", "time");
    work = mm_mesh_probe(m, "work", "given");
    mm_mesh_box(m, 0, lo, n);
    for (int step = 0; step < steps; step++) {
        mm_mesh_step(m, step, 0);
        for (int64_t c = 0; c < CELLS; c++) {
            double x = u[c];

            /* Cells do not depend on one another: a processor overlaps them, where no
             * reading of the counter stands between. */
            for (int s = 0; s < sweeps; s++)
                x = x * .999 + .5;
            u[c] = x;
            mm_mesh_value(m, work, c, sweeps);
            mm_mesh_cell(m, cost, c);
        }
    }
    mm_mesh_close(m);
    return bench_seconds(CLOCK_PROCESS_CPUTIME_ID) - begin;
}

/* The segment of a process, mapped, or NULL. */
static struct mesh_shared *find_segment(pid_t pid)
{
    DIR *folder = opendir(MESH_SHARED_FOLDER);
    struct mesh_shared *h = NULL;
    const struct dirent *entry;
    struct mesh_segment_name name;
    struct stat st;

    while (folder && !h && (entry = readdir(folder)) != NULL)
        if (mesh_segment_parse(entry->d_name, &name) && name.pid == pid) {
            char path[512];
            int fd;

            snprintf(path, sizeof path, MESH_SHARED_FOLDER "/%s", entry->d_name);
            fd = open(path, O_RDWR | O_CLOEXEC);
            if (fd >= 0 && fstat(fd, &st) == 0)
                h = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                         0);
            close(fd);
        }
    if (folder)
        closedir(folder);
    return h == MAP_FAILED ? NULL : h;
}

/* Free what is full, as an agent does. How many steps. */
static int take_slots(struct mesh_shared *h)
{
    int taken = 0;

    for (uint32_t s = 0; s < h->slots; s++) {
        struct mesh_slot *slot =
            (struct mesh_slot *)(void *)((char *)h + h->slot_first + s * h->slot_bytes);

        if (atomic_load(&slot->word) % MESH_SLOT_STATES == MESH_SLOT_FULL) {
            atomic_store(&slot->word, 0);
            taken++;
        }
    }
    return taken;
}

/* CPU time of the program in a child; *told: steps that were taken of it. */
static double run(int profiled, int take, int sweeps, int steps, int *told)
{
    struct mesh_shared *h = NULL;
    double seconds = 0;
    int pipes[2];
    pid_t child;

    if (pipe(pipes) != 0)
        exit(4);
    fflush(stdout);
    child = fork();
    if (child == 0) {
        seconds = compute(profiled, sweeps, steps);
        _exit(write(pipes[1], &seconds, sizeof seconds) != sizeof seconds);
    }
    close(pipes[1]);
    while (waitpid(child, NULL, WNOHANG) == 0) {
        if (profiled && take && !h)
            h = find_segment(child);
        if (h)
            *told += take_slots(h);
        usleep(2000);
    }
    if (h)
        munmap(h, h->bytes);
    if (read(pipes[0], &seconds, sizeof seconds) != sizeof seconds)
        exit(4);
    close(pipes[0]);
    remove_segments(child);
    return seconds;
}

/* Programs with cells of several costs. 0, or 1 beyond the bound. */
static int measure_auto(void)
{
    static const struct {
        int sweeps, steps;
    } cases[] = {{20, 1000}, {100, 300}, {1000, 30}};
    int beyond = 0;

    printf("\n%-24s %10s %12s %12s\n", "auto: ns a cell, steps", "taken", "CPU, times",
           "steps told");
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int take = 1; take >= 0; take--) {
            double least[2] = {1e9, 1e9};
            int told = 0, sweeps = cases[c].sweeps, steps = cases[c].steps;

            for (int pair = 0; pair < PAIRS; pair++)
                for (int profiled = 0; profiled < 2; profiled++) {
                    double found = run(profiled, take, sweeps, steps, &told);

                    if (found < least[profiled])
                        least[profiled] = found;
                }
            printf("%10.0f, %6d %16s %12.4f %12.1f\n", 1e9 * least[0] / steps / CELLS,
                   steps, take ? "yes" : "by nobody", least[1] / least[0],
                   (double)told / PAIRS);
            beyond |= least[1] > MOST_AUTO * least[0];
        }
    if (beyond)
        fprintf(stderr, "probe: auto costs more than %.2f\n", MOST_AUTO);
    return beyond;
}

int main(int argc, char **argv)
{
    int calls = argc < 2 || !strcmp(argv[1], "--calls");
    int autos = argc < 2 || !strcmp(argv[1], "--auto"), beyond = 0;

    if (!calls && !autos) {
        fprintf(stderr, "probe: found %s, expected --calls or --auto\n", argv[1]);
        return 2;
    }
    /* Children of a process that has opened a mesh open none: these go first. */
    if (autos)
        beyond |= measure_auto();
    if (calls)
        beyond |= measure_calls();
    return beyond;
}
#else
int main(void)
{
    puts("probe: needs a time stamp counter");
    return 77;
}
#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* chase.c: a chain of dependent loads in random order. */
#include "properties/load/measure/chase.h"

#include <math.h>
#include <stdint.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/random.h"

enum { LINE = 64, ATTEMPTS = 7, STEPS = 400000, LEVELS = 8 };

static const double most_bytes = 1 << 30;

/* Make one cycle of pointers through all cache lines of the memory (Sattolo's
 * shuffle). */
static void make_chain(char *memory, size_t lines)
{
    uint64_t seed = 0x9e3779b97f4a7c15u;

    for (size_t i = 0; i < lines; i++)
        *(size_t *)(void *)(memory + i * LINE) = i;
    for (size_t i = lines - 1; i > 0; i--) {
        size_t k = cca_random_shift(&seed) % i;
        size_t *a = (size_t *)(void *)(memory + i * LINE);
        size_t *b = (size_t *)(void *)(memory + k * LINE), was = *a;

        *a = *b;
        *b = was;
    }
}

static size_t follow(const char *memory, size_t at, size_t steps)
{
    while (steps-- > 0)
        at = *(const size_t *)(const void *)(memory + at * LINE);
    return at;
}

/* Seconds of one load from a set of `bytes`, at least 4096, in random order; the address
 * of each load depends on the one before. Minimum of several attempts. NaN: no memory.
 * Takes some tenths of a second; beyond the largest cache one second more per GB. */
static double mm_chase_seconds(size_t bytes)
{
    static volatile size_t end; /* keeps the compiler from removing loads */
    size_t lines = bytes / LINE, at;
    char *memory = mmap(NULL, lines * LINE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    double least = NAN;

    if (memory == MAP_FAILED)
        return NAN;
    madvise(memory, lines * LINE, MADV_HUGEPAGE); /* fewer TLB misses */
    make_chain(memory, lines);
    at = follow(memory, 0, lines < STEPS ? lines : STEPS);
    for (int i = 0; i < ATTEMPTS; i++) {
        double start = cca_clock_s(CLOCK_THREAD_CPUTIME_ID), seconds;

        at = follow(memory, at, STEPS);
        seconds = (cca_clock_s(CLOCK_THREAD_CPUTIME_ID) - start) / STEPS;
        if (!(seconds >= least))
            least = seconds;
    }
    end = at;
    (void)end;
    munmap(memory, lines * LINE);
    return least;
}

/* Bytes of data that fit into a cache level but not into the next smaller one. */
static double set_of(double below, double bytes)
{
    return below > 0 ? sqrt(below * bytes) : bytes / 2;
}

/* Size of a set that fits into no cache, at most a quarter of the free memory; NaN:
 * none. */
static double memory_set(double largest)
{
    double room = (double)sysconf(_SC_AVPHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / 4;
    double most = room < most_bytes ? room : most_bytes;
    double set = 4 * largest < most ? 4 * largest : most;

    return set >= 1.5 * largest ? set : (double)NAN;
}

void mm_chase_penalties(const double *bytes, size_t count, double *penalty,
                        void (*told)(void *context, size_t level), void *context)
{
    double cost[LEVELS + 1];

    for (size_t i = 0; i <= count && i <= LEVELS; i++) {
        double set = i < count ? set_of(i ? bytes[i - 1] : 0, bytes[i])
                               : memory_set(count ? bytes[count - 1] : NAN);

        if (told)
            told(context, i + 1);
        cost[i] = set >= 4096 && set <= most_bytes ? mm_chase_seconds((size_t)set)
                                                   : (double)NAN;
    }
    for (size_t i = 0; i < count; i++) {
        penalty[i] = i < LEVELS ? cost[i + 1] - cost[i] : (double)NAN;
        if (!(penalty[i] > 0))
            penalty[i] = NAN;
    }
}

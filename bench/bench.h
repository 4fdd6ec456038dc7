/* SPDX-License-Identifier: BSD-3-Clause */
/* bench.h: what the programs that measure a call share: clocks, medians, what machine it
 * was. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { BATCHES = 21 };

/* Above these a wall clock tells of other programs, too. */
#define BENCH_MOST_BUSY 1.02
#define BENCH_MOST_SPREAD .05

static inline double bench_seconds(clockid_t id)
{
    struct timespec t;

    clock_gettime(id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int bench_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Of the first `count` values, at most BATCHES and at least one. */
static inline double bench_quantile_of(const double *values, int count, double q)
{
    double sorted[BATCHES];

    memcpy(sorted, values, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, bench_compare);
    return sorted[(int)(q * (count - 1) + .5)];
}

/* Of BATCHES values. */
static inline double bench_quantile(const double *values, double q)
{
    return bench_quantile_of(values, BATCHES, q);
}

/* The part of the median by which the middle half of the first `count` values differ. */
static inline double bench_spread_of(const double *values, int count)
{
    return (bench_quantile_of(values, count, .75) -
            bench_quantile_of(values, count, .25)) /
           bench_quantile_of(values, count, .5);
}

static inline double bench_spread(const double *values)
{
    return bench_spread_of(values, BATCHES);
}

/* Wall over CPU time of the thread, and the spread of what should always cost the same.
 */
static inline int bench_is_quiet(double busy, double spread)
{
    return busy <= BENCH_MOST_BUSY && spread <= BENCH_MOST_SPREAD;
}

/* The processor's name, "" where the system does not say; no character of it needs
 * escaping. */
static inline const char *bench_processor(void)
{
    static char line[256];
    FILE *f = fopen("/proc/cpuinfo", "r");
    const char *name = "";
    char *at;

    while (f && !*name && fgets(line, sizeof line, f))
        if (!strncmp(line, "model name", 10) && (at = strchr(line, ':')) != NULL) {
            at += 1 + strspn(at + 1, " \t");
            at[strcspn(at, "\n\"\\")] = '\0';
            name = at;
        }
    if (f)
        fclose(f);
    return name;
}

/* Make an empty directory for an experiment in `path` of PATH_MAX bytes. 0 or -1 with
 * errno. */
static inline int bench_folder(char *path)
{
    const char *parent = getenv("TMPDIR");

    snprintf(path, PATH_MAX, "%s/mm-bench-XXXXXX", parent && *parent ? parent : "/tmp");
    return mkdtemp(path) ? 0 : -1;
}

/* Sizes of all files in `path` together; with `clean` they and it are removed. */
static inline double bench_files(const char *path, int clean)
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

#endif

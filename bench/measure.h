/* SPDX-License-Identifier: BSD-3-Clause */
/* measure.h: one case of bench/monitored_call.c. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include "bench/bench.h"
#include "mastermind/recorder/recorder.h"

enum { DIRECT, FLOOR, OFF, EJECTED, MONITORED, KINDS };
enum { MAX_THREADS = 64 };

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

/* What came out, of the thread to which it cost most. */
struct outcome {
    int quiet;
    double ns[KINDS]; /* medians, less direct */
    double low, high; /* monitored: 10 % and 90 % */
    int alone;        /* batches that had the core alone, of BATCHES */
    double busy, spread;
    double bytes; /* a call on file */
    long rss_kib[2];
    struct mm_recorder_stats stats;
};

/* Measure the case `bar`. Returns 0, 1: rows were dropped, 5: no files, threads or
 * memory; said on standard error. */
int monitored_run(const struct wish *wish, const struct bar *bar, struct outcome *out);

#endif

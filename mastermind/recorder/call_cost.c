/* SPDX-License-Identifier: BSD-3-Clause */
/* call_cost.c: measure what recording one call costs on this host.
 *
 * The recorder runs its own begin and end on a thread without files. The measurement
 * takes about a millisecond in all: each run of a measured program pays it. */
#include "mastermind/recorder/call_cost.h"

#include "mastermind/recorder/cold.h"
#include "mastermind/recorder/hot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES = 5, CALLS = 1000 };
enum { COLD_CALLS = 101, MEDIAN = COLD_CALLS / 2, OTHER_DATA = 64 * 1024, LINE = 64 };

/* A method, and a thread whose rows go nowhere. */
struct trial {
    struct mm_recorder *recorder;
    struct mm_thread *thread;
    struct mm_method method;
    struct monitor_port port;
};

/* `values`: integers that the method has; two are the fastest case. */
static int begin_trial(struct trial *trial, struct mm_recorder *r,
                       enum mm_storage_mode mode, uint32_t values, struct cca_error *err)
{
    memset(trial, 0, sizeof *trial);
    trial->recorder = r;
    trial->thread = mm_thread_new(r, 0);
    if (!trial->thread)
        return cca_error_set(err, -ENOMEM, "out of memory");
    trial->thread->mode = mode;
    trial->method.in.count = trial->method.in.int_count = values;
    for (uint32_t i = 0; i < values; i++)
        trial->method.in.ints[i] = (unsigned char)i;
    mm_method_prepare(r, &trial->method);
    mm_method_switch(r, &trial->method, 1);
    mm_join_here(trial->thread);
    mm_hot_choose(r, r->storage.mode == MM_STORE_ROWS ? mode : MM_STORE_AUTO,
                  &trial->port);
    return 0;
}

static inline void call_once(struct trial *trial)
{
    static const union monitor_value in[] = {{.i = 1}, {.i = 64}, {.i = 65536}};
    struct monitor_port *port = &trial->recorder->port;

    trial->port.end(port, trial->port.begin(port, &trial->method.head, in), NULL);
}

/* The minimum over several batches, the cost of packing their rows included if the
 * caller packs. All batches use the same part of the window. `*within` is what the
 * call's own time has of it, in ticks. */
static double loop_ns(struct trial *trial, double *within)
{
    const uint64_t *own = &trial->thread->root.children; /* time of all calls so far */
    int64_t start, middle, ns, calls_ns = INT64_MAX, packing_ns = INT64_MAX;
    uint64_t before, ticks = UINT64_MAX;

    for (int batch = 0; batch < BATCHES; batch++) {
        before = *own;
        start = mm_clock_ns(CLOCK_MONOTONIC);
        for (int i = 0; i < CALLS; i++)
            call_once(trial);
        middle = mm_clock_ns(CLOCK_MONOTONIC);
        mm_thread_roll(trial->thread, 0);
        ns = mm_clock_ns(CLOCK_MONOTONIC) - middle;
        if (middle - start < calls_ns)
            calls_ns = middle - start;
        if (ns < packing_ns)
            packing_ns = ns;
        if (*own - before < ticks)
            ticks = *own - before;
    }
    *within = (double)ticks / CALLS;
    if (trial->thread->mode != MM_STORE_ROWS)
        packing_ns = 0;
    return (double)(calls_ns + packing_ns) / CALLS;
}

static int compare_ticks(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* The median of calls between which other data pass through the nearest cache. */
static double cold_ns(struct trial *trial, volatile char *other_data)
{
    int tsc = trial->recorder->tsc;
    uint64_t ticks[COLD_CALLS], empty[COLD_CALLS], start;

    for (int i = 0; i < COLD_CALLS; i++) {
        for (int at = 0; at < OTHER_DATA; at += LINE)
            other_data[at]++;
        start = mm_clock_ticks(tsc);
        empty[i] = mm_clock_ticks(tsc) - start;
        start = mm_clock_ticks(tsc);
        call_once(trial);
        ticks[i] = mm_clock_ticks(tsc) - start;
    }
    qsort(ticks, COLD_CALLS, sizeof *ticks, compare_ticks);
    qsort(empty, COLD_CALLS, sizeof *empty, compare_ticks);
    return (double)(ticks[MEDIAN] - empty[MEDIAN]) * trial->recorder->ns_per_tick;
}

int mm_call_cost_loop(struct mm_recorder *r, struct cca_error *err)
{
    struct trial trial;
    int code = begin_trial(&trial, r, MM_STORE_ROWS, 2, err);

    if (code)
        return code;
    r->call_ns = loop_ns(&trial, &r->within);
    mm_leave_here(r);
    code = begin_trial(&trial, r, MM_STORE_AGGREGATES, 2, err);
    if (code)
        return code;
    r->fold_ns = loop_ns(&trial, &r->fold_within);
    mm_leave_here(r);
    return 0;
}

int mm_call_cost_cold(struct mm_recorder *r, struct cca_error *err)
{
    char *other_data = calloc(1, OTHER_DATA);
    struct trial trial;
    int code = other_data ? 0 : cca_error_set(err, -ENOMEM, "out of memory");

    if (!code && !(code = begin_trial(&trial, r, MM_STORE_ROWS, 3, err))) {
        r->cold_call_ns = cold_ns(&trial, other_data);
        mm_leave_here(r);
    }
    if (!code && !(code = begin_trial(&trial, r, MM_STORE_AGGREGATES, 3, err))) {
        r->cold_fold_ns = cold_ns(&trial, other_data);
        mm_leave_here(r);
    }
    free(other_data);
    return code;
}

/* Read whatever rows have beside the clock, `count` times over. */
static int64_t extra_reads_ns(struct mm_recorder *r, int count)
{
    int64_t values[MM_MAX_COUNTERS], start = mm_clock_ns(CLOCK_MONOTONIC);

    for (int i = 0; i < count; i++) {
        r->options.read_counters(r->options.context, values);
    }
    return mm_clock_ns(CLOCK_MONOTONIC) - start;
}

void mm_call_cost_extra(struct mm_recorder *r)
{
    enum { READS = 200 };
    int64_t least = INT64_MAX, ns;
    double extra;

    extra_reads_ns(r, 1); /* whatever the first takes */
    for (int batch = 0; batch < BATCHES; batch++) {
        ns = extra_reads_ns(r, READS);
        if (ns < least)
            least = ns;
    }
    extra = 2.0 * (double)least / READS;
    r->call_ns += extra;
    r->fold_ns += extra;
    r->cold_call_ns += extra;
    r->cold_fold_ns += extra;
}

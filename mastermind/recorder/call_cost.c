/* SPDX-License-Identifier: BSD-3-Clause */
/* call_cost.c: measure the cost of recording one call on this host.
 *
 * The recorder records calls of an empty function on a thread without files. The
 * measurement takes about a millisecond in each run of a measured program. */
#include "mastermind/recorder/parts.h"

#include "mastermind/recorder/hot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"

enum { BATCHES = 8, CALLS = 160 };
enum { COLD_BATCHES = 6, COLD_CALLS = 16, OTHER_DATA = 48 * 1024, LINE = 64 };
/* number of values of the method whose calls are timed to estimate the cost of one more
 * value */
enum { MANY = 8 };

/* A method, and the state of a thread without files; calls of the method are timed to
 * calibrate the cost of recording. */
struct trial {
    struct mm_recorder *recorder;
    struct mm_thread *thread;
    /* on the heap like other methods, because on the stack it might be badly aligned */
    struct mm_method *method;
    mm_entry_function *call;
    void *context;
    volatile char *other_data;
    /* time of one call when it is not recorded, in a loop and with cold caches; 0: not
     * measured yet */
    double bare_ns, bare_cold_ns;
};

/* --- Calls ---------------------------------------------------------------- */

static __attribute__((noinline)) void nothing(void)
{
    __asm__ volatile("");
}

static void (*volatile target)(void) = nothing;

/* Make a call as a proxy does. */
static __attribute__((noinline)) void proxied(void *context, struct monitor_port *port,
                                              struct monitor_method *method)
{
    static const union monitor_value in[MANY] = {{.i = 1}, {.i = 64}, {.i = 65536}};
    struct monitor_frame *frame;

    (void)context;
    if (!method) {
        target();
        return;
    }
    frame = port->begin(port, method, in);
    target();
    port->end(port, frame, NULL);
}

/* Time a batch of calls, and use another stack address for each batch: if the distance
 * between the stack and other data is a multiple of 4 KiB, calls take half as long
 * again. */
static __attribute__((noinline)) uint64_t
batch_ticks(const struct trial *trial, struct monitor_method *method, int batch)
{
    enum { STEP = 13 * LINE };
    volatile char *below = __builtin_alloca((size_t)(batch + 1) * STEP);
    uint64_t start;

    *below = 0;
    start = mm_clock_ticks(trial->recorder->tsc);
    for (int i = 0; i < CALLS; i++)
        trial->call(trial->context, &trial->recorder->port, method);
    return mm_clock_ticks(trial->recorder->tsc) - start;
}

/* Return the time of one call in ns, from the fastest batch of calls; if `method` is NULL
 * the calls are not recorded. `*within_ns`: the part between the recorder's two clock
 * readings. */
static double least_ns(const struct trial *trial, struct monitor_method *method,
                       double *within_ns)
{
    const struct mm_recorder *r = trial->recorder;
    /* sum of the times of all calls so far, as recorded */
    const uint64_t *own = &trial->thread->root.children;
    uint64_t least = UINT64_MAX, within = UINT64_MAX;

    for (int batch = 0; batch < BATCHES; batch++) {
        uint64_t before = *own, ticks = batch_ticks(trial, method, batch);

        if (ticks < least)
            least = ticks;
        if (*own - before < within)
            within = *own - before;
        /* start a new window after each batch, so that all batches begin at a window's
         * start */
        if (method)
            mm_thread_roll(trial->thread, 0);
    }
    *within_ns = (double)within * r->ns_per_tick / CALLS;
    return (double)least * r->ns_per_tick / CALLS;
}

/* Return the time of one call in ns, from the fastest batch, when other data replace the
 * content of the nearest cache between the calls; if `method` is NULL no calls are
 * made. */
static double least_cold_ns(const struct trial *trial, struct monitor_method *method,
                            double *within_ns)
{
    const struct mm_recorder *r = trial->recorder;
    const uint64_t *own = &trial->thread->root.children;
    uint64_t least = UINT64_MAX, within = UINT64_MAX;

    for (int batch = 0; batch < COLD_BATCHES; batch++) {
        uint64_t before = *own, start = mm_clock_ticks(r->tsc), ticks;

        for (int i = 0; i < COLD_CALLS; i++) {
            for (int at = 0; at < OTHER_DATA; at += LINE)
                trial->other_data[at]++;
            if (method)
                trial->call(trial->context, &trial->recorder->port, method);
        }
        ticks = mm_clock_ticks(r->tsc) - start;
        if (ticks < least)
            least = ticks;
        if (*own - before < within)
            within = *own - before;
    }
    *within_ns = (double)within * r->ns_per_tick / COLD_CALLS;
    return (double)least * r->ns_per_tick / COLD_CALLS;
}

/* Correct effects of noise on a measured cost: no component may be negative, and the cost
 * with cold caches may not be less than the cost in a loop. */
static void make_sound(struct mm_call_cost *cost)
{
    if (cost->loop_ns < 0)
        cost->loop_ns = 0;
    if (cost->cold_ns < cost->loop_ns)
        cost->cold_ns = cost->loop_ns;
    if (cost->loop_within_ns < 0)
        cost->loop_within_ns = 0;
    if (cost->loop_within_ns > cost->loop_ns)
        cost->loop_within_ns = cost->loop_ns;
    if (cost->cold_within_ns < cost->loop_within_ns)
        cost->cold_within_ns = cost->loop_within_ns;
    if (cost->cold_within_ns > cost->cold_ns)
        cost->cold_within_ns = cost->cold_ns;
}

/* Return the cost that recording adds to a call: the time of a recorded call minus the
 * time of the same call without recording. */
static struct mm_call_cost cost_of(struct trial *trial)
{
    struct monitor_method *method = (struct monitor_method *)&trial->method->head;
    struct mm_call_cost cost;
    double none;

    if (!(trial->bare_ns > 0)) {
        trial->bare_ns = least_ns(trial, NULL, &none);
        trial->bare_cold_ns = least_cold_ns(trial, NULL, &none) + trial->bare_ns;
    }
    cost.loop_ns = least_ns(trial, method, &cost.loop_within_ns) - trial->bare_ns;
    cost.cold_ns =
        least_cold_ns(trial, method, &cost.cold_within_ns) - trial->bare_cold_ns;
    cost.loop_within_ns -= trial->bare_ns;
    cost.cold_within_ns -= trial->bare_ns;
    make_sound(&cost);
    return cost;
}

/* --- Trials --------------------------------------------------------------- */

static int begin_trial(struct trial *trial, struct mm_recorder *r,
                       enum mm_storage_mode mode, struct cca_error *err)
{
    memset(trial, 0, sizeof *trial);
    trial->recorder = r;
    trial->call = proxied;
    trial->other_data = calloc(1, OTHER_DATA);
    trial->method = calloc(1, sizeof *trial->method);
    trial->thread = trial->other_data && trial->method ? mm_thread_new(r, 0) : NULL;
    if (!trial->thread) {
        free((void *)trial->other_data);
        free(trial->method);
        return cca_error_set(err, -ENOMEM, "out of memory");
    }
    trial->thread->mode = mode;
    mm_join_here(trial->thread);
    return 0;
}

static void end_trial(struct trial *trial)
{
    mm_leave_here(trial->recorder);
    free(trial->method);
    free((void *)trial->other_data);
}

/* Give the method `ints` integers, followed by `reals` real numbers. */
static void set_values(struct trial *trial, uint32_t id, uint32_t ints, uint32_t reals)
{
    struct mm_method *m = trial->method;

    memset(m, 0, sizeof *m);
    m->id = id;
    m->in.count = ints + reals;
    m->in.int_count = ints;
    for (uint32_t i = 0; i < ints; i++)
        m->in.ints[i] = (unsigned char)i;
    for (uint32_t i = 0; i < reals; i++)
        m->in.doubles[i] = (unsigned char)(ints + i);
    mm_method_prepare(trial->recorder, m);
    mm_method_switch(trial->recorder, m, 1);
}

/* Measure the cost of each kind of row in one storage mode. */
static int measure_kinds(struct mm_recorder *r, enum mm_storage_mode mode,
                         struct mm_call_cost costs[MM_ROW_KINDS], struct cca_error *err)
{
    enum { INTS = 1, REALS = 2 };
    struct mm_call_cost *mixed = &costs[MM_ROW_MIXED];
    double *value_ns = &r->costs.value_ns;
    struct mm_call_cost many;
    struct trial trial;
    int code = begin_trial(&trial, r, mode, err);

    if (code)
        return code;
    mm_hot_choose(r, r->storage.mode == MM_STORE_ROWS ? mode : MM_STORE_AUTO, &r->port);
    set_values(&trial, 0, 2, 0);
    costs[MM_ROW_PAIR] = cost_of(&trial);
    set_values(&trial, 1, 0, 0);
    costs[MM_ROW_INTEGERS] = cost_of(&trial);
    if (mode == MM_STORE_ROWS) {
        set_values(&trial, 2, MANY, 0);
        many = cost_of(&trial);
        *value_ns = (many.loop_ns - costs[MM_ROW_INTEGERS].loop_ns) / MANY;
        if (*value_ns < 0)
            *value_ns = 0;
    }
    set_values(&trial, 3, INTS, REALS);
    *mixed = cost_of(&trial);
    mixed->loop_ns -= (INTS + REALS) * *value_ns;
    mixed->cold_ns -= (INTS + REALS) * *value_ns;
    make_sound(mixed);
    mm_hot_choose(r, r->storage.mode, &r->port);
    end_trial(&trial);
    return 0;
}

int mm_call_cost_measure(struct mm_recorder *r, struct cca_error *err)
{
    struct mm_call_costs *costs = &r->costs;
    int code = measure_kinds(r, MM_STORE_ROWS, costs->rows, err);

    return code ? code : measure_kinds(r, MM_STORE_AGGREGATES, costs->sums, err);
}

int mm_recorder_entry(struct mm_recorder *r, enum mm_entry_kind entry, int pair,
                      mm_entry_function *call, void *context, struct cca_error *err)
{
    const struct mm_call_cost *proxy =
        &r->costs.rows[pair ? MM_ROW_PAIR : MM_ROW_INTEGERS];
    struct mm_call_cost cost;
    struct trial trial;
    int code = begin_trial(&trial, r, MM_STORE_ROWS, err);

    if (code)
        return code;
    set_values(&trial, 0, pair ? 2 : 0, 0);
    trial.call = call;
    trial.context = context;
    cost = cost_of(&trial);
    cost.loop_ns -= proxy->loop_ns;
    cost.cold_ns -= proxy->cold_ns;
    cost.loop_within_ns -= proxy->loop_within_ns;
    cost.cold_within_ns -= proxy->cold_within_ns;
    make_sound(&cost);
    r->costs.entries[entry] = cost;
    end_trial(&trial);
    return 0;
}

/* --- Counters ------------------------------------------------------------- */

/* Return the time in ns that it takes to read the counters `count` times. */
static int64_t extra_reads_ns(struct mm_recorder *r, int count)
{
    int64_t values[MM_MAX_COUNTERS], start = cca_clock_ns(CLOCK_MONOTONIC);

    for (int i = 0; i < count; i++) {
        r->options.read_counters(r->options.context, values);
    }
    return cca_clock_ns(CLOCK_MONOTONIC) - start;
}

/* Add the cost of counters to all kinds of rows. The counters are read before the first
 * and after the second clock reading of a call, and calls with counters use the code for
 * methods with mixed types of values. */
static void add_extra(struct mm_call_cost costs[MM_ROW_KINDS], double extra_ns)
{
    costs[MM_ROW_MIXED].loop_ns += extra_ns;
    costs[MM_ROW_MIXED].cold_ns += extra_ns;
    costs[MM_ROW_PAIR] = costs[MM_ROW_INTEGERS] = costs[MM_ROW_MIXED];
}

void mm_call_cost_extra(struct mm_recorder *r)
{
    enum { READS = 200 };
    int64_t least = INT64_MAX, ns;
    double extra;

    extra_reads_ns(r, 1); /* the first reading of the counters may be slow */
    for (int batch = 0; batch < BATCHES; batch++) {
        ns = extra_reads_ns(r, READS);
        if (ns < least)
            least = ns;
    }
    extra = 2.0 * (double)least / READS;
    add_extra(r->costs.rows, extra);
    add_extra(r->costs.sums, extra);
}

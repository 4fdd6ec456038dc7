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
#include "common/statistics.h"

enum { BATCHES = 8, CALLS = 160 };
enum { COLD_BATCHES = 6, COLD_CALLS = 8, OTHER_DATA = 48 * 1024, LINE = 64 };
/* A call with cold caches takes two to five times as long as in a loop; if it seems to
 * take MOST_TIMES as long, something else ran meanwhile, and it is timed again. */
enum { MOST_TIMES = 10, COLD_TRIES = 4 };
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
    int is_bare_known;
    struct timing {    /* in multiples of mm_pace_ticks, so that it does not matter */
        double all;    /* whether something else ran on the core; one call */
        double within; /* its part between the clock readings */
    } bare, bare_cold; /* without recording, in a loop and with cold caches */
};

/* --- Calls ---------------------------------------------------------------- */

static const union monitor_value small[MANY] = {{.i = 1}, {.i = 64}, {.i = 65536}},
                                 large[2] = {{.i = INT64_MAX}, {.i = 64}};

static __attribute__((noinline)) void nothing(void)
{
    __asm__ volatile("");
}

static void (*volatile target)(void) = nothing;

/* Make a call as a proxy does; `context` is its in-values. */
static __attribute__((noinline)) void proxied(void *context, struct monitor_port *port,
                                              struct monitor_method *method)
{
    struct monitor_frame *frame;

    if (!method) {
        target();
        return;
    }
    frame = port->begin(port, method, context);
    target();
    port->end(port, frame, NULL);
}

/* Make a batch of calls at a stack address that differs from the previous batch's: calls
 * take half as long again where the stack is a multiple of 4 KiB away from other data. */
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

/* As batch_ticks, but other data pass through the nearest cache between the calls;
 * `method` NULL: without the calls. */
static __attribute__((noinline)) uint64_t cold_ticks(const struct trial *trial,
                                                     struct monitor_method *method)
{
    uint64_t start = mm_clock_ticks(trial->recorder->tsc);

    for (int i = 0; i < COLD_CALLS; i++) {
        for (int at = 0; at < OTHER_DATA; at += LINE)
            trial->other_data[at]++;
        if (method)
            trial->call(trial->context, &trial->recorder->port, method);
    }
    return mm_clock_ticks(trial->recorder->tsc) - start;
}

/* The median of batches of calls, each divided by the pace before and after it; `method`
 * NULL: without recording. */
static struct timing time_calls(const struct trial *trial, struct monitor_method *method,
                                int is_cold)
{
    /* total time of the calls between their clock readings */
    const uint64_t *own = &trial->thread->root.children;
    const int tsc = trial->recorder->tsc, count = is_cold ? COLD_BATCHES : BATCHES,
              calls = is_cold ? COLD_CALLS : CALLS;
    double all[BATCHES], within[BATCHES];
    uint64_t before = mm_pace_ticks(tsc), after;

    for (int i = 0; i < count; i++) {
        uint64_t inside = *own, ticks = is_cold ? cold_ticks(trial, method)
                                                : batch_ticks(trial, method, i);

        after = mm_pace_ticks(tsc);
        all[i] = 2 * (double)ticks / (double)(before + after);
        within[i] = 2 * (double)(*own - inside) / (double)(before + after);
        before = after;
        if (method) /* start each batch at the same part of the window */
            mm_thread_roll(trial->thread, 0);
    }
    return (struct timing){cca_median(all, (size_t)count) / calls,
                           cca_median(within, (size_t)count) / calls};
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

/* Time calls with cold caches. All batches are over in 0.1 ms, so that a burst of other
 * work on the host can cover them; of several attempts the fastest counts. `loop_all` is
 * the cost of recording one call in a loop. */
static struct timing time_cold(const struct trial *trial, struct monitor_method *method,
                               double loop_all)
{
    struct timing least = time_calls(trial, method, 1), again;

    for (int i = 1; i < COLD_TRIES && loop_all > 0 &&
                    least.all - trial->bare_cold.all > MOST_TIMES * loop_all;
         i++) {
        again = time_calls(trial, method, 1);
        if (again.all < least.all)
            least = again;
    }
    return least;
}

/* The cost added to a call by recording: the measured cost minus the cost of the same
 * call without recording. */
static struct mm_call_cost cost_of(struct trial *trial)
{
    struct monitor_method *method = (struct monitor_method *)&trial->method->head;
    const struct mm_recorder *r = trial->recorder;
    double unit = (double)r->pace_ticks * r->ns_per_tick;
    struct mm_call_cost cost;
    struct timing loop, cold;

    if (!trial->is_bare_known) {
        trial->bare = time_calls(trial, NULL, 0);
        trial->bare_cold = time_calls(trial, NULL, 1);
        trial->bare_cold.all += trial->bare.all;
        trial->is_bare_known = 1;
    }
    loop = time_calls(trial, method, 0);
    cold = time_cold(trial, method, loop.all - trial->bare.all);
    cost = (struct mm_call_cost){
        .loop_ns = (loop.all - trial->bare.all) * unit,
        .cold_ns = (cold.all - trial->bare_cold.all) * unit,
        .loop_within_ns = (loop.within - trial->bare.all) * unit,
        .cold_within_ns = (cold.within - trial->bare.all) * unit,
    };
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
    trial->context = (void *)small;
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
    struct mm_call_cost *mixed = &costs[MM_ROW_MIXED], *wide = &costs[MM_ROW_LARGE];
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
    *wide = *mixed;
    if (mode == MM_STORE_ROWS) {
        set_values(&trial, 4, 2, 0);
        trial.context = (void *)large;
        *wide = cost_of(&trial);
        wide->loop_ns -= 2 * *value_ns;
        wide->cold_ns -= 2 * *value_ns;
        make_sound(wide);
    }
    mm_hot_choose(r, r->storage.mode, &r->port);
    end_trial(&trial);
    return 0;
}

int mm_call_cost_measure(struct mm_recorder *r, struct cca_error *err)
{
    struct mm_call_costs *costs = &r->costs;
    int code;

    mm_pace_begin(r);
    code = measure_kinds(r, MM_STORE_ROWS, costs->rows, err);
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
    costs[MM_ROW_LARGE].loop_ns += extra_ns;
    costs[MM_ROW_LARGE].cold_ns += extra_ns;
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

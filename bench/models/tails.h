/* SPDX-License-Identifier: BSD-3-Clause */
/* tails.h: runs in memory whose costs have a tail, and the sums that models give of them.
 *
 * A run has calls of one method at eight sizes: two populations (1:10 to 1:1000, 1 to
 * 50 % of the calls), log-normal, a dear first call, every k-th call dear, drift, or
 * pauses of the host that the rows give evidence of. It is stored as rows, as samples
 * (aggregates, and a row of one call in 16) or as aggregates. */
#ifndef BENCH_MODELS_TAILS_H
#define BENCH_MODELS_TAILS_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/models/random.h"
#include "mastermind/forecast/models/modelled.h"

enum { SIZES = 8, SAMPLE = 32, ONE_IN = 16, MOST_CALLS = SIZES * 400 };

enum kind { BIMODAL, LOGNORMAL, FIRST, KTH, DRIFT, PAUSED, KINDS };
static const char *const kind_names[KINDS] = {"bimodal",    "lognormal", "first call",
                                              "every k-th", "drift",     "host pauses"};

enum storage { ROWS, SAMPLES, AGGREGATES, STORAGES };
static const char *const storage_names[STORAGES] = {"rows", "samples", "aggregates"};

static inline double random_between(double low, double high)
{
    return low + (high - low) * random_unit();
}

static inline double random_log(double low, double high)
{
    return low * pow(high / low, random_unit());
}

/* --- A run in memory ------------------------------------------------------- */
struct sum {
    struct mm_aggregate aggregate;
    union monitor_value in[1];
    double sample[SAMPLE], mean, m2;
};

struct run {
    enum kind kind;
    char about[128];
    char name[16];
    struct mm_method_info method, *methods[1];
    struct mm_value_info value;
    struct mm_row rows[MOST_CALLS];
    union monitor_value in[MOST_CALLS];
    struct mm_context context;
    struct sum sums[SIZES];
    size_t calls;
    enum storage storage;
    double undisturbed_ns;
};

/* Factor of call `i` of `calls`, of a run whose tail is `share` and `ratio`. */
static inline double run_factor(const struct run *run, size_t i, double share,
                                double ratio)
{
    switch (run->kind) {
    case BIMODAL:
        return random_unit() < share ? ratio : 1;
    case LOGNORMAL:
        return exp(ratio * random_normal() - .5 * ratio * ratio);
    case FIRST:
        return i ? 1 : ratio;
    case KTH:
        return i % (size_t)lround(1 / share) ? 1 : ratio;
    case DRIFT:
        return 1 + ratio * (double)i / (double)run->calls;
    default:
        return 1;
    }
}

static inline void run_describe(struct run *run, double *share, double *ratio)
{
    *share = random_log(.01, .5);
    *ratio = random_log(10, 1000);
    if (run->kind == LOGNORMAL)
        *ratio = random_between(.1, 1.5);
    if (run->kind == DRIFT)
        *ratio = random_between(.1, .6);
    if (run->kind == PAUSED)
        *share = random_log(.01, .2);
    snprintf(run->about, sizeof run->about, "%s, share %.3f, ratio %.3g",
             kind_names[run->kind], *share, *ratio);
}

/* Make the calls: a power law with a constant, noise of 1 to 5 %, and the tail; sizes one
 * after the other, or mixed. */
static inline void run_make(struct run *run, enum kind kind, uint64_t seed)
{
    static const double powers[] = {0, .5, 1, 1, 1.5, 2};
    double share, ratio, base, slope, power, noise;
    size_t each;
    int mixed, evidence;

    memset(run, 0, sizeof *run);
    random_state = seed;
    run->kind = kind;
    run_describe(run, &share, &ratio);
    each = (size_t)random_between(30, 400);
    run->calls = SIZES * each;
    power = powers[(int)random_between(0, 6)];
    base = random_log(500, 50000);
    slope = base * random_log(.1, 10);
    noise = random_between(.01, .05);
    mixed = random_unit() < .6;
    evidence = kind == PAUSED || random_unit() < .5;
    run->value =
        (struct mm_value_info){.name = "n", .type = MONITOR_INT64, .kind = MONITOR_PARAM};
    run->method = (struct mm_method_info){.instance = "a",
                                          .port = "p",
                                          .method = "m",
                                          .class_name = "A",
                                          .build_id = "b",
                                          .port_type = "t/1",
                                          .name = run->name,
                                          .values = &run->value,
                                          .value_count = 1,
                                          .in_count = 1};
    run->methods[0] = &run->method;
    for (size_t i = 0, start = 0; i < run->calls; i++) {
        size_t size = mixed ? (size_t)random_between(0, SIZES) : i / each;
        double n = 64 << size;
        double ns = (base + slope * pow(n / 64, power)) * (1 + noise * random_normal()) *
                    run_factor(run, i, share, ratio);
        double pause =
            kind == PAUSED && random_unit() < share ? random_between(1e6, 8e6) : 0;

        ns = fmax(round(ns), 1);
        pause = round(pause);
        run->undisturbed_ns += ns;
        run->in[i].i = (int64_t)n;
        run->rows[i] =
            (struct mm_row){.method = &run->method,
                            .invocation = i + 1,
                            .start_ns = (int64_t)start,
                            .wall_ns = (int64_t)(ns + pause),
                            .exclusive_ns = (int64_t)(ns + pause),
                            .cpu_ns = -1,
                            .lost_ns = evidence ? (int64_t)pause : -1,
                            .lost_exclusive_ns = evidence ? (int64_t)pause : -1,
                            .values = &run->in[i]};
        start += (size_t)(ns + pause) + 1000;
    }
}

static inline void sum_add(struct sum *s, const struct mm_row *row)
{
    struct mm_sum *e = &s->aggregate.exclusive;
    double ns = (double)row->exclusive_ns, change;

    s->aggregate.calls++;
    change = ns - s->mean;
    s->mean += change / (double)s->aggregate.calls;
    s->m2 += change * (ns - s->mean);
    e->sum_ns += row->exclusive_ns;
    e->squares_ns2 += ns * ns;
    e->m2_ns2 = s->m2;
    if (s->aggregate.calls == 1 || row->exclusive_ns < e->min_ns)
        e->min_ns = row->exclusive_ns;
    if (row->exclusive_ns > e->max_ns)
        e->max_ns = row->exclusive_ns;
    if (s->aggregate.sample_count < SAMPLE)
        s->sample[s->aggregate.sample_count++] = ns;
    else if (random_unit() * (double)s->aggregate.calls < SAMPLE)
        s->sample[(int)random_between(0, SAMPLE)] = ns;
    s->aggregate.wall = *e;
}

/* Store the calls the way that `storage` says. */
static inline void run_store(struct run *run, enum storage storage)
{
    run->storage = storage;
    memset(run->sums, 0, sizeof run->sums);
    run->context = (struct mm_context){.method = &run->method, .caller_known = 1};
    for (size_t i = 0; i < SIZES; i++) {
        struct sum *s = &run->sums[i];

        s->in[0].i = 64 << i;
        s->aggregate = (struct mm_aggregate){.method = &run->method,
                                             .context = &run->context,
                                             .values = s->in,
                                             .sample = s->sample};
    }
    for (size_t i = 0; i < run->calls; i++) {
        run->rows[i].counted = storage != ROWS;
        sum_add(&run->sums[(int)lround(log2((double)run->in[i].i / 64))], &run->rows[i]);
    }
}

static inline int run_walk(void *context, mm_row_function function,
                           void *function_context, struct cca_error *err)
{
    struct run *run = context;

    (void)err;
    for (size_t i = 0; i < run->calls && run->storage != AGGREGATES; i++) {
        int result;

        if (run->storage == SAMPLES && random_unit() > 1.0 / ONE_IN)
            continue;
        result = function(&run->rows[i], function_context);
        if (result)
            return result;
    }
    return 0;
}

static inline int run_walk_aggregates(void *context, mm_aggregate_function function,
                                      void *function_context, struct cca_error *err)
{
    struct run *run = context;

    (void)err;
    for (size_t i = 0; i < SIZES; i++) {
        int result;

        if (run->storage == ROWS || !run->sums[i].aggregate.calls)
            continue;
        result = function(&run->sums[i].aggregate, function_context);
        if (result)
            return result;
    }
    return 0;
}

/* --- Predicted beside measured
 * ------------------------------------------------------------- */
struct answer {
    double predicted, measured, half;
};

static inline int run_predict(struct run *run, struct answer *answer)
{
    struct mm_row_source source = {.name = "run",
                                   .methods = run->methods,
                                   .method_count = 1,
                                   .walk = run_walk,
                                   .walk_aggregates = run_walk_aggregates,
                                   .context = run};
    struct cca_error err = {0};
    struct mm_profile *profile = mm_profile_new(&source, NULL, &err);
    struct mm_library *library = profile ? mm_library_new(&profile, 1, &err) : NULL;
    struct mm_modelled modelled;
    int result = library ? mm_modelled_find(&modelled, library, profile, 0) : -1;

    if (!result)
        *answer = (struct answer){modelled.cost_ns,
                                  (double)profile->dual->vertices[0].exclusive_ns,
                                  modelled.half_ns};
    else
        fprintf(stderr, "sums: %s: %s\n", run->about, err.text);
    mm_library_free(library);
    mm_profile_free(profile);
    return result;
}

/* A sum is right within 2 % of the truth, or with the truth inside its interval; pauses
 * of the host are no part of the truth, and no interval may cover them. */
static inline int answer_is_within(const struct run *run, const struct answer *a)
{
    double truth = run->kind == PAUSED ? run->undisturbed_ns : a->measured;

    return fabs(a->predicted - truth) <= .02 * truth;
}

static inline int answer_is_right(const struct run *run, const struct answer *a)
{
    return answer_is_within(run, a) ||
           (run->kind != PAUSED && fabs(a->predicted - a->measured) <= a->half);
}

/* Make run number `i` of a seed: half of them have two populations, as their shares and
 * ratios span most. */
static inline void run_number(struct run *run, int seed, int i)
{
    static const enum kind kinds[] = {BIMODAL,   BIMODAL, BIMODAL, BIMODAL, BIMODAL,
                                      LOGNORMAL, FIRST,   KTH,     DRIFT,   PAUSED};

    run_make(run, kinds[i % 10], (uint64_t)seed * 1000003 + (uint64_t)i);
}

/* Storage modes that a run is tried with: aggregates have no evidence of the host. */
static inline int run_storages(const struct run *run)
{
    return run->kind == PAUSED ? 1 : STORAGES;
}

#endif

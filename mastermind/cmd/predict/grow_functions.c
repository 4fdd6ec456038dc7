/* SPDX-License-Identifier: BSD-3-Clause */
/* grow_functions.c: models of the functions of a program, from the samples of its runs.
 *
 * A point of a model is one run: CPU time of all calls of the function in it. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "mastermind/cmd/predict/grow.h"

#define LEAST_SHARE                                                                      \
    .03 /* a function with less of the largest runs' time has no model                   \
         */
/* Least CPU time in s of a run that its samples, a thousandth of a second apart, divide
 * among functions. */
#define LEAST_RUN_S .02
/* Least CPU time in s of a run that must have samples of a function with a model. */
#define LEAST_STEADY_S .1

/* Sum of a function's time over the finished runs of a size, as a share of their time. */
struct candidate {
    const char *name; /* borrowed from the runs */
    double share;
};

struct candidates {
    struct candidate *items;
    size_t count;
};

static int add_share(struct candidates *candidates, const char *name, double share)
{
    struct candidate *item = NULL;

    for (size_t i = 0; i < candidates->count && !item; i++)
        if (strcmp(candidates->items[i].name, name) == 0)
            item = &candidates->items[i];
    if (!item)
        item = cca_array_add(&candidates->items, &candidates->count, sizeof *item);
    if (!item)
        return -ENOMEM;
    item->name = name;
    item->share += share;
    return 0;
}

static int share_order(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;

    return a->share != b->share ? (a->share < b->share) - (a->share > b->share)
                                : strcmp(a->name, b->name);
}

/* The largest size with finished runs. */
static size_t largest_size(const struct grow *grow)
{
    size_t at = grow_axis(grow)->count - 1;

    while (at && !grow->sizes[at].runs)
        at--;
    return at;
}

static int find_candidates(const struct grow *grow, struct candidates *candidates)
{
    size_t size = largest_size(grow), end = grow->sweep.plan->run_count;
    double all = grow->sizes[size].time_s * (double)grow->sizes[size].runs;
    int result = 0;

    for (size_t i = grow_next_run(grow, size, 0); i < end && !result;
         i = grow_next_run(grow, size, i + 1)) {
        const char *name;
        json_t *seconds;

        json_object_foreach(grow->sweep.runs[i].functions, name, seconds) if (!result)
            result = add_share(candidates, name, json_number_value(seconds) / all);
    }
    if (candidates->count)
        qsort(candidates->items, candidates->count, sizeof *candidates->items,
              share_order);
    return result;
}

/* True if all sizes with long enough runs have samples of a function: one of several
 * kernels for special sizes has no scaling function. */
static int is_steady(const struct grow *grow, const char *name)
{
    size_t end = grow->sweep.plan->run_count;

    for (size_t size = 0; size < grow_axis(grow)->count; size++) {
        double sum = 0;

        if (!(grow->sizes[size].time_s >= LEAST_STEADY_S))
            continue;
        for (size_t i = grow_next_run(grow, size, 0); i < end;
             i = grow_next_run(grow, size, i + 1))
            sum +=
                json_number_value(json_object_get(grow->sweep.runs[i].functions, name));
        if (!(sum > 0))
            return 0;
    }
    return 1;
}

/* CPU time in s of a function in a run; of all other functions with "" as its name. */
static double function_time(const struct grow *grow, size_t run, const char *name)
{
    const struct sweep_run *of = &grow->sweep.runs[run];
    double rest = of->cpu_s;

    if (*name)
        return json_number_value(json_object_get(of->functions, name));
    for (size_t i = 0; i < grow->function_count; i++)
        rest -=
            json_number_value(json_object_get(of->functions, grow->functions[i].name));
    return fmax(rest, 0);
}

/* Add a run as a point of a function's model. */
static int add_run(struct mm_points *points, double size, size_t run,
                   const struct grow *grow, const char *name)
{
    const struct sweep_run *of = &grow->sweep.runs[run];
    const union monitor_value values[] = {{.d = size}, {.d = of->peak_bytes}};
    const struct mm_call call = {.ns = 1e9 * function_time(grow, run, name),
                                 .lost_ns = -1,
                                 .number = (uint32_t)(run + 1)};

    return mm_points_add_call(points, values, &call);
}

/* Fit the time of a function; "": of all others. Returns 0, -ENODATA or -ENOMEM. */
static int fit(const struct grow *grow, const char *name, struct mm_model *model)
{
    const struct sweep_axis *axis = grow_axis(grow);
    struct mm_value_info values[] = {
        {.name = sweep_axis_parameter(axis),
         .type = MONITOR_DOUBLE,
         .kind = MONITOR_PARAM},
        {.name = MM_PEAK_BYTES, .type = MONITOR_DOUBLE, .kind = MONITOR_OUT}};
    char any[] = "function";
    const struct mm_method_info method = {.instance = "program",
                                          .port = "program",
                                          .method = any,
                                          .class_name = "program",
                                          .build_id = "",
                                          .port_type = "program",
                                          .name = any,
                                          .values = values,
                                          .value_count = 2,
                                          .in_count = 1};
    union monitor_value no_modes[MONITOR_MAX_IN] = {{0}};
    struct cca_error err = {0};
    struct mm_points points;
    size_t sizes = 0;
    int result = 0;

    mm_points_init(&points, &method);
    points.host_free = 1;
    for (size_t k = 0; k < axis->count && !result; k++) {
        if (!(grow->sizes[k].time_s >= LEAST_RUN_S))
            continue;
        sizes++;
        for (size_t i = grow_next_run(grow, k, 0);
             i < grow->sweep.plan->run_count && !result;
             i = grow_next_run(grow, k, i + 1))
            result = add_run(&points, axis->numbers[k], i, grow, name);
    }
    if (!result)
        result =
            sizes >= 2 ? mm_model_fit(model, &points, no_modes, NULL, &err) : -ENODATA;
    mm_points_done(&points);
    return result;
}

static int add_function(struct grow *grow, const char *name, double share)
{
    struct grow_function *function = &grow->functions[grow->function_count];
    int result = fit(grow, name, &function->model);

    if (result && result != -ENODATA)
        return result;
    function->has_model = !result;
    function->share = share;
    snprintf(function->name, sizeof function->name, "%s",
             *name ? name : "(everything else)");
    grow->function_count++;
    return 0;
}

/* Set the shares of all functions at the predicted sizes. */
static void find_shares(struct grow *grow)
{
    for (size_t k = 0; k < grow->at_count; k++) {
        const union monitor_value in = {.d = strtod(grow->at[k], NULL)};
        double sum = 0;

        for (size_t i = 0; i < grow->function_count; i++) {
            struct grow_function *function = &grow->functions[i];

            function->share_at[k] =
                function->has_model ? mm_model_mean_ns(&function->model, &in) : NAN;
            sum += function->share_at[k];
        }
        for (size_t i = 0; i < grow->function_count; i++)
            grow->functions[i].share_at[k] /= sum;
        grow->sum_ns[k] = grow->function_count ? sum : NAN;
    }
}

int grow_find_functions(struct grow *grow)
{
    struct candidates candidates = {NULL, 0};
    double rest = 1;
    int result = grow->sweep.is_plain ? find_candidates(grow, &candidates) : 0;

    for (size_t i = 0; i < candidates.count && i < GROW_FUNCTIONS && !result; i++)
        if (candidates.items[i].share >= LEAST_SHARE &&
            is_steady(grow, candidates.items[i].name)) {
            result =
                add_function(grow, candidates.items[i].name, candidates.items[i].share);
            rest -= candidates.items[i].share;
        }
    if (!result && grow->function_count && rest > .001)
        result = add_function(grow, "", rest);
    free(candidates.items);
    if (result)
        return mm_no_memory();
    find_shares(grow);
    return -1;
}

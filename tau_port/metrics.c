/* SPDX-License-Identifier: BSD-3-Clause */
/* metrics.c: the metrics of a Measurement port, made from a list of names. */
#include "tau_port/metrics.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/array.h"

static const struct {
    const char *name;
    clockid_t clock;
} clocks[] = {
    {"TIME", CLOCK_MONOTONIC},
    {"CPU_TIME", CLOCK_THREAD_CPUTIME_ID},
    {"PROCESS_CPU_TIME", CLOCK_PROCESS_CPUTIME_ID},
};
enum { CLOCK_COUNT = sizeof clocks / sizeof *clocks };

static const char too_many[] = "too many metrics at once";

/* A list's metrics under construction, and the functions that make them. */
struct maker {
    struct meas_metrics *metrics;
    int use_papi;
    meas_soft_function soft;
    void *context;
    long long (*read)(void *counter);
};

static int put_absent(struct meas_metrics *metrics, const char *name, const char *why)
{
    struct meas_absent absent = {strdup(name), strdup(why)};

    if (!absent.name || !absent.why ||
        cca_array_reserve(&metrics->absent, (size_t)metrics->absent_count,
                          sizeof absent)) {
        free(absent.name);
        free(absent.why);
        return -ENOMEM;
    }
    metrics->absent[metrics->absent_count++] = absent;
    return 0;
}

static int put_metric(struct meas_metrics *metrics, int at, struct meas_metric metric)
{
    metric.name = strdup(metric.name);
    if (!metric.name)
        return -ENOMEM;
    memmove(&metrics->items[at + 1], &metrics->items[at],
            (size_t)(metrics->count - at) * sizeof metric);
    metrics->items[at] = metric;
    metrics->count++;
    return 0;
}

static int known(const struct meas_metrics *metrics, const char *name)
{
    for (int i = 0; i < metrics->count; i++)
        if (strcmp(metrics->items[i].name, name) == 0)
            return 1;
    for (int i = 0; i < metrics->absent_count; i++)
        if (strcmp(metrics->absent[i].name, name) == 0)
            return 1;
    return 0;
}

/* Add a soft counter, "sde:::godunov::riemann_iterations". PAPI reads it if it can, so
 * that the value agrees with other readers of PAPI. */
static int put_soft(struct maker *maker, char *name)
{
    struct meas_metric metric = {.name = name, .unit = "count", .papi = -1};
    struct cca_error err = {0};
    char *copy = strdup(name), *component, *counter;
    int result = 0;

    if (!copy)
        return -ENOMEM;
    component = copy + strlen(MEAS_SOFT_PREFIX);
    counter = strstr(component, "::");
    if (counter) {
        *counter = '\0';
        counter += 2;
        metric.soft = maker->soft(maker->context, component, counter, &err);
    } else {
        cca_error_set(&err, -EINVAL, "expected " MEAS_SOFT_PREFIX "COMPONENT::COUNTER");
    }
    if (metric.soft && maker->use_papi &&
        meas_papi_publish(component, counter, maker->read, metric.soft, NULL) == 0)
        metric.papi = meas_papi_add(maker->metrics->papi, name, NULL);
    if (metric.papi < 0)
        metric.papi = -1;
    if (metric.soft)
        result = put_metric(maker->metrics, maker->metrics->count, metric);
    else
        result =
            err.code == -ENOMEM ? -ENOMEM : put_absent(maker->metrics, name, err.text);
    maker->metrics->uses_papi |= metric.papi >= 0;
    free(copy);
    return result;
}

/* Report a lower-case name: our names are in capitals, like PAPI's presets. */
static int put_misspelt(struct maker *maker, const char *name, const char *meant)
{
    char why[64];

    snprintf(why, sizeof why, "there is none; did you mean %s?", meant);
    return put_absent(maker->metrics, name, why);
}

static int put_papi(struct maker *maker, char *name)
{
    struct meas_metric metric = {.name = name, .unit = "count"};
    struct cca_error err = {0};

    for (int i = 0; i < CLOCK_COUNT; i++)
        if (strcasecmp(name, clocks[i].name) == 0)
            return put_misspelt(maker, name, clocks[i].name);
    if (!maker->use_papi)
        return put_absent(maker->metrics, name, "PAPI is switched off");
    metric.papi = meas_papi_add(maker->metrics->papi, name, &err);
    if (metric.papi < 0)
        return put_absent(maker->metrics, name, err.text);
    maker->metrics->uses_papi = 1;
    return put_metric(maker->metrics, maker->metrics->count, metric);
}

/* Add the metrics that are times kept by a library of wrappers. */
static int put_times(struct maker *maker, const struct meas_times_word *word)
{
    struct meas_metrics *metrics = maker->metrics;
    const struct meas_times *times = dlsym(RTLD_DEFAULT, word->symbol);
    int result = 0;

    if (!times)
        return put_absent(metrics, word->word, word->why);
    for (int i = 0; i < times->count && !result; i++) {
        struct meas_metric metric = {.name = (char *)times->names[i],
                                     .unit = "ns",
                                     .papi = -1,
                                     .times = times,
                                     .place = i};

        if (known(metrics, metric.name))
            continue;
        result = metrics->count == MEAS_METRICS_MOST
                     ? put_absent(metrics, metric.name, too_many)
                     : put_metric(metrics, metrics->count, metric);
    }
    return result;
}

static int put_named(struct maker *maker, char *name)
{
    const struct meas_times_word *word = meas_times_find(name, strlen(name));
    struct meas_metrics *metrics = maker->metrics;

    if (!*name || known(metrics, name))
        return 0;
    if (metrics->count == MEAS_METRICS_MOST)
        return put_absent(metrics, name, too_many);
    if (word)
        return put_times(maker, word);
    for (int i = 0; i < CLOCK_COUNT; i++)
        if (strcmp(name, clocks[i].name) == 0)
            return put_metric(metrics, i < 2 ? i : metrics->count,
                              (struct meas_metric){.name = name,
                                                   .unit = "ns",
                                                   .clock = 1,
                                                   .clock_id = clocks[i].clock,
                                                   .papi = -1});
    if (strcmp(name, "MPI_TIME") == 0 || strcmp(name, "COMPUTE_TIME") == 0)
        return metrics->mpi_why ? put_absent(metrics, name, metrics->mpi_why) : 0;
    if (strncmp(name, MEAS_SOFT_PREFIX, strlen(MEAS_SOFT_PREFIX)) == 0 &&
        !(maker->use_papi && meas_papi_is_foreign(name)))
        return put_soft(maker, name);
    return put_papi(maker, name);
}

int meas_metrics_init(struct meas_metrics *metrics, const char *list, int use_papi,
                      meas_soft_function soft, void *context,
                      long long (*read)(void *counter))
{
    struct maker maker = {metrics, use_papi, soft, context, read};
    char time[] = "TIME", *copy = strdup(list), *rest = copy, *name;
    int result, empty = 1;

    metrics->papi = meas_papi_new();
    result = copy && metrics->papi ? put_named(&maker, time) : -ENOMEM;
    while (!result && (name = strsep(&rest, ","))) {
        name += strspn(name, " \t");
        for (size_t end = strlen(name); end && strchr(" \t", name[end - 1]); end--)
            name[end - 1] = '\0';
        empty &= !*name;
        result = put_named(&maker, name);
    }
    if (!result && *list && empty)
        result = put_absent(metrics, list, "there is no name in this list");
    free(copy);
    return result;
}

void meas_metrics_done(struct meas_metrics *metrics)
{
    for (int i = 0; i < metrics->count; i++) {
        if (metrics->items[i].soft)
            meas_papi_retract(metrics->items[i].soft);
        free(metrics->items[i].name);
    }
    for (int i = 0; i < metrics->absent_count; i++) {
        free(metrics->absent[i].name);
        free(metrics->absent[i].why);
    }
    free(metrics->absent);
    meas_papi_free(metrics->papi);
    *metrics = (struct meas_metrics){0};
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* counting.c: the metrics of a Measurement port, and the Counters port.
 *
 * A counter that components publish has a cell in each thread that counts with it, so
 * a thread reads only its own counts. PAPI, if present, reads the reading thread's
 * cell as a software-defined event. */
#include "tau_port/state.h"

#include "common/array.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"

enum { MAX_COUNTERS = 65536 };

/* --- Counters ------------------------------------------------------------- */

/* Whether the name fits into "sde:::A::B" and into a list of metrics. */
static int name_fits(const char *name)
{
    return name && *name &&
           name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                             "0123456789_-.")] == '\0';
}

/* Find a counter by name, or make it. The caller holds meas->lock. */
static struct meas_counter *counter_locked(struct meas *meas, const char *name,
                                           struct cca_error *err)
{
    const struct meas_name *entry =
        meas_names_get(&meas->counters, name, NULL, MAX_COUNTERS, err);
    struct meas_counter *counter;

    if (!entry)
        return NULL;
    if (cca_array_extend(&meas->by_id, &meas->by_id_count, sizeof(struct meas_counter *),
                         meas->counters.count) ||
        (!meas->by_id[entry->id] &&
         !(meas->by_id[entry->id] = calloc(1, sizeof *counter)))) {
        cca_no_memory(err);
        return NULL;
    }
    counter = meas->by_id[entry->id];
    counter->meas = meas;
    counter->id = entry->id;
    return counter;
}

static struct meas_counter *find_counter(void *context, const char *component,
                                         const char *name, struct cca_error *err)
{
    struct meas *meas = context;
    struct cca_error own = {0};
    struct meas_counter *counter;
    char *full;

    if (!name_fits(component) || !name_fits(name)) {
        cca_error_set(err, -EINVAL,
                      "a counter and its component are named with letters, digits, '_', "
                      "'-' and '.'");
        return NULL;
    }
    if (asprintf(&full, "%s::%s", component, name) < 0) {
        cca_no_memory(err);
        return NULL;
    }
    pthread_mutex_lock(&meas->lock);
    counter = counter_locked(meas, full, &own);
    pthread_mutex_unlock(&meas->lock);
    free(full);
    if (!counter)
        cca_error_set(err, own.code, "%s", own.text);
    return counter;
}

static struct meas *meas_of_counters(struct counters_port *self)
{
    return cca_container_of(self, struct meas, counters_port);
}

static int publish(struct counters_port *self, const char *component, const char *name,
                   struct cca_error *err)
{
    struct cca_error own = {0};
    struct meas_counter *counter =
        find_counter(meas_of_counters(self), component, name, &own);

    if (!counter)
        return cca_error_set(err, own.code, "%s", own.text);
    __atomic_store_n(&counter->published, 1, __ATOMIC_RELEASE);
    return counter->id;
}

/* Give the thread a cell for each counter that is known now. */
static int more_cells(struct meas *meas, struct meas_thread *thread, int id)
{
    int64_t *grown;
    int count;

    pthread_mutex_lock(&meas->lock);
    count = (int)meas->counters.count;
    pthread_mutex_unlock(&meas->lock);
    if (id < 0 || id >= count)
        return -EINVAL;
    grown = realloc(thread->cells, (size_t)count * sizeof *grown);
    if (!grown)
        return -ENOMEM;
    memset(grown + thread->cell_count, 0,
           (size_t)(count - thread->cell_count) * sizeof *grown);
    thread->cells = grown;
    thread->cell_count = count;
    return 0;
}

static int count_amount(struct counters_port *self, int id, int64_t amount)
{
    struct meas *meas = meas_of_counters(self);
    struct meas_thread *thread = meas_this_thread(meas);
    int result = 0;

    if (!thread)
        return -ENOMEM;
    if (id < 0 || id >= thread->cell_count)
        result = more_cells(meas, thread, id);
    if (!result) /* the count wraps around without an error, like a hardware counter */
        thread->cells[id] = (int64_t)((uint64_t)thread->cells[id] + (uint64_t)amount);
    return result;
}

/* The calling thread's count of one counter. */
static int64_t cell(const struct meas_counter *counter)
{
    const struct meas_thread *thread = pthread_getspecific(counter->meas->key);

    return thread && counter->id < thread->cell_count ? thread->cells[counter->id] : 0;
}

static long long cell_for_papi(void *counter)
{
    return cell(counter);
}

/* --- Metrics -------------------------------------------------------------- */

static const char *only_time(void *context, int *use_papi)
{
    (void)context;
    *use_papi = 1;
    return "TIME";
}

void meas_metrics_from(struct meas *meas,
                       const char *(*wanted)(void *context, int *use_papi), void *context)
{
    meas->wanted = wanted;
    meas->wanted_context = context;
}

/* The port's metrics, fixed at the first query. If memory runs out, the list ends with
 * the metrics made so far. */
static const struct meas_metrics *settled(struct meas *meas)
{
    if (!__atomic_load_n(&meas->settled, __ATOMIC_ACQUIRE)) {
        pthread_mutex_lock(&meas->settle_lock);
        if (!meas->settled) {
            int use_papi = 1;
            const char *list = meas->wanted(meas->wanted_context, &use_papi);

            meas->metrics.mpi_why = meas->mpi ? NULL : meas->mpi_why;
            meas_metrics_init(&meas->metrics, list, use_papi, find_counter, meas,
                              cell_for_papi);
            __atomic_store_n(&meas->settled, 1, __ATOMIC_RELEASE);
        }
        pthread_mutex_unlock(&meas->settle_lock);
    }
    return &meas->metrics;
}

int meas_metric_count(struct measurement_port *self)
{
    return settled(meas_of_port(self))->count;
}

const char *meas_metric_name(struct measurement_port *self, int metric, const char **unit)
{
    const struct meas_metrics *metrics = settled(meas_of_port(self));

    if (metric < 0 || metric >= metrics->count)
        return NULL;
    if (unit)
        *unit = metrics->items[metric].unit;
    return metrics->items[metric].name;
}

static int unpublished(const struct meas_metric *metric)
{
    return metric->soft && !__atomic_load_n(&metric->soft->published, __ATOMIC_ACQUIRE);
}

const char *meas_missing_metric(struct measurement_port *self, int index,
                                const char **why)
{
    const struct meas *meas = meas_of_port(self);
    const struct meas_metrics *metrics = settled(meas_of_port(self));

    if (index < 0)
        return NULL;
    if (index < metrics->absent_count) {
        if (why)
            *why = metrics->absent[index].why;
        return metrics->absent[index].name;
    }
    index -= metrics->absent_count;
    for (int i = 0; i < metrics->count; i++)
        if (unpublished(&metrics->items[i]) && index-- == 0) {
            if (why)
                *why = "no component publishes it";
            return metrics->items[i].name;
        }
    if (meas->mpi && meas->mpi->was_off() && index == 0) {
        if (why)
            *why = MEAS_MPI_WAS_OFF;
        return "MPI_TIME";
    }
    return NULL;
}

/* Start PAPI in the calling thread once, with cancellation disabled: a system call
 * inside PAPI must not be a cancellation point of the measured program. */
static void read_papi(struct meas *meas, const struct meas_metrics *metrics,
                      int64_t *values)
{
    struct meas_thread *thread = meas_this_thread(meas);
    int before, error = errno;

    for (int i = 0; i < MEAS_PAPI_MOST; i++)
        values[i] = MEASUREMENT_MISSING;
    if (!thread)
        return;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    if (!thread->papi_tried) {
        thread->papi_tried = 1;
        thread->papi = meas_papi_thread_new(metrics->papi);
    }
    if (thread->papi)
        meas_papi_read(thread->papi, values);
    pthread_setcancelstate(before, NULL);
    errno = error;
}

/* The value of a metric that is a time kept by a library of wrappers. All times of a
 * library are read at once: its metrics are neighbours in the list.
 *
 *   read   inout  the library whose times are in `times`, or NULL */
static int64_t read_times(const struct meas_metric *metric,
                          const struct meas_times **read, int64_t *times)
{
    if (*read != metric->times) {
        *read = metric->times;
        metric->times->read(times);
    }
    return times[metric->place];
}

void meas_read(struct measurement_port *self, int first, int count, int64_t *values)
{
    struct meas *meas = meas_of_port(self);
    const struct meas_metrics *metrics = settled(meas);
    int64_t by_papi[MEAS_PAPI_MOST], times[MEAS_TIMES_MOST];
    const struct meas_times *read = NULL;

    if (metrics->uses_papi)
        read_papi(meas, metrics, by_papi);
    for (int i = 0; i < count; i++) {
        int at = first + i;
        const struct meas_metric *metric =
            at >= 0 && at < metrics->count ? &metrics->items[at] : NULL;

        if (!metric || unpublished(metric))
            values[i] = MEASUREMENT_MISSING;
        else if (metric->papi >= 0)
            values[i] = by_papi[metric->papi];
        else if (metric->soft)
            values[i] = cell(metric->soft);
        else if (metric->times)
            values[i] = read_times(metric, &read, times);
        else if (at == 0)
            values[i] = meas->now_ns();
        else
            values[i] = cca_clock_ns(metric->clock_id);
    }
}

struct counters_port *meas_counters_port(struct meas *meas)
{
    return &meas->counters_port;
}

void meas_counting_init(struct meas *meas)
{
    meas->counters_port = (struct counters_port){
        .base = {COUNTERS_PORT_TYPE, sizeof(struct counters_port)},
        .counter = publish,
        .add = count_amount,
    };
    meas->wanted = only_time;
    pthread_mutex_init(&meas->settle_lock, NULL);
}

void meas_counting_done(struct meas *meas)
{
    meas_metrics_done(&meas->metrics);
    for (size_t i = 0; i < meas->by_id_count; i++)
        free(meas->by_id[i]);
    free(meas->by_id);
    meas_names_done(&meas->counters);
    pthread_mutex_destroy(&meas->settle_lock);
}

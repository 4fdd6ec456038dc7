/* SPDX-License-Identifier: BSD-3-Clause */
/* measurement.c: the Measurement port: timers, events, control and query over all
 * threads.
 *
 * Each thread that starts a timer or enters an event has its own tally, found through
 * pthread_getspecific: static thread-local storage is scarce in a library loaded into
 * arbitrary programs, and is left to the recorder. A thread takes its own lock for each
 * change, so that a query sees consistent values; no other thread waits for it. */
#include "tau_port/state.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "common/clock.h"

enum { MAX_TIMERS = 65536, MAX_EVENTS = 65536, MAX_GROUPS = 65536 };

static int64_t monotonic_ns(void)
{
    return cca_clock_ns(CLOCK_MONOTONIC);
}

/* --- Threads and lifetime ------------------------------------------------- */

static void thread_free(struct meas_thread *thread)
{
    pthread_mutex_destroy(&thread->lock);
    meas_tally_done(&thread->tally);
    free(thread->cells);
    free(thread);
}

/* Drop one user of the port; the last user's drop frees the port. Called with the lock
 * held, releases it. */
static void release_locked(struct meas *meas)
{
    size_t left = --meas->holders;

    pthread_mutex_unlock(&meas->lock);
    if (left)
        return;
    while (meas->threads) {
        struct meas_thread *thread = meas->threads;

        meas->threads = thread->next;
        thread_free(thread);
    }
    pthread_key_delete(meas->key);
    pthread_mutex_destroy(&meas->lock);
    meas_names_done(&meas->timers);
    meas_names_done(&meas->events);
    meas_names_done(&meas->groups);
    meas_tally_done(&meas->ended);
    meas_counting_done(meas);
    free(meas);
}

/* Detach the calling thread from the port: stop its running timers and add its counts to
 * those of ended threads. */
static void leave_port(struct meas_thread *thread, int ends)
{
    struct meas *meas = thread->meas;
    int64_t now_ns = meas->now_ns();

    meas_papi_thread_free(thread->papi, ends);
    thread->papi = NULL;
    pthread_mutex_lock(&meas->lock);
    pthread_mutex_lock(&thread->lock);
    while (thread->tally.depth)
        meas_tally_pop(&thread->tally, now_ns);
    pthread_mutex_unlock(&thread->lock);
    if (meas_tally_fold(&meas->ended, &thread->tally) == 0) {
        *thread->link = thread->next;
        if (thread->next)
            thread->next->link = thread->link;
        thread_free(thread);
    }
    release_locked(meas);
}

static void thread_ended(void *thread)
{
    leave_port(thread, 1);
}

static struct meas_thread *thread_new(struct meas *meas)
{
    struct meas_thread *thread = calloc(1, sizeof *thread);

    if (!thread)
        return NULL;
    thread->meas = meas;
    pthread_mutex_init(&thread->lock, NULL);
    if (pthread_setspecific(meas->key, thread)) {
        thread_free(thread);
        return NULL;
    }
    pthread_mutex_lock(&meas->lock);
    thread->next = meas->threads;
    thread->link = &meas->threads;
    if (thread->next)
        thread->next->link = &thread->next;
    meas->threads = thread;
    meas->holders++;
    pthread_mutex_unlock(&meas->lock);
    return thread;
}

struct meas_thread *meas_this_thread(struct meas *meas)
{
    struct meas_thread *thread = pthread_getspecific(meas->key);

    return thread ? thread : thread_new(meas);
}

/* --- Timers --------------------------------------------------------------- */

/* The name with number `id` in a table of names, or NULL. */
static struct meas_name *name_at(struct meas *meas, const struct meas_names *names,
                                 int id)
{
    struct meas_name *name = NULL;

    pthread_mutex_lock(&meas->lock);
    if (id >= 0 && (size_t)id < names->count)
        name = names->items[id];
    pthread_mutex_unlock(&meas->lock);
    return name;
}

/* Refuse an empty name. The group "" has the timers without a group, and only this file
 * makes it. */
static int check_name(const char *name, const char *what, struct cca_error *err)
{
    if (name && *name)
        return 0;
    return cca_error_set(err, -EINVAL, "%s needs a name", what);
}

/* Find a group by name, or make it. The caller holds meas->lock. */
static struct meas_name *group_locked(struct meas *meas, const char *group,
                                      struct cca_error *err)
{
    return meas_names_get(&meas->groups, group ? group : "", NULL, MAX_GROUPS, err);
}

static int meas_timer(struct measurement_port *self, const char *name, const char *group,
                      struct cca_error *err)
{
    struct meas *meas = meas_of_port(self);
    struct cca_error local = {0};
    struct meas_name *in, *timer = NULL;
    int id;

    if (check_name(name, "a timer", err))
        return -EINVAL;
    pthread_mutex_lock(&meas->lock);
    in = group_locked(meas, group, &local);
    if (in)
        timer = meas_names_get(&meas->timers, name, in, MAX_TIMERS, &local);
    id = timer ? timer->id : cca_error_set(err, local.code, "%s", local.text);
    pthread_mutex_unlock(&meas->lock);
    return id;
}

/* Find timer `id` and reserve a frame for it in the calling thread. Only the thread
 * itself writes its tally, so it may read it without the lock. */
static int prepare_start(struct meas *meas, struct meas_thread *thread, int id,
                         const struct meas_name **timer)
{
    struct meas_tally *tally = &thread->tally;
    int result = 0;

    if (id < 0)
        return -EINVAL;
    if ((size_t)id < tally->timer_count && tally->timers[id].timer)
        *timer = tally->timers[id].timer;
    else if (!(*timer = name_at(meas, &meas->timers, id)))
        return -EINVAL;
    if ((size_t)id >= tally->timer_count || tally->depth >= tally->frame_capacity) {
        pthread_mutex_lock(&thread->lock);
        if (meas_tally_reserve_timer(tally, id) || meas_tally_reserve_frame(tally))
            result = -ENOMEM;
        pthread_mutex_unlock(&thread->lock);
    }
    return result;
}

static int meas_start(struct measurement_port *self, int id)
{
    struct meas *meas = meas_of_port(self);
    struct meas_thread *thread = meas_this_thread(meas);
    const struct meas_name *timer;
    int result;

    if (!thread)
        return -ENOMEM;
    result = prepare_start(meas, thread, id, &timer);
    if (result)
        return result;
    pthread_mutex_lock(&thread->lock);
    meas_tally_push(&thread->tally, timer,
                    __atomic_load_n(&timer->group->on, __ATOMIC_RELAXED))
        ->start_ns = meas->now_ns();
    pthread_mutex_unlock(&thread->lock);
    return 0;
}

static int meas_stop(struct measurement_port *self, int id)
{
    struct meas *meas = meas_of_port(self);
    int64_t now_ns = meas->now_ns();
    struct meas_thread *thread = pthread_getspecific(meas->key);
    struct meas_tally *tally = thread ? &thread->tally : NULL;

    if (!tally || !tally->depth || tally->frames[tally->depth - 1].timer != id)
        return name_at(meas, &meas->timers, id) ? -EPROTO : -EINVAL;
    pthread_mutex_lock(&thread->lock);
    meas_tally_pop(tally, now_ns);
    pthread_mutex_unlock(&thread->lock);
    return 0;
}

static int meas_enable_group(struct measurement_port *self, const char *group, int on)
{
    struct meas *meas = meas_of_port(self);
    struct cca_error local = {0};
    struct meas_name *name;

    pthread_mutex_lock(&meas->lock);
    name = group_locked(meas, group, &local);
    pthread_mutex_unlock(&meas->lock);
    if (!name)
        return local.code;
    __atomic_store_n(&name->on, on != 0, __ATOMIC_RELAXED);
    meas_mpi_group(meas, group, on);
    return 0;
}

static int meas_timer_values(struct measurement_port *self, int id,
                             struct measurement_timer_values *values)
{
    struct meas *meas = meas_of_port(self);
    const struct meas_thread *mine = pthread_getspecific(meas->key);
    int64_t now_ns = meas->now_ns();
    struct measurement_timer_values sum = {0};
    int result = -EINVAL;

    pthread_mutex_lock(&meas->lock);
    if (id >= 0 && (size_t)id < meas->timers.count) {
        meas_tally_sum_timer(&meas->ended, id, -1, &sum);
        for (struct meas_thread *t = meas->threads; t; t = t->next) {
            pthread_mutex_lock(&t->lock);
            meas_tally_sum_timer(&t->tally, id, t == mine ? now_ns : -1, &sum);
            pthread_mutex_unlock(&t->lock);
        }
        meas_mpi_add(meas, id, &sum);
        *values = sum;
        result = 0;
    }
    pthread_mutex_unlock(&meas->lock);
    return result;
}

/* --- Events --------------------------------------------------------------- */

static int meas_event(struct measurement_port *self, const char *name,
                      struct cca_error *err)
{
    struct meas *meas = meas_of_port(self);
    struct meas_name *event;
    struct cca_error local = {0};
    int id;

    if (check_name(name, "an event", err))
        return -EINVAL;
    pthread_mutex_lock(&meas->lock);
    event = meas_names_get(&meas->events, name, NULL, MAX_EVENTS, &local);
    id = event ? event->id : cca_error_set(err, local.code, "%s", local.text);
    pthread_mutex_unlock(&meas->lock);
    return id;
}

static int meas_trigger(struct measurement_port *self, int id, double value)
{
    struct meas *meas = meas_of_port(self);
    struct meas_thread *thread;
    int result;

    if (!isfinite(value))
        return -EINVAL; /* a NaN would spoil mean and deviation of all values */
    thread = meas_this_thread(meas);
    if (!thread)
        return -ENOMEM;
    /* If a thread's tally has room for an event's id, the thread has used this event or a
     * later one. */
    if ((id < 0 || (size_t)id >= thread->tally.event_count ||
         thread->tally.events[id].count == 0) &&
        !name_at(meas, &meas->events, id))
        return -EINVAL;
    pthread_mutex_lock(&thread->lock);
    result = meas_tally_reserve_event(&thread->tally, id);
    if (result == 0)
        meas_tally_enter(&thread->tally, id, value);
    pthread_mutex_unlock(&thread->lock);
    return result;
}

static int meas_event_values(struct measurement_port *self, int id,
                             struct measurement_event_values *values)
{
    struct meas *meas = meas_of_port(self);
    struct meas_moments sum = {0};

    if (!name_at(meas, &meas->events, id))
        return -EINVAL;
    pthread_mutex_lock(&meas->lock);
    meas_tally_sum_event(&meas->ended, id, &sum);
    for (struct meas_thread *t = meas->threads; t; t = t->next) {
        pthread_mutex_lock(&t->lock);
        meas_tally_sum_event(&t->tally, id, &sum);
        pthread_mutex_unlock(&t->lock);
    }
    pthread_mutex_unlock(&meas->lock);
    *values = (struct measurement_event_values){
        .count = sum.count, .min = sum.min, .max = sum.max, .mean = sum.mean};
    if (sum.count > 1)
        values->standard_deviation = sqrt(sum.squares / (double)(sum.count - 1));
    return 0;
}

/* --- Names ---------------------------------------------------------------- */

static const char *meas_timer_name(struct measurement_port *self, int id,
                                   const char **group)
{
    struct meas *meas = meas_of_port(self);
    struct meas_name *timer = name_at(meas, &meas->timers, id);

    if (!timer)
        return NULL;
    if (group)
        *group = timer->group->text;
    return timer->text;
}

static const char *meas_event_name(struct measurement_port *self, int id)
{
    struct meas *meas = meas_of_port(self);
    struct meas_name *event = name_at(meas, &meas->events, id);

    return event ? event->text : NULL;
}

static const struct measurement_port port_table = {
    .base = {MEASUREMENT_PORT_TYPE, sizeof(struct measurement_port)},
    .timer = meas_timer,
    .start = meas_start,
    .stop = meas_stop,
    .event = meas_event,
    .trigger = meas_trigger,
    .enable_group = meas_enable_group,
    .metric_count = meas_metric_count,
    .metric_name = meas_metric_name,
    .missing_metric = meas_missing_metric,
    .read = meas_read,
    .timer_values = meas_timer_values,
    .event_values = meas_event_values,
    .timer_name = meas_timer_name,
    .event_name = meas_event_name,
    .mpi_time = meas_mpi_time,
};

struct meas *meas_new(int64_t (*now_ns)(void), struct cca_error *err)
{
    struct meas *meas = calloc(1, sizeof *meas);
    int result;

    if (!meas) {
        cca_no_memory(err);
        return NULL;
    }
    meas->port = port_table;
    meas->now_ns = now_ns ? now_ns : monotonic_ns;
    meas->holders = 1;
    result = pthread_key_create(&meas->key, thread_ended);
    if (result) {
        cca_error_set(err, -result, "no key for thread-specific data is left");
        free(meas);
        return NULL;
    }
    pthread_mutex_init(&meas->lock, NULL);
    meas_counting_init(meas);
    if (meas_mpi_init(meas, err)) {
        meas_free(meas);
        return NULL;
    }
    return meas;
}

void meas_free(struct meas *meas)
{
    struct meas_thread *mine;

    if (!meas)
        return;
    mine = pthread_getspecific(meas->key);
    if (mine) {
        pthread_setspecific(meas->key, NULL);
        leave_port(mine, 0);
    }
    pthread_mutex_lock(&meas->lock);
    release_locked(meas);
}

struct measurement_port *meas_port(struct meas *meas)
{
    return &meas->port;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* recorder.c: creation and end of a recorder, and its methods. */
#include "mastermind/recorder/recorder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mastermind/recorder/parts.h"
#include "mastermind/recorder/hot.h"

enum { MAX_METHODS = 65535 };

/* List the positions of the in-values or out-values by their type. */
static int fill_group(struct mm_group *group, const struct monitor_value_decl *values,
                      size_t count)
{
    uint32_t doubles = 0;
    size_t i;

    group->count = (uint32_t)count;
    for (i = 0; i < count; i++) {
        if (!values[i].name || values[i].type < MONITOR_INT64 ||
            values[i].type > MONITOR_DOUBLE)
            return -EINVAL;
        if (values[i].type == MONITOR_INT64)
            group->ints[group->int_count++] = (unsigned char)i;
        else
            group->doubles[doubles++] = (unsigned char)i;
    }
    return 0;
}

static int check_decl(const struct monitor_method_decl *d, struct cca_error *err)
{
    if (!d->instance || !d->port || !d->method || !d->class_name || !d->build_id ||
        !d->port_type)
        return cca_error_set(err, -EINVAL, "a method without a name");
    if (d->in_count > MONITOR_MAX_IN || d->out_count > MONITOR_MAX_OUT)
        return cca_error_set(
            err, -EINVAL,
            "'%s.%s.%s' has %zu in-values and %zu out-values, at most %d and %d",
            d->instance, d->port, d->method, d->in_count, d->out_count, MONITOR_MAX_IN,
            MONITOR_MAX_OUT);
    return 0;
}

/* Take the next id for a method. Returns 0, or -ENOSPC: too many methods. */
static int take_id(struct mm_recorder *r, uint32_t *id)
{
    uint32_t next = __atomic_load_n(&r->method_count, __ATOMIC_RELAXED);

    do {
        if (next == MAX_METHODS)
            return -ENOSPC;
    } while (!__atomic_compare_exchange_n(&r->method_count, &next, next + 1, 0,
                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    *id = next;
    return 0;
}

/* Give a method its id and call on_method; the caller holds the lock. */
static int admit(struct mm_recorder *r, struct mm_method *method,
                 const struct monitor_method_decl *decl, struct cca_error *err)
{
    int code = 0;
    uint32_t id;

    if (r->stopped) /* recording has ended: the method stays off */
        return 0;
    if (take_id(r, &id))
        return cca_error_set(err, -ENOSPC, "more than %d methods", MAX_METHODS);
    if (r->options.on_method)
        code = r->options.on_method(r->options.context, id, decl, err);
    /* the next method gets this id, unless a reserved method has taken a later id
     * meanwhile */
    if (code)
        __atomic_compare_exchange_n(&r->method_count, &(uint32_t){id + 1}, id, 0,
                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    if (code > 0)
        return 0;
    if (code)
        return cca_error_set(err, code, "on_method failed for '%s.%s.%s'", decl->instance,
                             decl->port, decl->method);
    method->id = id;
    if (r->storage.mode == MM_STORE_AUTO)
        method->left = (int64_t)r->storage.count;
    mm_method_prepare(r, method);
    mm_method_switch(r, method, r->on);
    return 0;
}

/* Call on_start at the first use, which creates the experiment's directory. Returns the
 * result of on_start. */
static int have_started(struct mm_recorder *r, struct cca_error *err)
{
    int code = 0;

    pthread_mutex_lock(&r->start_lock);
    if (!r->directory)
        code = r->options.on_start(r->options.context, err);
    pthread_mutex_unlock(&r->start_lock);
    return code;
}

int mm_recorder_begin(struct mm_recorder *r, struct cca_error *err)
{
    return have_started(r, err);
}

/* Return "instance.port.method" as a new string; asprintf would take long for thousands
 * of methods. */
static char *joined_name(const struct monitor_method_decl *decl)
{
    const char *const parts[] = {decl->instance, decl->port, decl->method};
    char *name = malloc(strlen(parts[0]) + strlen(parts[1]) + strlen(parts[2]) + 3);
    char *at = name;

    for (int i = 0; name && i < 3; i++) {
        at = stpcpy(at, parts[i]);
        *at++ = i < 2 ? '.' : '\0';
    }
    return name;
}

/* Return a new method without an id; NULL with `err`. */
static struct mm_method *new_method(struct mm_recorder *r,
                                    const struct monitor_method_decl *decl,
                                    struct cca_error *err)
{
    struct mm_method *method = calloc(1, sizeof *method);

    if (!method) {
        cca_no_memory(err);
        return NULL;
    }
    if (fill_group(&method->in, decl->values, decl->in_count) ||
        fill_group(&method->out, decl->values + decl->in_count, decl->out_count)) {
        cca_error_set(err, -EINVAL, "'%s.%s.%s' has a value without name or type",
                      decl->instance, decl->port, decl->method);
        free(method);
        return NULL;
    }
    method->name = joined_name(decl);
    if (!method->name) {
        cca_no_memory(err);
        free(method);
        return NULL;
    }
    method->is_main =
        strcmp(decl->method, "main") == 0 || strcmp(decl->method, "MAIN__") == 0;
    mm_method_switch(r, method, 0);
    return method;
}

/* Put a method on the recorder's list; the caller holds the lock. */
static void enlist(struct mm_recorder *r, struct mm_method *method)
{
    method->next = r->methods;
    __atomic_store_n(&r->methods, method, __ATOMIC_RELEASE);
}

static struct monitor_method *method_open(struct monitor_port *port,
                                          const struct monitor_method_decl *decl,
                                          struct cca_error *err)
{
    struct mm_recorder *r = cca_container_of(port, struct mm_recorder, port);
    struct mm_method *method;
    int started;

    if (check_decl(decl, err))
        return NULL;
    started = have_started(r, err);
    if (started < 0)
        return NULL;
    method = new_method(r, decl, err);
    if (!method)
        return NULL;
    pthread_mutex_lock(&r->lock);
    if (started == 0 && admit(r, method, decl, err)) {
        pthread_mutex_unlock(&r->lock);
        free(method->name);
        free(method);
        return NULL;
    }
    enlist(r, method);
    pthread_mutex_unlock(&r->lock);
    return &method->head;
}

struct monitor_method *mm_recorder_reserve(struct mm_recorder *r,
                                           const struct monitor_method_decl *decl,
                                           struct cca_error *err)
{
    struct mm_method *method = check_decl(decl, err) ? NULL : new_method(r, decl, err);

    if (!method)
        return NULL;
    pthread_mutex_lock(&r->lock);
    enlist(r, method);
    pthread_mutex_unlock(&r->lock);
    return &method->head;
}

int mm_recorder_number(struct mm_recorder *r, uint32_t *id)
{
    return take_id(r, id);
}

void mm_recorder_admit(struct mm_recorder *r, struct monitor_method *head, uint32_t id)
{
    struct mm_method *method = cca_container_of(head, struct mm_method, head);

    method->id = id;
    if (r->storage.mode == MM_STORE_AUTO)
        method->left = (int64_t)r->storage.count;
    mm_method_prepare(r, method);
    mm_method_switch(r, method, __atomic_load_n(&r->on, __ATOMIC_SEQ_CST));
    /* recording was switched off meanwhile */
    if (!__atomic_load_n(&r->on, __ATOMIC_SEQ_CST))
        mm_method_switch(r, method, 0);
}

static void recorder_free(struct mm_recorder *r)
{
    if (!r)
        return;
    pthread_mutex_destroy(&r->lock);
    pthread_mutex_destroy(&r->start_lock);
    free(r->directory);
    free(r);
}

static int set_directory(struct mm_recorder *r, const char *path, struct cca_error *err)
{
    char *directory = path ? realpath(path, NULL) : NULL;
    struct stat st;
    int code = 0;

    if (!path)
        return cca_error_set(err, -EINVAL, "found neither a directory nor on_start");
    if (!directory || stat(directory, &st))
        code = -errno;
    else if (!S_ISDIR(st.st_mode))
        code = -ENOTDIR;
    else if (access(directory, W_OK | X_OK))
        code = -errno;
    if (code) {
        free(directory);
        return cca_error_set(err, code, "cannot record into '%s': %s", path,
                             strerror(-code));
    }
    r->directory_id = mm_file_id(directory);
    r->directory = directory;
    return 0;
}

static struct monitor_port *apart(struct monitor_port *port, struct cca_error *err)
{
    struct mm_recorder *r = cca_container_of(port, struct mm_recorder, port);

    if (r->options.on_apart)
        return r->options.on_apart(r->options.context, err);
    cca_error_set(err, -ENOTSUP, "the recorder keeps no calls apart from the run");
    return NULL;
}

/* Decide whether rows have their optional part, the values of counters. */
static void set_extra(struct mm_recorder *r, int counter_count)
{
    r->counter_count = 0;
    if (r->options.read_counters && counter_count > 0)
        r->counter_count =
            counter_count < MM_MAX_COUNTERS ? counter_count : MM_MAX_COUNTERS;
    r->extra = r->counter_count != 0;
}

struct mm_recorder *mm_recorder_new(const struct mm_recorder_options *options,
                                    struct cca_error *err)
{
    struct mm_recorder *r = calloc(1, sizeof *r);
    struct mm_clock clock;

    if (!r) {
        cca_no_memory(err);
        return NULL;
    }
    pthread_mutex_init(&r->lock, NULL);
    pthread_mutex_init(&r->start_lock, NULL);
    r->port = (struct monitor_port){.base = {MONITOR_PORT_TYPE, sizeof r->port},
                                    .method_open = method_open,
                                    .unwind = mm_unwind,
                                    .now = mm_now,
                                    .end_at = mm_end_at,
                                    .pause = mm_pause,
                                    .resume = mm_resume,
                                    .apart = apart};
    r->options = *options;
    mm_recorder_store(r, &options->storage);
    set_extra(r, options->counter_count);
    r->on = 1;
    r->process = (int)getpid();
    if (mm_process_ready()) {
        cca_error_set(err, -EAGAIN, "no thread key left for recording");
        goto fail;
    }
    if ((options->directory || !options->on_start) &&
        set_directory(r, options->directory, err))
        goto fail;
    if (mm_helper_decide(r, err))
        goto fail;
    mm_clock_begin(&r->origin);
    r->tsc = r->origin.tsc;
    mm_hot_choose(r, r->storage.mode, &r->port);
    /* the length of a tick is not known yet, because some time must pass before the
     * calibration */
    r->ns_per_tick = 1;
    r->gap_ticks = INT64_MAX;
    if (mm_call_cost_measure(r, err))
        goto fail;
    mm_clock_calibrate(&r->origin, &clock);
    r->ns_per_tick = clock.ns_per_tick;
    mm_call_costs_scale(&r->costs, r->ns_per_tick);
    r->gap_ticks = (int64_t)(MM_GAP_NS / r->ns_per_tick); /* computed at the start, so
                                                             that calls raise no
                                                             FE_INEXACT */
    r->ticks_per_ns = (int64_t)(0x1p32 / r->ns_per_tick);
    r->reading_ns = mm_reading_cost(r);
    r->files_ns = 0; /* do not count the time for measuring the recording cost */
    mm_recorder_enlist(r);
    return r;
fail:
    recorder_free(r);
    return NULL;
}

int mm_recorder_place(struct mm_recorder *r, const char *directory, int counter_count,
                      struct cca_error *err)
{
    int code = set_directory(r, directory, err), before = r->extra;

    if (code)
        return code;
    set_extra(r, counter_count);
    if (r->extra && !before)
        mm_call_cost_extra(r);
    return 0;
}

void mm_recorder_store(struct mm_recorder *r, const struct mm_storage *storage)
{
    r->storage = *storage;
    mm_hot_choose(r, storage->mode, &r->port);
}

static void set_all(struct mm_recorder *r, int on)
{
    struct mm_method *method;

    __atomic_store_n(&r->on, on, __ATOMIC_SEQ_CST);
    for (method = r->methods; method; method = method->next)
        mm_method_switch(r, method, on);
}

void mm_recorder_switch(struct mm_recorder *r, int on)
{
    pthread_mutex_lock(&r->lock);
    if (!r->stopped)
        set_all(r, on != 0);
    pthread_mutex_unlock(&r->lock);
}

int mm_recorder_close(struct mm_recorder *r, struct cca_error *err)
{
    int code;

    if (__atomic_load_n(&r->process, __ATOMIC_RELAXED) != getpid())
        return 0; /* a forked child has no files to close */
    pthread_mutex_lock(&r->lock);
    set_all(r, 0);
    __atomic_store_n(&r->stopped, 1, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&r->lock);
    mm_leave_here(r);
    mm_helper_stop(r);
    pthread_mutex_lock(&r->lock);
    r->removed = r->directory && !mm_file_is(&r->directory_id, r->directory);
    if (r->removed) {
        r->error = (struct cca_error){0};
        cca_error_set(&r->error, -ENOENT, "removed while it was written: '%s'",
                      r->directory);
    }
    code = r->error.code;
    if (code)
        cca_error_set(err, code, "%s", r->error.text);
    pthread_mutex_unlock(&r->lock);
    return code;
}

struct monitor_port *mm_recorder_port(struct mm_recorder *r)
{
    return &r->port;
}

static double mean_pace(const struct mm_recorder *r)
{
    uint64_t calls = __atomic_load_n(&r->paced_calls, __ATOMIC_RELAXED),
             sum = __atomic_load_n(&r->pace_sum, __ATOMIC_RELAXED);

    return calls ? (double)sum / (double)calls / MM_PACE_ONE : 1;
}

void mm_recorder_stats(const struct mm_recorder *recorder,
                       struct mm_recorder_stats *stats)
{
    /* not const, because the lock in it is taken */
    struct mm_recorder *r = (struct mm_recorder *)recorder;
    const struct mm_thread *t;

    pthread_mutex_lock(&r->lock);
    *stats = r->gone;
    stats->dropped += __atomic_load_n(&r->lost, __ATOMIC_RELAXED);
    stats->methods = r->method_count;
    stats->threads = r->thread_count;
    stats->costs = r->costs;
    stats->costs.pace = mean_pace(r);
    stats->reading_ns = r->reading_ns;
    stats->files_ns = __atomic_load_n(&r->files_ns, __ATOMIC_RELAXED);
    stats->apart_ns = __atomic_load_n(&r->apart_ns, __ATOMIC_RELAXED);
    stats->helper_ns = __atomic_load_n(&r->helper.cpu_ns, __ATOMIC_RELAXED);
    stats->packing = mm_helper_name(r);
    stats->core = mm_core_source();
    for (t = r->threads; t; t = t->next) {
        stats->rows += __atomic_load_n(&t->live->rows, __ATOMIC_RELAXED);
        stats->dropped += mm_count_read(&t->live->dropped);
        stats->nested += mm_count_read(&t->live->nested);
        stats->folded += __atomic_load_n(&t->live->folded, __ATOMIC_RELAXED);
        stats->counted += __atomic_load_n(&t->live->counted, __ATOMIC_RELAXED);
        stats->other += __atomic_load_n(&t->live->other, __ATOMIC_RELAXED);
        stats->limited += (uint32_t)mm_count_read(&t->live->limited);
    }
    if (r->storage.mode == MM_STORE_RESERVOIR) /* rows of reservoirs are in no window */
        stats->rows += stats->counted;
    stats->removed |= r->removed;
    if (r->removed) {
        stats->dropped += stats->rows + stats->folded - stats->counted;
        stats->rows = stats->folded = stats->counted = stats->other = 0;
    }
    pthread_mutex_unlock(&r->lock);
}

void mm_recorder_dropped(struct mm_recorder *r, uint64_t count)
{
    __atomic_fetch_add(&r->lost, count, __ATOMIC_RELAXED);
}

void mm_recorder_clock(const struct mm_recorder *r, struct mm_clock *clock)
{
    mm_clock_calibrate(&r->origin, clock);
}

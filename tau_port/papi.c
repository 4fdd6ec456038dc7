/* SPDX-License-Identifier: BSD-3-Clause */
/* papi.c: count events with PAPI, if this machine has it. */
#include "tau_port/papi.h"

#include <errno.h>
#include <stdlib.h>

#ifdef MEAS_PAPI

#include <dlfcn.h>
#include <papi.h>
#include <pthread.h>
#include <sde_lib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* PAPI's functions and software-defined events exist once per process, so this state
 * does, too. Filled once, never changed after. */
#define FUNCTIONS(X)                                                                     \
    X(library_init)                                                                      \
    X(thread_init)                                                                       \
    X(strerror)                                                                          \
    X(event_name_to_code)                                                                \
    X(get_event_component)                                                               \
    X(get_component_info)                                                                \
    X(get_component_index)                                                               \
    X(enum_cmp_event)                                                                    \
    X(event_code_to_name)                                                                \
    X(create_eventset)                                                                   \
    X(add_event)                                                                         \
    X(start)                                                                             \
    X(read)                                                                              \
    X(stop)                                                                              \
    X(cleanup_eventset)                                                                  \
    X(destroy_eventset)                                                                  \
    X(register_thread)                                                                   \
    X(unregister_thread)
#define MEMBER(name) __typeof__(PAPI_##name) *name;
static struct {
    FUNCTIONS(MEMBER)
    __typeof__(papi_sde_init) *sde_init;
    __typeof__(papi_sde_register_counter_cb) *sde_register;
    struct cca_error error; /* reason why there is no PAPI */
} lib;

static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Store the address of a function in the pointer at `function`: ISO C has no cast for
 * it. */
static int find_function(void *library, const char *name, void *function)
{
    void *symbol = library ? dlsym(library, name) : NULL;

    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

/* Load libsde first: PAPI looks for it among the global symbols when it is
 * initialised, and otherwise has no software-defined events. */
static void open_libraries(void)
{
    void *sde = dlopen("libsde.so.1", RTLD_NOW | RTLD_GLOBAL), *papi;
    char name[64];
    int version;

    snprintf(name, sizeof name, "libpapi.so.%d.%d", (int)PAPI_VERSION_MAJOR(PAPI_VERSION),
             (int)PAPI_VERSION_MINOR(PAPI_VERSION));
    papi = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!papi) {
        cca_error_set(&lib.error, -ENOENT, "no %s here", name);
        return;
    }
#define FIND(name)                                                                       \
    if (!find_function(papi, "PAPI_" #name, &lib.name))                                  \
        cca_error_set(&lib.error, -ENOSYS, "the PAPI library has no PAPI_" #name);
    FUNCTIONS(FIND)
    find_function(sde, "papi_sde_init", &lib.sde_init);
    find_function(sde, "papi_sde_register_counter_cb", &lib.sde_register);
    if (lib.error.code)
        return;
    version = lib.library_init(PAPI_VER_CURRENT);
    if (version != PAPI_VER_CURRENT) {
        cca_error_set(&lib.error, -ENOTSUP, "PAPI does not start: %s",
                      version < 0 ? lib.strerror(version) : "another version");
        return;
    }
    version = lib.thread_init((unsigned long (*)(void))pthread_self);
    if (version != PAPI_OK)
        cca_error_set(&lib.error, -ENOTSUP, "PAPI does not support threads: %s",
                      lib.strerror(version));
}

/* Check for PAPI. Returns 0, or a negative errno with the reason why there is none in
 * `err`. */
static int available(struct cca_error *err)
{
    pthread_once(&once, open_libraries);
    return lib.error.code ? cca_error_set(err, lib.error.code, "%s", lib.error.text) : 0;
}

/* --- Software-defined events ---------------------------------------------- */

/* libsde keeps a counter's address for good, so these are never freed; a retracted one
 * is reused when its name is published again. */
struct soft {
    struct soft *next;
    char *component, *name;
    long long (*read)(void *context);
    void *context; /* argument of `read`; NULL: the event was retracted; accessed with
                    * __atomic */
};

static struct soft *softs;
static pthread_mutex_t softs_lock = PTHREAD_MUTEX_INITIALIZER;

static long long read_soft(void *pointer)
{
    struct soft *soft = pointer;
    void *context = __atomic_load_n(&soft->context, __ATOMIC_ACQUIRE);

    return context ? soft->read(context) : 0;
}

static struct soft *soft_new(const char *component, const char *name)
{
    struct soft *soft = calloc(1, sizeof *soft);

    if (soft && (soft->component = strdup(component)) && (soft->name = strdup(name)))
        return soft;
    if (soft)
        free(soft->component);
    free(soft);
    return NULL;
}

/* Find the software-defined event of a name, or register it. The caller holds the
 * lock. */
static struct soft *soft_find(const char *component, const char *name,
                              struct cca_error *err)
{
    struct soft *soft = softs;

    while (soft && (strcmp(soft->component, component) || strcmp(soft->name, name)))
        soft = soft->next;
    if (soft)
        return soft;
    soft = soft_new(component, name);
    if (!soft) {
        cca_no_memory(err);
        return NULL;
    }
    if (lib.sde_register(lib.sde_init(component), soft->name,
                         PAPI_SDE_RO | PAPI_SDE_INSTANT, PAPI_SDE_long_long, read_soft,
                         soft) != SDE_OK) {
        cca_error_set(err, -EIO, "PAPI does not take the event");
        free(soft->component);
        free(soft->name);
        free(soft);
        return NULL;
    }
    soft->next = softs;
    softs = soft;
    return soft;
}

int meas_papi_publish(const char *component, const char *name,
                      long long (*read)(void *context), void *context,
                      struct cca_error *err)
{
    struct cca_error own = {0};
    struct soft *soft;

    if (available(&own) == 0 && (!lib.sde_init || !lib.sde_register))
        cca_error_set(&own, -ENOSYS, "no libsde.so.1 here");
    if (own.code)
        return cca_error_set(err, own.code, "%s", own.text);
    pthread_mutex_lock(&softs_lock);
    soft = soft_find(component, name, &own);
    if (soft && soft->context) {
        cca_error_set(&own, -EBUSY, "somebody else publishes it");
    } else if (soft) {
        soft->read = read;
        __atomic_store_n(&soft->context, context, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&softs_lock);
    return own.code ? cca_error_set(err, own.code, "%s", own.text) : 0;
}

/* Whether this file registered the event. */
static int is_soft(const char *event)
{
    int found = 0;

    pthread_mutex_lock(&softs_lock);
    for (struct soft *soft = softs; soft && !found; soft = soft->next) {
        char name[PAPI_MAX_STR_LEN];

        snprintf(name, sizeof name, "sde:::%s::%s", soft->component, soft->name);
        found = strcmp(name, event) == 0;
    }
    pthread_mutex_unlock(&softs_lock);
    return found;
}

/* Search PAPI's list of events: PAPI accepts any name as a future event, but lists only
 * names that were requested or registered. */
int meas_papi_is_foreign(const char *event)
{
    int code = PAPI_NATIVE_MASK, component, status;
    char name[PAPI_MAX_STR_LEN];

    if (available(NULL) || is_soft(event))
        return 0;
    lib.register_thread();
    component = lib.get_component_index("sde");
    status = component < 0 ? PAPI_ENOCMP
                           : lib.enum_cmp_event(&code, PAPI_ENUM_FIRST, component);
    for (; status == PAPI_OK;
         status = lib.enum_cmp_event(&code, PAPI_ENUM_EVENTS, component))
        if (lib.event_code_to_name(code, name) == PAPI_OK && strcmp(name, event) == 0)
            return 1;
    return 0;
}

void meas_papi_retract(const void *context)
{
    pthread_mutex_lock(&softs_lock);
    for (struct soft *soft = softs; soft; soft = soft->next)
        if (soft->context == context)
            __atomic_store_n(&soft->context, NULL, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&softs_lock);
}

/* --- Events --------------------------------------------------------------- */

struct meas_papi {
    int count;
    struct {
        int code, component;
    } events[MEAS_PAPI_MOST];
};

/* One event set of one PAPI component. */
struct set {
    int id; /* PAPI's event set; PAPI_NULL: none */
    int component, count;
    int places[MEAS_PAPI_MOST];
};

struct meas_papi_thread {
    int event_count, set_count;
    struct set sets[MEAS_PAPI_MOST];
};

struct meas_papi *meas_papi_new(void)
{
    return calloc(1, sizeof(struct meas_papi));
}

void meas_papi_free(struct meas_papi *papi)
{
    free(papi);
}

static void set_end(struct set *set)
{
    long long unused[MEAS_PAPI_MOST];

    if (set->id == PAPI_NULL)
        return;
    /* the result is ignored: stop fails if the event set was never started */
    lib.stop(set->id, unused);
    lib.cleanup_eventset(set->id);
    lib.destroy_eventset(&set->id);
}

/* Start a set with all events of one component. Returns PAPI_OK or another code of
 * PAPI. */
static int set_start(struct set *set, const struct meas_papi *papi, int component)
{
    int status;

    *set = (struct set){.id = PAPI_NULL, .component = component};
    status = lib.create_eventset(&set->id);
    for (int i = 0; i < papi->count && status == PAPI_OK; i++) {
        if (papi->events[i].component != component)
            continue;
        status = lib.add_event(set->id, papi->events[i].code);
        set->places[set->count++] = i;
    }
    if (status == PAPI_OK)
        status = lib.start(set->id);
    if (status != PAPI_OK)
        set_end(set);
    return status;
}

/* Whether this machine has hardware counters; most virtual machines have none. */
static int has_counters(void)
{
    static const char *const units[] = {"cpu", "cpu_core", "armv8_pmuv3",
                                        "armv8_pmuv3_0"};
    char path[80];

    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        snprintf(path, sizeof path, "/sys/bus/event_source/devices/%s", units[i]);
        if (access(path, F_OK) == 0)
            return 1;
    }
    return 0;
}

/* Set the error of a PAPI call: PAPI's message, and the cause, which the message
 * lacks. */
static int refuse(int status, int component, struct cca_error *err)
{
    const PAPI_component_info_t *info = lib.get_component_info(component);

    if (status == PAPI_EISRUN)
        return cca_error_set(err, -EBUSY, "somebody else counts with PAPI's '%s'",
                             info ? info->name : "?");
    if (info && info->disabled)
        return cca_error_set(err, -ENOTSUP, "%s: PAPI's '%s' is disabled: %s",
                             lib.strerror(status), info->name, info->disabled_reason);
    return cca_error_set(err, -ENOTSUP, "%s: %s",
                         component || has_counters()
                             ? "PAPI has no such counter here"
                             : "the system shows no hardware counters here",
                         lib.strerror(status));
}

/* System events, such as perf::PAGE-FAULTS, are unknown where their component is
 * disabled. */
static int refuse_name(int status, struct cca_error *err)
{
    int component = lib.get_component_index("perf_event");
    const PAPI_component_info_t *info =
        component < 0 ? NULL : lib.get_component_info(component);

    if (info && info->disabled)
        return cca_error_set(err, -ENOENT,
                             "PAPI does not know it: %s, and '%s' is disabled: %s",
                             lib.strerror(status), info->name, info->disabled_reason);
    return cca_error_set(err, -ENOENT, "PAPI does not know it: %s", lib.strerror(status));
}

int meas_papi_add(struct meas_papi *papi, const char *name, struct cca_error *err)
{
    struct set trial;
    int code, component, status = available(err);

    if (status)
        return status;
    if (papi->count == MEAS_PAPI_MOST)
        return cca_error_set(err, -ENOSPC, "at most %d at once", MEAS_PAPI_MOST);
    lib.register_thread(); /* PAPI 7.0 searches names in the thread's own state */
    status = lib.event_name_to_code(name, &code);
    if (status != PAPI_OK)
        return refuse_name(status, err);
    component = lib.get_event_component(code);
    papi->events[papi->count].code = code;
    papi->events[papi->count++].component = component;
    status = set_start(&trial, papi, component);
    if (status == PAPI_OK) {
        set_end(&trial);
        return papi->count - 1;
    }
    papi->count--;
    return refuse(status, component, err);
}

/* --- Threads -------------------------------------------------------------- */

struct meas_papi_thread *meas_papi_thread_new(const struct meas_papi *papi)
{
    struct meas_papi_thread *thread = calloc(1, sizeof *thread);

    if (!thread)
        return NULL;
    thread->event_count = papi->count;
    for (int i = 0; i < papi->count; i++) {
        int known = 0;

        for (int j = 0; j < thread->set_count; j++)
            known |= thread->sets[j].component == papi->events[i].component;
        if (!known)
            set_start(&thread->sets[thread->set_count++], papi,
                      papi->events[i].component);
    }
    return thread;
}

void meas_papi_read(struct meas_papi_thread *thread, int64_t *values)
{
    long long counts[MEAS_PAPI_MOST];

    for (int i = 0; i < thread->event_count; i++)
        values[i] = MEASUREMENT_MISSING;
    for (int i = 0; i < thread->set_count; i++) {
        const struct set *set = &thread->sets[i];

        if (set->id == PAPI_NULL || lib.read(set->id, counts) != PAPI_OK)
            continue;
        for (int j = 0; j < set->count; j++)
            values[set->places[j]] = counts[j];
    }
}

void meas_papi_thread_free(struct meas_papi_thread *thread, int ends)
{
    if (!thread)
        return;
    for (int i = 0; i < thread->set_count; i++)
        set_end(&thread->sets[i]);
    if (ends)
        lib.unregister_thread();
    free(thread);
}

#else /* built without PAPI's headers */

struct meas_papi *meas_papi_new(void)
{
    return calloc(1, 1);
}

void meas_papi_free(struct meas_papi *papi)
{
    free(papi);
}

int meas_papi_add(struct meas_papi *papi, const char *name, struct cca_error *err)
{
    (void)papi;
    (void)name;
    return cca_error_set(err, -ENOSYS, "built without PAPI");
}

int meas_papi_publish(const char *component, const char *name,
                      long long (*read)(void *context), void *context,
                      struct cca_error *err)
{
    (void)component;
    (void)name;
    (void)read;
    (void)context;
    return cca_error_set(err, -ENOSYS, "built without PAPI");
}

int meas_papi_is_foreign(const char *event)
{
    (void)event;
    return 0;
}

void meas_papi_retract(const void *context)
{
    (void)context;
}

struct meas_papi_thread *meas_papi_thread_new(const struct meas_papi *papi)
{
    (void)papi;
    return NULL;
}

/* Stub of a build without PAPI: no counter is started, so there is none to read. */
void meas_papi_read(struct meas_papi_thread *thread, int64_t *values)
{
    (void)thread;
    (void)values;
}

void meas_papi_thread_free(struct meas_papi_thread *thread, int ends)
{
    (void)thread;
    (void)ends;
}

#endif

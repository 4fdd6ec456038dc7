/* SPDX-License-Identifier: BSD-3-Clause */
/* own_query.c: a port through which components ask about the run. The library that
 * answers is loaded where the port is connected. */
#include "mastermind/component/parts.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/writer/write_signals.h"

/* The library is beside the folder of this component. Returns its path, new, or NULL. */
static char *library_path(void)
{
    Dl_info own;
    char *path = NULL, *slash;

    if (!dladdr((const void *)(uintptr_t)&mm_own_query_init, &own) || !own.dli_fname ||
        asprintf(&path, "%s", own.dli_fname) < 0)
        return NULL;
    slash = strrchr(path, '/');
    if (slash)
        *slash = '\0';
    slash = path;
    if (asprintf(&path, "%s/../" MM_ANSWERS_FILE, slash) < 0)
        path = NULL;
    free(slash);
    return path;
}

int mm_own_query_load(struct mm_own_query *own, struct cca_error *err)
{
    const struct mm_answers *answers;
    char *path;
    void *library;

    if (own->answers)
        return 0;
    path = library_path();
    if (!path)
        return cca_no_memory(err);
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    free(path);
    if (!library)
        return cca_error_set(err, -ELIBACC, "no questions can be answered: %s",
                             dlerror());
    answers = dlsym(library, MM_ANSWERS);
    if (!answers || answers->size != sizeof *answers)
        return cca_error_set(err, -ELIBBAD,
                             MM_ANSWERS_FILE " is not of the Mastermind's version");
    own->answers = answers;
    return 0;
}

/* Find the experiment. Returns 0, or a negative errno with `err`. */
static int find_run(struct mm_own_query *own, struct cca_error *err)
{
    if (!own->answers)
        return cca_error_set(err, -ENOTCONN, "the port is not connected");
    if (!*own->directory || !own->has_rows(own->context))
        return cca_error_set(err, -ENODATA, "no call was recorded yet");
    return 0;
}

static int ask(struct query_port *self, const char *verb, const char *const *words,
               size_t count, char **answer, struct cca_error *err)
{
    struct mm_own_query *own = cca_container_of(self, struct mm_own_query, port);
    struct mm_write_signals held;
    int code = find_run(own, err);

    if (code)
        return code;
    mm_write_signals_hold(&held);
    code = own->answers->ask(*own->directory, verb, words, count, answer, err);
    mm_write_signals_release(&held);
    return code;
}

/* Replace the models. Called with the lock held. */
static int refresh_locked(struct mm_own_query *own, struct cca_error *err)
{
    struct mm_answers_models *models;

    models = own->answers->models_new(*own->directory, err);
    if (!models)
        return err->code;
    own->answers->models_free(own->models);
    own->models = models;
    return 0;
}

static int refresh(struct query_port *self, struct cca_error *err)
{
    struct mm_own_query *own = cca_container_of(self, struct mm_own_query, port);
    struct cca_error reason = {0};
    int code = find_run(own, err);

    if (code)
        return code;
    pthread_mutex_lock(&own->lock);
    code = refresh_locked(own, err ? err : &reason);
    pthread_mutex_unlock(&own->lock);
    return code;
}

static int cost(struct query_port *self, const char *class_name, const char *method,
                const char *at, struct query_cost *result, struct cca_error *err)
{
    struct mm_own_query *own = cca_container_of(self, struct mm_own_query, port);
    struct cca_error reason = {0};
    int code = find_run(own, err);

    if (code)
        return code;
    pthread_mutex_lock(&own->lock);
    if (!own->models)
        code = refresh_locked(own, err ? err : &reason);
    if (!code)
        code = own->answers->cost(own->models, class_name, method, at, result, err);
    pthread_mutex_unlock(&own->lock);
    return code;
}

void mm_own_query_init(struct mm_own_query *own, char *const *directory,
                       int (*has_rows)(const void *context), const void *context)
{
    *own = (struct mm_own_query){
        .port = {{QUERY_PORT_TYPE, sizeof own->port}, ask, refresh, cost},
        .directory = directory,
        .has_rows = has_rows,
        .context = context,
        .lock = PTHREAD_MUTEX_INITIALIZER};
}

void mm_own_query_done(struct mm_own_query *own)
{
    if (own->answers)
        own->answers->models_free(own->models);
    own->models = NULL;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* apart.c: calls that are no part of the run, in an experiment of their own in the folder
 * `shadow` of the run's experiment. */
#include "mastermind/component/parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int enter(struct mm_apart *apart, struct cca_error *err)
{
    const struct mm_session *run = apart->run;
    char *path = NULL;
    int status = 0;

    if (asprintf(&path, "%s/" MM_SHADOW_FOLDER, run->directory.path) < 0)
        return cca_no_memory(err);
    if (mkdir(path, 0777) && errno != EEXIST)
        status = cca_error_set(err, -errno, "cannot make directory '%s': %s", path,
                               strerror(errno));
    if (!status)
        status = mm_directory_enter(&apart->own.directory, path, run->rank, err);
    free(path);
    return status;
}

static int on_start(void *context, struct cca_error *err)
{
    struct mm_apart *apart = context;
    struct mm_session *own = &apart->own;
    int status = apart->run->directory.path
                     ? 0
                     : cca_error_set(err, -ENOENT, "the run has no experiment");

    if (!status)
        status = mm_session_store(own, NULL, NULL, err);
    if (!status)
        status = enter(apart, err);
    if (status)
        return status;
    own->start_ns = apart->run->start_ns;
    own->process = apart->run->process;
    own->rank = apart->run->rank;
    own->ranks = apart->run->ranks;
    mm_recorder_store(own->recorder, &own->storage);
    status = mm_session_describe(own, NULL, NULL, NULL, err);
    if (!status && json_object_set_new(own->about, "apart", json_true()))
        status = cca_no_memory(err);
    if (!status)
        status = mm_session_begin(own, 0, err);
    if (status) {
        mm_directory_remove(&own->directory);
        mm_session_done(own);
    }
    return status;
}

static int on_method(void *context, uint32_t id, const struct monitor_method_decl *decl,
                     struct cca_error *err)
{
    struct mm_apart *apart = context;

    if (getpid() != apart->own.process)
        return 1;
    return mm_methods_add(&apart->own.methods, apart->own.directory.rank_path, id,
                          MM_ENTRY_PROXY, decl, err);
}

struct monitor_port *mm_apart_port(struct mm_apart *apart, struct mm_session *run,
                                   struct cca_error *err)
{
    const struct mm_recorder_options options = {
        .on_start = on_start, .on_method = on_method, .is_apart = 1, .context = apart};

    if (!apart->own.recorder) {
        apart->run = run;
        if (mm_wiring_init(&apart->own.wiring)) {
            cca_no_memory(err);
            return NULL;
        }
        apart->own.report = run->report;
        apart->own.context = run->context;
        apart->own.recorder = mm_recorder_new(&options, err);
    }
    return apart->own.recorder ? mm_recorder_port(apart->own.recorder) : NULL;
}

void mm_apart_finish(struct mm_apart *apart)
{
    struct mm_session *own = &apart->own;
    struct mm_session_end end;
    struct cca_error err = {0};

    if (own->about && getpid() == own->process) {
        mm_session_close(own, &end, &err);
        if (own->rank == 0)
            mm_wiring_write(&apart->run->wiring, own->directory.path, &err);
        mm_session_finish(own, MM_ENTRY_PROXY, &end, &err);
        if (err.code)
            own->report(own->context, "some shadow calls were not kept", &err);
    } else if (own->recorder) {
        mm_recorder_close(own->recorder, NULL);
    }
    mm_wiring_done(&own->wiring);
    mm_session_done(own);
}

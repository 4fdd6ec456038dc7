/* SPDX-License-Identifier: BSD-3-Clause */
/* join.c: let the processes of one job share an experiment directory without
 * communication.
 *
 * The first process creates the directory under another name, with an experiment.json and
 * a file that names the job, and renames it. So a directory with the final name is
 * complete, and later processes find its job. */
#include "mastermind/writer/parts.h"
#include "mastermind/format/job_file.h"
#include "mastermind/writer/json_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/stat.h>

enum { MOST_TRIES = 8 };

static void remove_file(const char *dir, const char *name)
{
    char *path;

    if (asprintf(&path, "%s/%s", dir, name) >= 0) {
        unlink(path);
        free(path);
    }
}

static int make_whole(const char *path, const char *fresh, const char *job,
                      const json_t *about, struct cca_error *err)
{
    int result = mkdir(fresh, 0777) ? -errno : 0;

    if (result)
        return cca_error_set(err, result, "cannot make experiment directory '%s': %s",
                             path, strerror(-result));
    result = mm_json_replace(fresh, "experiment.json", about, err);
    if (!result)
        result = mm_file_replace(fresh, MM_JOB_FILE, job, strlen(job), err);
    if (!result && rename(fresh, path))
        result = errno == ENOTEMPTY || errno == ENOTDIR ? -EEXIST : -errno;
    if (result) {
        remove_file(fresh, "experiment.json");
        remove_file(fresh, MM_JOB_FILE);
        rmdir(fresh);
    }
    return result == -EEXIST || !result
               ? result
               : cca_error_set(err, result, "cannot make experiment directory '%s': %s",
                               path, strerror(-result));
}

/* Return a new temporary name in the folder of `path`: "dir/.name.HOST-PID.new". */
static char *fresh_name(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char host[HOST_NAME_MAX + 1] = "", *fresh;

    gethostname(host, sizeof host - 1);
    return asprintf(&fresh, "%.*s.%s.%s-%ld.new", (int)(name - path), path, name, host,
                    (long)getpid()) < 0
               ? NULL
               : fresh;
}

int mm_directory_join(struct mm_directory *directory, const char *path, const char *job,
                      int rank, const json_t *about, struct cca_error *err)
{
    char *fresh = fresh_name(path);
    int result = fresh ? 0 : cca_no_memory(err), made = 0;

    memset(directory, 0, sizeof *directory);
    for (int i = 0; !result && !made && !mm_job_file_names(path, job); i++) {
        result = make_whole(path, fresh, job, about, err);
        made = !result;
        /* another process of this job may have made the directory first */
        if (result == -EEXIST)
            result = mm_job_file_names(path, job) && i < MOST_TRIES
                         ? 0
                         : cca_error_set(
                               err, -EEXIST,
                               "cannot make experiment directory '%s': it exists and is "
                               "not an empty directory",
                               path);
    }
    free(fresh);
    if (!result)
        result = mm_directory_enter(directory, path, rank, err);
    return result;
}

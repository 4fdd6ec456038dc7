/* SPDX-License-Identifier: BSD-3-Clause */
/* directory.c: choose a name for the experiment directory, and create it. */
#include "mastermind/writer/parts.h"

#include "common/directory.h"
#include "mastermind/format/experiment_path.h"
#include "mastermind/format/messages_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_NUMBERS = 1000000 };

static int refuse(int code, const char *path, struct cca_error *err)
{
    if (code == -EEXIST)
        return cca_error_set(
            err, code,
            "cannot make experiment directory '%s': it exists and is not an "
            "empty directory",
            path);
    return cca_error_set(err, code, "cannot make experiment directory '%s': %s", path,
                         strerror(-code));
}

/* Test whether a directory can be made: create it and remove it, which is more reliable
 * than checking the permissions of its parent. */
static int try_directory(const char *path)
{
    if (mkdir(path, 0777) == 0)
        return rmdir(path) ? -errno : 0;
    return errno == EEXIST && cca_directory_is_empty(path) > 0 ? 0 : -errno;
}

int mm_directory_place(const char *wanted, const char *what, char **path,
                       struct cca_error *err)
{
    char *here = *wanted == '/' ? NULL : getcwd(NULL, 0);
    int result = *wanted == '/' || here ? 0 : -errno;

    if (!result &&
        asprintf(path, "%s%s%s", here ? here : "", here ? "/" : "", wanted) < 0)
        result = -ENOMEM;
    free(here);
    if (result)
        return cca_error_set(err, result, "%s '%s': %s", what, wanted, strerror(-result));
    result = try_directory(*path);
    if (!result)
        return 0;
    free(*path);
    *path = NULL;
    return cca_error_set(err, result, "cannot make directory '%s' for %s: %s", wanted,
                         what,
                         result == -EEXIST ? "it exists and is not an empty directory"
                                           : strerror(-result));
}

static int make_wanted(struct mm_directory *directory, const char *wanted,
                       struct cca_error *err)
{
    int result = mkdir(wanted, 0777) ? -errno : 0;

    if (result && (result != -EEXIST || cca_directory_is_empty(wanted) <= 0))
        return refuse(result, wanted, err);
    directory->made = !result;
    directory->shown = strdup(wanted);
    return directory->shown ? 0 : cca_no_memory(err);
}

/* True for standard input and for a shell's <(command), because the names of such files
 * are only numbers. */
static int is_nameless(const char *script)
{
    return strcmp(script, "-") == 0 || strncmp(script, "/dev/fd/", 8) == 0 ||
           strncmp(script, "/dev/std", 8) == 0 || strncmp(script, "/proc/", 6) == 0;
}

/* Return the script's name without directories and extension: "runs/shock.rc" is
 * "shock". */
static char *base_of(const char *script)
{
    const char *name = script ? strrchr(script, '/') : NULL;
    const char *end;

    name = name ? name + 1 : script;
    if (!name || !*name || is_nameless(script))
        return strdup("assembly");
    end = strrchr(name, '.');
    return strndup(name, end && end > name ? (size_t)(end - name) : strlen(name));
}

static int make_numbered(struct mm_directory *directory, const char *script,
                         struct cca_error *err)
{
    char *base = base_of(script);
    int result = -EEXIST;

    for (int n = 1; base && n <= MOST_NUMBERS && result == -EEXIST; n++) {
        free(directory->shown);
        if (asprintf(&directory->shown, "%s-%d.mm", base, n) < 0)
            directory->shown = NULL;
        if (!directory->shown)
            break;
        result = mkdir(directory->shown, 0777) ? -errno : 0;
    }
    free(base);
    directory->made = !result;
    if (!base || !directory->shown)
        return cca_no_memory(err);
    return result ? refuse(result, directory->shown, err) : 0;
}

static int make_inside(struct mm_directory *directory, struct cca_error *err)
{
    directory->path = realpath(directory->shown, NULL);
    if (!directory->path)
        return refuse(-errno, directory->shown, err);
    if (strlen(directory->path) > MM_EXPERIMENT_PATH_MOST)
        return cca_error_set(err, -ENAMETOOLONG,
                             "cannot make experiment directory '%.100s': its full path "
                             "has %zu bytes, expected at most %d",
                             directory->shown, strlen(directory->path),
                             MM_EXPERIMENT_PATH_MOST);
    if (asprintf(&directory->rank_path, "%s/rank-%04d", directory->path,
                 directory->rank) < 0) {
        directory->rank_path = NULL;
        return cca_no_memory(err);
    }
    if (mkdir(directory->rank_path, 0777))
        return refuse(-errno, directory->rank_path, err);
    return 0;
}

int mm_directory_make(struct mm_directory *directory, const char *wanted,
                      const char *script, struct cca_error *err)
{
    int result;

    memset(directory, 0, sizeof *directory);
    if (wanted && *wanted)
        result = make_wanted(directory, wanted, err);
    else
        result = make_numbered(directory, script, err);
    if (!result) {
        result = make_inside(directory, err);
        if (result && directory->made)
            rmdir(directory->shown);
    }
    if (result)
        mm_directory_done(directory);
    return result;
}

int mm_directory_enter(struct mm_directory *directory, const char *path, int rank,
                       struct cca_error *err)
{
    int result;

    memset(directory, 0, sizeof *directory);
    directory->rank = rank;
    directory->shown = strdup(path);
    result = directory->shown ? make_inside(directory, err) : cca_no_memory(err);
    if (result)
        mm_directory_done(directory);
    return result;
}

/* The message that rank 0 sends to the other ranks when it has created the directory. */
struct told {
    int code, made;
    char text[512];       /* text of an error message */
    char shown[PATH_MAX]; /* path of the directory for display */
    char path[PATH_MAX];
};

static int join(struct mm_directory *directory, const struct told *told, int rank,
                struct cca_error *err)
{
    int result = told->code ? cca_error_set(err, told->code, "%s", told->text)
                            : mm_directory_enter(directory, told->path, rank, err);

    if (result)
        return result;
    directory->made = told->made;
    free(directory->shown); /* all ranks display the path as rank 0 does */
    directory->shown = strdup(told->shown);
    if (directory->shown)
        return 0;
    mm_directory_done(directory);
    return cca_no_memory(err);
}

int mm_directory_share(struct mm_directory *directory, const char *wanted,
                       const char *script, struct exchange_port *ranks,
                       struct cca_error *err)
{
    int rank = ranks ? ranks->rank(ranks) : 0, result;
    struct cca_error own = {0};
    struct told told = {0};

    if (rank == 0) {
        told.code = mm_directory_make(directory, wanted, script, &own);
        told.made = directory->made;
        snprintf(told.text, sizeof told.text, "%s", own.text);
        if (!told.code) {
            snprintf(told.shown, sizeof told.shown, "%s", directory->shown);
            snprintf(told.path, sizeof told.path, "%s", directory->path);
        }
    }
    result = ranks ? ranks->broadcast(ranks, 0, &told, sizeof told) : 0;
    if (rank != 0 && !result)
        return join(directory, &told, rank, err);
    if (told.code)
        return cca_error_set(err, told.code, "%s", told.text);
    if (result && rank == 0)
        mm_directory_remove(directory);
    return result
               ? cca_error_set(err, result, "the ranks find no experiment directory: %s",
                               strerror(-result))
               : 0;
}

static void remove_file(const char *dir, const char *name)
{
    char *path = NULL;

    if (asprintf(&path, "%s/%s", dir, name) >= 0) {
        unlink(path);
        free(path);
    }
}

void mm_directory_remove(struct mm_directory *directory)
{
    remove_file(directory->rank_path, "methods.json");
    mm_mpi_calls_remove(directory->rank_path);
    remove_file(directory->rank_path, MM_MESSAGES_FILE);
    if (directory->rank == 0)
        remove_file(directory->path, "experiment.json");
    else
        remove_file(directory->rank_path, "rank.json");
    if (directory->made)
        remove_file(directory->path, "wiring.json");
    rmdir(directory->rank_path);
    if (directory->made)
        rmdir(directory->path);
    mm_directory_done(directory);
}

void mm_directory_done(struct mm_directory *directory)
{
    free(directory->shown);
    free(directory->path);
    free(directory->rank_path);
    memset(directory, 0, sizeof *directory);
}

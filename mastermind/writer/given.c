/* SPDX-License-Identifier: BSD-3-Clause */
/* given.c: write the directory of an experiment of given rows: its JSON files, its ranks,
 * its final name. */
#include "mastermind/writer/given.h"

#include "common/array.h"
#include "common/directory.h"
#include "mastermind/writer/parts.h"
#include "mastermind/writer/json_file.h"

#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct rank {
    char *path; /* path of the rank's directory */
    /* [thread_room] threads of the rank by number; NULL if there is no such thread */
    struct mm_given_thread **threads;
    size_t thread_room;
};

struct mm_given {
    /* final path and temporary path of the experiment's directory */
    char *path, *unfinished;
    /* properties of the experiment; its strings are copies that this struct owns */
    struct mm_given_about about;
    json_t *variables; /* parameters of the run, or NULL */
    struct mm_given_clock clock;
    int finished;
    int failed;        /* error code after which no more data can be written; 0: none */
    struct rank *rank; /* [ranks] files and threads of each rank */
    struct mm_methods methods;
    struct mm_given_shape *shapes;
    size_t method_count;
    struct mm_given_instances instances;
    struct mm_given_pack pack;
};

/* --- Paths ---------------------------------------------------------------- */

static int refuse_place(const char *path, int code, struct cca_error *err)
{
    return cca_error_set(err, code, "cannot make experiment directory '%s': %s", path,
                         code == -EEXIST || code == -ENOTEMPTY
                             ? "it exists and is not an empty directory"
                             : strerror(-code));
}

/* Check the path of the experiment before any file is created, so that a long import does
 * not fail at its end. */
static int check_place(const char *path, struct cca_error *err)
{
    struct stat st;

    if (!*path)
        return cca_error_set(err, -EINVAL, "expected a name of a directory, found ''");
    if (lstat(path, &st) == 0 && cca_directory_is_empty(path) <= 0)
        return refuse_place(path, -EEXIST, err);
    return 0;
}

static int make_directory(struct mm_given *given, struct cca_error *err)
{
    int result = -EEXIST;

    for (int n = 0; n < 1000 && result == -EEXIST; n++) {
        free(given->unfinished);
        if (asprintf(&given->unfinished, n ? "%s.%ld-%d.new" : "%s.%ld.new", given->path,
                     (long)getpid(), n) < 0) {
            given->unfinished = NULL;
            return cca_no_memory(err);
        }
        result = mkdir(given->unfinished, 0777) ? -errno : 0;
    }
    if (result) {
        free(given->unfinished);
        given->unfinished = NULL;
        return refuse_place(given->path, result, err);
    }
    return 0;
}

static int make_ranks(struct mm_given *given, struct cca_error *err)
{
    for (int r = 0; r < given->about.ranks; r++) {
        char **path = &given->rank[r].path;

        if (asprintf(path, "%s/rank-%04d", given->unfinished, r) < 0) {
            *path = NULL;
            return cca_no_memory(err);
        }
        if (mkdir(*path, 0777))
            return refuse_place(given->path, -errno, err);
    }
    return 0;
}

static void remove_file(const char *directory, const char *name)
{
    char path[PATH_MAX];

    if (snprintf(path, sizeof path, "%s/%s", directory, name) < (int)sizeof path)
        unlink(path);
}

static void remove_rank(const struct rank *rank)
{
    char name[32];

    if (!rank->path)
        return;
    for (size_t i = 0; i < rank->thread_room; i++) {
        if (rank->threads[i]) {
            snprintf(name, sizeof name, "thread-%03zu.seg", i);
            remove_file(rank->path, name);
        }
    }
    remove_file(rank->path, "methods.json");
    remove_file(rank->path, "rank.json");
    rmdir(rank->path);
}

/* Remove the folders, with their files, that users of mm_given_folder have made in
 * `directory`. */
static void remove_folders(const char *directory)
{
    DIR *all = opendir(directory);
    char path[PATH_MAX];
    struct dirent *entry;

    while (all && (entry = readdir(all))) {
        DIR *folder;

        if (entry->d_name[0] == '.' || snprintf(path, sizeof path, "%s/%s", directory,
                                                entry->d_name) >= (int)sizeof path)
            continue;
        folder = opendir(path);
        while (folder && (entry = readdir(folder)))
            remove_file(path, entry->d_name);
        if (folder)
            closedir(folder);
        rmdir(path);
    }
    if (all)
        closedir(all);
}

static void remove_directory(const struct mm_given *given)
{
    for (int r = 0; given->rank && r < given->about.ranks; r++)
        remove_rank(&given->rank[r]);
    remove_file(given->unfinished, "experiment.json");
    remove_file(given->unfinished, "wiring.json");
    remove_folders(given->unfinished);
    rmdir(given->unfinished);
}

/* --- Begin and end -------------------------------------------------------- */

void mm_given_free(struct mm_given *given)
{
    if (!given)
        return;
    if (given->unfinished && !given->finished)
        remove_directory(given);
    for (int r = 0; given->rank && r < given->about.ranks; r++) {
        for (size_t i = 0; i < given->rank[r].thread_room; i++)
            mm_given_thread_free(given->rank[r].threads[i]);
        free(given->rank[r].threads);
        free(given->rank[r].path);
    }
    free(given->rank);
    mm_methods_done(&given->methods);
    free(given->shapes);
    mm_given_instances_done(&given->instances);
    mm_given_pack_done(&given->pack);
    free(given->path);
    free(given->unfinished);
    free((char *)given->about.origin);
    free((char *)given->about.source);
    free((char *)given->about.unit);
    json_decref(given->variables);
    free(given);
}

/* Return a copy of the experiment's path without trailing slashes, with which rename
 * would fail. */
static char *trimmed_path(const char *path)
{
    size_t length = strlen(path);

    while (length > 1 && path[length - 1] == '/')
        length--;
    return strndup(path, length);
}

static int copy_about(struct mm_given *given, const char *path,
                      const struct mm_given_about *about)
{
    given->path = trimmed_path(path);
    given->about = *about;
    given->about.origin = strdup(about->origin);
    given->about.source = about->source ? strdup(about->source) : NULL;
    given->about.unit = about->unit ? strdup(about->unit) : NULL;
    given->clock = (struct mm_given_clock){.ns_per_tick = about->ns_per_tick,
                                           .epoch_ns = about->epoch_ns,
                                           .cpu_time = about->cpu_time};
    given->variables = about->variables ? mm_given_variables_json(about) : NULL;
    given->about.variables = NULL;
    given->rank = calloc((size_t)about->ranks, sizeof *given->rank);
    return given->path && !given->variables == !about->variables && given->about.origin &&
                   !given->about.source == !about->source &&
                   !given->about.unit == !about->unit && given->rank &&
                   !mm_given_pack_init(&given->pack)
               ? 0
               : -ENOMEM;
}

struct mm_given *mm_given_new(const char *path, const struct mm_given_about *about,
                              struct cca_error *err)
{
    struct mm_given *given;

    if (about->ranks < 1 || about->ranks > MM_GIVEN_RANKS ||
        !(about->ns_per_tick > 0 && isfinite(about->ns_per_tick))) {
        cca_error_set(err, -EINVAL,
                      "found %d ranks and %g ns per tick, expected 1 to %d ranks and a "
                      "positive number",
                      about->ranks, about->ns_per_tick, MM_GIVEN_RANKS);
        return NULL;
    }
    given = calloc(1, sizeof *given);
    if (!given || copy_about(given, path, about)) {
        cca_no_memory(err);
        goto fail;
    }
    if (check_place(given->path, err) || make_directory(given, err) ||
        make_ranks(given, err))
        goto fail;
    return given;
fail:
    mm_given_free(given);
    return NULL;
}

/* --- Methods and rows ----------------------------------------------------- */

static int check_values(const struct monitor_method_decl *decl, struct cca_error *err)
{
    size_t count = decl->in_count + decl->out_count;

    if (decl->in_count > MONITOR_MAX_IN || decl->out_count > MONITOR_MAX_OUT)
        return cca_error_set(err, -EINVAL,
                             "found a method with %zu parameters and modes and %zu "
                             "out-parameters, expected at most %d and %d",
                             decl->in_count, decl->out_count, MONITOR_MAX_IN,
                             MONITOR_MAX_OUT);
    for (size_t i = 0; i < count; i++) {
        const struct monitor_value_decl *value = &decl->values[i];

        if (monitor_kind_is_out(value->kind) != (i >= decl->in_count))
            return cca_error_set(err, -EINVAL,
                                 "found value '%s' out of order, expected in-values, "
                                 "then out-values",
                                 value->name);
        if (value->kind == MONITOR_MODE && value->type != MONITOR_INT64)
            return cca_error_set(
                err, -EINVAL, "found mode '%s' of doubles, expected int64", value->name);
    }
    return 0;
}

int mm_given_method(struct mm_given *given, const struct monitor_method_decl *decl,
                    struct cca_error *err)
{
    struct mm_given_shape *shape;
    int result = check_values(decl, err);

    if (result)
        return result;
    if (given->method_count >= MM_GIVEN_METHODS)
        return cca_error_set(err, -ENOSPC, "found more than %d methods",
                             MM_GIVEN_METHODS);
    if (cca_array_reserve(&given->shapes, given->method_count, sizeof *shape))
        return cca_no_memory(err);
    if (mm_given_instances_add(&given->instances, decl))
        return cca_no_memory(err);
    result = mm_methods_note(&given->methods, (uint32_t)given->method_count,
                             MM_ENTRY_PROXY, decl, err);
    if (result)
        return result;
    shape = &given->shapes[given->method_count];
    *shape = (struct mm_given_shape){.in_count = (unsigned char)decl->in_count,
                                     .out_count = (unsigned char)decl->out_count};
    for (size_t i = 0; i < decl->in_count + decl->out_count; i++)
        shape->types[i] = (unsigned char)decl->values[i].type;
    return (int)given->method_count++;
}

const char *mm_given_folder(const struct mm_given *given)
{
    return given->unfinished;
}

static struct mm_given_thread *thread_of(struct mm_given *given, int rank, int number)
{
    struct rank *of = &given->rank[rank];
    size_t at = (size_t)number;

    if (cca_array_extend(&of->threads, &of->thread_room, sizeof *of->threads, at + 1))
        return NULL;
    if (!of->threads[at])
        of->threads[at] = mm_given_thread_new(number, &given->clock);
    return of->threads[at];
}

int mm_given_row(struct mm_given *given, const struct mm_given_row *row,
                 struct cca_error *err)
{
    struct mm_given_thread *thread;
    int result;

    if (given->failed)
        return cca_error_set(err, given->failed, "experiment '%s' cannot be written: %s",
                             given->path, strerror(-given->failed));
    if (row->method >= given->method_count || row->rank < 0 ||
        row->rank >= given->about.ranks || row->thread < 0 ||
        row->thread >= MM_GIVEN_THREADS || row->status < 0 ||
        row->status > MM_STATUS_LONGJMP)
        return cca_error_set(err, -EINVAL,
                             "found a row of method %u, rank %d, thread %d, status %d, "
                             "expected %zu methods, %d ranks, %d threads, 3 statuses",
                             row->method, row->rank, row->thread, row->status,
                             given->method_count, given->about.ranks, MM_GIVEN_THREADS);
    thread = thread_of(given, row->rank, row->thread);
    if (!thread)
        return cca_no_memory(err);
    result = mm_given_thread_row(thread, given->rank[row->rank].path, &given->pack,
                                 &given->shapes[row->method], row, err);
    if (result && result != -EINVAL)
        given->failed = result;
    return result;
}

/* --- Finish --------------------------------------------------------------- */

static json_t *about_rank(const struct mm_given *given, int r)
{
    struct mm_given_totals totals = {.methods = given->method_count};

    for (size_t i = 0; i < given->rank[r].thread_room; i++) {
        const struct mm_given_thread *thread = given->rank[r].threads[i];

        if (!thread)
            continue;
        totals.rows += mm_given_thread_rows(thread);
        totals.wall_ns = fmax(totals.wall_ns, (double)mm_given_thread_end(thread) *
                                                  given->clock.ns_per_tick);
        totals.threads++;
    }
    return mm_given_about_json(&given->about, r, &totals, given->variables);
}

static int finish_rank(struct mm_given *given, int r, struct cca_error *err)
{
    const char *path = given->rank[r].path;
    json_t *about = about_rank(given, r);
    int result = about ? 0 : cca_no_memory(err);

    for (size_t i = 0; !result && i < given->rank[r].thread_room; i++)
        if (given->rank[r].threads[i])
            result = mm_given_thread_finish(given->rank[r].threads[i], path, &given->pack,
                                            err);
    given->methods.unwritten = 1; /* the text of this rank is not yet written */
    if (!result)
        result = given->method_count ? mm_methods_write(&given->methods, path, err)
                                     : mm_methods_start(&given->methods, path, err);
    if (!result)
        result = r ? mm_json_replace(path, "rank.json", about, err)
                   : mm_json_replace(given->unfinished, "experiment.json", about, err);
    json_decref(about);
    return result;
}

static int write_wiring(struct mm_given *given, struct cca_error *err)
{
    json_t *wiring = mm_given_instances_wiring(&given->instances);
    int result = wiring ? mm_json_replace(given->unfinished, "wiring.json", wiring, err)
                        : cca_no_memory(err);

    json_decref(wiring);
    return result;
}

int mm_given_finish(struct mm_given *given, struct cca_error *err)
{
    int result = given->failed;

    if (result)
        return cca_error_set(err, result, "experiment '%s' cannot be written: %s",
                             given->path, strerror(-result));
    for (int r = 0; !result && r < given->about.ranks; r++)
        result = finish_rank(given, r, err);
    if (!result)
        result = write_wiring(given, err);
    if (!result && rename(given->unfinished, given->path))
        result = refuse_place(given->path, -errno, err);
    given->finished = !result;
    return result;
}

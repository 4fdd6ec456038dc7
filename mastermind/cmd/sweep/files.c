/* SPDX-License-Identifier: BSD-3-Clause */
/* files.c: the directory of a sweep. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mastermind/cmd/cmd.h"
#include "mastermind/cmd/sweep/sweep.h"
#include "mastermind/writer/json_file.h"

/* --- States of the runs ------------------------------------------------------------- */

/* Find the state of a run: it is done if its experiment exists and has ended; an
 * unfinished or damaged experiment is removed. Returns 0 or -ENOMEM. */
static int find_run(const struct sweep *sweep, size_t at, const json_t *item)
{
    struct sweep_run *run = &sweep->runs[at];
    char *path = sweep_run_path(sweep, at, ".mm");
    int is_done;

    sweep_run_reset(run);
    is_done = sweep_read_run(run, item);
    sweep_remove(sweep, at, ".part");
    if (!path)
        return -ENOMEM;
    if (access(path, F_OK) == 0) {
        if (is_done ? sweep_is_finished(path) : sweep_measure(path, run, NULL) == 0)
            run->state = SWEEP_DONE;
        else
            sweep_remove(sweep, at, ".mm");
        if (!(run->elapsed_s > 0)) /* the sweep died before the run ended */
            run->elapsed_s = run->time_s > 0 ? run->time_s : 0;
    }
    free(path);
    return 0;
}

static int find_runs(struct sweep *sweep)
{
    int missing, result = 0;
    json_t *file = sweep_load(sweep->path, SWEEP_RUNS, &missing),
           *items = json_object_get(file, "runs");

    for (size_t i = 0; i < sweep->plan->run_count && !result; i++)
        result = find_run(sweep, i, json_array_get(items, i));
    json_decref(file);
    return result ? mm_no_memory() : -1;
}

/* --- Opening ------------------------------------------------------------------------ */

static int refuse_file(const char *dir, int error)
{
    return mm_refuse(MM_EXIT_SYSTEM, "cannot write into '%s': %s", mm_safe(dir),
                     strerror(error));
}

int sweep_make_directory(const char *dir, const char *noun, int is_shared, char **path,
                         int *lock)
{
    if (mkdir(dir, 0777) && errno != EEXIST)
        return mm_refuse(MM_EXIT_SYSTEM, "cannot make directory '%s': %s", mm_safe(dir),
                         strerror(errno));
    *path = realpath(dir, NULL);
    *lock = *path ? open(*path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (*lock < 0)
        return refuse_file(dir, errno);
    if (flock(*lock, (is_shared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0 ||
        (is_shared && errno != EWOULDBLOCK)) /* claims need no locks */
        return -1;
    if (errno == EWOULDBLOCK)
        return mm_refuse(MM_EXIT_MISUSE, "another %s is at work in '%s'", noun,
                         mm_safe(dir));
    return mm_refuse(MM_EXIT_SYSTEM, "cannot lock '%s': %s", mm_safe(dir),
                     strerror(errno));
}

/* Wait for a run that has outlived its sweep: it would write into the files of the next
 * run. Runs inherit this lock, so it is free when the last of them has ended. */
static int lock_runs(struct sweep *sweep)
{
    char *path = sweep_path_in(sweep->path, SWEEP_PLAN);
    int kind = sweep->is_shared ? LOCK_SH : LOCK_EX, result = 0;

    sweep->run_lock = path ? open(path, O_RDONLY) : -1; /* runs inherit it */
    free(path);
    if (sweep->run_lock < 0)
        return refuse_file(sweep->dir, errno);
    if (flock(sweep->run_lock, kind | LOCK_NB)) {
        if (sweep->is_shared && errno != EWOULDBLOCK)
            return -1;
        fprintf(stderr,
                "mastermind: waiting for a run in '%s' that a killed sweep left\n",
                mm_safe(sweep->dir));
        do {
            result = flock(sweep->run_lock, kind);
        } while (result && errno == EINTR);
    }
    return result ? refuse_file(sweep->dir, errno) : -1;
}

/* True if the directory is empty except for unfinished plans. */
static int is_empty(const struct sweep *sweep)
{
    char *rest = sweep_path_in(sweep->path, SWEEP_PLAN ".new");
    DIR *dir = opendir(sweep->path);
    const struct dirent *entry;
    int empty = dir != NULL;

    if (rest && !sweep->is_shared)
        unlink(rest);
    free(rest);
    while (empty && (entry = readdir(dir)))
        empty = strspn(entry->d_name, ".") == strlen(entry->d_name) ||
                strncmp(entry->d_name, SWEEP_PLAN ".", strlen(SWEEP_PLAN ".")) == 0;
    if (dir)
        closedir(dir);
    return empty;
}

/* Write the plan, unless another worker of a shared sweep has written one meanwhile.
 * Returns -1 to go on. */
static int make_plan_file(struct sweep *sweep)
{
    json_t *plan;
    int missing, result;

    if (!is_empty(sweep)) {
        plan = sweep_load(sweep->path, SWEEP_PLAN, &missing);
        json_decref(plan);
        if (!plan)
            return mm_refuse(MM_EXIT_MISUSE,
                             "'%s' is not empty, and has no plan of a sweep",
                             mm_safe(sweep->dir));
    } else if ((result = sweep_write_plan(sweep)) >= 0) {
        return result;
    }
    plan = sweep_load(sweep->path, SWEEP_PLAN, &missing);
    result = sweep_compare_plan(sweep, plan);
    json_decref(plan);
    return result;
}

/* Finish the move of runs that a killed process began. Returns -1 to go on. */
static int resume_move(const struct sweep *sweep)
{
    char *moving = sweep_path_in(sweep->path, SWEEP_MOVING);
    int is_begun = moving && access(moving, F_OK) == 0;

    free(moving);
    if (is_begun && sweep->is_shared)
        return mm_refuse(MM_EXIT_MISUSE,
                         "'%s' got other values from a process that was killed: go on "
                         "once without --shared",
                         mm_safe(sweep->dir));
    return is_begun ? sweep_resume_move(sweep) : -1;
}

/* Take the plan in the directory, or give it the requested values. `*plan` is replaced
 * then. Returns -1 to go on. */
static int match_plan(struct sweep *sweep, json_t **plan)
{
    int missing, result = -1;

    if (!sweep->is_shared && !sweep->is_read && !sweep_has_runs(sweep, *plan)) {
        result = sweep_compare_rest(sweep, *plan, 1);
        if (result < 0)
            result = lock_runs(sweep);
        if (result < 0)
            result = sweep_resize(sweep);
        if (sweep->run_lock >= 0)
            close(sweep->run_lock); /* of the plan that was there */
        sweep->run_lock = -1;
        json_decref(*plan);
        *plan = sweep_load(sweep->path, SWEEP_PLAN, &missing);
    }
    return result < 0 ? sweep_compare_plan(sweep, *plan) : result;
}

int sweep_open(struct sweep *sweep)
{
    json_t *plan;
    int missing, result;

    result = sweep_make_directory(sweep->dir, "sweep", sweep->is_shared, &sweep->path,
                                  &sweep->lock);
    if (result < 0 && sweep->is_shared)
        result = sweep_queue_new(sweep);
    if (result < 0)
        result = resume_move(sweep);
    if (result >= 0)
        return result;
    plan = sweep_load(sweep->path, SWEEP_PLAN, &missing);
    if (plan)
        result = match_plan(sweep, &plan);
    else if (!missing)
        result = mm_refuse(MM_EXIT_INPUT, "'%s/" SWEEP_PLAN "' is damaged",
                           mm_safe(sweep->dir));
    else
        result = make_plan_file(sweep);
    json_decref(plan);
    if (result < 0)
        result = lock_runs(sweep);
    if (result < 0 && !sweep->is_shared)
        result = sweep_queue_close(sweep);
    if (result < 0)
        result = find_runs(sweep);
    if (result < 0 && sweep->is_shared)
        result = sweep_queue_make(sweep);
    if (result < 0 && sweep->is_shared)
        result = sweep_queue_read(sweep);
    return result;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* files.c: the directory of a sweep. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/directory.h"
#include "mastermind/cmd/cmd.h"
#include "mastermind/cmd/sweep/sweep.h"
#include "mastermind/writer/json_file.h"

/* --- Paths -------------------------------------------------------------------------- */

static char *path_in(const char *dir, const char *name)
{
    char *path = NULL;

    return asprintf(&path, "%s/%s", dir, name) < 0 ? NULL : path;
}

char *sweep_run_path(const struct sweep *sweep, size_t at, const char *ending)
{
    char *path = NULL;

    return asprintf(&path, "%s/run-%03zu%s", sweep->path, at + 1, ending) < 0 ? NULL
                                                                              : path;
}

static int remove_entry(const char *path, const struct stat *status, int type,
                        struct FTW *place)
{
    (void)status;
    (void)type;
    (void)place;
    return remove(path);
}

void sweep_remove_path(const char *path)
{
    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

void sweep_remove(const struct sweep *sweep, size_t at, const char *ending)
{
    char *path = sweep_run_path(sweep, at, ending);

    if (path)
        sweep_remove_path(path);
    free(path);
}

json_t *sweep_load(const char *dir, const char *name, int *missing)
{
    json_error_t where;
    json_t *json;
    char *path;

    errno = 0;
    path = path_in(dir, name);
    json = path ? json_load_file(path, JSON_REJECT_DUPLICATES, &where) : NULL;
    *missing = path && !json && access(path, F_OK) != 0;
    free(path);
    return json;
}

/* --- States of the runs ------------------------------------------------------------- */

static double number_of(const json_t *object, const char *key)
{
    const json_t *number = json_object_get(object, key);

    return json_is_number(number) ? json_number_value(number) : NAN;
}

int sweep_read_run(struct sweep_run *run, const json_t *item)
{
    const char *state = json_string_value(json_object_get(item, "state"));
    json_int_t failures = json_integer_value(json_object_get(item, "failures"));
    json_int_t wrong = json_integer_value(json_object_get(item, "wrong"));

    run->failures = failures > 0 ? (size_t)failures : 0;
    run->wrong = wrong > 0 ? (size_t)wrong : 0;
    if (!state || strcmp(state, "done") != 0)
        return 0;
    run->elapsed_s = number_of(item, "elapsed_s");
    run->time_s = number_of(item, "time_s");
    run->cpu_s = number_of(item, "cpu_s");
    run->wait_s = number_of(item, "wait_s");
    run->seen_s = number_of(item, "seen_s");
    run->lost_s = number_of(item, "lost_s");
    run->rows = (uint64_t)json_integer_value(json_object_get(item, "rows"));
    run->peak_bytes = number_of(item, "peak_bytes");
    run->functions = json_incref(json_object_get(item, "functions"));
    if (isnan(run->elapsed_s))
        run->elapsed_s = 0;
    return 1;
}

/* Find the state of a run: it is done if its experiment exists and has ended; an
 * unfinished or damaged experiment is removed. Returns 0 or -ENOMEM. */
static int find_run(const struct sweep *sweep, size_t at, const json_t *item)
{
    struct sweep_run *run = &sweep->runs[at];
    char *path = sweep_run_path(sweep, at, ".mm");
    int is_done;

    *run = (struct sweep_run){
        .time_s = NAN, .cpu_s = NAN, .wait_s = NAN, .seen_s = NAN, .lost_s = NAN};
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

int sweep_write_runs(const struct sweep *sweep)
{
    static const char *const states[] = {"open", "done", "failed"};
    json_t *file = json_object(), *items = json_array();
    struct cca_error err = {0};
    char *text;
    int result;

    for (size_t i = 0; i < sweep->plan->run_count; i++) {
        const struct sweep_run *run = &sweep->runs[i];
        json_t *item = json_object();

        mm_json_put(item, "state", json_string(states[run->state]));
        if (run->state != SWEEP_OPEN)
            mm_json_put(item, "elapsed_s", mm_json_finite(run->elapsed_s));
        if (run->state == SWEEP_DONE) {
            mm_json_set(item, "time_s cpu_s wait_s seen_s lost_s rows", run->time_s,
                        run->cpu_s, run->wait_s, run->seen_s, run->lost_s,
                        (json_int_t)run->rows);
            if (sweep->is_plain)
                mm_json_set(item, "peak_bytes functions", run->peak_bytes,
                            json_incref(run->functions));
        }
        mm_json_set(item, "error", run->error);
        if (run->failures)
            mm_json_set(item, "failures wrong", (json_int_t)run->failures,
                        (json_int_t)run->wrong);
        json_array_append_new(items, item);
    }
    mm_json_put(file, "runs", items);
    text = mm_json_dump(file, JSON_INDENT(1));
    result = text ? mm_file_replace(sweep->path, SWEEP_RUNS, text, strlen(text), &err)
                  : cca_no_memory(&err);
    free(text);
    json_decref(file);
    return result ? mm_complain(&err) : -1;
}

/* --- Opening ------------------------------------------------------------------------ */

static int refuse_file(const char *dir, int error)
{
    return mm_refuse(MM_EXIT_SYSTEM, "cannot write into '%s': %s", mm_safe(dir),
                     strerror(error));
}

int sweep_make_directory(const char *dir, const char *noun, char **path, int *lock)
{
    if (mkdir(dir, 0777) && errno != EEXIST)
        return mm_refuse(MM_EXIT_SYSTEM, "cannot make directory '%s': %s", mm_safe(dir),
                         strerror(errno));
    *path = realpath(dir, NULL);
    *lock = *path ? open(*path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (*lock < 0)
        return refuse_file(dir, errno);
    if (flock(*lock, LOCK_EX | LOCK_NB) == 0)
        return -1;
    return mm_refuse(MM_EXIT_MISUSE, "another %s is at work in '%s'", noun, mm_safe(dir));
}

/* Wait for a run that has outlived its sweep: it would write into the files of the next
 * run. Runs inherit this lock, so it is free when the last of them has ended. */
static int lock_runs(struct sweep *sweep)
{
    char *path = path_in(sweep->path, SWEEP_PLAN);
    int result = 0;

    sweep->run_lock = path ? open(path, O_RDONLY) : -1; /* runs inherit it */
    free(path);
    if (sweep->run_lock < 0)
        return refuse_file(sweep->dir, errno);
    if (flock(sweep->run_lock, LOCK_EX | LOCK_NB)) {
        fprintf(stderr,
                "mastermind: waiting for a run in '%s' that a killed sweep left\n",
                mm_safe(sweep->dir));
        do {
            result = flock(sweep->run_lock, LOCK_EX);
        } while (result && errno == EINTR);
    }
    return result ? refuse_file(sweep->dir, errno) : -1;
}

/* True if the directory is empty except for an unfinished plan. */
static int is_empty(const struct sweep *sweep)
{
    char *rest = path_in(sweep->path, SWEEP_PLAN ".new");

    if (rest)
        unlink(rest);
    free(rest);
    return cca_directory_is_empty(sweep->path) == 1;
}

int sweep_open(struct sweep *sweep)
{
    json_t *plan;
    int missing, result;

    result = sweep_make_directory(sweep->dir, "sweep", &sweep->path, &sweep->lock);
    if (result >= 0)
        return result;
    plan = sweep_load(sweep->path, SWEEP_PLAN, &missing);
    if (plan)
        result = sweep_compare_plan(sweep, plan);
    else if (!missing)
        result = mm_refuse(MM_EXIT_INPUT, "'%s/" SWEEP_PLAN "' is damaged",
                           mm_safe(sweep->dir));
    else if (!is_empty(sweep))
        result =
            mm_refuse(MM_EXIT_MISUSE, "'%s' is not empty, and has no plan of a sweep",
                      mm_safe(sweep->dir));
    else
        result = sweep_write_plan(sweep);
    json_decref(plan);
    if (result < 0)
        result = lock_runs(sweep);
    return result >= 0 ? result : find_runs(sweep);
}

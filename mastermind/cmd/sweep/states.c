/* SPDX-License-Identifier: BSD-3-Clause */
/* states.c: paths in the directory of a sweep, and its runs.json: states and results of
 * the runs. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/directory.h"
#include "mastermind/cmd/cmd.h"
#include "mastermind/cmd/sweep/sweep.h"
#include "mastermind/writer/json_file.h"

/* --- Paths -------------------------------------------------------------------------- */

char *sweep_path_in(const char *dir, const char *name)
{
    char *path = NULL;

    return asprintf(&path, "%s/%s", dir, name) < 0 ? NULL : path;
}

char *sweep_run_path(const struct sweep *sweep, size_t at, const char *ending)
{
    const char *worker = sweep_queue_worker(sweep->queue, at);
    char *path = NULL;

    return asprintf(&path, "%s/run-%03zu%s%s%s", sweep->path, at + 1, worker ? "." : "",
                    worker ? worker : "", ending) < 0
               ? NULL
               : path;
}

void sweep_remove(const struct sweep *sweep, size_t at, const char *ending)
{
    char *path = sweep_run_path(sweep, at, ending);

    if (path)
        cca_directory_remove(path);
    free(path);
}

json_t *sweep_load(const char *dir, const char *name, int *missing)
{
    json_error_t where;
    json_t *json;
    char *path;

    errno = 0;
    path = sweep_path_in(dir, name);
    json = path ? json_load_file(path, JSON_REJECT_DUPLICATES, &where) : NULL;
    *missing = path && !json && access(path, F_OK) != 0;
    free(path);
    return json;
}

int sweep_replace(const struct sweep *sweep, const char *name, const char *text,
                  struct cca_error *err)
{
    char *own = NULL, *from, *to;
    int result;

    if (!sweep->queue)
        return mm_file_replace(sweep->path, name, text, strlen(text), err);
    if (asprintf(&own, "%s.%s", name, sweep->queue->worker) < 0)
        return cca_no_memory(err);
    from = sweep_path_in(sweep->path, own);
    to = sweep_path_in(sweep->path, name);
    result = from && to ? mm_file_replace(sweep->path, own, text, strlen(text), err)
                        : cca_no_memory(err);
    /* a plan that another worker wrote first stays */
    if (!result && (strcmp(name, SWEEP_PLAN) == 0 ? link(from, to) && errno != EEXIST
                                                  : rename(from, to)))
        result = cca_error_set(err, -errno, "cannot write '%s': %s", to, strerror(errno));
    if (from)
        unlink(from);
    free(own);
    free(from);
    free(to);
    return result;
}

/* --- States of the runs ------------------------------------------------------------- */

static double number_of(const json_t *object, const char *key)
{
    const json_t *number = json_object_get(object, key);

    return json_is_number(number) ? json_number_value(number) : NAN;
}

void sweep_run_reset(struct sweep_run *run)
{
    size_t failures = run->failures, wrong = run->wrong;

    free(run->error);
    free(run->host);
    json_decref(run->functions);
    *run = (struct sweep_run){.time_s = NAN,
                              .cpu_s = NAN,
                              .wait_s = NAN,
                              .seen_s = NAN,
                              .lost_s = NAN,
                              .failures = failures,
                              .wrong = wrong};
}

int sweep_read_run(struct sweep_run *run, const json_t *item)
{
    const char *state = json_string_value(json_object_get(item, "state"));
    const char *host = json_string_value(json_object_get(item, "host"));
    json_int_t failures = json_integer_value(json_object_get(item, "failures"));
    json_int_t wrong = json_integer_value(json_object_get(item, "wrong"));

    run->failures = failures > 0 ? (size_t)failures : 0;
    run->wrong = wrong > 0 ? (size_t)wrong : 0;
    run->host = host ? strdup(host) : NULL;
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

/* Read a run as the file has it. Returns 0 or a negative errno. */
static int read_result(const struct sweep *sweep, size_t at, const json_t *item)
{
    struct sweep_run *run = &sweep->runs[at];
    const char *state = json_string_value(json_object_get(item, "state"));
    const char *error = json_string_value(json_object_get(item, "error"));
    char *path = sweep_run_path(sweep, at, ".mm");
    int result = 0;

    if (!path)
        return -ENOMEM;
    if (sweep_read_run(run, item)) {
        int is_there = access(path, F_OK) == 0;

        result = is_there || errno == ENOENT ? 0 : -errno;
        run->state = is_there ? SWEEP_DONE : SWEEP_OPEN;
    } else if (state && strcmp(state, "failed") == 0) {
        run->state = SWEEP_FAILED;
        run->failures += !run->failures; /* an older file has no number */
        run->error = error ? strdup(error) : NULL;
    }
    free(path);
    return result;
}

int sweep_read_results(const struct sweep *sweep, int is_needed)
{
    int missing, error = 0, result = -1;
    json_t *file = sweep_load(sweep->path, SWEEP_RUNS, &missing),
           *items = json_object_get(file, "runs");

    if (!file && errno == ENOMEM)
        result = mm_no_memory();
    else if (!json_is_array(items) && (is_needed || !missing))
        result = mm_refuse(MM_EXIT_INPUT, "'%s/" SWEEP_RUNS "' is %s",
                           mm_safe(sweep->dir), missing ? "missing" : "damaged");
    for (size_t i = 0; i < sweep->plan->run_count && result < 0 && !error; i++)
        error = read_result(sweep, i, json_array_get(items, i));
    if (error)
        result =
            mm_refuse(MM_EXIT_SYSTEM, "%s: %s", mm_safe(sweep->dir), strerror(-error));
    json_decref(file);
    return result;
}

json_t *sweep_run_item(const struct sweep *sweep, const struct sweep_run *run)
{
    static const char *const states[] = {"open", "done", "failed", "open"};
    int is_ended = run->state == SWEEP_DONE || run->state == SWEEP_FAILED;
    json_t *item = json_object();

    mm_json_put(item, "state", json_string(states[run->state]));
    if (is_ended)
        mm_json_put(item, "elapsed_s", mm_json_finite(run->elapsed_s));
    if (run->state == SWEEP_DONE) {
        mm_json_set(item, "time_s cpu_s wait_s seen_s lost_s rows", run->time_s,
                    run->cpu_s, run->wait_s, run->seen_s, run->lost_s,
                    (json_int_t)run->rows);
        if (sweep->is_plain)
            mm_json_set(item, "peak_bytes functions", run->peak_bytes,
                        json_incref(run->functions));
    }
    if (is_ended)
        mm_json_set(item, "host", run->host);
    mm_json_set(item, "error", run->error);
    if (run->failures)
        mm_json_set(item, "failures wrong", (json_int_t)run->failures,
                    (json_int_t)run->wrong);
    return item;
}

int sweep_write_runs(const struct sweep *sweep)
{
    json_t *file = json_object(), *items = json_array();
    struct cca_error err = {0};
    char *text;
    int result;

    for (size_t i = 0; i < sweep->plan->run_count; i++)
        json_array_append_new(items, sweep_run_item(sweep, &sweep->runs[i]));
    mm_json_put(file, "runs", items);
    text = mm_json_dump(file, JSON_INDENT(1));
    result = text ? sweep_replace(sweep, SWEEP_RUNS, text, &err) : cca_no_memory(&err);
    free(text);
    json_decref(file);
    return result ? mm_complain(&err) : -1;
}

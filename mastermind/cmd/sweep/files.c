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

#include "common/array.h"
#include "common/directory.h"
#include "mastermind/cmd/cmd.h"
#include "mastermind/cmd/sweep/sweep.h"
#include "mastermind/writer/json_file.h"

#define PLAN "plan.json"
#define RUNS "runs.json"
#define SCHEMA "mastermind/sweep-plan/1"

/* --- Paths ----------------------------------------------------------------------------
 */

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

void sweep_remove(const struct sweep *sweep, size_t at, const char *ending)
{
    char *path = sweep_run_path(sweep, at, ending);

    if (path)
        nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    free(path);
}

/* --- What was asked --------------------------------------------------------------------
 */

static json_t *words_json(char *const *words, size_t count)
{
    json_t *array = json_array();

    for (size_t i = 0; i < count; i++)
        json_array_append_new(array, json_string(words[i]));
    return array;
}

/* What was asked, as members of the plan. New. */
static json_t *asked_json(const struct sweep *sweep)
{
    json_t *object = json_object(), *axes = json_array();
    size_t count = 0;

    while (sweep->command[count])
        count++;
    for (size_t a = 0; a < sweep->axis_count; a++) {
        const struct sweep_axis *axis = &sweep->axes[a];
        json_t *item = json_object();

        mm_json_put(item, "kind", json_string(sweep_kind_word(axis->kind)));
        mm_json_put(item, "name", json_string(axis->name));
        mm_json_put(item, "values", words_json(axis->texts, axis->count));
        json_array_append_new(axes, item);
    }
    mm_json_put(object, "schema", json_string(SCHEMA));
    mm_json_put(object, "axes", axes);
    mm_json_put(object, "repeats", json_integer((json_int_t)sweep->repeats));
    mm_json_put(object, "grid", json_integer((json_int_t)sweep->grid_limit));
    mm_json_put(object, "seed", json_integer((json_int_t)sweep->seed));
    if (sweep->launcher)
        mm_json_put(object, "launcher", json_string(sweep->launcher));
    mm_json_put(object, "command", words_json(sweep->command, count));
    mm_json_put(object, "directory", json_string(sweep->cwd));
    return object;
}

/* The plan: what was asked, and the runs. New. */
static json_t *plan_json(const struct sweep *sweep)
{
    json_t *plan = asked_json(sweep), *runs = json_array();

    mm_json_put(plan, "points", json_integer((json_int_t)sweep->plan->point_count));
    mm_json_put(plan, "is_grid", json_boolean(sweep->plan->is_grid));
    for (size_t i = 0; i < sweep->plan->run_count; i++) {
        const struct mm_plan_run *run = &sweep->plan->runs[i];
        json_t *item = json_object();
        char name[32];

        snprintf(name, sizeof name, "run-%03zu.mm", i + 1);
        mm_json_put(item, "experiment", json_string(name));
        mm_json_put(item, "repeat", json_integer((json_int_t)run->repeat + 1));
        mm_json_put(item, "values",
                    sweep_point_json(sweep, sweep->plan->values +
                                                run->point * sweep->axis_count));
        json_array_append_new(runs, item);
    }
    mm_json_put(plan, "runs", runs);
    return plan;
}

static json_t *load(const char *dir, const char *name, int *missing)
{
    char *path = path_in(dir, name);
    json_error_t where;
    json_t *json = path ? json_load_file(path, JSON_REJECT_DUPLICATES, &where) : NULL;

    *missing = path && !json && access(path, F_OK) != 0;
    free(path);
    return json;
}

static char *copy_string(const json_t *json)
{
    return json_is_string(json) ? strdup(json_string_value(json)) : NULL;
}

static int read_axis(struct sweep *sweep, const json_t *item)
{
    const char *kind = json_string_value(json_object_get(item, "kind"));
    const json_t *values = json_object_get(item, "values");
    struct sweep_axis *axis;
    char *word = copy_string(json_object_get(item, "name"));
    enum sweep_kind which = SWEEP_VARIABLE;
    int result;

    while (which < SWEEP_KINDS && (!kind || strcmp(kind, sweep_kind_word(which)) != 0))
        which++;
    if (!word || which == SWEEP_KINDS || !json_array_size(values)) {
        free(word);
        return MM_EXIT_INPUT;
    }
    for (size_t i = 0; i < json_array_size(values); i++) {
        const char *value = json_string_value(json_array_get(values, i));
        char *longer = NULL;

        if (!value || strchr(value, ',') ||
            asprintf(&longer, "%s%s%s", which == SWEEP_RANKS && !i ? "" : word,
                     i                      ? ","
                     : which == SWEEP_RANKS ? ""
                                            : "=",
                     value) < 0)
            longer = NULL;
        free(word);
        if (!longer)
            return MM_EXIT_INPUT;
        word = longer;
    }
    result = sweep_axis_add(sweep, which, word);
    free(word);
    if (result >= 0)
        return result;
    axis = &sweep->axes[sweep->axis_count - 1];
    return axis->count == json_array_size(values) ? -1 : MM_EXIT_INPUT;
}

static int read_command(struct sweep *sweep, const json_t *words)
{
    size_t count = json_array_size(words);

    sweep->command = calloc(count + 1, sizeof *sweep->command);
    for (size_t i = 0; sweep->command && i < count; i++) {
        sweep->command[i] = copy_string(json_array_get(words, i));
        if (!sweep->command[i])
            return MM_EXIT_INPUT;
    }
    return sweep->command && count ? -1 : MM_EXIT_INPUT;
}

int sweep_read_plan(struct sweep *sweep)
{
    int missing, result = -1;
    json_t *plan = load(sweep->dir, PLAN, &missing),
           *axes = json_object_get(plan, "axes");
    const char *schema = json_string_value(json_object_get(plan, "schema"));
    json_int_t repeats = json_integer_value(json_object_get(plan, "repeats"));
    json_int_t grid = json_integer_value(json_object_get(plan, "grid"));

    if (missing)
        return mm_refuse(MM_EXIT_MISUSE,
                         "found no command, and no plan of a sweep in '%s'; expected "
                         "sweep [options] -o DIR -- ccafe ... SCRIPT",
                         mm_safe(sweep->dir));
    sweep->repeats = repeats > 0 ? (size_t)repeats : 0;
    sweep->grid_limit = grid > 0 ? (size_t)grid : 0;
    sweep->seed = (uint64_t)json_integer_value(json_object_get(plan, "seed"));
    sweep->launcher = copy_string(json_object_get(plan, "launcher"));
    sweep->cwd = copy_string(json_object_get(plan, "directory"));
    if (!schema || strcmp(schema, SCHEMA) != 0 || !sweep->repeats || !sweep->cwd)
        result = MM_EXIT_INPUT;
    for (size_t i = 0; i < json_array_size(axes) && result < 0; i++)
        result = read_axis(sweep, json_array_get(axes, i));
    if (result < 0)
        result = read_command(sweep, json_object_get(plan, "command"));
    json_decref(plan);
    return result == MM_EXIT_INPUT
               ? mm_refuse(MM_EXIT_INPUT,
                           "'%s/" PLAN "' is damaged, or is no plan of a "
                           "sweep",
                           mm_safe(sweep->dir))
               : result;
}

/* Refuse a plan that is not the one that was asked. */
static int compare_plan(const struct sweep *sweep, const json_t *plan)
{
    static const char *const keys[] = {"schema", "axes",     "repeats", "grid",
                                       "seed",   "launcher", "command", "directory"};
    json_t *asked = asked_json(sweep);
    int result = -1;

    for (size_t i = 0; i < sizeof keys / sizeof *keys && result < 0; i++) {
        json_t *a = json_object_get(plan, keys[i]), *b = json_object_get(asked, keys[i]);
        char *had = a ? json_dumps(a, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
        char *has = b ? json_dumps(b, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;

        if ((a || b) && !json_equal(a, b))
            result = mm_refuse(MM_EXIT_MISUSE,
                               "'%s' has another plan: its %s: %.300s, asked: %.300s",
                               mm_safe(sweep->dir), keys[i], had ? mm_safe(had) : "none",
                               has ? mm_safe(has) : "none");
        free(had);
        free(has);
    }
    json_decref(asked);
    return result;
}

/* --- What became of the runs
 * ------------------------------------------------------------
 */

static double number_of(const json_t *object, const char *key)
{
    const json_t *number = json_object_get(object, key);

    return json_is_number(number) ? json_number_value(number) : NAN;
}

/* Fill a run from its item of the file. Returns 0 where there is nothing of it. */
static int read_run(struct sweep_run *run, const json_t *item)
{
    const char *state = json_string_value(json_object_get(item, "state"));

    if (!state || strcmp(state, "done") != 0)
        return 0;
    run->elapsed_s = number_of(item, "elapsed_s");
    run->time_s = number_of(item, "time_s");
    run->cpu_s = number_of(item, "cpu_s");
    run->seen_s = number_of(item, "seen_s");
    run->lost_s = number_of(item, "lost_s");
    run->rows = (uint64_t)json_integer_value(json_object_get(item, "rows"));
    if (isnan(run->elapsed_s))
        run->elapsed_s = 0;
    return 1;
}

/* Find what became of a run: it is done if its experiment is there and has ended; one
 * that has not, or is damaged, is removed. 0 or -ENOMEM. */
static int find_run(const struct sweep *sweep, size_t at, const json_t *item)
{
    struct sweep_run *run = &sweep->runs[at];
    char *path = sweep_run_path(sweep, at, ".mm");

    *run = (struct sweep_run){.time_s = NAN, .cpu_s = NAN, .seen_s = NAN, .lost_s = NAN};
    sweep_remove(sweep, at, ".part");
    if (!path)
        return -ENOMEM;
    if (access(path, F_OK) == 0) {
        if (read_run(run, item) ? sweep_is_finished(path)
                                : sweep_measure(path, run, NULL) == 0)
            run->state = SWEEP_DONE;
        else
            sweep_remove(sweep, at, ".mm");
        if (!(run->elapsed_s > 0)) /* the process was not seen to its end */
            run->elapsed_s = run->time_s > 0 ? run->time_s : 0;
    }
    free(path);
    return 0;
}

static int find_runs(struct sweep *sweep)
{
    int missing, result = 0;
    json_t *file = load(sweep->path, RUNS, &missing),
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
            mm_json_put(item, "time_s", mm_json_finite(run->time_s));
            mm_json_put(item, "cpu_s", mm_json_finite(run->cpu_s));
            mm_json_put(item, "seen_s", mm_json_finite(run->seen_s));
            mm_json_put(item, "lost_s", mm_json_finite(run->lost_s));
            mm_json_put(item, "rows", json_integer((json_int_t)run->rows));
        }
        if (run->error)
            mm_json_put(item, "error", mm_json_escaped(run->error));
        json_array_append_new(items, item);
    }
    mm_json_put(file, "runs", items);
    text = mm_json_dump(file, JSON_INDENT(1));
    result = text ? mm_file_replace(sweep->path, RUNS, text, strlen(text), &err)
                  : cca_no_memory(&err);
    free(text);
    json_decref(file);
    return result ? mm_complain(&err) : -1;
}

/* --- Opening ---------------------------------------------------------------------------
 */

static int refuse_file(const struct sweep *sweep, int error)
{
    return mm_refuse(MM_EXIT_SYSTEM, "cannot write into '%s': %s", mm_safe(sweep->dir),
                     strerror(error));
}

/* Take the directory for this process alone; the lock ends with it. */
static int lock_directory(struct sweep *sweep)
{
    sweep->lock = open(sweep->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (sweep->lock < 0)
        return refuse_file(sweep, errno);
    if (flock(sweep->lock, LOCK_EX | LOCK_NB) == 0)
        return -1;
    return mm_refuse(MM_EXIT_MISUSE, "another sweep is at work in '%s'",
                     mm_safe(sweep->dir));
}

static int write_plan(const struct sweep *sweep)
{
    struct cca_error err = {0};
    json_t *plan = plan_json(sweep);
    char *text = mm_json_dump(plan, JSON_INDENT(1));
    int result = text ? mm_file_replace(sweep->path, PLAN, text, strlen(text), &err)
                      : cca_no_memory(&err);

    free(text);
    json_decref(plan);
    return result ? mm_complain(&err) : -1;
}

/* Whether nothing but a plan that was not finished is in the directory. */
static int is_empty(const struct sweep *sweep)
{
    char *rest = path_in(sweep->path, PLAN ".new");

    if (rest)
        unlink(rest);
    free(rest);
    return cca_directory_is_empty(sweep->path) == 1;
}

int sweep_open(struct sweep *sweep)
{
    json_t *plan;
    int missing, result;

    if (mkdir(sweep->dir, 0777) && errno != EEXIST)
        return mm_refuse(MM_EXIT_SYSTEM, "cannot make directory '%s': %s",
                         mm_safe(sweep->dir), strerror(errno));
    sweep->path = realpath(sweep->dir, NULL);
    if (!sweep->path)
        return refuse_file(sweep, errno);
    result = lock_directory(sweep);
    if (result >= 0)
        return result;
    plan = load(sweep->path, PLAN, &missing);
    if (plan)
        result = compare_plan(sweep, plan);
    else if (!missing)
        result =
            mm_refuse(MM_EXIT_INPUT, "'%s/" PLAN "' is damaged", mm_safe(sweep->dir));
    else if (!is_empty(sweep))
        result =
            mm_refuse(MM_EXIT_MISUSE, "'%s' is not empty, and has no plan of a sweep",
                      mm_safe(sweep->dir));
    else
        result = write_plan(sweep);
    json_decref(plan);
    return result >= 0 ? result : find_runs(sweep);
}

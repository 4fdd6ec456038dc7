/* SPDX-License-Identifier: BSD-3-Clause */
/* resize.c: give the sweep in a directory other values of its axes, or more repeats.
 *
 * Values with finished runs stay, so that nothing that was measured is lost. The runs get
 * other numbers, because the order of a plan depends on its values:
 *
 *   DIR/plan.json, run-001.*    the plan so far, and its runs
 *   DIR/moving/plan.json        the next plan
 *   DIR/moving/run-003.*        runs under their numbers in the next plan
 *   DIR/left-out/run-001.*      runs of points that the next plan lacks
 *
 * The plan is renamed last; then the runs move back. So after a kill at any time the next
 * sweep goes on. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/array.h"
#include "common/directory.h"
#include "mastermind/cmd/cmd.h"
#include "mastermind/cmd/sweep/sweep.h"
#include "mastermind/writer/json_file.h"

#define LEFT_OUT "left-out"
enum { KEPT = 400 };

static int refuse_move(const struct sweep *sweep)
{
    return mm_refuse(MM_EXIT_SYSTEM, "cannot move runs in '%s': %s", mm_safe(sweep->dir),
                     strerror(errno));
}

/* --- Numbers of runs ---------------------------------------------------------------- */

static const char *value_text(const struct sweep *sweep, size_t run, size_t axis)
{
    size_t point = sweep->plan->runs[run].point;

    return sweep->axes[axis].texts[mm_plan_value(sweep->plan, point, axis)];
}

/* Index of a run of `sweep` in the plan of `next`; SIZE_MAX: the plan lacks it. */
static size_t next_index(const struct sweep *sweep, size_t at, const struct sweep *next)
{
    for (size_t i = 0; i < next->plan->run_count; i++) {
        size_t axis = 0;

        if (next->plan->runs[i].repeat != sweep->plan->runs[at].repeat)
            continue;
        while (axis < sweep->axis_count &&
               strcmp(value_text(sweep, at, axis), value_text(next, i, axis)) == 0)
            axis++;
        if (axis == sweep->axis_count)
            return i;
    }
    return SIZE_MAX;
}

/* --- Files -------------------------------------------------------------------------- */

static int is_there(const char *dir, const char *name)
{
    char *path = sweep_path_in(dir, name);
    int found = path && access(path, F_OK) == 0;

    free(path);
    return found;
}

/* List the names of a directory's entries. Returns 0 or a negative errno. */
static int list_names(const char *path, char ***names, size_t *count)
{
    DIR *dir = opendir(path);
    const struct dirent *entry;
    int result = dir ? 0 : -errno;

    while (!result && (entry = readdir(dir))) {
        char **name;

        if (strspn(entry->d_name, ".") == strlen(entry->d_name))
            continue;
        name = cca_array_add(names, count, sizeof *name);
        if (!name || !(*name = strdup(entry->d_name)))
            result = -ENOMEM;
    }
    if (dir)
        closedir(dir);
    return result;
}

static void free_names(char **names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    free(names);
}

/* Rename a file from one folder to another, which replaces an older one there. Returns 0
 * or -1 with errno. */
static int move(const char *from_dir, const char *from, const char *to_dir,
                const char *to)
{
    char *old = sweep_path_in(from_dir, from), *fresh = sweep_path_in(to_dir, to);
    int result = -1;

    if (old && fresh) {
        if (access(fresh, F_OK) == 0)
            cca_directory_remove(fresh);
        result = rename(old, fresh);
    } else {
        errno = ENOMEM;
    }
    free(old);
    free(fresh);
    return result;
}

/* Move the files of runs to their next numbers. Returns 0 or -1 with errno. */
static int move_runs(const struct sweep *sweep, const struct sweep *next)
{
    char *left_out = sweep_path_in(sweep->path, LEFT_OUT), **names = NULL;
    size_t count = 0;
    int result = left_out ? list_names(sweep->path, &names, &count) : -ENOMEM;

    errno = -result;
    for (size_t i = 0; i < count && !result; i++) {
        size_t at = 0, to;
        int used = 0;
        char *fresh = NULL;

        if (sscanf(names[i], "run-%zu%n", &at, &used) != 1 || names[i][used] != '.' ||
            !at || at > sweep->plan->run_count)
            continue;
        to = next_index(sweep, at - 1, next);
        if (to == SIZE_MAX) {
            result = mkdir(left_out, 0777) && errno != EEXIST
                         ? -1
                         : move(sweep->path, names[i], left_out, names[i]);
        } else if (asprintf(&fresh, "run-%03zu%s", to + 1, names[i] + used) < 0) {
            fresh = NULL;
            errno = ENOMEM;
            result = -1;
        } else {
            result = move(sweep->path, names[i], next->path, fresh);
        }
        free(fresh);
    }
    free_names(names, count);
    free(left_out);
    return result ? -1 : 0;
}

/* Move all files out of the folder, and remove it; its plan has been moved before.
 * Returns -1 to go on. */
static int finish_move(const struct sweep *sweep)
{
    char *moving = sweep_path_in(sweep->path, SWEEP_MOVING), **names = NULL;
    size_t count = 0;
    int result = moving ? list_names(moving, &names, &count) : -ENOMEM;

    errno = -result;
    for (size_t i = 0; i < count && !result; i++)
        result = move(moving, names[i], sweep->path, names[i]);
    if (!result)
        result = rmdir(moving);
    result = result ? refuse_move(sweep) : -1;
    free_names(names, count);
    free(moving);
    return result;
}

/* --- Two sweeps --------------------------------------------------------------------- */

/* Read the plan of a folder below the sweep's, or its own. Returns -1 to go on; call
 * sweep_done either way. */
static int read_sweep(const char *path, struct sweep *other)
{
    int result;

    *other = (struct sweep){.lock = -1, .run_lock = -1, .dir = path};
    result = sweep_read_plan(other);
    if (result < 0)
        result = sweep_command_check(other);
    if (result < 0)
        result = sweep_make_plan(other);
    if (result < 0 && !(other->path = strdup(path)))
        result = mm_no_memory();
    return result;
}

/* Give the runs of `next` the states of the same runs of `sweep`, and write them. Returns
 * -1 to go on. */
static int copy_states(const struct sweep *sweep, struct sweep *next)
{
    for (size_t i = 0; i < sweep->plan->run_count; i++) {
        size_t to = next_index(sweep, i, next);

        if (to == SIZE_MAX)
            continue;
        sweep_run_reset(&next->runs[to]);
        next->runs[to] = sweep->runs[i];
        sweep->runs[i] = (struct sweep_run){.state = SWEEP_OPEN};
    }
    return sweep_write_runs(next);
}

/* Move the runs to the plan in the folder, whether a killed process began it or this one.
 * Returns -1 to go on. */
static int do_move(const struct sweep *sweep, const char *moving)
{
    struct sweep now, next = {.lock = -1, .run_lock = -1};
    int result = read_sweep(sweep->path, &now);

    if (result < 0)
        result = read_sweep(moving, &next);
    if (result < 0)
        result = sweep_queue_close(&now);
    if (result < 0 && !is_there(moving, SWEEP_RUNS)) {
        result = sweep_read_results(&now, 0);
        if (result < 0)
            result = copy_states(&now, &next);
    }
    if (result < 0 &&
        (move_runs(&now, &next) || move(moving, SWEEP_PLAN, sweep->path, SWEEP_PLAN)))
        result = refuse_move(sweep);
    sweep_done(&now);
    sweep_done(&next);
    return result < 0 ? finish_move(sweep) : result;
}

int sweep_resume_move(const struct sweep *sweep)
{
    char *moving = sweep_path_in(sweep->path, SWEEP_MOVING);
    int result = moving ? -1 : mm_no_memory();

    if (moving && access(moving, F_OK) == 0)
        result =
            is_there(moving, SWEEP_PLAN) ? do_move(sweep, moving) : finish_move(sweep);
    free(moving);
    return result;
}

/* --- Values ------------------------------------------------------------------------- */

/* True if a run with the value of an axis has finished. */
static int has_run(const struct sweep *sweep, size_t axis, size_t value)
{
    for (size_t i = 0; i < sweep->plan->run_count; i++) {
        char *path = sweep_run_path(sweep, i, ".mm");
        int found =
            mm_plan_value(sweep->plan, sweep->plan->runs[i].point, axis) == value &&
            path && access(path, F_OK) == 0;

        free(path);
        if (found)
            return 1;
    }
    return 0;
}

static int find_text(const struct sweep_axis *axis, const char *text, size_t *at)
{
    for (*at = 0; *at < axis->count; ++*at)
        if (strcmp(axis->texts[*at], text) == 0)
            return 1;
    return 0;
}

/* True if an axis has a value of another one, perhaps in other words: 1e2 for 100. */
static int has_value(const struct sweep_axis *axis, const struct sweep_axis *of,
                     size_t value)
{
    size_t k;

    for (size_t i = 0; axis->numbers && of->numbers && i < axis->count; i++)
        if (axis->numbers[i] <= of->numbers[value] &&
            axis->numbers[i] >= of->numbers[value])
            return 1;
    return find_text(axis, of->texts[value], &k);
}

/* True if the sweeps differ in values of axes alone, and no file of both has changed. */
static int is_resized(const struct sweep *now, const struct sweep *next)
{
    size_t k;

    if (now->axis_count != next->axis_count)
        return 0;
    for (size_t a = 0; a < now->axis_count; a++) {
        const struct sweep_axis *old = &now->axes[a], *axis = &next->axes[a];

        if (old->kind != axis->kind || strcmp(old->name, axis->name) != 0 ||
            !old->parameter != !axis->parameter)
            return 0;
        for (size_t i = 0; i < old->count && old->parameter; i++)
            if (find_text(axis, old->texts[i], &k) &&
                (old->numbers[i] < axis->numbers[k] ||
                 old->numbers[i] > axis->numbers[k]))
                return 0;
    }
    return 1;
}

/* Add the measured values of `now` to an axis of `next`, and to a text for people.
 * Returns -1 to go on. */
static int add_values(const struct sweep *now, struct sweep *next, size_t a,
                      char kept[KEPT])
{
    const struct sweep_axis *old = &now->axes[a];
    struct sweep_axis *axis = &next->axes[a];
    double *sizes = calloc(old->count + axis->count, sizeof *sizes);
    char **texts = calloc(old->count + axis->count, sizeof *texts);
    size_t count = 0, used = strlen(kept);
    int result = sizes && texts ? -1 : mm_no_memory();

    for (size_t i = 0; i < axis->count && result < 0; i++) {
        sizes[count] = axis->numbers ? axis->numbers[i] : 0;
        texts[count++] = axis->texts[i];
    }
    for (size_t i = 0; i < old->count && result < 0; i++)
        if (!has_value(axis, old, i) && has_run(now, a, i)) {
            used +=
                (size_t)snprintf(kept + used, KEPT - used, "%s%s=%.40s", used ? " " : "",
                                 mm_safe(old->name), mm_safe(old->texts[i]));
            used = used < KEPT ? used : KEPT - 1;
            sizes[count] = old->numbers ? old->numbers[i] : 0;
            texts[count++] = old->texts[i];
        }
    if (result < 0)
        result = sweep_axis_set(axis, texts, axis->parameter ? sizes : NULL, count);
    free(sizes);
    free(texts);
    return result;
}

/* True if the plan has all these values and repeats already. */
static int is_same(const struct sweep *now, const struct sweep *next)
{
    size_t k;

    if (now->repeats != next->repeats)
        return 0;
    for (size_t a = 0; a < now->axis_count; a++) {
        if (now->axes[a].count != next->axes[a].count)
            return 0;
        for (size_t i = 0; i < next->axes[a].count; i++)
            if (!find_text(&now->axes[a], next->axes[a].texts[i], &k))
                return 0;
    }
    return 1;
}

/* Write the next plan into the folder: last, so that a killed process leaves none that is
 * incomplete. Returns -1 to go on. */
static int begin_move(struct sweep *sweep, char *moving)
{
    char *path = sweep->path;
    int result = mkdir(moving, 0777) ? refuse_move(sweep) : -1;

    sweep->path = moving;
    if (result < 0)
        result = sweep_write_plan(sweep);
    sweep->path = path;
    return result;
}

/* Add the values of `now` with runs to the request of `sweep`, and plan it again. Returns
 * -1 to go on. */
static int plan_again(const struct sweep *now, struct sweep *sweep, char kept[KEPT])
{
    int result = -1;

    for (size_t a = 0; a < sweep->axis_count && result < 0; a++)
        result = add_values(now, sweep, a, kept);
    if (result >= 0)
        return result;
    for (size_t i = 0; i < sweep->plan->run_count; i++)
        sweep_run_reset(&sweep->runs[i]);
    free(sweep->runs);
    sweep->runs = NULL;
    mm_plan_free(sweep->plan);
    sweep->plan = NULL;
    return sweep_make_plan(sweep);
}

int sweep_resize(struct sweep *sweep)
{
    struct sweep now;
    char *moving = sweep_path_in(sweep->path, SWEEP_MOVING);
    char kept[KEPT] = "";
    int result = moving ? read_sweep(sweep->path, &now) : mm_no_memory();

    if (!moving)
        return result;
    if (result < 0 && is_resized(&now, sweep)) {
        result = plan_again(&now, sweep, kept);
        if (result < 0 && *kept)
            fprintf(stderr, "mastermind: '%s' has runs of %s: they count as well\n",
                    mm_safe(sweep->dir), kept);
        if (result < 0 && !is_same(&now, sweep)) {
            result = begin_move(sweep, moving);
            if (result < 0)
                result = do_move(sweep, moving);
        }
    }
    sweep_done(&now);
    free(moving);
    return result;
}

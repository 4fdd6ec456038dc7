/* SPDX-License-Identifier: BSD-3-Clause */
/* results.c: read a sweep as it is, for verbs that use its results. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mastermind/cmd/cmd.h"
#include "mastermind/cmd/sweep/sweep.h"

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

int sweep_read(struct sweep *sweep)
{
    int missing, error = 0, result = sweep_read_plan(sweep);
    json_t *plan, *file, *items;

    if (result < 0)
        result = sweep_command_check(sweep);
    if (result < 0)
        result = sweep_make_plan(sweep);
    if (result >= 0)
        return result;
    sweep->path = realpath(sweep->dir, NULL);
    if (!sweep->path)
        return mm_refuse(MM_EXIT_INPUT, "%s: %s", mm_safe(sweep->dir), strerror(errno));
    plan = sweep_load(sweep->path, SWEEP_PLAN, &missing);
    result = sweep_compare_plan(sweep, plan);
    file = sweep_load(sweep->path, SWEEP_RUNS, &missing);
    items = json_object_get(file, "runs");
    if (result < 0 && !file && errno == ENOMEM)
        result = mm_no_memory();
    if (result < 0 && !json_is_array(items))
        result = mm_refuse(MM_EXIT_INPUT, "'%s/" SWEEP_RUNS "' is %s",
                           mm_safe(sweep->dir), missing ? "missing" : "damaged");
    for (size_t i = 0; i < sweep->plan->run_count && result < 0 && !error; i++)
        error = read_result(sweep, i, json_array_get(items, i));
    if (error)
        result =
            mm_refuse(MM_EXIT_SYSTEM, "%s: %s", mm_safe(sweep->dir), strerror(-error));
    json_decref(plan);
    json_decref(file);
    return result;
}

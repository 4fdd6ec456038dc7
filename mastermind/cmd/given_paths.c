/* SPDX-License-Identifier: BSD-3-Clause */
/* given_paths.c: replace directories of sweeps among the arguments by their
 * experiments. */
#include <dirent.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/array.h"
#include "mastermind/cmd/cmd.h"
#include "mastermind/format/layout.h"

static int is_run(const struct dirent *entry)
{
    return fnmatch("run-*.mm", entry->d_name, 0) == 0;
}

/* Order run directories by number; numbers may have more than three digits. */
static int compare_runs(const struct dirent **a, const struct dirent **b)
{
    size_t one = strlen((*a)->d_name), other = strlen((*b)->d_name);

    return one != other ? (one > other) - (one < other)
                        : strcmp((*a)->d_name, (*b)->d_name);
}

static int add_path(struct mm_paths *paths, const char *dir, const char *name)
{
    char **item = cca_array_add(&paths->items, &paths->count, sizeof *item);

    if (!item)
        return -1;
    if (!name)
        *item = strdup(dir);
    else if (asprintf(item, "%s/%s", dir, name) < 0)
        *item = NULL;
    return *item ? 0 : -1;
}

int mm_path_is_sweep(const char *path)
{
    char *plan = NULL, *experiment = NULL;
    int found = asprintf(&plan, "%s/plan.json", path) >= 0 && access(plan, F_OK) == 0 &&
                asprintf(&experiment, "%s/experiment.json", path) >= 0 &&
                access(experiment, F_OK) != 0;

    free(plan);
    free(experiment);
    return found;
}

static int add_sweep(struct mm_paths *paths, const char *path)
{
    struct dirent **entries = NULL;
    int count = scandir(path, &entries, is_run, compare_runs), result = -1;

    if (count <= 0)
        result = mm_refuse(MM_EXIT_INPUT, "%s: found a sweep without a finished run",
                           mm_safe(path));
    for (int i = 0; i < count; i++) {
        if (result < 0 && add_path(paths, path, entries[i]->d_name))
            result = mm_no_memory();
        free(entries[i]);
    }
    free(entries);
    return result;
}

int mm_paths_expand(struct mm_paths *paths, char *const *given, int count)
{
    int result = -1;

    *paths = (struct mm_paths){0};
    for (int i = 0; i < count && result < 0; i++) {
        if (mm_path_is_sweep(given[i]))
            result = add_sweep(paths, given[i]);
        else if (add_path(paths, given[i], NULL))
            result = mm_no_memory();
    }
    return result;
}

int mm_paths_expand_shadows(struct mm_paths *paths, char *const *given, int count)
{
    int result = mm_paths_expand(paths, given, count);

    for (size_t i = 0, runs = paths->count; i < runs && result < 0; i++) {
        char *about = NULL;

        if (asprintf(&about, "%s/" MM_SHADOW_FOLDER "/experiment.json", paths->items[i]) <
                0 ||
            (access(about, F_OK) == 0 &&
             add_path(paths, paths->items[i], MM_SHADOW_FOLDER)))
            result = mm_no_memory();
        free(about);
    }
    return result;
}

void mm_paths_done(struct mm_paths *paths)
{
    for (size_t i = 0; i < paths->count; i++)
        free(paths->items[i]);
    free(paths->items);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* keep.c: the ledger of a verb: find its file, recalibrate intervals by its score. */
#include "mastermind/cmd/ledger/keep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int is_directory(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

char *mm_ledger_path(const char *path)
{
    char *text = NULL;

    if (!is_directory(path))
        return strdup(path);
    return asprintf(&text, "%s/%s", path, MM_LEDGER_FILE) < 0 ? NULL : text;
}

static int find_path(struct mm_keeper *keeper, const struct cca_given *option,
                     char *const *paths, int count)
{
    const char *path = getenv("MM_LEDGER");

    keeper->is_asked = 1;
    if (option && option->given)
        path = cca_given_value(option);
    if (!path) {
        keeper->is_asked = 0;
        for (int i = 0; i < count && !path; i++)
            if (is_directory(paths[i]) && mm_repository_is(paths[i]))
                path = paths[i];
    }
    if (!path || !*path)
        return -1;
    keeper->path = mm_ledger_path(path);
    if (!keeper->path)
        return mm_no_memory();
    if (is_directory(path) && !mm_repository_is(path) && access(keeper->path, F_OK) != 0)
        return mm_refuse(MM_EXIT_INPUT,
                         "%s: found a directory, expected a file, or a repository of "
                         "models",
                         mm_safe(path));
    return -1;
}

/* Read the ledger, or read it again after outcomes were appended. */
static int read_ledger(struct mm_keeper *keeper)
{
    struct cca_error err = {0};

    mm_ledger_done(&keeper->ledger);
    if (mm_ledger_read(&keeper->ledger, keeper->path, &err))
        return mm_complain(&err);
    return -1;
}

/* Append the given experiments, and the experiments of given sweeps, to the ledger as
 * outcomes. */
static int take_outcomes(struct mm_keeper *keeper, char *const *paths, int count,
                         const char *further, size_t *added)
{
    char **given = calloc((size_t)count + 2, sizeof *given);
    struct mm_outcomes outcomes = {0};
    struct mm_paths all = {0};
    int used = 0, result = -1;

    if (!given)
        return mm_no_memory();
    for (int i = 0; i < count; i++)
        if (!mm_repository_is(paths[i]))
            given[used++] = paths[i];
    if (further)
        given[used++] = (char *)further;
    result = mm_paths_expand(&all, given, used);
    if (result < 0)
        result = mm_outcomes_take(keeper->path, &keeper->ledger, all.items, all.count,
                                  &outcomes);
    mm_paths_done(&all);
    free(given);
    *added = outcomes.added;
    return result;
}

int mm_keeper_open(struct mm_keeper *keeper, const struct cca_given *option,
                   char *const *paths, int count, const char *further)
{
    size_t added = 0;
    int result;

    *keeper = (struct mm_keeper){.failed = -1, .used = {.factor = 1}};
    result = find_path(keeper, option, paths, count);
    if (result >= 0 || !keeper->path)
        return result;
    result = read_ledger(keeper);
    if (result < 0 && keeper->ledger.count)
        result = take_outcomes(keeper, paths, count, further, &added);
    if (result < 0 && added)
        result = read_ledger(keeper);
    if (result < 0 && keeper->ledger.cut)
        fprintf(stderr,
                "mastermind: %s:%zu: found a line that is cut, skipped; a writer was "
                "killed\n",
                mm_safe(keeper->path), keeper->ledger.cut_line);
    if (result < 0 && mm_ledger_score(&keeper->score, &keeper->ledger))
        result = mm_no_memory();
    return result;
}

void mm_keeper_done(struct mm_keeper *keeper)
{
    mm_ledger_score_done(&keeper->score);
    mm_ledger_done(&keeper->ledger);
    free(keeper->path);
    keeper->path = NULL;
}

void mm_keeper_recalibrate(struct mm_keeper *keeper, double level, double value,
                           double *low, double *high)
{
    keeper->low = *low < 0 ? 0 : *low;
    keeper->high = *high;
    if (!keeper->path)
        return;
    if (mm_recalibrate(&keeper->score, level, &keeper->used)) {
        keeper->failed = mm_no_memory();
        return;
    }
    if (!isfinite(*low))
        keeper->used.factor = 1;
    mm_recalibrated(&keeper->used, value, &keeper->low, &keeper->high);
    *low = keeper->low;
    *high = keeper->high;
}

void mm_keeper_take(struct mm_keeper *keeper, char *path)
{
    struct mm_outcomes outcomes = {0};
    int result;

    if (!keeper->path || !keeper->kept)
        return;
    mm_ledger_score_done(&keeper->score); /* the score borrows from the ledger */
    result = read_ledger(keeper);
    if (result < 0)
        result = mm_outcomes_take(keeper->path, &keeper->ledger, &path, 1, &outcomes);
    if (result >= 0)
        keeper->failed = result;
}

int mm_keeper_finish(struct mm_keeper *keeper, int result, int quiet)
{
    const struct mm_recalibration *used = &keeper->used;

    if (keeper->kept && !quiet && result <= MM_EXIT_NO) {
        if (!isfinite(keeper->high))
            printf("kept in %s\n", mm_safe(keeper->path));
        else if (used->factor != 1)
            printf("interval recalibrated by %.2g from %s\n", used->factor,
                   mm_counted(used->count, "statement"));
        else
            printf("interval not recalibrated: %s of %s %s run, %d are needed\n",
                   mm_counted(used->count, "statement"), mm_safe(keeper->path),
                   used->count == 1 ? "has" : "have", MM_RECALIBRATE_LEAST);
        result = mm_finish_output(result);
    }
    return keeper->failed >= 0 && result == MM_EXIT_DONE ? keeper->failed : result;
}

json_t *mm_keeper_json(const struct mm_keeper *keeper)
{
    json_t *object;

    if (!keeper->path)
        return NULL;
    object = json_object();
    mm_json_set(object, "file statements factor", keeper->path,
                (json_int_t)keeper->used.count, keeper->used.factor);
    return object;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* race_run.c: run one side of a race, and keep its cost and output. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/directory.h"
#include "mastermind/cmd/diff/race.h"
#include "mastermind/cmd/sweep/sweep.h"

/* --- Outputs ------------------------------------------------------------------------ */

static const char *const names[][2] = {{"a.out", "a.err"}, {"b.out", "b.err"}};
#define KEPT "kept.out"

char *race_path(const struct race *race, const char *name)
{
    char *path = NULL;

    return asprintf(&path, "%s/%s", race->folder, name) < 0 ? NULL : path;
}

int race_folder_make(struct race *race)
{
    const char *place = getenv("TMPDIR");

    if (asprintf(&race->folder, "%s/mastermind-race-XXXXXX",
                 place && *place ? place : "/tmp") < 0) {
        race->folder = NULL;
        return mm_no_memory();
    }
    if (!mkdtemp(race->folder)) {
        int status = mm_refuse(MM_EXIT_SYSTEM, "cannot make '%s': %s", race->folder,
                               strerror(errno));

        free(race->folder);
        race->folder = NULL;
        return status;
    }
    return -1;
}

void race_folder_remove(struct race *race)
{
    if (race->folder)
        cca_directory_remove(race->folder);
    free(race->folder);
    race->folder = NULL;
}

/* 1: two files of the folder differ; 0 also if one cannot be read. */
static int differ(const struct race *race, const char *a, const char *b)
{
    enum { PIECE = 65536 };
    static char left[PIECE], right[PIECE];
    char *paths[2] = {race_path(race, a), race_path(race, b)};
    FILE *files[2] = {paths[0] ? fopen(paths[0], "re") : NULL,
                      paths[1] ? fopen(paths[1], "re") : NULL};
    int differs = 0;

    while (files[0] && files[1] && !differs) {
        size_t count = fread(left, 1, PIECE, files[0]);

        differs = fread(right, 1, PIECE, files[1]) != count || memcmp(left, right, count);
        if (count < PIECE)
            break;
    }
    for (int i = 0; i < 2; i++) {
        if (files[i])
            fclose(files[i]);
        free(paths[i]);
    }
    return differs;
}

static int outputs_differ(const struct race *race)
{
    return differ(race, names[RACE_A][0], names[RACE_B][0]);
}

/* 1: A's own output changes from run to run. */
static int output_moved(const struct race *race)
{
    return differ(race, names[RACE_A][0], KEPT);
}

static int output_keep(const struct race *race)
{
    char *from = race_path(race, names[RACE_A][0]), *to = race_path(race, KEPT);
    int status = from && to ? rename(from, to) : -1;

    free(from);
    free(to);
    return status;
}

/* --- A run -------------------------------------------------------------------------- */

/* Report that a side failed, with the last line of its standard error. */
static int refuse_run(const struct race *race, int side, int status)
{
    char *path = race_path(race, names[side][1]), text[60];
    char *last = path ? sweep_last_line(path) : NULL;

    free(path);
    if (WIFSIGNALED(status))
        snprintf(text, sizeof text, "was ended by signal %d", WTERMSIG(status));
    else
        snprintf(text, sizeof text, "ended with status %d", WEXITSTATUS(status));
    mm_refuse(MM_EXIT_COMMAND, "%s '%s' %s%s%s", side ? "B" : "A",
              mm_safe(race->command[side][0]), text, last ? ": " : "",
              last ? mm_safe(last) : "");
    free(last);
    return MM_EXIT_COMMAND;
}

/* -1 to go on, else an exit code after a message. */
static int check_run(const struct race *race, int side, int result, int status,
                     int signal_number)
{
    if (signal_number)
        return 128 + signal_number;
    if (result == -ENOMEM)
        return mm_no_memory();
    if (result < 0)
        return mm_refuse(MM_EXIT_SYSTEM, "cannot start a run: %s", strerror(-result));
    return status ? refuse_run(race, side, status) : -1;
}

/* Run a side without keeping its cost. */
static int run_for_nothing(struct race *race, int side)
{
    char *paths[2] = {race_path(race, names[side][0]), race_path(race, names[side][1])};
    int status = 0, signal_number = 0, result = -ENOMEM;
    char text[120] = "";

    if (paths[0] && paths[1])
        result = race_watch_side(race, side, paths[0], paths[1], &status, &signal_number,
                                 text);
    free(paths[0]);
    free(paths[1]);
    if (*text && race->is_together && race->pairing == RACE_AUTO) {
        race->is_together = 0;
        snprintf(race->apart, sizeof race->apart, "%s %s", side ? "B" : "A", text);
    }
    return check_run(race, side, result, status, signal_number);
}

/* Memory that programs can get; 0: unknown. */
static double free_bytes(void)
{
    FILE *file = fopen("/proc/meminfo", "re");
    char line[100];
    double kib = 0;

    while (file && !(kib > 0) && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %lf kB", &kib) != 1)
            kib = 0;
    if (file)
        fclose(file);
    return 1024 * kib;
}

int race_warm_up(struct race *race)
{
    int result;

    race->is_together = race->pairing != RACE_TURNS;
    result = run_for_nothing(race, RACE_A);
    if (result < 0)
        result = run_for_nothing(race, RACE_B);
    if (race->is_together && race->pairing == RACE_AUTO &&
        race->peak_bytes[RACE_A] + race->peak_bytes[RACE_B] > free_bytes() / 2) {
        race->is_together = 0;
        snprintf(race->apart, sizeof race->apart, "together they take much memory");
    }
    if (result < 0 && outputs_differ(race)) {
        race->outputs_differ = 1;
        if (!output_keep(race)) {
            result = run_for_nothing(race, RACE_A);
            race->outputs_differ = result < 0 && !output_moved(race);
        }
    }
    return result;
}

/* Start `count` sides from `first` on, at the same time. */
static int run_sides(struct race *race, int first, size_t count, int core)
{
    struct sweep_cost_request requests[RACE_SIDES];
    struct sweep_cost costs[RACE_SIDES];
    int statuses[RACE_SIDES] = {0, 0}, signal_number = 0, result = 0;
    char *paths[RACE_SIDES][2] = {{NULL}};

    for (size_t i = 0; i < count; i++) {
        int side = i ? !first : first;

        for (int k = 0; k < 2; k++)
            if (!(paths[i][k] = race_path(race, names[side][k])))
                result = -ENOMEM;
        requests[i] = (struct sweep_cost_request){.words = race->command[side],
                                                  .cwd = race->cwd[side],
                                                  .out = paths[i][0],
                                                  .err = paths[i][1],
                                                  .names = &race->names,
                                                  .is_pinned = count > 1,
                                                  .core = core};
    }
    memset(costs, 0, sizeof costs);
    if (!result)
        result = sweep_costs_run(requests, count, costs, statuses, &signal_number);
    for (size_t i = 0; i < count; i++) {
        int side = i ? !first : first;

        sweep_cost_done(&race->runs[side][race->pairs]);
        race->runs[side][race->pairs] = costs[i];
        free(paths[i][0]);
        free(paths[i][1]);
    }
    if (count > 1 && race->pairing == RACE_AUTO && !result && !signal_number &&
        (statuses[0] || statuses[1])) {
        race->is_together = 0;
        snprintf(race->apart, sizeof race->apart, "%s fails beside the other side",
                 (statuses[0] ? first : !first) ? "B" : "A");
        return -1;
    }
    for (size_t i = 0; i < count; i++) {
        int code =
            check_run(race, i ? !first : first, result, statuses[i], signal_number);

        if (code >= 0)
            return code;
    }
    return -1;
}

int race_run_pair(struct race *race, int first, int core)
{
    int result = -1;

    if (race->is_together) {
        result = run_sides(race, first, RACE_SIDES, core);
        if (result >= 0 || race->is_together)
            return result;
    }
    result = run_sides(race, first, 1, core);
    return result < 0 ? run_sides(race, !first, 1, core) : result;
}

int race_run_words(struct race *race, int side, char *const *words)
{
    char *paths[2] = {race_path(race, names[side][0]), race_path(race, names[side][1])};
    struct sweep_cost cost = {.parts = NULL};
    int status = -ENOMEM, signal_number = 0;

    if (paths[0] && paths[1])
        status = sweep_cost_run(words, race->cwd[side], paths[0], paths[1], NULL, NULL,
                                &cost, &signal_number);
    sweep_cost_done(&cost);
    free(paths[0]);
    free(paths[1]);
    return check_run(race, side, status < 0 ? status : 0, status < 0 ? 0 : status,
                     signal_number);
}

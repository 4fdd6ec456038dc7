/* SPDX-License-Identifier: BSD-3-Clause */
/* race_run.c: run one side of a race, and keep its cost and output. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mastermind/cmd/diff/race.h"
#include "mastermind/cmd/sweep/sweep.h"

/* --- Outputs ------------------------------------------------------------------------ */

static const char *const names[][2] = {{"a.out", "a.err"}, {"b.out", "b.err"}};
#define KEPT "kept.out"

static char *path_of(const struct race *race, const char *name)
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
        sweep_remove_path(race->folder);
    free(race->folder);
    race->folder = NULL;
}

/* 1: two files of the folder differ; 0 also if one cannot be read. */
static int differ(const struct race *race, const char *a, const char *b)
{
    enum { PIECE = 65536 };
    static char left[PIECE], right[PIECE];
    char *paths[2] = {path_of(race, a), path_of(race, b)};
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

int race_outputs_differ(const struct race *race)
{
    return differ(race, names[RACE_A][0], names[RACE_B][0]);
}

int race_output_moved(const struct race *race)
{
    return differ(race, names[RACE_A][0], KEPT);
}

int race_output_keep(const struct race *race)
{
    char *from = path_of(race, names[RACE_A][0]), *to = path_of(race, KEPT);
    int status = from && to ? rename(from, to) : -1;

    free(from);
    free(to);
    return status;
}

/* --- A run -------------------------------------------------------------------------- */

/* Report that a side failed, with the last line of its standard error. */
static int refuse_run(const struct race *race, int side, int status)
{
    char *path = path_of(race, names[side][1]), text[60];
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

int race_run_side(struct race *race, int side, struct sweep_cost *run)
{
    char *paths[2] = {path_of(race, names[side][0]), path_of(race, names[side][1])};
    struct sweep_cost warm_up;
    int status = -ENOMEM, signal_number = 0;

    if (paths[0] && paths[1])
        status = sweep_cost_run(race->command[side], ".", paths[0], paths[1], NULL,
                                run ? &race->names : NULL, run ? run : &warm_up,
                                &signal_number);
    free(paths[0]);
    free(paths[1]);
    if (signal_number)
        return 128 + signal_number;
    if (status == -ENOMEM)
        return mm_no_memory();
    if (status < 0)
        return mm_refuse(MM_EXIT_SYSTEM, "cannot start a run: %s", strerror(-status));
    return status ? refuse_run(race, side, status) : -1;
}

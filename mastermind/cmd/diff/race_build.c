/* SPDX-License-Identifier: BSD-3-Clause */
/* race_build.c: two commits as the sides of a race: each is checked out into a folder of
 * its own (git worktree), built there, and removed at the end. The user's tree stays as
 * it is. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "mastermind/cmd/diff/race.h"
#include "mastermind/cmd/sweep/sweep.h"

/* Files in the race's folder with the output of commands. */
#define OUT "build.out"
#define ERR "build.err"

static const char *const trees[RACE_SIDES] = {"a", "b"};

/* Run a command in `cwd`, its output in OUT and ERR. Sets the wait status. -1 to go on,
 * else an exit code after a message. */
static int run_command(const struct race *race, const char *const *words, const char *cwd,
                       int *status)
{
    char *out = race_path(race, OUT), *err = race_path(race, ERR);
    struct rusage usage;
    struct sweep_watch watch = {.usage = &usage};
    double elapsed_s;
    int signal_number = 0;

    *status = out && err ? sweep_child_run((char *const *)(uintptr_t)words, cwd, out, err,
                                           &watch, &elapsed_s, &signal_number)
                         : -ENOMEM;
    free(out);
    free(err);
    if (signal_number)
        return 128 + signal_number;
    if (*status == -ENOMEM)
        return mm_no_memory();
    return *status < 0 ? mm_refuse(MM_EXIT_SYSTEM, "cannot run '%s': %s", words[0],
                                   strerror(-*status))
                       : -1;
}

/* The first line of the last command's output, new and without its newline; NULL: out of
 * memory. */
static char *first_line(const struct race *race)
{
    char *path = race_path(race, OUT), *line = NULL;
    FILE *file = path ? fopen(path, "re") : NULL;
    size_t room = 0;

    if (!file || getline(&line, &room, file) < 0) {
        free(line);
        line = strdup("");
    }
    if (line)
        line[strcspn(line, "\n")] = '\0';
    if (file)
        fclose(file);
    free(path);
    return line;
}

/* Report that a command failed, with the last line of its errors. */
static int refuse_command(const struct race *race, const char *what, const char *name)
{
    char *path = race_path(race, ERR);
    char *last = path ? sweep_last_line(path) : NULL;

    mm_refuse(MM_EXIT_COMMAND, "%s '%s' failed%s%s", what, mm_safe(name),
              last ? ": " : "", last ? mm_safe(last) : "");
    free(last);
    free(path);
    return MM_EXIT_COMMAND;
}

/* Run git and return the first line of its output; `*line` NULL: it failed. -1 to go on.
 */
static int ask_git(const struct race *race, const char *const *words, char **line)
{
    int status, result = run_command(race, words, ".", &status);

    *line = NULL;
    if (result < 0 && status == 0 && !(*line = first_line(race)))
        result = mm_no_memory();
    if (result < 0 && WIFEXITED(status) && WEXITSTATUS(status) == 127)
        result = mm_refuse(MM_EXIT_COMMAND, "found no git, expected it for --build");
    return result;
}

/* Find the commit that a word names. -1 to go on. */
static int find_commit(struct race *race, int side)
{
    char *wanted = NULL;
    int result;

    if (asprintf(&wanted, "%s^{commit}", race->build.words[side]) < 0)
        return mm_no_memory();
    result = ask_git(race,
                     (const char *[]){"git", "rev-parse", "--verify", "--quiet",
                                      "--end-of-options", wanted, NULL},
                     &race->build.commits[side]);
    if (result < 0 && !race->build.commits[side])
        result = mm_refuse(MM_EXIT_MISUSE, "found no commit '%s', expected one of git",
                           mm_safe(race->build.words[side]));
    free(wanted);
    return result;
}

/* Check a commit out. -1 to go on. */
static int add_tree(struct race *race, int side)
{
    int status, result;

    race->build.trees[side] = race_path(race, trees[side]);
    if (!race->build.trees[side])
        return mm_no_memory();
    result = run_command(race,
                         (const char *[]){"git", "-c", "core.hooksPath=/dev/null",
                                          "worktree", "add", "--quiet", "--detach",
                                          race->build.trees[side],
                                          race->build.commits[side], NULL},
                         ".", &status);
    race->build.made[side] = 1;
    return result < 0 && status
               ? refuse_command(race, "git worktree add of", race->build.words[side])
               : result;
}

/* Build a side in its folder. -1 to go on. */
static int build_side(struct race *race, int side, const char *prefix)
{
    int status, result;
    char *cwd = NULL, what[40];
    struct stat info;

    if (asprintf(&cwd, "%s/%s", race->build.trees[side], prefix) < 0)
        return mm_no_memory();
    race->build.cwd[side] = cwd;
    race->cwd[side] = cwd;
    if (stat(cwd, &info))
        return mm_refuse(MM_EXIT_MISUSE, "found no folder '%s' in commit '%s'",
                         mm_safe(prefix), mm_safe(race->build.words[side]));
    result = run_command(race, (const char *[]){"sh", "-c", race->build.command, NULL},
                         cwd, &status);
    snprintf(what, sizeof what, "the build of %s", side ? "B" : "A");
    return result < 0 && status ? refuse_command(race, what, race->build.words[side])
                                : result;
}

int race_build(struct race *race)
{
    char *prefix = NULL;
    int result = ask_git(
        race, (const char *[]){"git", "rev-parse", "--show-prefix", NULL}, &prefix);

    if (result < 0 && !prefix)
        result = mm_refuse(MM_EXIT_MISUSE,
                           "found no git repository here, expected one for --build");
    for (int side = 0; side < RACE_SIDES && result < 0; side++)
        result = find_commit(race, side);
    for (int side = 0; side < RACE_SIDES && result < 0; side++)
        result = add_tree(race, side);
    for (int side = 0; side < RACE_SIDES && result < 0; side++)
        result = build_side(race, side, prefix);
    free(prefix);
    return result;
}

void race_build_done(struct race *race)
{
    for (int side = 0; side < RACE_SIDES; side++) {
        struct race_build *build = &race->build;
        int status;

        if (build->made[side])
            run_command(race,
                        (const char *[]){"git", "worktree", "remove", "--force",
                                         build->trees[side], NULL},
                        ".", &status);
        free(build->trees[side]);
        free(build->cwd[side]);
        free(build->commits[side]);
    }
}

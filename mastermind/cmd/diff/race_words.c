/* SPDX-License-Identifier: BSD-3-Clause */
/* race_words.c: the arguments of race: two commands, two groups of experiments, or two
 * commits and a command. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mastermind/cmd/diff/race.h"

enum { MOST_GROUPS = 3 };

char *race_join(char *const *words)
{
    char *text = strdup("");

    for (size_t i = 0; words[i] && text; i++) {
        char *longer = NULL;

        if (asprintf(&longer, "%s%s%s", text, i ? " " : "", words[i]) < 0)
            longer = NULL;
        free(text);
        text = longer;
    }
    return text;
}

static size_t count_words(char *const *words)
{
    size_t count = 0;

    while (words[count])
        count++;
    return count;
}

/* Split `words` at the first `most` - 1 words "--", which become NULL. Returns the number
 * of groups. */
static size_t split(char **words, size_t most, char **groups[MOST_GROUPS])
{
    size_t count = 1;

    groups[0] = words;
    for (char **word = words; *word && count < most; word++)
        if (strcmp(*word, "--") == 0) {
            *word = NULL;
            groups[count++] = word + 1;
        }
    return count;
}

/* True where all words of a side are experiments or sweeps. */
static int are_experiments(char *const *words)
{
    int all = *words != NULL;

    for (; *words && all; words++) {
        char *path = NULL;

        all = mm_path_is_sweep(*words) ||
              (asprintf(&path, "%s/experiment.json", *words) >= 0 &&
               access(path, F_OK) == 0);
        free(path);
    }
    return all;
}

/* Set the commits and the command of a race with --build. -1 to go on. */
static int take_commits(struct race *race, char **groups[MOST_GROUPS], size_t count)
{
    if (count < 3 || count_words(groups[0]) != 1 || count_words(groups[1]) != 1 ||
        !*groups[2])
        return mm_refuse(MM_EXIT_MISUSE,
                         "expected race --build COMMAND COMMIT -- COMMIT -- PROGRAM "
                         "[ARGUMENT]...");
    for (int side = 0; side < RACE_SIDES; side++) {
        char *text = race_join(groups[2]);

        race->build.words[side] = groups[side][0];
        race->command[side] = groups[2];
        if (!text || asprintf(&race->name[side], "%s: %s", groups[side][0], text) < 0)
            race->name[side] = NULL;
        free(text);
        if (!race->name[side])
            return mm_no_memory();
    }
    return -1;
}

int race_words_read(struct race *race, char **given)
{
    size_t words = count_words(given), count;
    char **groups[MOST_GROUPS] = {NULL};

    race->copy = calloc(words + 1, sizeof *race->copy);
    if (!race->copy)
        return mm_no_memory();
    memcpy(race->copy, given, words * sizeof *race->copy);
    count = split(race->copy, race->build.command ? 3 : 2, groups);
    if (race->build.command)
        return take_commits(race, groups, count);
    if (count < 2 || !*groups[0] || !*groups[1])
        return mm_refuse(MM_EXIT_MISUSE, "found %s, expected race A... -- B...",
                         words && strcmp(given[0], "--") != 0 ? "one command"
                                                              : "no command");
    for (int side = 0; side < RACE_SIDES; side++) {
        race->command[side] = groups[side];
        if (!(race->name[side] = race_join(groups[side])))
            return mm_no_memory();
    }
    race->is_of_experiments = are_experiments(groups[0]) && are_experiments(groups[1]);
    return -1;
}

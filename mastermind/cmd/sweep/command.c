/* SPDX-License-Identifier: BSD-3-Clause */
/* command.c: build the command of a run: launcher, ccafe, options of the run, the user's
 * words; plain.c has other commands than ccafe. */
#include <stdlib.h>
#include <string.h>

#include "mastermind/cmd/cmd.h"
#include "mastermind/cmd/sweep/sweep.h"
#include "mastermind/cmd/sweep/words.h"

static int is_ccafe(const char *word)
{
    const char *slash = strrchr(word, '/');

    return strcmp(slash ? slash + 1 : word, "ccafe") == 0;
}

/* The value of option `name` at words[at], in the same word or the next; NULL: not this
 * option. */
static const char *option_value(char *const *words, size_t at, const char *name)
{
    size_t length = strlen(name);

    if (strncmp(words[at], name, length) != 0)
        return NULL;
    if (!words[at][length])
        return words[at + 1];
    if (length == 2) /* as in -DNX=64 */
        return words[at] + length;
    return words[at][length] == '=' ? words[at] + length + 1 : NULL;
}

/* Refuse a word of the command that sets an axis. */
static int check_axis(const struct sweep *sweep, const struct sweep_axis *axis, size_t at)
{
    static const char *const options[] = {"-D", "--set", "--class", "--ranks", "--env"};
    const char *value = option_value(sweep->command, at, options[axis->kind]);
    size_t length = strlen(axis->name);

    if (axis->kind == SWEEP_RANKS || !value || strncmp(value, axis->name, length) != 0 ||
        value[length] != '=')
        return -1;
    return mm_refuse(MM_EXIT_MISUSE,
                     "'%s' is an axis, and the command sets it, too: %s %s",
                     mm_safe(axis->name), options[axis->kind], mm_safe(value));
}

/* Refuse words that a sweep of ccafe sets itself. */
static int check_words(const struct sweep *sweep)
{
    for (size_t a = 0; a < sweep->axis_count; a++)
        if (sweep->axes[a].kind == SWEEP_ENV)
            return mm_refuse(MM_EXIT_MISUSE,
                             "--env %s: found ccafe, whose experiments have no variables "
                             "of the environment; expected any other command",
                             mm_safe(sweep->axes[a].name));
    for (size_t at = sweep->program + 1; sweep->command[at]; at++) {
        int result = -1;

        if (option_value(sweep->command, at, "-o") ||
            option_value(sweep->command, at, "--experiment"))
            return mm_refuse(MM_EXIT_MISUSE,
                             "the command has %s; experiments of a sweep "
                             "are in its directory",
                             mm_safe(sweep->command[at]));
        for (size_t a = 0; a < sweep->axis_count && result < 0; a++)
            result = check_axis(sweep, &sweep->axes[a], at);
        if (result >= 0)
            return result;
    }
    return -1;
}

int sweep_command_check(struct sweep *sweep)
{
    size_t at = 0;
    int result;

    while (sweep->command[at] && !is_ccafe(sweep->command[at]))
        at++;
    sweep->is_plain = !sweep->command[at];
    sweep->program = at;
    result = sweep->is_plain ? sweep_plain_check(sweep) : check_words(sweep);
    if (result < 0 && sweep->is_plain && !sweep->is_read)
        for (size_t a = 0; a < sweep->axis_count; a++)
            if (sweep->axes[a].kind == SWEEP_VARIABLE && !sweep->axes[a].numbers &&
                sweep_axis_measure_files(&sweep->axes[a]))
                return mm_no_memory();
    if (result >= 0)
        return result;
    for (at = 0; sweep->command[at]; at++) {
        json_t *text = json_string(sweep->command[at]);

        if (!text)
            return mm_refuse(MM_EXIT_MISUSE, "'%s' is not UTF-8",
                             mm_safe(sweep->command[at]));
        json_decref(text);
    }
    return -1;
}

/* Add the options for the values of a run. */
static void add_point(struct sweep_words *words, const struct sweep *sweep, size_t at)
{
    static const char *const options[] = {"-D", "--set", "--class"};

    for (size_t a = 0; a < sweep->axis_count; a++) {
        const struct sweep_axis *axis = &sweep->axes[a];
        size_t value = mm_plan_value(sweep->plan, sweep->plan->runs[at].point, a);
        char *word = NULL;

        if (axis->kind == SWEEP_RANKS)
            continue;
        if (asprintf(&word, "%s=%s", axis->name, axis->texts[value]) < 0)
            word = NULL;
        sweep_words_add(words, strdup(options[axis->kind]));
        sweep_words_add(words, word);
    }
}

const char *sweep_ranks_of(const struct sweep *sweep, size_t at)
{
    for (size_t a = 0; a < sweep->axis_count; a++)
        if (sweep->axes[a].kind == SWEEP_RANKS)
            return sweep->axes[a]
                .texts[mm_plan_value(sweep->plan, sweep->plan->runs[at].point, a)];
    return NULL;
}

/* The command of a run. Steals `experiment` and the words in `point`, the options for the
 * run. */
static char **run_words(const struct sweep *sweep, const char *ranks, char *experiment,
                        const char *metrics, struct sweep_words *point)
{
    size_t word = 0;
    struct sweep_words words = {0};

    if (sweep->launcher)
        sweep_words_add_launcher(&words, sweep->launcher, ranks);
    for (; word <= sweep->program; word++)
        sweep_words_add(&words, strdup(sweep->command[word]));
    if (sweep->command[word] && strcmp(sweep->command[word], "run") == 0)
        sweep_words_add(&words, strdup(sweep->command[word++]));
    sweep_words_add(&words, strdup("--measure"));
    sweep_words_add(&words, strdup("-o"));
    sweep_words_add(&words, experiment);
    if (*metrics) {
        sweep_words_add(&words, strdup("--metrics"));
        sweep_words_add(&words, strdup(metrics));
    }
    for (size_t i = 0; i < point->count; i++)
        sweep_words_add(&words, point->items[i]);
    words.failed |= point->failed;
    free(point->items);
    for (; sweep->command[word]; word++)
        sweep_words_add(&words, strdup(sweep->command[word]));
    return sweep_words_end(&words);
}

char **sweep_command_of(const struct sweep *sweep, size_t at)
{
    struct sweep_words point = {0};

    if (sweep->is_plain)
        return sweep_plain_command(sweep, sweep_ranks_of(sweep, at), at);
    add_point(&point, sweep, at);
    return run_words(sweep, sweep_ranks_of(sweep, at), sweep_run_path(sweep, at, ".part"),
                     "", &point);
}

char **sweep_command_with(const struct sweep *sweep, const char *ranks,
                          const char *experiment, const char *metrics,
                          char *const *options)
{
    struct sweep_words point = {0};

    for (; *options; options++)
        sweep_words_add(&point, strdup(*options));
    return run_words(sweep, ranks, strdup(experiment), metrics, &point);
}

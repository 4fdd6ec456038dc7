/* SPDX-License-Identifier: BSD-3-Clause */
/* command.c: the command of a run: launcher, ccafe, what this run varies, the rest. */
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "mastermind/cmd/cmd.h"
#include "mastermind/cmd/sweep/sweep.h"

static int is_ccafe(const char *word)
{
    const char *slash = strrchr(word, '/');

    return strcmp(slash ? slash + 1 : word, "ccafe") == 0;
}

/* The value of an option in words[at], in the same word or the next; NULL: another word.
 */
static const char *option_value(char *const *words, size_t at, const char *name)
{
    size_t length = strlen(name);

    if (strncmp(words[at], name, length) != 0)
        return NULL;
    if (!words[at][length])
        return words[at + 1];
    if (length == 2) /* -DNX=64 */
        return words[at] + length;
    return words[at][length] == '=' ? words[at] + length + 1 : NULL;
}

/* Refuse a word that sets what is an axis. */
static int check_axis(const struct sweep *sweep, const struct sweep_axis *axis, size_t at)
{
    static const char *const options[] = {"-D", "--set", "--class", "--ranks"};
    const char *value = option_value(sweep->command, at, options[axis->kind]);
    size_t length = strlen(axis->name);

    if (axis->kind == SWEEP_RANKS || !value || strncmp(value, axis->name, length) != 0 ||
        value[length] != '=')
        return -1;
    return mm_refuse(MM_EXIT_MISUSE,
                     "'%s' is an axis, and the command sets it, too: %s %s",
                     mm_safe(axis->name), options[axis->kind], mm_safe(value));
}

int sweep_command_check(struct sweep *sweep)
{
    size_t at = 0;

    while (sweep->command[at] && !is_ccafe(sweep->command[at]))
        at++;
    if (!sweep->command[at])
        return mm_refuse(MM_EXIT_MISUSE,
                         "found no ccafe in the command '%s ...'; expected "
                         "sweep [options] -o DIR -- ccafe ... SCRIPT",
                         mm_safe(sweep->command[0]));
    sweep->program = at++;
    for (; sweep->command[at]; at++) {
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
    for (at = 0; sweep->command[at]; at++) {
        json_t *text = json_string(sweep->command[at]);

        if (!text)
            return mm_refuse(MM_EXIT_MISUSE, "'%s' is not UTF-8",
                             mm_safe(sweep->command[at]));
        json_decref(text);
    }
    return -1;
}

/* --- Words ----------------------------------------------------------------------------
 */

struct words {
    char **items;
    size_t count;
    int failed;
};

/* Add a word, which is stolen; NULL: out of memory. */
static void add_word(struct words *words, char *word)
{
    char **item = cca_array_add(&words->items, &words->count, sizeof *item);

    words->failed |= !item || !word;
    if (item)
        *item = word;
    else
        free(word);
}

static void add_copy(struct words *words, const char *word)
{
    add_word(words, strdup(word));
}

/* Add the words of the launcher, with the number of ranks for %n. */
static void add_launcher(struct words *words, const char *launcher, const char *ranks)
{
    for (const char *at = launcher; *at;) {
        size_t length = strcspn(at, " \t");
        const char *mark = memmem(at, length, "%n", 2);
        char *word = NULL;

        if (length && mark) {
            if (asprintf(&word, "%.*s%s%.*s", (int)(mark - at), at, ranks ? ranks : "",
                         (int)(at + length - mark - 2), mark + 2) < 0)
                word = NULL;
            add_word(words, word);
        } else if (length) {
            add_word(words, strndup(at, length));
        }
        at += length;
        at += strspn(at, " \t");
    }
    if (ranks && !strstr(launcher, "%n")) {
        add_copy(words, "-n");
        add_copy(words, ranks);
    }
}

/* Add what the point of a run varies. */
static void add_point(struct words *words, const struct sweep *sweep, size_t at)
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
        add_copy(words, options[axis->kind]);
        add_word(words, word);
    }
}

static int has_cpu_time(const char *list)
{
    static const char name[] = "CPU_TIME";
    const char *at = strstr(list, name);

    while (at && ((at > list && at[-1] != ',') ||
                  (at[sizeof name - 1] && at[sizeof name - 1] != ',')))
        at = strstr(at + 1, name);
    return at != NULL;
}

/* Add a list of metrics and CPU_TIME. */
static void add_metrics(struct words *words, const char *list)
{
    char *word = NULL;

    if (asprintf(&word, "%s%s", list,
                 has_cpu_time(list) ? ""
                 : *list            ? ",CPU_TIME"
                                    : "CPU_TIME") < 0)
        word = NULL;
    add_copy(words, "--metrics");
    add_word(words, word);
}

/* Add the user's own words behind ccafe, with their --metrics completed. */
static void add_rest(struct words *words, const struct sweep *sweep, size_t at)
{
    for (; sweep->command[at]; at++) {
        const char *list = option_value(sweep->command, at, "--metrics");

        if (!list) {
            add_copy(words, sweep->command[at]);
            continue;
        }
        add_metrics(words, list);
        at += list == sweep->command[at + 1];
    }
}

static const char *ranks_of(const struct sweep *sweep, size_t at)
{
    for (size_t a = 0; a < sweep->axis_count; a++)
        if (sweep->axes[a].kind == SWEEP_RANKS)
            return sweep->axes[a]
                .texts[mm_plan_value(sweep->plan, sweep->plan->runs[at].point, a)];
    return NULL;
}

/* The words of a run; `point` are the options for it, which are stolen, as is
 * `experiment`. */
static char **run_words(const struct sweep *sweep, const char *ranks, char *experiment,
                        const char *metrics, struct words *point)
{
    size_t word = 0;
    struct words words = {0};
    char **end;

    if (sweep->launcher)
        add_launcher(&words, sweep->launcher, ranks);
    for (; word <= sweep->program; word++)
        add_copy(&words, sweep->command[word]);
    if (sweep->command[word] && strcmp(sweep->command[word], "run") == 0)
        add_copy(&words, sweep->command[word++]);
    add_copy(&words, "--measure");
    add_copy(&words, "-o");
    add_word(&words, experiment);
    add_metrics(&words, metrics);
    for (size_t i = 0; i < point->count; i++)
        add_word(&words, point->items[i]);
    words.failed |= point->failed;
    free(point->items);
    add_rest(&words, sweep, word);
    end = cca_array_add(&words.items, &words.count, sizeof *end);
    if (!words.failed && end)
        return words.items;
    for (size_t i = 0; i < words.count; i++)
        free(words.items[i]);
    free(words.items);
    return NULL;
}

char **sweep_command_of(const struct sweep *sweep, size_t at)
{
    struct words point = {0};

    add_point(&point, sweep, at);
    return run_words(sweep, ranks_of(sweep, at), sweep_run_path(sweep, at, ".part"), "",
                     &point);
}

char **sweep_command_with(const struct sweep *sweep, const char *ranks,
                          const char *experiment, const char *metrics,
                          char *const *options)
{
    struct words point = {0};

    for (; *options; options++)
        add_copy(&point, *options);
    return run_words(sweep, ranks, strdup(experiment), metrics, &point);
}

void sweep_words_free(char **words)
{
    for (size_t i = 0; words && words[i]; i++)
        free(words[i]);
    free(words);
}

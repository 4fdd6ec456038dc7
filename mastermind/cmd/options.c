/* SPDX-License-Identifier: BSD-3-Clause */
/* options.c: options of a verb. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/nearest.h"
#include "mastermind/cmd/cmd.h"

static int unknown_option(const char *name, const struct mm_option *options, size_t count)
{
    struct cca_nearest nearest;
    char hint[128];

    cca_nearest_init(&nearest, name);
    for (size_t i = 0; i < count; i++)
        cca_nearest_offer(&nearest, options[i].name);
    return mm_refuse(MM_EXIT_MISUSE, "unknown option '%s'%s", mm_safe(name),
                     cca_nearest_hint(nearest.best, hint, sizeof hint));
}

static struct mm_option *find_option(struct mm_option *options, size_t count,
                                     const char *name, size_t length)
{
    for (size_t i = 0; i < count; i++) {
        const char *names[] = {options[i].name, options[i].letter};

        for (size_t k = 0; k < 2; k++)
            if (names[k] && strlen(names[k]) == length &&
                strncmp(names[k], name, length) == 0)
                return &options[i];
    }
    return NULL;
}

/* Read the option at argv[*at]; moves `*at` over its value. */
static int read_option(struct mm_option *options, size_t option_count, int argc,
                       char **argv, int *at)
{
    const char *word = argv[*at], *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) : strlen(word);
    struct mm_option *option = find_option(options, option_count, word, length);
    const char *value = equals ? equals + 1 : NULL;

    if (!option)
        return unknown_option(word, options, option_count);
    if (!option->takes_value && equals)
        return mm_refuse(MM_EXIT_MISUSE, "option '%s' takes no value", option->name);
    if (option->takes_value && !equals) {
        if (*at + 1 == argc)
            return mm_refuse(MM_EXIT_MISUSE, "option '%s' needs a value", option->name);
        value = argv[++*at];
    }
    if (option->given == MM_OPTION_VALUES)
        return mm_refuse(MM_EXIT_MISUSE, "option '%s' more than %d times", option->name,
                         MM_OPTION_VALUES);
    option->values[option->given++] = value;
    return -1;
}

int mm_options_read(struct mm_option *options, size_t option_count, const char *help,
                    int argc, char **argv, int *count)
{
    int only_words = 0;

    *count = 0;
    for (int i = 0; i < argc; i++) {
        int result;

        if (only_words || argv[i][0] != '-' || !argv[i][1]) { /* "-": standard input */
            argv[(*count)++] = argv[i];
            continue;
        }
        if (strcmp(argv[i], "--") == 0) {
            only_words = 1;
            continue;
        }
        if (strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0) {
            fputs(help, stdout);
            return mm_finish_output(MM_EXIT_DONE);
        }
        result = read_option(options, option_count, argc, argv, &i);
        if (result >= 0)
            return result;
    }
    return -1;
}

int mm_option_number(const struct mm_option *option, double least, double *value)
{
    char *end;

    if (!option->given)
        return -1;
    *value = strtod(option->values[option->given - 1], &end);
    if (end == option->values[option->given - 1] || *end || !(*value >= least))
        return mm_refuse(MM_EXIT_MISUSE, "'%s' for %s, expected a number of at least %g",
                         mm_safe(option->values[option->given - 1]), option->name, least);
    return -1;
}

int mm_option_count(const struct mm_option *option, double least, double *value)
{
    int result = mm_option_number(option, least, value);

    if (result >= 0 || !option->given || *value == floor(*value))
        return result;
    return mm_refuse(MM_EXIT_MISUSE, "'%s' for %s, expected a whole number",
                     mm_safe(option->values[option->given - 1]), option->name);
}

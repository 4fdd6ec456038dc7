/* SPDX-License-Identifier: BSD-3-Clause */
/* options.c: parse the options of a verb, and print its help. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/nearest.h"
#include "mastermind/cmd/fields.h"
#include "ports/recording_options.h"

enum { OPTIONS = 48 }; /* most options of a verb */

/* The options of a verb: its table, and the values given. */
struct reader {
    struct cca_option rows[OPTIONS];
    struct mm_option given[OPTIONS];
    size_t count;
};

static void add_rows(struct reader *reader, const struct mm_verb *verb)
{
    assert(verb->recording + verb->option_count <= OPTIONS);
    for (int i = 0; i < verb->option_count; i++)
        reader->rows[reader->count++] = verb->options[i];
    for (int i = 0; i < verb->recording; i++) {
        const struct recording_option *row = &recording_options[i];

        reader->rows[reader->count++] =
            (struct cca_option){row->name, row->argument, row->help, row->letter};
    }
    for (size_t i = 0; i < reader->count; i++)
        reader->given[i].name = reader->rows[i].name;
}

/* Print lines, wrapped at the width of a help text. */
static void print_lines(const char *text)
{
    char line[2048];

    for (; *text; text += *text == '\n') {
        size_t length = strcspn(text, "\n");

        snprintf(line, sizeof line, "%.*s", (int)length, text);
        if (length > CCA_HELP_WIDTH)
            cca_help_print(stdout, line, 0);
        else
            puts(line);
        text += length;
    }
}

void mm_verb_print_help(const struct mm_verb *verb)
{
    struct reader reader = {.count = 0};

    add_rows(&reader, verb);
    printf("%s\n", verb->examples);
    print_lines(verb->about);
    putchar('\n');
    cca_options_print(stdout, reader.rows, reader.count);
    if (verb->fields || verb->notes)
        putchar('\n');
    if (verb->fields)
        mm_fields_print_help(verb->fields);
    print_lines(verb->notes ? verb->notes : "");
}

/* Print a cell of a Markdown table. */
static void print_markdown(const char *text)
{
    for (; *text; text++)
        printf(*text == '|' || *text == '<' || *text == '*' ? "\\%c" : "%c", *text);
}

void mm_verb_print_reference(const struct mm_verb *verb)
{
    struct reader reader = {.count = 0};

    add_rows(&reader, verb);
    printf("\n## %s%s%s\n\n```\n%s```\n\n", verb->name, verb->formats ? " " : "",
           verb->formats ? *verb->formats : "", verb->examples);
    fputs(verb->about, stdout);
    puts("\n| option | meaning |\n|---|---|");
    for (size_t i = 0; i < reader.count; i++) {
        char head[256];

        cca_option_head(&reader.rows[i], head, sizeof head);
        fputs("| `", stdout);
        for (const char *at = head; *at; at++) /* escape |, which would end the cell */
            printf(*at == '|' ? "\\%c" : "%c", *at);
        fputs("` | ", stdout);
        print_markdown(reader.rows[i].help);
        puts(" |");
    }
    if (verb->fields)
        puts("\n| column | meaning |\n|---|---|");
    for (const struct mm_field *f = verb->fields; f && f->name; f++)
        if (f->help)
            printf("| `%s` | %s |\n", f->head, f->help);
    if (verb->notes)
        printf("\n%s", verb->notes);
}

static int unknown_option(const struct reader *reader, const char *name)
{
    struct cca_nearest nearest;
    char hint[128];

    cca_nearest_init(&nearest, name);
    for (size_t i = 0; i < reader->count; i++)
        cca_nearest_offer(&nearest, reader->rows[i].name);
    return mm_refuse(MM_EXIT_MISUSE, "unknown option '%s'%s", mm_safe(name),
                     cca_nearest_hint(nearest.best, hint, sizeof hint));
}

/* The index of an option; `count` if there is none. */
static size_t find_option(const struct reader *reader, const char *name, size_t length)
{
    size_t i = 0;

    for (; i < reader->count; i++) {
        const char *names[] = {reader->rows[i].name, reader->rows[i].letter};

        for (size_t k = 0; k < 2; k++)
            if (names[k] && strlen(names[k]) == length &&
                strncmp(names[k], name, length) == 0)
                return i;
    }
    return i;
}

/* Read the option at argv[*at] and move `*at` over its value. */
static int read_option(struct reader *reader, int argc, char **argv, int *at)
{
    const char *word = argv[*at], *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) : strlen(word);
    size_t place = find_option(reader, word, length);
    struct mm_option *option = &reader->given[place];
    const char *value = equals ? equals + 1 : NULL;

    if (place == reader->count)
        return unknown_option(reader, word);
    if (!reader->rows[place].argument && equals)
        return mm_refuse(MM_EXIT_MISUSE, "option '%s' takes no value", option->name);
    if (reader->rows[place].argument && !equals) {
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

/* If the first argument chose this description, store it as args->format and remove it
 * from the arguments. */
static void take_format(const struct mm_verb *verb, struct mm_args *args)
{
    if (!verb->formats || !args->count)
        return;
    args->format = *args->words++;
    args->count--;
}

int mm_verb_run(const struct mm_verb *verb, int argc, char **argv)
{
    struct reader reader = {.count = 0};
    struct mm_args args = {.options = reader.given, .words = argv};
    int only_words = 0;

    add_rows(&reader, verb);
    for (int i = 0; i < argc; i++) {
        int result;

        if (only_words || argv[i][0] != '-' || !argv[i][1]) { /* "-" is stdin */
            argv[args.count++] = argv[i];
            continue;
        }
        if (strcmp(argv[i], "--") == 0) {
            only_words = 1;
            if (!verb->takes_command)
                continue;
            args.command = argv + i + 1;
            args.command_count = argc - i - 1;
            break;
        }
        if (strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0) {
            mm_verb_print_help(verb);
            return mm_finish_output(MM_EXIT_DONE);
        }
        result = read_option(&reader, argc, argv, &i);
        if (result >= 0)
            return result;
    }
    take_format(verb, &args);
    return verb->run(&args);
}

const char *mm_option_value(const struct mm_option *option)
{
    return option->given ? option->values[option->given - 1] : NULL;
}

int mm_option_number(const struct mm_option *option, double least, double *value)
{
    char *end;

    if (!option->given)
        return -1;
    *value = strtod(mm_option_value(option), &end);
    if (end == mm_option_value(option) || *end || !(*value >= least))
        return mm_refuse(MM_EXIT_MISUSE, "'%s' for %s, expected a number of at least %g",
                         mm_safe(mm_option_value(option)), option->name, least);
    return -1;
}

int mm_option_count(const struct mm_option *option, double least, double *value)
{
    int result = mm_option_number(option, least, value);

    if (result >= 0 || !option->given || *value == floor(*value))
        return result;
    return mm_refuse(MM_EXIT_MISUSE, "'%s' for %s, expected a whole number",
                     mm_safe(mm_option_value(option)), option->name);
}

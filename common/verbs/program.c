/* SPDX-License-Identifier: BSD-3-Clause */
/* program.c: find the verb that the arguments name, and parse its options. */
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/nearest.h"
#include "common/verbs/verbs.h"

/* State of the parser: the options of a verb, with the values that are given so far. */
struct reader {
    const struct cca_program *program;
    const struct cca_verb *verb;
    struct cca_option rows[CCA_OPTIONS_MOST];
    struct cca_given given[CCA_OPTIONS_MOST];
    size_t count;
    int at; /* index of the current argument */
};

const char *cca_given_value(const struct cca_given *option)
{
    return option->given ? option->values[option->given - 1] : NULL;
}

/* --- Options ---------------------------------------------------------------------- */

/* Report an unknown option, with the most similar name, or else with a hint where all
 * options are listed. */
static int refuse_unknown(const struct reader *reader, const char *word)
{
    struct cca_nearest nearest;
    char hint[128];

    cca_nearest_init(&nearest, strncmp(word, "--", 2) == 0 ? word : "");
    for (size_t i = 0; i < reader->count; i++)
        cca_nearest_offer(&nearest, reader->rows[i].name);
    if (nearest.best)
        cca_nearest_hint(nearest.best, hint, sizeof hint);
    else
        snprintf(hint, sizeof hint, "; '%s%s%s -h' prints the help",
                 reader->program->name,
                 reader->verb == reader->program->default_verb ? "" : " ",
                 reader->verb == reader->program->default_verb ? "" : reader->verb->name);
    return reader->program->refuse(CCA_MISUSE, "unknown option '%.*s'%s",
                                   (int)strcspn(word, "="), word, hint);
}

/* Return the index of the option with this name or letter; `count` if there is none. */
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

/* Return the index of the option in `word`, which is "--name", "--name=value", "-n" or
 * "-nvalue"; `*value` is the value in the same argument, or NULL. */
static size_t split_option(const struct reader *reader, const char *word,
                           const char **value)
{
    size_t length = strcspn(word, "="), place = find_option(reader, word, length);

    *value = word[length] ? word + length + 1 : NULL;
    if (place < reader->count || word[1] == '-')
        return place;
    *value = word + 2;
    place = find_option(reader, word, 2);
    return place < reader->count && reader->rows[place].argument ? place : reader->count;
}

static int add_value(struct reader *reader, struct cca_given *option, const char *value)
{
    size_t count = (size_t)option->given;
    const char **added;

    if (reader->program->most_values && option->given == reader->program->most_values)
        return reader->program->refuse(CCA_MISUSE, "option '%s' more than %d times",
                                       option->name, option->given);
    added = cca_array_add(&option->values, &count, sizeof *added);
    if (!added)
        return reader->program->refuse(CCA_NO_MEMORY, "out of memory");
    *added = value;
    option->given++;
    return -1;
}

/* Parse the option at the current argument, and its value. Returns -1 to continue, else
 * an exit code. */
static int read_option(struct reader *reader, int argc, char **argv)
{
    const char *word = argv[reader->at], *value;
    size_t place = split_option(reader, word, &value);
    const struct cca_option *row = &reader->rows[place];

    if (place == reader->count)
        return refuse_unknown(reader, word);
    if (!row->argument && value)
        return reader->program->refuse(CCA_MISUSE, "'%s' takes no value", row->name);
    if (row->argument && !value && reader->at + 1 == argc)
        return reader->program->refuse(CCA_MISUSE, "'%s' needs a value", word);
    if (row->argument && !value)
        value = argv[++reader->at];
    return add_value(reader, &reader->given[place], value);
}

/* Print the help for -h, the version for -V. Returns an exit code; -1: `word` is
 * neither. */
static int print_asked(const struct reader *reader, const char *word)
{
    if (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0)
        cca_verb_print_help(reader->program, reader->verb);
    else if (strcmp(word, "-V") == 0 || strcmp(word, "--version") == 0)
        printf("%s %s\n", reader->program->name, reader->program->version);
    else
        return -1;
    return reader->program->finish(0);
}

/* If the current argument is an option of another program (cca_verb.foreign), store it,
 * and the next argument if that is the option's value. Returns 0: it is not such an
 * option; -1: continue; else an exit code. */
static int take_foreign(struct reader *reader, struct cca_args *args)
{
    const char *word = args->all[reader->at];
    int count = reader->verb->foreign ? reader->verb->foreign(word) : 0;

    if (!count)
        return 0;
    if (reader->at + count > args->all_count)
        return reader->program->refuse(CCA_MISUSE, "'%s' needs a value", word);
    args->foreign[args->foreign_count++] = args->all[reader->at];
    if (count > 1)
        args->foreign[args->foreign_count++] = args->all[++reader->at];
    return -1;
}

/* Separate the arguments into options and others. Returns -1 to continue, else an exit
 * code. */
static int read_words(struct reader *reader, struct cca_args *args)
{
    int result = -1;

    for (; reader->at < args->all_count && result < 0; reader->at++) {
        char *word = args->all[reader->at];
        int is_end = strcmp(word, "--") == 0;

        if (is_end && reader->verb->takes_command) {
            args->command = args->all + reader->at + 1;
            args->command_count = args->all_count - reader->at - 1;
            return -1;
        }
        if (is_end || (reader->verb->options_first && (word[0] != '-' || !word[1]))) {
            reader->at += is_end;
            break;
        }
        if (word[0] != '-' || !word[1]) {
            /* "-" alone is no option: it means standard input */
            args->words[args->count++] = word;
            continue;
        }
        result = take_foreign(reader, args);
        if (result)
            continue;
        result = print_asked(reader, word);
        if (result < 0)
            result = read_option(reader, args->all_count, args->all);
    }
    while (result < 0 && reader->at < args->all_count)
        args->words[args->count++] = args->all[reader->at++];
    return result;
}

int cca_verb_run(const struct cca_program *program, const struct cca_verb *verb, int argc,
                 char **argv)
{
    struct reader reader = {.program = program, .verb = verb};
    struct cca_args args = {.options = reader.given, .all = argv, .all_count = argc};
    char **words = calloc(2 * ((size_t)argc + 1), sizeof *words);
    int result;

    if (!words)
        return program->refuse(CCA_NO_MEMORY, "out of memory");
    args.words = words;
    args.foreign = words + argc + 1;
    reader.count = cca_verb_options(verb, reader.rows);
    for (size_t i = 0; i < reader.count; i++)
        reader.given[i].name = reader.rows[i].name;
    result = read_words(&reader, &args);
    if (result < 0 && verb->formats && args.count) {
        args.format = *args.words++;
        args.count--;
    }
    if (result < 0)
        result = verb->run(&args);
    for (size_t i = 0; i < reader.count; i++)
        free(reader.given[i].values);
    free(words);
    return result;
}

/* --- Verbs ------------------------------------------------------------------------ */

/* True if `word` is one of the verb's `formats`. */
static int has_format(const struct cca_verb *verb, const char *word)
{
    for (const char *const *format = verb->formats; word && format && *format; format++)
        if (strcmp(*format, word) == 0)
            return 1;
    return 0;
}

/* Find the description of a verb by its name, and, among verbs of the same name, by the
 * first argument after it that is no option. The arguments end with NULL. Returns NULL if
 * there is no such verb. */
static const struct cca_verb *find_verb(const struct cca_program *program,
                                        const char *name, char **words)
{
    const struct cca_verb *verb = NULL;

    while (*words && **words == '-' && (*words)[1])
        words++;
    for (size_t i = 0; i < program->verb_count; i++)
        if (strcmp(program->verbs[i]->name, name) == 0 &&
            (!program->verbs[i]->formats || has_format(program->verbs[i], *words)))
            verb = program->verbs[i];
    return verb;
}

static int unknown_verb(const struct cca_program *program, const char *name)
{
    struct cca_nearest nearest;
    char hint[128];

    snprintf(hint, sizeof hint, "; %s -h lists them", program->name);
    cca_nearest_init(&nearest, name);
    for (size_t i = 0; i < program->verb_count; i++)
        cca_nearest_offer(&nearest, program->verbs[i]->name);
    if (nearest.best)
        cca_nearest_hint(nearest.best, hint, sizeof hint);
    return program->refuse(CCA_MISUSE, "unknown verb '%s'%s", name, hint);
}

/* The pages of `PROGRAM help` that all programs have. */
static const struct {
    const char *name;
    void (*print)(const struct cca_program *program);
} pages[] = {{"--reference", cca_program_print_reference},
             {"--man", cca_program_print_man},
             {"--completion", cca_program_print_completion}};

/* Run `PROGRAM help [VERB|--PAGE|--TOPIC [WORD]]`; `words` are the arguments after
 * `help`, ending with NULL. */
static int help(const struct cca_program *program, char **words)
{
    const struct cca_verb *verb = program->default_verb;

    for (size_t i = 0; *words && i < program->topic_count; i++)
        if (strcmp(*words, program->topics[i].name) == 0)
            return program->topic(i, words[1]);
    for (size_t i = 0; *words && i < sizeof pages / sizeof *pages; i++)
        if (strcmp(*words, pages[i].name) == 0) {
            pages[i].print(program);
            return program->finish(0);
        }
    if (*words && program->group_count && strcmp(*words, "all") == 0) {
        cca_program_print_help(program, 1);
        return program->finish(0);
    }
    if (*words)
        verb = find_verb(program, *words, words + 1);
    if (*words && !verb)
        return unknown_verb(program, *words);
    if (verb)
        cca_verb_print_help(program, verb);
    else
        cca_program_print_help(program, 0);
    return program->finish(0);
}

/* True if the arguments are a request for help. For a program with one verb, whose
 * arguments are files, `help` counts as a request only if a page follows it. */
static int asks_help(const struct cca_program *program, int argc, char **argv)
{
    return argc > 1 && strcmp(argv[1], "help") == 0 &&
           (program->verb_count > 1 || (argc > 2 && strncmp(argv[2], "--", 2) == 0));
}

int cca_program_run(const struct cca_program *program, int argc, char **argv)
{
    const struct cca_verb *verb = NULL;

    if (asks_help(program, argc, argv))
        return help(program, argv + 2);
    if (argc > 1 && program->verb_count > 1)
        verb = find_verb(program, argv[1], argv + 2);
    if (verb)
        return cca_verb_run(program, verb, argc - 2, argv + 2);
    if (program->default_verb)
        return cca_verb_run(program, program->default_verb, argc - 1, argv + 1);
    if (argc < 2)
        return program->refuse(CCA_MISUSE, "expected a verb; %s -h lists them",
                               program->name);
    if (strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0)
        return help(program, (char *[]){NULL});
    if (strcmp(argv[1], "-V") == 0 || strcmp(argv[1], "--version") == 0) {
        printf("%s %s\n", program->name, program->version);
        return program->finish(0);
    }
    return unknown_verb(program, argv[1]);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* mastermind.c: the program mastermind: find the verb and run it. */
#include <string.h>

#include "common/nearest.h"
#include "mastermind/cmd/cmd.h"

#define VERSION "0.1"

#define VERB_ADDRESS(name) &mm_verb_##name,
static const struct mm_verb *const verbs[] = {MM_VERBS(VERB_ADDRESS)};
#define VERBS (sizeof verbs / sizeof *verbs)

static int help(void)
{
    puts("usage: mastermind VERB EXPERIMENT... [options]\n");
    for (size_t i = 0; i < VERBS; i++)
        if (verbs[i]->summary)
            printf("  %-10s %s\n", verbs[i]->name, verbs[i]->summary);
    puts(
        "\nThe first experiment is the base, further ones supply models.\n"
        "mastermind VERB -h prints examples and options of a verb.\n"
        "mastermind help --schema [NAME] prints the JSON schema of a document, or "
        "names;\nmastermind help --reference all verbs with their options, in Markdown.\n"
        "Exit status: 0 done, 1 the answer is no, 2 misuse, 3 bad input, 5 I/O or "
        "memory.");
    return mm_finish_output(MM_EXIT_DONE);
}

static int reference(void)
{
    puts("# Verbs and options of mastermind\n\n`mastermind help --reference` prints this "
         "page from the tables that the program reads its options by.");
    for (size_t i = 0; i < VERBS; i++)
        mm_verb_print_reference(verbs[i]);
    return mm_finish_output(MM_EXIT_DONE);
}

static int unknown_verb(const char *name)
{
    struct cca_nearest nearest;
    char hint[128] = "; mastermind -h lists them";

    cca_nearest_init(&nearest, name);
    for (size_t i = 0; i < VERBS; i++)
        cca_nearest_offer(&nearest, verbs[i]->name);
    if (nearest.best)
        cca_nearest_hint(nearest.best, hint, sizeof hint);
    return mm_refuse(MM_EXIT_MISUSE, "unknown verb '%s'%s", mm_safe(name), hint);
}

/* True if `word` is one of the formats of a description. */
static int has_format(const struct mm_verb *verb, const char *word)
{
    for (const char *const *format = verb->formats; word && format && *format; format++)
        if (strcmp(*format, word) == 0)
            return 1;
    return 0;
}

/* The description of a verb, by its name and its first argument that is no option; NULL:
 * there is no such verb. */
static const struct mm_verb *find_verb(const char *name, char **words)
{
    const struct mm_verb *verb = NULL;

    while (*words && **words == '-' && (*words)[1])
        words++;
    for (size_t i = 0; i < VERBS; i++)
        if (strcmp(verbs[i]->name, name) == 0 &&
            (!verbs[i]->formats || has_format(verbs[i], *words)))
            verb = verbs[i];
    return verb;
}

int main(int argc, char **argv)
{
    const struct mm_verb *verb;
    int asks_help;

    mm_memory_watch();
    if (argc < 2)
        return mm_refuse(MM_EXIT_MISUSE, "expected a verb; mastermind -h lists them");
    if (strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0 ||
        (strcmp(argv[1], "help") == 0 && argc == 2))
        return help();
    if (strcmp(argv[1], "-V") == 0 || strcmp(argv[1], "--version") == 0) {
        puts("mastermind " VERSION);
        return mm_finish_output(MM_EXIT_DONE);
    }
    if (strcmp(argv[1], "help") == 0 && strcmp(argv[2], "--schema") == 0)
        return mm_help_schema(argv[3]);
    if (strcmp(argv[1], "help") == 0 && strcmp(argv[2], "--reference") == 0)
        return reference();
    asks_help = argc > 2 && strcmp(argv[1], "help") == 0;
    verb = find_verb(argv[1 + asks_help], argv + 2 + asks_help);
    if (!verb)
        return unknown_verb(argv[1 + asks_help]);
    if (!asks_help)
        return mm_verb_run(verb, argc - 2, argv + 2);
    mm_verb_print_help(verb);
    return mm_finish_output(MM_EXIT_DONE);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* mastermind.c: the program mastermind and its verbs. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mastermind/cmd/fields.h"

#define VERB_ADDRESS(name) &mm_verb_##name,
static const struct cca_verb *const verbs[] = {MM_VERBS(VERB_ADDRESS)};

static const struct cca_option topics[] = {
    {"--schema", "NAME", "the JSON schema of a document, or the names of all", NULL}};

static int print_topic(size_t topic, const char *word)
{
    (void)topic;
    return mm_help_schema(word);
}

/* Groups of verbs for the help; test_mastermind.sh checks that each verb is in one. */
static const struct cca_group groups[] = {
    {"programs as they are, and the first questions",
     "record report grow race predict choose"},
    {"runs", "sweep search records diff ledger"},
    {"models and graphs", "model whatif graph activity"},
    {"ranks and meshes", "messages properties mesh balance"},
    {"files", "import export pack"}};

static const struct cca_program program = {
    .name = "mastermind",
    .version = "0.1",
    .summary = "measure and model programs made of components",
    .usage = "mastermind VERB EXPERIMENT... [options]\n",
    .about = "The first experiment is the base, further ones supply models.\n"
             "Exit status: 0 done, 1 the answer is no, 2 misuse, 3 bad input, 5 I/O or "
             "memory.\n",
    .verbs = verbs,
    .verb_count = sizeof verbs / sizeof *verbs,
    .groups = groups,
    .group_count = sizeof groups / sizeof *groups,
    .topics = topics,
    .topic_count = sizeof topics / sizeof *topics,
    .topic = print_topic,
    .column = mm_field_column,
    .most_values = MM_OPTION_VALUES,
    .refuse = mm_refuse,
    .finish = mm_finish_output,
};

int mm_verb_run(const struct cca_verb *verb, int argc, char **argv)
{
    return cca_verb_run(&program, verb, argc, argv);
}

/* True for an option, a verb or help. */
static int is_own(const char *word)
{
    if (*word == '-' || strcmp(word, "help") == 0)
        return 1;
    for (size_t i = 0; i < program.verb_count; i++)
        if (strcmp(verbs[i]->name, word) == 0)
            return 1;
    return 0;
}

/* True where the first word is no verb but a program to record: a path, or a name that
 * a shell finds. */
static int is_program(const char *word)
{
    return !is_own(word) && (strchr(word, '/') || mm_record_finds(word));
}

/* `mastermind ./prog ARGUMENT...` is `mastermind record -- ./prog ARGUMENT...`. */
static int record_program(int argc, char **argv)
{
    char **words = calloc((size_t)argc + 1, sizeof *words);
    int code;

    if (!words)
        return mm_no_memory();
    mm_record_briefly();
    words[0] = (char *)"--";
    memcpy(words + 1, argv + 1, ((size_t)argc - 1) * sizeof *words);
    code = mm_verb_run(&mm_verb_record, argc, words);
    free(words);
    return code;
}

int main(int argc, char **argv)
{
    mm_memory_watch();
    if (argc > 1 && is_program(argv[1]))
        return record_program(argc, argv);
    if (argc > 1 && !is_own(argv[1]) && access(argv[1], F_OK) == 0)
        return mm_refuse(MM_EXIT_MISUSE, "unknown verb '%s'; did you mean './%s'?",
                         mm_safe(argv[1]), mm_safe(argv[1]));
    return cca_program_run(&program, argc, argv);
}

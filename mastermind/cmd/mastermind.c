/* SPDX-License-Identifier: BSD-3-Clause */
/* mastermind.c: the program mastermind and its verbs. */
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

int main(int argc, char **argv)
{
    mm_memory_watch();
    return cca_program_run(&program, argc, argv);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* command.c: build the command of a step: launcher, program, options of the step, the
 * user's words. */
#include <string.h>

#include "mastermind/cmd/cmd.h"
#include "mastermind/cmd/search/search_verb.h"
#include "mastermind/cmd/sweep/words.h"

static int is_called(const char *word, const char *name)
{
    const char *slash = strrchr(word, '/');

    return strcmp(slash ? slash + 1 : word, name) == 0;
}

/* True for an option that the search sets itself. */
static int is_ours(const char *word)
{
    static const char *const ours[] = {"-o", "--experiment", "--metrics", "--messages"};

    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
        size_t length = strlen(ours[i]);

        if (strncmp(word, ours[i], length) == 0 &&
            (!word[length] || word[length] == '=' || length == 2))
            return 1;
    }
    return 0;
}

int search_command_check(struct search *search)
{
    size_t at = 0;

    while (search->command[at] && !is_called(search->command[at], "ccafe") &&
           !(is_called(search->command[at], "mastermind") && search->command[at + 1] &&
             strcmp(search->command[at + 1], "record") == 0))
        at++;
    if (!search->command[at])
        return mm_refuse(
            MM_EXIT_MISUSE,
            "found no ccafe and no 'mastermind record' in the command '%s ...'; "
            "expected search [options] -o DIR -- ccafe ... SCRIPT",
            mm_safe(search->command[0]));
    search->program = at;
    for (at++; search->command[at] && strcmp(search->command[at], "--") != 0; at++)
        if (is_ours(search->command[at]))
            return mm_refuse(MM_EXIT_MISUSE,
                             "the command has %s, which the search chooses for each run",
                             mm_safe(search->command[at]));
    return -1;
}

static const struct {
    const char *metrics; /* value of --metrics; NULL: the quantity is not measured by
                          * --metrics */
    const char *text;
} asks_of[MM_SEARCH_ASKS] = {
    {"MPI_SPLIT", "MPI_SPLIT"},
    {"OPENMP", "OPENMP"},
    {NULL, "messages"},
    {"PAPI_L1_DCM,PAPI_L1_DCA,PAPI_L2_TCM,PAPI_L2_TCA", "cache misses"},
    {"PAPI_TOT_INS", "instructions"}};

/* `mastermind record` has no counters, and without a launcher no messages. */
unsigned search_asks_possible(const struct search *search)
{
    unsigned all = (1u << MM_SEARCH_ASKS) - 1;

    if (!is_called(search->command[search->program], "mastermind"))
        return all;
    all &= ~(unsigned)(MM_ASK_CACHE | MM_ASK_INSTRUCTIONS);
    return search->launcher || search->program
               ? all
               : all & ~(unsigned)(MM_ASK_MESSAGES | MM_ASK_SPLIT);
}

const char *search_asks_text(unsigned asks)
{
    static char text[120];
    size_t used = 0;

    *text = '\0';
    for (int i = 0; i < MM_SEARCH_ASKS; i++)
        if (asks >> i & 1)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s",
                                     used ? ", " : "", asks_of[i].text);
    return *text ? text : "times alone";
}

static void add_asks(struct sweep_words *words, unsigned asks)
{
    char list[200] = "";

    for (int i = 0; i < MM_SEARCH_ASKS; i++)
        if (asks >> i & 1 && asks_of[i].metrics)
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s",
                     *list ? "," : "", asks_of[i].metrics);
    if (*list) {
        sweep_words_add(words, strdup("--metrics"));
        sweep_words_add(words, strdup(list));
    }
    if (asks & MM_ASK_MESSAGES) {
        sweep_words_add(words, strdup("--messages"));
        sweep_words_add(words, strdup("on"));
    }
}

char **search_command_of(const struct search *search, size_t at)
{
    const struct mm_search_run *run = &search->steps[at].run;
    struct sweep_words words = {0};
    char ranks[16];
    size_t word = 0;

    snprintf(ranks, sizeof ranks, "%d", run->ranks);
    if (search->launcher)
        sweep_words_add_launcher(&words, search->launcher, ranks);
    for (; word <= search->program; word++)
        sweep_words_add(&words, strdup(search->command[word]));
    if (is_called(search->command[search->program], "mastermind")) {
        sweep_words_add(&words, strdup(search->command[word++])); /* the word "record" */
    } else {
        if (search->command[word] && strcmp(search->command[word], "run") == 0)
            sweep_words_add(&words, strdup(search->command[word++]));
        sweep_words_add(&words, strdup("--measure"));
    }
    sweep_words_add(&words, strdup("-o"));
    sweep_words_add(&words, search_path(search, at, ".part"));
    add_asks(&words, run->asks);
    for (; search->command[word]; word++)
        sweep_words_add(&words, strdup(search->command[word]));
    return sweep_words_end(&words);
}

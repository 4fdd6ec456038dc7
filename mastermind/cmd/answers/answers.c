/* SPDX-License-Identifier: BSD-3-Clause */
/* answers.c: the library libmm_answers.so: verbs of `mastermind`, run in the process that
 * asks, with the document and the first message as results. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/nearest.h"
#include "mastermind/cmd/answers/answers.h"
#include "mastermind/cmd/cmd.h"

/* The verbs have static buffers, and the answer that is being made is static, too. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* A verb that answers questions, and the options that neither write files nor start
 * programs. */
struct question_verb {
    const struct cca_verb *verb;
    const char *options; /* separated by blanks */
    int has_so_far;      /* true if it has the option --so-far, which is then given */
};

static const struct question_verb verbs[] = {
    {&mm_verb_model, "--of-class --at --any-machine --max-power --metric --inclusive", 0},
    {&mm_verb_graph, "--prune --contexts --by-rank --by-mode --fold", 0},
    {&mm_verb_predict, "--set -D --class --ranks --against --metric --any-machine", 1},
    {&mm_verb_whatif, "--set -D --class --ranks --metric --any-machine --limit", 1},
    {&mm_verb_choose,
     "--set -D --class --ranks --require --front --within --slot "
     "--any-machine --metric",
     1},
};

static const struct cca_program program = {
    .name = "mastermind",
    .most_values = MM_OPTION_VALUES,
    .refuse = mm_refuse,
    .finish = mm_finish_output,
};

int mm_verb_run(const struct cca_verb *verb, int argc, char **argv)
{
    return cca_verb_run(&program, verb, argc, argv);
}

/* --- Questions ------------------------------------------------------------------------
 */

/* Returns NULL after a message. */
static const struct question_verb *find_verb(const char *name)
{
    const size_t count = sizeof verbs / sizeof *verbs;
    struct cca_nearest nearest;
    char hint[128];

    cca_nearest_init(&nearest, name);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(verbs[i].verb->name, name) == 0)
            return &verbs[i];
        cca_nearest_offer(&nearest, verbs[i].verb->name);
    }
    mm_refuse(MM_EXIT_MISUSE,
              "found '%.60s', expected model, graph, predict, whatif or choose%s",
              mm_safe(name), cca_nearest_hint(nearest.best, hint, sizeof hint));
    return NULL;
}

/* True if `word` is one of `options`, perhaps followed by = and a value. */
static int has_option(const char *options, const char *word)
{
    const size_t length = strcspn(word, "=");

    while (*options) {
        const size_t own = strcspn(options, " ");

        if (own == length && strncmp(options, word, own) == 0)
            return 1;
        options += own + (options[own] == ' ');
    }
    return 0;
}

/* Returns -1, or an exit code after a message. */
static int check_words(const struct question_verb *question, const char *const *words,
                       size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (words[i][0] == '-' && !has_option(question->options, words[i]))
            return mm_refuse(MM_EXIT_MISUSE,
                             "'%.60s' is no option of a question to %s, expected %s",
                             mm_safe(words[i]), question->verb->name, question->options);
    return -1;
}

/* The errno of an exit code. */
static int error_of(int exit_code)
{
    switch (exit_code) {
    case MM_EXIT_NO:
        return -ENODATA;
    case MM_EXIT_MISUSE:
        return -EINVAL;
    case MM_EXIT_INPUT:
        return -EBADMSG;
    default:
        return mm_memory_failed() ? -ENOMEM : -EIO;
    }
}

static void begin(struct mm_answer *answer)
{
    pthread_mutex_lock(&lock);
    mm_memory_watch();
    mm_answer_keep(answer);
}

/* End the work on an answer, whose verb ended with `code`. Returns 0 if it is done, else
 * an errno. */
static int end(const struct mm_answer *answer, int code, int done, struct cca_error *err)
{
    mm_answer_keep(NULL);
    code = done ? 0
                : cca_error_set(err, error_of(code), "%s",
                                *answer->message ? answer->message : "no answer");
    pthread_mutex_unlock(&lock);
    return code;
}

/* Run a verb with --json. Returns its exit code. */
static int run_verb(const struct question_verb *question, const char *path,
                    const char *const *words, size_t count)
{
    char **argv = calloc(count + 4, sizeof *argv);
    int argc = 0, code;

    if (!argv)
        return mm_no_memory();
    argv[argc++] = (char *)path;
    for (size_t i = 0; i < count; i++)
        argv[argc++] = (char *)words[i];
    argv[argc++] = (char *)"--json";
    if (question->has_so_far)
        argv[argc++] = (char *)"--so-far";
    code = mm_verb_run(question->verb, argc, argv);
    free(argv);
    return code;
}

static int ask(const char *path, const char *verb, const char *const *words, size_t count,
               char **document, struct cca_error *err)
{
    const struct question_verb *question;
    struct mm_answer answer = {.document = NULL};
    int code = MM_EXIT_MISUSE, status;

    begin(&answer);
    question = find_verb(verb);
    if (question && check_words(question, words, count) < 0)
        code = run_verb(question, path, words, count);
    if (code != MM_EXIT_DONE && code != MM_EXIT_NO) {
        free(answer.document);
        answer.document = NULL;
    }
    status = end(&answer, code, answer.document != NULL, err);
    if (!status)
        *document = answer.document;
    return status ? status : code == MM_EXIT_NO;
}

/* --- Costs of calls -------------------------------------------------------------------
 */

struct mm_answers_models {
    struct mm_input input;
    struct mm_library *library;
};

static void models_free_unlocked(struct mm_answers_models *models)
{
    if (!models)
        return;
    mm_library_free(models->library);
    mm_input_done(&models->input);
    free(models);
}

static struct mm_answers_models *models_new(const char *path, struct cca_error *err)
{
    struct mm_answers_models *models = calloc(1, sizeof *models);
    struct mm_search_options search = {.max_power = 0};
    struct mm_answer answer = {.document = NULL};
    struct cca_given none = {.given = 0};
    struct cca_error own = {0};
    int code;

    begin(&answer);
    code = !models ? mm_no_memory()
                   : mm_input_open_models(&models->input, (char *[]){(char *)path}, 1,
                                          &none, &none, 0);
    if (code < 0) {
        models->library = mm_input_library(&models->input, &search, &own);
        if (!models->library)
            code = mm_complain(&own);
    }
    if (code >= 0)
        models_free_unlocked(models);
    return end(&answer, code, code < 0, err) ? NULL : models;
}

static void models_free(struct mm_answers_models *models)
{
    pthread_mutex_lock(&lock);
    models_free_unlocked(models);
    pthread_mutex_unlock(&lock);
}

static int cost(const struct mm_answers_models *models, const char *class_name,
                const char *method, const char *at, struct query_cost *result,
                struct cca_error *err)
{
    struct mm_answer answer = {.document = NULL};
    struct mm_estimate e;
    int code;

    begin(&answer);
    code = mm_model_cost_at(models->library, class_name, method, at, &e);
    code = end(&answer, code, code < 0, err);
    if (!code)
        *result = (struct query_cost){e.typ, e.mean, e.low, e.high, e.beyond};
    return code;
}

__attribute__((visibility("default"))) extern const struct mm_answers mm_answers;
const struct mm_answers mm_answers = {.size = sizeof mm_answers,
                                      .ask = ask,
                                      .models_new = models_new,
                                      .models_free = models_free,
                                      .cost = cost};

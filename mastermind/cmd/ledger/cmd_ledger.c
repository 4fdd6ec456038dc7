/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_ledger.c: print how good the predictions of a ledger were. */
#include <stdlib.h>
#include <sys/stat.h>

#include "mastermind/cmd/ledger/ledger_verb.h"

enum { JSON };

static const struct cca_option option_table[] = {
    [JSON] = {"--json", NULL, "print one document, mastermind/ledger/1"},
};

/* True for a ledger: a file, or a directory with a ledger or with models; false for an
 * experiment or a sweep. */
static int is_ledger(const char *path)
{
    struct stat info;
    char *file = mm_ledger_path(path);
    int found = file && stat(file, &info) == 0 && S_ISREG(info.st_mode);

    free(file);
    return found || mm_repository_is(path);
}

static int print(struct mm_score_view *view, int json)
{
    size_t count = view->score->share_count;
    struct mm_recalibration *list = calloc(count + 1, sizeof *list);
    int result = -1;

    if (!list)
        return mm_no_memory();
    for (size_t i = 0; i < count && result < 0; i++)
        if (mm_recalibrate(view->score, view->score->shares[i].level, &list[i]))
            result = mm_no_memory();
    view->recalibrations = list;
    if (result < 0)
        result = json ? mm_score_print_json(view) : mm_score_print(view);
    free(list);
    return result == MM_EXIT_DONE && !view->score->pair_count ? MM_EXIT_NO : result;
}

static int score(const char *path, char *const *experiments, int count, int json)
{
    struct cca_error err = {0};
    struct mm_ledger ledger = {0};
    struct mm_ledger_score found = {0};
    struct mm_outcomes outcomes = {0};
    struct mm_paths all = {0};
    int result = mm_paths_expand(&all, experiments, count);

    if (result < 0 && mm_ledger_read(&ledger, path, &err))
        result = mm_complain(&err);
    if (result < 0)
        result = mm_outcomes_take(path, &ledger, all.items, all.count, &outcomes);
    if (result < 0 && outcomes.added) {
        mm_ledger_done(&ledger);
        if (mm_ledger_read(&ledger, path, &err))
            result = mm_complain(&err);
    }
    if (result < 0 && mm_ledger_score(&found, &ledger))
        result = mm_no_memory();
    if (result < 0)
        result = print(
            &(struct mm_score_view){
                .path = path, .ledger = &ledger, .score = &found, .outcomes = &outcomes},
            json);
    mm_ledger_score_done(&found);
    mm_ledger_done(&ledger);
    mm_paths_done(&all);
    return result;
}

static int ledger_verb(const struct cca_args *args)
{
    const struct cca_given *options = args->options;
    const char *given = getenv("MM_LEDGER");
    struct stat info;
    char *path;
    int first = 0, result = -1;

    if (args->count && (is_ledger(args->words[0]) || !given || !*given)) {
        given = args->words[0];
        first = 1;
    }
    if (!given || !*given)
        return mm_refuse(MM_EXIT_MISUSE, "expected a ledger, or MM_LEDGER to name one");
    path = mm_ledger_path(given);
    if (!path)
        return mm_no_memory();
    if (stat(path, &info))
        result = mm_refuse(MM_EXIT_INPUT, "%s: found no such file, expected a ledger",
                           mm_safe(path));
    if (result < 0)
        result =
            score(path, args->words + first, args->count - first, options[JSON].given);
    free(path);
    return result;
}

const struct cca_verb mm_verb_ledger = {
    .name = "ledger",
    .summary = "how good predictions were",
    .examples = "mastermind predict sweep --set NX=512 --ledger ledger.jsonl\n"
                "ccafe --measure -D NX=512 shock-demo.rc\n"
                "mastermind ledger ledger.jsonl mastermind-1.mm\n",
    .about = "Score the predictions that predict and choose have kept in a ledger. "
             "Finished runs among the experiments, which may be sweeps, are added as "
             "outcomes of statements that were made before they began; each once.\n\nThe "
             "first argument is the ledger, a file or the directory of a repository of "
             "models; or the environment variable MM_LEDGER names it.\n",
    CCA_OPTIONS(option_table),
    .notes = "Exit status 1: no statement has run yet.\n",
    .run = ledger_verb,
};

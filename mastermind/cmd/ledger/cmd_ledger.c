/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_ledger.c: how good predictions were. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "mastermind/cmd/ledger/ledger_verb.h"

static const char usage[] =
    "mastermind predict sweep --set NX=512 --ledger ledger.jsonl\n"
    "ccafe --measure -D NX=512 shock-demo.rc\n"
    "mastermind ledger ledger.jsonl mastermind-1.mm\n"
    "\n"
    "Score the predictions that predict and choose have kept in a ledger. Finished runs\n"
    "among the experiments, which may be sweeps, are added as outcomes of statements "
    "that\n"
    "were made before they began; each once.\n"
    "\n"
    "The first argument is the ledger, a file or the directory of a repository of "
    "models;\n"
    "or the environment variable MM_LEDGER names it.\n"
    "\n"
    "  --json   print one document, mastermind/ledger/1\n"
    "\n"
    "Exit status 1: no statement has run yet.\n";

/* True for what is no experiment or sweep: a file, or a directory with a ledger or with
 * models. */
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

int cmd_ledger(int argc, char **argv)
{
    struct mm_option options[] = {{.name = "--json"}};
    const char *given = getenv("MM_LEDGER");
    struct stat info;
    char *path;
    int count, first = 0, result;

    result = mm_options_read(options, 1, usage, argc, argv, &count);
    if (result >= 0)
        return result;
    if (count && (is_ledger(argv[0]) || !given || !*given)) {
        given = argv[0];
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
        result = score(path, argv + first, count - first, options[0].given);
    free(path);
    return result;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_diff.c: how two groups of runs differ, and where a series of runs changed. */
#include <stdlib.h>
#include <string.h>

#include "mastermind/cmd/diff/diff_verb.h"

enum { MIN_CHANGE, SHARE, SAME, METRIC, RANK, LIMIT, SERIES, JSON };

static const struct cca_option option_table[] = {
    [MIN_CHANGE] =
        {"--min-change", "P",
         "changes below P percent of a method's cost do not matter (default: 2)"},
    [SHARE] = {"--share", "P", "nor do methods below P percent of the run (default: 1)"},
    [SAME] = {"--same", "P",
              "a cost is the same where the whole interval is within P percent, else "
              "undecided (default: 3, or --min-change where that is more)"},
    [METRIC] = {"--metric", "NAME", "compare this instead of own time"},
    [RANK] = {"--rank", "N", "this rank only"},
    [LIMIT] = {"--limit", "N", "print the N methods that changed most (default: 20)"},
    [SERIES] =
        {"--series", NULL,
         "take the runs as one series, and find the run at which the program or a method "
         "changed"},
    [JSON] = {"--json", NULL,
              "print one document, mastermind/diff/1 or mastermind/diff-series/1"},
};

/* Read a number of percent, "2" or "2%". -1 to go on, else an exit code. */
static int read_percent(const struct cca_given *option, double *value)
{
    const char *given = option->given ? cca_given_value(option) : "";
    struct cca_given plain = {option->name, option->given > 0, &given};
    size_t length = strlen(given);
    char text[64];

    if (length > 1 && length < sizeof text && given[length - 1] == '%') {
        snprintf(text, sizeof text, "%.*s", (int)(length - 1), given);
        given = text;
    }
    return mm_option_number(&plain, 0, value);
}

int mm_diff_read(struct mm_diff_verb *verb, char *const *paths, const size_t runs[2])
{
    struct cca_given metric = {.name = "--metric",
                               .given = verb->metric != NULL,
                               .values = (const char *[]){verb->metric}};
    struct mm_input *input = &verb->input;
    struct cca_error err = {0};
    struct mm_diff_facts facts = {NULL};
    int count = (int)(runs[0] + runs[1]), status;

    status = mm_input_open_rank(input, paths, count, &metric, verb->rank);
    if (status < 0)
        verb->metric = input->metric.name;
    if (status < 0 && input->count != (size_t)count)
        status = mm_refuse(MM_EXIT_MISUSE, "a run is given twice; each counts once");
    if (status < 0 &&
        (mm_diff_facts_read(&facts, input, verb->rank, &err) ||
         mm_diff_tables_read(
             &verb->tables, input->profiles, runs,
             &(struct mm_diff_runs){facts.when,
                                    facts.programs,
                                    {facts.whole[0], facts.whole[1], facts.whole[2]}},
             &err)))
        status = mm_complain(&err);
    mm_diff_facts_done(&facts);
    return status;
}

void mm_diff_verb_done(struct mm_diff_verb *verb)
{
    free(verb->changes);
    mm_diff_done(&verb->diff);
    mm_diff_tables_done(&verb->tables);
    mm_input_done(&verb->input);
}

/* Compare the runs of group A, the first in `paths`, with the runs of group B. Returns
 * an exit code. */
static int compare(struct mm_diff_verb *verb, char *const *paths, const size_t runs[2])
{
    int status = mm_diff_read(verb, paths, runs);

    if (status < 0 && verb->series)
        status = mm_diff_series(&verb->tables, &verb->limits, &verb->changes,
                                &verb->change_count)
                     ? mm_no_memory()
                     : mm_diff_print_series(verb);
    else if (status < 0)
        status = mm_diff_compare(&verb->diff, &verb->tables, &verb->limits)
                     ? mm_no_memory()
                     : mm_diff_print(verb);
    mm_diff_verb_done(verb);
    return status;
}

/* Run the comparison; sweeps in A and B are replaced by their experiments. */
static int run_diff(struct mm_diff_verb *verb, char **left, int left_count, char **right,
                    int right_count)
{
    struct mm_paths sides[2] = {{NULL, 0}, {NULL, 0}};
    size_t runs[2];
    char **all = NULL;
    int status = mm_paths_expand(&sides[0], left, left_count);

    if (status < 0)
        status = mm_paths_expand(&sides[1], right, right_count);
    runs[0] = sides[0].count;
    runs[1] = sides[1].count;
    if (status < 0 && (!runs[0] || (!runs[1] && !verb->series)))
        status = mm_refuse(MM_EXIT_MISUSE,
                           "found %zu and %zu runs, expected diff A... -- B...", runs[0],
                           runs[1]);
    if (status < 0 && verb->series && runs[1])
        status = mm_refuse(MM_EXIT_MISUSE, "--series takes one group of runs");
    if (status < 0 && !(all = calloc(runs[0] + runs[1] + 1, sizeof *all)))
        status = mm_no_memory();
    if (status < 0) {
        for (size_t i = 0; i < runs[0] + runs[1]; i++)
            all[i] = i < runs[0] ? sides[0].items[i] : sides[1].items[i - runs[0]];
        status = compare(verb, all, runs);
    }
    free(all);
    mm_paths_done(&sides[0]);
    mm_paths_done(&sides[1]);
    return status;
}

static int diff_verb(const struct cca_args *args)
{
    const struct cca_given *options = args->options;
    double threshold = 2, share = 1, same = MM_DIFF_SAME_PERCENT, rank = -1, top = 20;
    struct mm_diff_verb verb = {.metric = NULL};
    int result = read_percent(&options[MIN_CHANGE], &threshold);

    if (result < 0)
        result = read_percent(&options[SHARE], &share);
    if (result < 0)
        result = read_percent(&options[SAME], &same);
    if (result < 0 && options[SAME].given && same < threshold)
        result = mm_refuse(MM_EXIT_MISUSE,
                           "found --same %g and --min-change %g, expected --same not "
                           "below",
                           same, threshold);
    if (result < 0)
        result = mm_option_count(&options[RANK], 0, &rank);
    if (result < 0)
        result = mm_option_count(&options[LIMIT], 1, &top);
    if (result >= 0)
        return result;
    for (int i = 0; i < args->command_count; i++)
        if (args->command[i][0] == '-')
            return mm_refuse(MM_EXIT_MISUSE,
                             "found '%s' behind --, expected options before "
                             "the runs",
                             mm_safe(args->command[i]));
    verb.metric = cca_given_value(&options[METRIC]);
    verb.limits.threshold = threshold / 100;
    verb.limits.share = share / 100;
    verb.limits.same = (same > threshold ? same : threshold) / 100;
    verb.rank = rank < 1e9 ? (int)rank : -1;
    verb.top = top < 1e9 ? (size_t)top : SIZE_MAX;
    verb.series = options[SERIES].given > 0;
    verb.json = options[JSON].given > 0;
    return run_diff(&verb, args->words, args->count, args->command, args->command_count);
}

const struct cca_verb mm_verb_diff = {
    .name = "diff",
    .summary = "how two groups of runs differ, and why one costs more",
    .examples = "mastermind diff before-1.mm before-2.mm before-3.mm -- after-1.mm "
                "after-2.mm after-3.mm\n"
                "mastermind diff --series nightly-*.mm\n",
    .about = "Split the change of each method between two groups of runs into more "
             "calls, larger parameters, and a higher cost at equal parameters; find by "
             "the repeats which changes are not chance. Five runs a side, taken by "
             "turns, find a change of 5 %; one run a side gives no verdict.\n",
    .takes_command = 1,
    CCA_OPTIONS(option_table),
    .notes = "Exit status 1: something became worse.\n",
    .run = diff_verb,
};

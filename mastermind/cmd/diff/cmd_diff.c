/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_diff.c: how two groups of runs differ, and where a series of runs changed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/cmd/diff/diff_verb.h"

static const char usage[] =
    "mastermind diff before-1.mm before-2.mm before-3.mm -- after-1.mm after-2.mm "
    "after-3.mm\n"
    "mastermind diff --series nightly-*.mm\n"
    "\n"
    "Split the change of each method between two groups of runs into more calls, larger\n"
    "parameters, and dearer at equal parameters; tell by the repeats what is no chance.\n"
    "Five runs a side, taken by turns, find a change of 5 %; one run a side gives no "
    "verdict.\n"
    "\n"
    "  --threshold P     changes below P percent of a method's cost do not matter "
    "(default:\n"
    "                    2)\n"
    "  --share P         nor do methods below P percent of the run (default: 1)\n"
    "  --metric NAME     compare this instead of own time\n"
    "  --rank N          this rank only\n"
    "  --top N           print the N methods that changed most (default: 20)\n"
    "  --series          one group, in its order: at which run what changed\n"
    "  --json            print one document, mastermind/diff/1 or "
    "mastermind/diff-series/1\n"
    "\n"
    "Exit status 1: something became worse, or a series changed.\n";

enum { THRESHOLD, SHARE, METRIC, RANK, TOP, SERIES, JSON, OPTIONS };

/* Read a number of percent, "2" or "2%". -1 to go on, else an exit code. */
static int read_percent(const struct mm_option *option, double *value)
{
    struct mm_option plain = *option;
    const char *given = option->given ? option->values[option->given - 1] : "";
    size_t length = strlen(given);
    char text[64];

    if (length > 1 && length < sizeof text && given[length - 1] == '%') {
        snprintf(text, sizeof text, "%.*s", (int)(length - 1), given);
        plain.values[plain.given - 1] = text;
    }
    return mm_option_number(&plain, 0, value);
}

/* What the runs are compared by: those of A, then those of B. Returns an exit code. */
static int compare(struct mm_diff_verb *verb, char *const *paths, const size_t runs[2])
{
    struct mm_option metric = {.name = "--metric", .given = 1, .values = {verb->metric}};
    struct cca_error err = {0};
    struct mm_input input;
    int count = (int)(runs[0] + runs[1]), status;
    double *when;

    status = mm_input_open_rank(&input, paths, count, &metric, verb->rank);
    if (status < 0 && input.count != (size_t)count)
        status = mm_refuse(MM_EXIT_MISUSE, "a run is given twice; each counts once");
    when = status < 0 ? calloc((size_t)count + 1, sizeof *when) : NULL;
    if (status < 0 && !when)
        status = mm_no_memory();
    for (int i = 0; i < count && status < 0; i++)
        when[i] = 1e-9 * (double)input.experiments[i]->epoch_ns;
    if (status < 0 &&
        mm_diff_tables_read(&verb->tables, input.profiles, runs, when, &err))
        status = mm_complain(&err);
    free(when);
    if (status < 0) {
        verb->input = &input;
        if (verb->series) {
            status = mm_diff_series(&verb->tables, &verb->limits, &verb->changes,
                                    &verb->change_count)
                         ? mm_no_memory()
                         : mm_diff_print_series(verb);
            free(verb->changes);
        } else {
            status = mm_diff_compare(&verb->diff, &verb->tables, &verb->limits)
                         ? mm_no_memory()
                         : mm_diff_print(verb);
            mm_diff_done(&verb->diff);
        }
    }
    mm_diff_tables_done(&verb->tables);
    mm_input_done(&input);
    return status;
}

/* Experiments of A and B, with those of sweeps in their place. */
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

int cmd_diff(int argc, char **argv)
{
    struct mm_option options[OPTIONS] = {
        [THRESHOLD] = {.name = "--threshold", .takes_value = 1},
        [SHARE] = {.name = "--share", .takes_value = 1},
        [METRIC] = {.name = "--metric", .takes_value = 1},
        [RANK] = {.name = "--rank", .takes_value = 1},
        [TOP] = {.name = "--top", .takes_value = 1},
        [SERIES] = {.name = "--series"},
        [JSON] = {.name = "--json"}};
    double threshold = 2, share = 1, rank = -1, top = 20;
    struct mm_diff_verb verb = {.metric = NULL};
    int own = 0, count, result;

    while (own < argc && strcmp(argv[own], "--") != 0)
        own++;
    result = mm_options_read(options, OPTIONS, usage, own, argv, &count);
    if (result < 0)
        result = read_percent(&options[THRESHOLD], &threshold);
    if (result < 0)
        result = read_percent(&options[SHARE], &share);
    if (result < 0)
        result = mm_option_count(&options[RANK], 0, &rank);
    if (result < 0)
        result = mm_option_count(&options[TOP], 1, &top);
    if (result >= 0)
        return result;
    for (int i = own + 1; i < argc; i++)
        if (argv[i][0] == '-')
            return mm_refuse(MM_EXIT_MISUSE,
                             "found '%s' behind --, expected options before "
                             "the runs",
                             mm_safe(argv[i]));
    verb.metric = options[METRIC].given
                      ? options[METRIC].values[options[METRIC].given - 1]
                      : "TIME";
    verb.limits.threshold = threshold / 100;
    verb.limits.share = share / 100;
    verb.rank = rank < 1e9 ? (int)rank : -1;
    verb.top = top < 1e9 ? (size_t)top : SIZE_MAX;
    verb.series = options[SERIES].given > 0;
    verb.json = options[JSON].given > 0;
    return run_diff(&verb, argv, count, argv + (own < argc ? own + 1 : argc),
                    own < argc ? argc - own - 1 : 0);
}

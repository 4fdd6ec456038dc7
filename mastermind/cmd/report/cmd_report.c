/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_report.c: where the time of a run went. */
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mastermind/cmd/report/report.h"

enum { SORT, TOP, LIMIT, METHOD, BARS, METRIC, RANK, BY_RANK, JSON, HTML, WITH };

static const struct cca_option option_table[] = {
    [SORT] = {"--sort", "KEY",
              "exclusive (default), inclusive, calls, subrs, percall, name"},
    [TOP] = {"--top", "N", "print the first N methods only"},
    [LIMIT] = {"--limit", "N", "the same as --top"},
    [METHOD] = {"--method", "GLOB",
                "print only methods of such names, or of such a class; may be repeated"},
    [BARS] = {"--bars", NULL, "draw bars of exclusive time, as on a terminal"},
    [METRIC] =
        {"--metric", "NAME",
         "report this instead of own time: WALL_TIME, CPU_TIME, HOST_TIME, WAIT_TIME, "
         "MPI_TIME, COMPUTE_TIME, a counter or an out-parameter (o.NAME)"},
    [RANK] = {"--rank", "N", "report this rank only"},
    [BY_RANK] = {"--by-rank", NULL, "print a line for each method and rank, too"},
    [JSON] = {"--json", NULL, "print one document, mastermind/report/1"},
    [HTML] = {"--html", "FILE",
              "write a page for a browser, in one file: profile, drawings, calls and "
              "models of each method, ranks, MPI, flame graph"},
    [WITH] =
        {"--with", "FILE",
         "show this document, too, which --json of a verb has printed; may be repeated"},
};

enum sort { BY_EXCLUSIVE, BY_INCLUSIVE, BY_CALLS, BY_SUBRS, BY_PER_CALL, BY_NAME };

static int compare_values(double a, double b)
{
    return (a < b) - (a > b); /* the largest first */
}

static int by_name(const void *left, const void *right)
{
    const struct mm_vertex *a = *(const struct mm_vertex *const *)left;
    const struct mm_vertex *b = *(const struct mm_vertex *const *)right;
    int order = strcmp(a->name, b->name);

    return order ? order : (a > b) - (a < b);
}

#define SORT_FUNCTION(name, value)                                                       \
    static int name(const void *left, const void *right)                                 \
    {                                                                                    \
        const struct mm_vertex *a = *(const struct mm_vertex *const *)left;              \
        const struct mm_vertex *b = *(const struct mm_vertex *const *)right;             \
        int order = compare_values((double)(a->value), (double)(b->value));              \
                                                                                         \
        return order ? order : by_name(left, right);                                     \
    }
SORT_FUNCTION(by_exclusive, exclusive_ns)
SORT_FUNCTION(by_inclusive, inclusive_ns)
SORT_FUNCTION(by_calls, calls)
SORT_FUNCTION(by_subrs, subrs)

static int by_per_call(const void *left, const void *right)
{
    int order =
        compare_values(mm_report_per_call(*(const struct mm_vertex *const *)left),
                       mm_report_per_call(*(const struct mm_vertex *const *)right));

    return order ? order : by_name(left, right);
}

static const struct {
    const char *name;
    int (*order)(const void *, const void *);
} sorts[] = {[BY_EXCLUSIVE] = {"exclusive", by_exclusive},
             [BY_INCLUSIVE] = {"inclusive", by_inclusive},
             [BY_CALLS] = {"calls", by_calls},
             [BY_SUBRS] = {"subrs", by_subrs},
             [BY_PER_CALL] = {"percall", by_per_call},
             [BY_NAME] = {"name", by_name}};

/* Put a method first that began a thread and holds most of the run. */
static void driver_first(struct report *report)
{
    const struct mm_dual *dual = report->dual;
    const struct mm_vertex *driver = NULL;

    for (size_t i = 0; i < report->count; i++) {
        size_t at = (size_t)(report->lines[i] - dual->vertices);

        if (mm_dual_edge(dual, dual->thread_vertex, at) &&
            (!driver || report->lines[i]->inclusive_ns > driver->inclusive_ns))
            driver = report->lines[i];
    }
    for (size_t i = report->count; driver && i-- > 1;) {
        if (report->lines[i] == driver) {
            report->lines[i] = report->lines[i - 1];
            report->lines[i - 1] = driver;
        }
    }
}

static int is_wanted(const struct mm_vertex *v, const struct mm_option *globs)
{
    for (int i = 0; i < globs->given; i++)
        if (fnmatch(globs->values[i], v->name, 0) == 0 ||
            fnmatch(globs->values[i], v->method->class_name, 0) == 0)
            return 1;
    return !globs->given;
}

/* Put the methods that --method names before the others, each in their order, and limit
 * the table to them. Returns -1, or an exit code where it names none. */
static int wanted_first(struct report *report, const struct mm_option *globs)
{
    const struct mm_vertex **others;
    size_t wanted = 0, left = 0;

    if (!globs->given)
        return -1;
    others = calloc(report->count + 1, sizeof *others);
    if (!others)
        return mm_no_memory();
    for (size_t i = 0; i < report->count; i++) {
        if (is_wanted(report->lines[i], globs))
            report->lines[wanted++] = report->lines[i];
        else
            others[left++] = report->lines[i];
    }
    memcpy(report->lines + wanted, others, left * sizeof *others);
    free(others);
    if (!wanted)
        return mm_refuse(MM_EXIT_INPUT, "%s: no method with calls fits '%s'",
                         report->experiment->path, mm_safe(globs->values[0]));
    if (report->limit > wanted)
        report->limit = wanted;
    return -1;
}

static int run_report(struct report *report, enum sort sort,
                      const struct mm_option *globs, int json)
{
    const struct mm_dual *dual = report->dual;
    int result;

    report->lines = calloc(dual->vertex_count, sizeof *report->lines);
    if (!report->lines)
        return mm_no_memory();
    for (size_t i = 0; i < dual->thread_vertex; i++) {
        if (dual->vertices[i].calls)
            report->lines[report->count++] = &dual->vertices[i];
        else
            report->silent++;
    }
    qsort(report->lines, report->count, sizeof *report->lines, sorts[sort].order);
    if (sort == BY_EXCLUSIVE)
        driver_first(report);
    result = wanted_first(report, globs);
    if (result < 0)
        result = json ? mm_report_print_json(report)
                      : mm_finish_output(mm_report_print_text(report));
    free(report->lines);
    return result;
}

static int sort_of(const char *word, enum sort *sort)
{
    for (size_t i = 0; i < sizeof sorts / sizeof *sorts; i++) {
        if (strcmp(word, sorts[i].name) == 0) {
            *sort = (enum sort)i;
            return -1;
        }
    }
    return mm_refuse(MM_EXIT_MISUSE,
                     "cannot sort by '%s'; expected exclusive, inclusive, calls, subrs, "
                     "percall or name",
                     mm_safe(word));
}

/* --html, which shows all of a run. */
static int report_html(const struct mm_option *options, char **argv, int count)
{
    if (!options[HTML].given)
        return mm_refuse(MM_EXIT_MISUSE, "--with needs --html");
    for (int i = 0; i <= WITH; i++)
        if (options[i].given && i != HTML && i != WITH)
            return mm_refuse(MM_EXIT_MISUSE, "found %s and --html, expected one of them",
                             options[i].name);
    if (count < 1)
        return mm_refuse(MM_EXIT_MISUSE, "expected the directory of an experiment");
    return mm_report_html(argv[0], &options[HTML], &options[WITH]);
}

static int report_verb(const struct mm_args *args)
{
    const struct mm_option *options = args->options;
    enum sort sort = BY_EXCLUSIVE;
    double limit = INFINITY, rank = -1;
    struct mm_report_messages *messages = NULL;
    struct mm_mpi_profile mpi = {0};
    struct mm_shares shares = {0};
    struct cca_error err = {0};
    struct mm_input input;
    int result;

    if (options[SORT].given &&
        (result = sort_of(mm_option_value(&options[SORT]), &sort)) >= 0)
        return result;
    if ((result = mm_option_count(&options[LIMIT], 1, &limit)) >= 0 ||
        (result = mm_option_count(&options[TOP], 1, &limit)) >= 0)
        return result;
    if ((result = mm_option_count(&options[RANK], 0, &rank)) >= 0)
        return result;
    if (args->count > 1)
        return mm_refuse(MM_EXIT_MISUSE, "report takes one experiment, found %d",
                         args->count);
    if (options[HTML].given || options[WITH].given)
        return report_html(options, args->words, args->count);
    result = mm_input_open_rank(&input, args->words, args->count, &options[METRIC],
                                rank < 1e9 ? (int)rank : INT_MAX);
    if (result < 0 &&
        mm_ranks_reserve(&input.profiles[0]->ranks, input.experiments[0]->ranks))
        cca_no_memory(&err);
    if (result < 0 && !err.code)
        mm_mpi_profile_read(&mpi, input.experiments[0], (int)rank, &err);
    if (result < 0 && !err.code)
        mm_shares_read(&shares, input.experiments[0], input.profiles[0]->dual, &mpi,
                       (int)rank, &err);
    if (result < 0 && !err.code && input.metric.kind == MM_METRIC_TIME)
        mm_report_messages_new(&messages, input.experiments[0], (int)rank, &err);
    if (result < 0 && err.code)
        result = mm_complain(&err);
    if (result < 0) {
        struct report report = {.experiment = input.experiments[0],
                                .dual = input.profiles[0]->dual,
                                .metric = &input.metric,
                                .missing = input.sources[0].missing,
                                .ranks = &input.profiles[0]->ranks,
                                .mpi = &mpi,
                                .shares = &shares,
                                .messages = messages,
                                .rank = (int)rank,
                                .by_subrs = sort == BY_SUBRS,
                                .by_rank = options[BY_RANK].given,
                                .bars = options[BARS].given || isatty(STDOUT_FILENO),
                                .limit = limit < 1e15 ? (size_t)limit : SIZE_MAX};

        result = mm_kept_read(&report.kept, report.experiment, report.dual, &err)
                     ? mm_complain(&err)
                     : run_report(&report, sort, &options[METHOD], options[JSON].given);
    }
    mm_report_messages_free(messages);
    mm_shares_done(&shares);
    mm_mpi_profile_done(&mpi);
    mm_input_done(&input);
    return result;
}

const struct mm_verb mm_verb_report = {
    .name = "report",
    .summary = "where the time of a run went",
    .examples = "mastermind report shock-1.mm\n"
                "mastermind report shock-1.mm --sort calls --top 10\n"
                "mastermind report shock-1.mm --method 'flux.*'\n",
    .about = "Print where the time of a run went: a line for each method.\n",
    MM_OPTIONS(option_table),
    .notes = "%time     inclusive time, in percent of the run\nexcl      exclusive time: "
             "without recorded callees\nincl      inclusive time: from entry to "
             "return\ncalls     invocations\nsubrs     recorded calls that the method "
             "made\nhost      the share of exclusive wall time that the host took: in "
             "the place of subrs\n          where it took 2 % of the run or more\nTimes "
             "are own time: wall time less what the host took, waiting included. The "
             "cost of\nrecording is subtracted from the times of callers.\n",
    .run = report_verb,
};

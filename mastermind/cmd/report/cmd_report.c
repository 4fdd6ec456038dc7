/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_report.c: the verb report, which prints where the time of a run went. */
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mastermind/cmd/record/whole.h"
#include "mastermind/cmd/report/report.h"

enum { FIRST_METHODS = 40 };
enum { SORT, LIMIT, METHOD, BARS, METRIC, RANK, BY_RANK, JSON, HTML, WITH };

static const struct cca_option option_table[] = {
    [SORT] = {"--sort", "KEY",
              "exclusive (default), inclusive, calls, subrs, percall, name, or another "
              "member of the methods of --json"},
    [LIMIT] = {"--limit", "N", "print the first N methods only (text: default 40)"},
    [METHOD] = {"--method", "GLOB",
                "print only methods of such names, or of such a class; may be repeated"},
    [BARS] = {"--bars", NULL, "draw bars of exclusive time, as on a terminal"},
    [METRIC] = {"--metric", "NAME",
                "report this instead of own time: " MM_METRIC_TIMES
                ", a counter or an out-parameter (o.NAME)"},
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

static int by_name(const void *left, const void *right)
{
    const struct mm_vertex *a = *(const struct mm_vertex *const *)left;
    const struct mm_vertex *b = *(const struct mm_vertex *const *)right;
    int order = strcmp(a->name, b->name);

    return order ? order : (a > b) - (a < b);
}

/* Sort key: largest value first. */
struct sort {
    const struct report *report;
    const struct mm_field *key; /* NULL: by name */
};

static int by_key(const void *left, const void *right, void *context)
{
    const struct sort *sort = context;
    struct report_line line;
    double a, b;

    if (!sort->key)
        return by_name(left, right);
    mm_report_line(sort->report, *(const struct mm_vertex *const *)left, &line);
    a = mm_field_value(sort->key, &line);
    mm_report_line(sort->report, *(const struct mm_vertex *const *)right, &line);
    b = mm_field_value(sort->key, &line);
    return (a < b) - (a > b) ? (a < b) - (a > b) : by_name(left, right);
}

/* Move a method to the top that began a thread and holds most of the run. */
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

static int is_wanted(const struct mm_vertex *v, const struct cca_given *globs)
{
    for (int i = 0; i < globs->given; i++)
        if (fnmatch(globs->values[i], v->name, 0) == 0 ||
            fnmatch(globs->values[i], v->method->class_name, 0) == 0)
            return 1;
    return !globs->given;
}

/* Move the methods that match --method to the top, in their order, and limit the table to
 * them. Returns -1, or an exit code if no method matches. */
static int wanted_first(struct report *report, const struct cca_given *globs)
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
        return mm_refuse(MM_EXIT_INPUT, "%s: no method with calls matches '%s'",
                         report->experiment->path, mm_safe(globs->values[0]));
    if (report->limit > wanted)
        report->limit = wanted;
    return -1;
}

static int run_report(struct report *report, const struct mm_field *key,
                      const struct cca_given *globs, int json)
{
    const struct mm_dual *dual = report->dual;
    struct sort sort = {report, key};
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
    qsort_r(report->lines, report->count, sizeof *report->lines, by_key, &sort);
    if (key && strcmp(key->name, "exclusive") == 0)
        driver_first(report);
    result = wanted_first(report, globs);
    if (result < 0)
        result = json ? mm_report_print_json(report)
                      : mm_finish_output(mm_report_print_text(report));
    free(report->lines);
    return result;
}

/* Find the field that a word names; NULL for "name". Returns -1, or an exit code. */
static int sort_of(const char *word, const struct mm_field **key)
{
    char words[400];
    size_t used = 0;

    *key = mm_field_find(mm_report_fields, word);
    if (*key || strcmp(word, "name") == 0)
        return -1;
    for (const struct mm_field *field = mm_report_fields; field->name; field++)
        used += (size_t)snprintf(words + used, sizeof words - used, "%s, ", field->name);
    return mm_refuse(MM_EXIT_MISUSE, "cannot sort by '%s'; expected %sor name",
                     mm_safe(word), words);
}

/* Handle --html, which shows everything about a run. */
static int report_html(const struct cca_given *options, char **argv, int count)
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

/* True for a file that has not changed since a time. */
static int is_older(const char *path, int64_t time_ns)
{
    struct stat status;

    return path && stat(path, &status) == 0 &&
           1000000000LL * status.st_ctim.tv_sec + status.st_ctim.tv_nsec < time_ns;
}

/* Print the table of a whole run that was kept without recorded calls, as the run itself
 * printed it. Returns -1 if there is none, or an exit code. */
static int report_whole(const struct cca_args *args)
{
    struct mm_whole whole = {.program = NULL};
    struct cca_error err = {0};
    int result;

    for (int i = 0; i <= WITH; i++)
        if (args->options[i].given)
            return -1;
    result = args->count == 1 ? mm_whole_read(&whole, args->words[0], &err) : -ENOENT;
    for (size_t i = 0; i < whole.samples.row_count; i++)
        if (!is_older(whole.samples.rows[i].path, whole.began_ns))
            whole.samples.rows[i].hottest = 0; /* no place in the source is looked up */
    if (!result && mm_whole_print(&whole))
        result = cca_no_memory(&err);
    mm_whole_done(&whole);
    if (result == -ENOENT)
        return -1;
    return result ? mm_complain(&err) : mm_finish_output(0);
}

static int report_verb(const struct cca_args *args)
{
    const struct cca_given *options = args->options;
    const struct mm_field *key = mm_field_find(mm_report_fields, "exclusive");
    double limit =
        options[JSON].given || options[METHOD].given ? INFINITY : FIRST_METHODS;
    double rank = -1;
    struct mm_report_messages *messages = NULL;
    struct mm_mpi_profile mpi = {0};
    struct mm_shares shares = {0};
    struct cca_error err = {0};
    struct mm_input input;
    int result;

    if (options[SORT].given &&
        (result = sort_of(cca_given_value(&options[SORT]), &key)) >= 0)
        return result;
    if ((result = mm_option_count(&options[LIMIT], 1, &limit)) >= 0)
        return result;
    if ((result = mm_option_count(&options[RANK], 0, &rank)) >= 0)
        return result;
    if (args->count > 1)
        return mm_refuse(MM_EXIT_MISUSE, "report takes one experiment, found %d",
                         args->count);
    if (options[HTML].given || options[WITH].given)
        return report_html(options, args->words, args->count);
    result = report_whole(args);
    if (result >= 0)
        return result;
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
                                .by_subrs = key && strcmp(key->name, "subrs") == 0,
                                .by_rank = options[BY_RANK].given,
                                .bars = options[BARS].given || isatty(STDOUT_FILENO),
                                .limit = limit < 1e15 ? (size_t)limit : SIZE_MAX};

        result = mm_kept_read(&report.kept, report.experiment, report.dual, &err)
                     ? mm_complain(&err)
                     : run_report(&report, key, &options[METHOD], options[JSON].given);
    }
    mm_report_messages_free(messages);
    mm_shares_done(&shares);
    mm_mpi_profile_done(&mpi);
    mm_input_done(&input);
    return result;
}

const struct cca_verb mm_verb_report = {
    .name = "report",
    .summary = "where the time of a run went",
    .examples = "mastermind report shock-1.mm\n"
                "mastermind report shock-1.mm --sort calls --limit 10\n"
                "mastermind report shock-1.mm --method 'flux.*'\n",
    .about = "Print where the time of a run went: a line for each method.\n",
    CCA_OPTIONS(option_table),
    .columns = mm_report_fields,
    .notes = "Times are own time: wall time less the time that the host took, waiting "
             "included. The cost of recording is subtracted from the times of callers.\n",
    .run = report_verb,
};

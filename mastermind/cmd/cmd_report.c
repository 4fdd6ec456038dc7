/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_report.c: where the time of a run went. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/cmd/cmd.h"

static const char usage[] =
    "mastermind report shock-1.mm\n"
    "mastermind report shock-1.mm --sort calls --limit 10\n"
    "\n"
    "  --sort KEY    exclusive (default), inclusive, calls, subrs, percall, name\n"
    "  --limit N     the first N methods only\n"
    "  --metric NAME CPU_TIME, MPI_TIME, COMPUTE_TIME, a counter or an out-parameter (o.NAME)\n"
    "                in the place of wall time, with all below and without\n"
    "  --json        one document, mastermind/report/1\n"
    "\n"
    "%time is inclusive time in percent of the run. Times are less what recording took "
    "of callers.\n";

enum sort { BY_EXCLUSIVE, BY_INCLUSIVE, BY_CALLS, BY_SUBRS, BY_PER_CALL, BY_NAME };

struct report {
    const struct mm_experiment *experiment;
    const struct mm_dual *dual;
    const struct mm_vertex **lines;
    size_t count, silent; /* methods with calls, without */
    size_t limit;
    const struct mm_metric *metric;
    uint64_t missing; /* calls that have no value of it */
    struct mm_losses losses;
};

static int is_wall(const struct report *report)
{
    return report->metric->kind == MM_METRIC_TIME;
}

static int is_time(const struct report *report)
{
    return report->metric->kind < MM_METRIC_COUNTER;
}

/* What a number is shown in: nanoseconds in units of so many, counters as they are. */
static double in(const struct report *report, double number, double unit_ns)
{
    return is_time(report) ? number / unit_ns : number;
}

static double per_call(const struct mm_vertex *v)
{
    uint64_t known = v->calls - v->missing;

    return known ? (double)v->inclusive_ns / (double)known : 0;
}

static int compare(double a, double b)
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
        int order = compare((double)(a->value), (double)(b->value));                     \
                                                                                         \
        return order ? order : by_name(left, right);                                     \
    }
SORT_FUNCTION(by_exclusive, exclusive_ns)
SORT_FUNCTION(by_inclusive, inclusive_ns)
SORT_FUNCTION(by_calls, calls)
SORT_FUNCTION(by_subrs, subrs)

static int by_per_call(const void *left, const void *right)
{
    int order = compare(per_call(*(const struct mm_vertex *const *)left),
                        per_call(*(const struct mm_vertex *const *)right));

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

/* What a thread began with and that holds most of the run stands first. */
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

enum { SHARE, EXCLUSIVE, INCLUSIVE, CALLS, SUBRS, PER_CALL, CELLS };

/* A line of the table as text; columns are as wide as their widest cell. */
struct cells {
    char text[CELLS][32];
};

static const struct cells heads = {
    {"%time", "excl ms", "incl total ms", "calls", "subrs", "usec/call"}};
static const struct cells metric_heads = {
    {"%total", "excl", "incl total", "calls", "subrs", "per call"}};

static void set_cell(struct cells *cells, int at, const char *text)
{
    snprintf(cells->text[at], sizeof cells->text[at], "%s", text);
}

static void fill_cells(struct cells *cells, const struct report *report,
                       const struct mm_vertex *v)
{
    double share = report->dual->total_ns > 0
                       ? 100 * (double)v->inclusive_ns / (double)report->dual->total_ns
                       : 0;

    set_cell(cells, CALLS, mm_thousands(v->calls));
    set_cell(cells, SUBRS, mm_thousands(v->subrs));
    if (v->missing == v->calls) { /* never 0 */
        for (int i = SHARE; i <= INCLUSIVE; i++)
            set_cell(cells, i, "-");
        set_cell(cells, PER_CALL, "-");
        return;
    }
    snprintf(cells->text[SHARE], sizeof cells->text[SHARE], "%.1f", share);
    snprintf(cells->text[EXCLUSIVE], sizeof cells->text[EXCLUSIVE], "%s%.30s",
             v->missing ? ">" : "", mm_amount(in(report, (double)v->exclusive_ns, 1e6)));
    snprintf(cells->text[INCLUSIVE], sizeof cells->text[INCLUSIVE], "%s%.30s",
             v->open || v->missing ? ">" : "",
             mm_amount(in(report, (double)v->inclusive_ns, 1e6)));
    set_cell(cells, PER_CALL, mm_amount(in(report, per_call(v), 1e3)));
}

static void fill_totals(struct cells *cells, const struct report *report)
{
    uint64_t calls = 0;
    int64_t exclusive_ns = 0;

    for (size_t i = 0; i < report->count; i++) {
        calls += report->lines[i]->calls;
        exclusive_ns += report->lines[i]->exclusive_ns;
    }
    set_cell(cells, SHARE, "100.0");
    set_cell(cells, EXCLUSIVE, mm_amount(in(report, (double)exclusive_ns, 1e6)));
    set_cell(cells, INCLUSIVE,
             mm_amount(in(report, (double)report->dual->total_ns, 1e6)));
    set_cell(cells, CALLS, mm_thousands(calls));
}

static void widen(int *width, const struct cells *cells)
{
    for (int i = 0; i < CELLS; i++) {
        int length = (int)strlen(cells->text[i]);

        width[i] = length > width[i] ? length : width[i];
    }
}

static void print_cells(const int *width, const struct cells *cells)
{
    for (int i = 0; i < CELLS; i++)
        printf("%s%*s", i ? "  " : " ", width[i], cells->text[i]);
}

static void print_table(const struct report *report)
{
    size_t shown = report->count < report->limit ? report->count : report->limit;
    struct cells cells, totals = {0};
    const struct cells *heads_here = is_time(report) ? &heads : &metric_heads;
    int width[CELLS] = {0};

    fill_totals(&totals, report);
    widen(width, heads_here);
    widen(width, &totals);
    for (size_t i = 0; i < shown; i++) {
        fill_cells(&cells, report, report->lines[i]);
        widen(width, &cells);
    }
    print_cells(width, heads_here);
    puts("  name");
    for (size_t i = 0; i < shown; i++) {
        fill_cells(&cells, report, report->lines[i]);
        print_cells(width, &cells);
        printf("  %s\n", mm_safe(report->lines[i]->name));
    }
    if (shown < report->count)
        printf(" ... %zu more methods\n", report->count - shown);
    print_cells(width, &totals);
    printf("  %zu methods\n", report->count);
}

static void print_open(const struct mm_dual *dual)
{
    for (size_t i = 0; i < dual->open_count;) {
        size_t end = i;

        while (end < dual->open_count && dual->open[end].rank == dual->open[i].rank &&
               dual->open[end].thread == dual->open[i].thread)
            end++;
        printf("running at the end, rank %d thread %d:", dual->open[i].rank,
               dual->open[i].thread);
        for (size_t k = end; k-- > i;) {
            if (end - k > 20) { /* deep recursion */
                printf(" > ... %zu more", k - i + 1);
                break;
            }
            printf("%s %s (%s)", k + 1 < end ? " >" : "",
                   mm_safe(dual->open[k].method->name),
                   mm_time((double)dual->open[k].elapsed_ns));
        }
        putchar('\n');
        i = end;
    }
}

/* What was not kept row by row. */
static void print_aggregates(const struct report *report)
{
    const struct mm_dual *dual = report->dual;

    if (!dual->folded)
        return;
    puts(mm_aggregates_text(report->experiment, dual->folded, dual->folded + dual->rows));
    if (dual->sampled)
        printf("%s of these have a row all the same\n", mm_thousands(dual->sampled));
    if (dual->other)
        printf("%s of these had too many different values to keep them apart\n",
               mm_thousands(dual->other));
}

static void print_recording(const struct report *report)
{
    const struct mm_dual *dual = report->dual;
    double overhead = (double)dual->overhead_ns, all = (double)dual->total_ns + overhead;

    if (!is_wall(report))
        printf("%s in the place of wall time; recording is not taken off\n",
               mm_safe(report->metric->name));
    else if (report->experiment->call_ns > 0)
        printf("recording took %s ns a call; %s (%.2g %%) of it were taken off callers' "
               "times\n",
               mm_amount(report->experiment->call_ns), mm_time(overhead),
               all > 0 ? 100 * overhead / all : 0);
    else
        puts("what recording cost is not known here; callers' times hold it");
}

/* Of the calls in the table, those that are not as the others. */
struct oddities {
    uint64_t broken, clock_back, negative;
};

static struct oddities oddities_of(const struct report *report)
{
    struct oddities odd = {0};

    for (size_t i = 0; i < report->count; i++) {
        odd.broken += report->lines[i]->broken;
        odd.clock_back += report->lines[i]->clock_back;
        odd.negative += report->lines[i]->exclusive_ns < 0;
    }
    return odd;
}

static void print_clock_back(const struct report *report, uint64_t calls)
{
    int printed = 0;

    printf("the clock went back in %s calls, which count as no time:", mm_thousands(calls));
    for (size_t i = 0; i < report->count; i++) {
        const struct mm_vertex *v = report->lines[i];

        if (v->clock_back && ++printed <= 3)
            printf("%s %s of %s", printed > 1 ? "," : "", mm_thousands(v->clock_back),
                   mm_safe(v->name));
    }
    puts(printed > 3 ? ", ..." : "");
}

static void print_oddities(const struct report *report)
{
    struct oddities odd = oddities_of(report);

    if (odd.broken)
        printf("%s calls were left by an exception or longjmp; their times are as far as "
               "known\n",
               mm_thousands(odd.broken));
    if (odd.clock_back)
        print_clock_back(report, odd.clock_back);
    if (odd.negative)
        printf("%s methods have less than what they called, so by themselves less than nothing\n",
               mm_thousands(odd.negative));
}

static void print_losses(const struct report *report)
{
    const struct mm_vertex *lost = &report->dual->vertices[report->dual->lost_vertex];

    if (lost->subrs || report->losses.dropped)
        printf("%s invocations were not kept; %s calls name a caller that was not kept\n",
               mm_thousands(report->losses.dropped), mm_thousands(lost->subrs));
    if (report->losses.nested)
        printf("%s calls from signal handlers were not recorded\n",
               mm_thousands(report->losses.nested));
}

static void print_foot(const struct report *report)
{
    const struct mm_dual *dual = report->dual;

    putchar('\n');
    print_recording(report);
    print_aggregates(report);
    if (dual->threads > 1)
        printf("sums over %d threads of %d rank%s\n", dual->threads, dual->ranks,
               dual->ranks == 1 ? "" : "s");
    print_oddities(report);
    print_losses(report);
    if (!report->experiment->finished)
        puts("this run did not end in order (killed, or it is still running); these are "
             "the rows "
             "up to then");
    if (report->missing)
        printf("%s calls have no value of it and count as nothing; > marks sums that lack some\n",
               mm_thousands(report->missing));
    if (dual->open_count && is_wall(report)) {
        puts("> marks methods with calls that were not finished: their times are at "
             "least this");
        print_open(dual);
    }
}

static void print_text(const struct report *report)
{
    if (!report->count && report->losses.dropped) {
        puts("nothing is kept of what was measured");
        print_losses(report);
        return;
    }
    if (!report->count) {
        printf("nothing was measured: %zu methods have a proxy before them, none was "
               "called%s\n",
               report->silent,
               report->experiment->finished ? "" : " before the run died");
        return;
    }
    print_table(report);
    print_foot(report);
}

static json_t *line_json(const struct report *report, const struct mm_vertex *v)
{
    json_t *line = json_object();

    mm_json_put_method(line, v->method);
    mm_json_put(line, "calls", json_integer((json_int_t)v->calls));
    mm_json_put(line, "subrs", json_integer((json_int_t)v->subrs));
    mm_json_put(line, "exclusive_ns", json_integer(v->exclusive_ns));
    mm_json_put(line, "inclusive_ns", json_integer(v->inclusive_ns));
    mm_json_put(line, "overhead_ns", json_integer(v->overhead_ns));
    if (report->experiment->has_mpi) {
        mm_json_put(line, "mpi_ns", json_integer(v->mpi_inclusive_ns));
        mm_json_put(line, "mpi_exclusive_ns", json_integer(v->mpi_ns));
    }
    if (report->dual->total_ns > 0)
        mm_json_put(
            line, "share",
            mm_json_real((double)v->inclusive_ns / (double)report->dual->total_ns));
    mm_json_put(line, "mean_ns", mm_json_real(v->mean_ns));
    mm_json_put(line, "sd_ns", mm_json_real(mm_vertex_sd(v)));
    mm_json_put(line, "min_ns", json_integer(v->min_ns));
    mm_json_put(line, "max_ns", json_integer(v->max_ns));
    mm_json_put(line, "open", json_integer((json_int_t)v->open));
    mm_json_put(line, "broken", json_integer((json_int_t)v->broken));
    mm_json_put(line, "aggregated", json_integer((json_int_t)v->folded));
    mm_json_put(line, "clock_back", json_integer((json_int_t)v->clock_back));
    return line;
}

static json_t *metric_line_json(const struct report *report, const struct mm_vertex *v)
{
    json_t *line = json_object();

    mm_json_put_method(line, v->method);
    mm_json_put(line, "calls", json_integer((json_int_t)v->calls));
    mm_json_put(line, "subrs", json_integer((json_int_t)v->subrs));
    mm_json_put(line, "missing", json_integer((json_int_t)v->missing));
    if (v->missing < v->calls) {
        mm_json_put(line, "exclusive", json_integer(v->exclusive_ns));
        mm_json_put(line, "inclusive", json_integer(v->inclusive_ns));
    }
    if (report->dual->total_ns > 0 && v->missing < v->calls)
        mm_json_put(
            line, "share",
            mm_json_real((double)v->inclusive_ns / (double)report->dual->total_ns));
    if (!v->missing) {
        mm_json_put(line, "mean", mm_json_real(v->mean_ns));
        mm_json_put(line, "sd", mm_json_real(mm_vertex_sd(v)));
        mm_json_put(line, "min", json_integer(v->min_ns));
        mm_json_put(line, "max", json_integer(v->max_ns));
    }
    mm_json_put(line, "open", json_integer((json_int_t)v->open));
    mm_json_put(line, "broken", json_integer((json_int_t)v->broken));
    return line;
}

static int print_metric_json(const struct report *report)
{
    json_t *document = mm_json_metric_document("report", report->metric);
    json_t *methods = json_array();

    mm_json_put(document, "experiment", mm_json_text(report->experiment->name));
    mm_json_put(document, "finished", json_boolean(report->experiment->finished));
    mm_json_put(document, "rows", json_integer((json_int_t)report->dual->rows));
    mm_json_put(document, "aggregated", json_integer((json_int_t)report->dual->folded));
    mm_json_put(document, "missing", json_integer((json_int_t)report->missing));
    mm_json_put(document, "total", json_integer(report->dual->total_ns));
    for (size_t i = 0; i < report->count && i < report->limit; i++)
        json_array_append_new(methods, metric_line_json(report, report->lines[i]));
    mm_json_put(document, "methods", methods);
    return mm_json_print(document);
}

static json_t *open_json(const struct mm_dual *dual)
{
    json_t *open = json_array();

    for (size_t i = 0; i < dual->open_count; i++) {
        json_t *frame = json_object();

        mm_json_put(frame, "rank", json_integer(dual->open[i].rank));
        mm_json_put(frame, "thread", json_integer(dual->open[i].thread));
        mm_json_put(frame, "name", mm_json_text(dual->open[i].method->name));
        mm_json_put(frame, "start_ns", json_integer(dual->open[i].start_ns));
        mm_json_put(frame, "elapsed_ns", json_integer(dual->open[i].elapsed_ns));
        json_array_append_new(open, frame);
    }
    return open;
}

static void put_storage(json_t *document, const struct mm_experiment *experiment)
{
    const char *storage =
        json_string_value(json_object_get(experiment->about, "storage"));
    json_int_t limit =
        json_integer_value(json_object_get(experiment->about, "size_limit"));

    if (storage)
        mm_json_put(document, "storage", mm_json_text(storage));
    if (limit > 0)
        mm_json_put(document, "size_limit", json_integer(limit));
}

static int print_json(const struct report *report)
{
    const struct mm_dual *dual = report->dual;
    json_t *document = mm_json_document("report"), *methods = json_array();

    mm_json_put(document, "experiment", mm_json_text(report->experiment->name));
    mm_json_put(document, "finished", json_boolean(report->experiment->finished));
    mm_json_put(document, "ranks", json_integer(dual->ranks));
    mm_json_put(document, "threads", json_integer(dual->threads));
    mm_json_put(document, "rows", json_integer((json_int_t)dual->rows));
    mm_json_put(document, "aggregated", json_integer((json_int_t)dual->folded));
    mm_json_put(document, "sampled", json_integer((json_int_t)dual->sampled));
    mm_json_put(document, "other_keys", json_integer((json_int_t)dual->other));
    mm_json_put(document, "dropped",
                json_integer((json_int_t)report->losses.dropped));
    mm_json_put(document, "nested", json_integer((json_int_t)report->losses.nested));
    mm_json_put(document, "clock_back",
                json_integer((json_int_t)oddities_of(report).clock_back));
    put_storage(document, report->experiment);
    mm_json_put(document, "total_ns", json_integer(dual->total_ns));
    mm_json_put(document, "overhead_ns", json_integer(dual->overhead_ns));
    mm_json_put(document, "call_ns", mm_json_real(report->experiment->call_ns));
    for (size_t i = 0; i < report->count && i < report->limit; i++)
        json_array_append_new(methods, line_json(report, report->lines[i]));
    mm_json_put(document, "methods", methods);
    mm_json_put(document, "open", open_json(dual));
    return mm_json_print(document);
}

static int run(struct report *report, enum sort sort, int json)
{
    const struct mm_dual *dual = report->dual;
    int result;

    report->lines = calloc(dual->vertex_count, sizeof *report->lines);
    if (!report->lines) {
        fprintf(stderr, "mastermind: out of memory\n");
        return MM_EXIT_SYSTEM;
    }
    for (size_t i = 0; i < dual->thread_vertex; i++) {
        if (dual->vertices[i].calls)
            report->lines[report->count++] = &dual->vertices[i];
        else
            report->silent++;
    }
    qsort(report->lines, report->count, sizeof *report->lines, sorts[sort].order);
    if (sort == BY_EXCLUSIVE)
        driver_first(report);
    if (json) {
        result = is_wall(report) ? print_json(report) : print_metric_json(report);
    } else {
        print_text(report);
        result = mm_finish_output(MM_EXIT_DONE);
    }
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
    fprintf(stderr,
            "mastermind: cannot sort by '%s'; expected exclusive, inclusive, calls, "
            "subrs, percall "
            "or name\n",
            mm_safe(word));
    return MM_EXIT_MISUSE;
}

int cmd_report(int argc, char **argv)
{
    struct mm_option options[] = {{.name = "--json"},
                                  {.name = "--sort", .takes_value = 1},
                                  {.name = "--limit", .takes_value = 1},
                                  {.name = "--metric", .takes_value = 1}};
    enum sort sort = BY_EXCLUSIVE;
    double limit = INFINITY;
    struct cca_error err = {0};
    struct mm_input input;
    int count, result;

    result = mm_options_read(options, 4, usage, argc, argv, &count);
    if (result >= 0)
        return result;
    if (options[1].given && (result = sort_of(options[1].values[0], &sort)) >= 0)
        return result;
    if ((result = mm_option_number(&options[2], 1, &limit)) >= 0)
        return result;
    if (count > 1) {
        fprintf(stderr, "mastermind: report takes one experiment, found %d\n", count);
        return MM_EXIT_MISUSE;
    }
    result = mm_input_open(&input, argv, count, &options[3]);
    if (result < 0) {
        struct report report = {.experiment = input.experiments[0],
                                .dual = input.profiles[0]->dual,
                                .metric = &input.metric,
                                .missing = input.sources[0].missing,
                                .limit = limit < 1e15 ? (size_t)limit : SIZE_MAX};

        result = mm_experiment_losses(report.experiment, &report.losses, &err)
                     ? mm_complain(&err)
                     : run(&report, sort, options[0].given);
    }
    mm_input_done(&input);
    return result;
}

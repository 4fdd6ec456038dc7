/* SPDX-License-Identifier: BSD-3-Clause */
/* report_text.c: print a report as a table with notes below. */
#include "mastermind/cmd/report/report.h"

#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <string.h>

enum { BAR = 8 }; /* width of a bar that stands for the whole run */

/* Write a bar of `share`, padded with blanks to BAR letters and one more. UTF-8 terminals
 * get eighths of a letter. */
static void print_bar(char *text, size_t size, double share)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    int fine = setlocale(LC_CTYPE, "") && strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    int parts = share > 0 ? (int)(8 * BAR * (share < 1 ? share : 1) + .5) : 0;
    size_t used = 0;
    int letters = fine ? parts / 8 : (parts + 4) / 8, drawn = letters;

    for (int i = 0; i < letters && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s", fine ? "█" : "#");
    if (fine && parts % 8 && used < size) {
        used += (size_t)snprintf(text + used, size - used, "%s", eighths[parts % 8]);
        drawn++;
    }
    if (used < size)
        snprintf(text + used, size - used, "%*s", BAR + 1 - drawn, "");
}

/* The name of a line, with a bar before it if bars are on. */
static const char *barred(const struct report *report, const char *name, double ns,
                          char *text, size_t size)
{
    char bar[4 * BAR + 2];

    if (!report->bars)
        return name;
    print_bar(bar, sizeof bar,
              report->dual->total_ns > 0 ? ns / (double)report->dual->total_ns : 0);
    snprintf(text, size, "%s%s", bar, name);
    return text;
}

/* Fill the cells of a line; NULL: the heads. Returns the number of columns. */
static int fill_cells(char cells[][MM_CELL], const struct report *report,
                      const struct report_line *line, unsigned state, int is_sum)
{
    int is_time = mm_report_is_time(report), count = 0;

    for (const struct mm_field *field = mm_report_fields; field->name; field++) {
        if (!mm_field_is_column(field, state))
            continue;
        if (!line)
            mm_cell_set(cells[count],
                        field->other && !is_time ? field->other : field->head);
        else if (is_sum && !field->has_sum)
            mm_cell_set(cells[count], "");
        else
            mm_field_print(field, line, state, is_time, cells[count]);
        count++;
    }
    return count;
}

/* Print the sum of the methods that --limit left out, so that the lines add up to the
 * total in the last line. */
static void print_left_methods(const struct report *report)
{
    uint64_t calls = 0;
    double cost = 0;

    for (size_t i = report->limit; i < report->count; i++) {
        calls += report->lines[i]->calls;
        cost += (double)report->lines[i]->exclusive_ns;
    }
    mm_report_print_left("method", report->count - report->limit,
                         mm_cost(report->metric, cost), calls);
}

static void method_rows(const void *context, struct mm_table *table)
{
    const struct report *report = context;
    size_t shown = report->count < report->limit ? report->count : report->limit;
    size_t methods = report->experiment->method_count;
    struct report_line line;
    unsigned state = mm_report_sum(report, &line);
    char cells[MM_TABLE_COLUMNS][MM_CELL], name[80], text[1200];

    fill_cells(cells, report, NULL, state, 0);
    mm_table_row(table, cells, barred(report, "name", 0, text, sizeof text));
    for (size_t i = 0; i < shown; i++) {
        const struct mm_vertex *v = report->lines[i];

        state = mm_report_line(report, v, &line);
        fill_cells(cells, report, &line, state, 0);
        mm_table_row(table, cells,
                     barred(report, v->name, (double)v->exclusive_ns, text, sizeof text));
    }
    if (table->print && shown < report->count)
        print_left_methods(report);
    state = mm_report_sum(report, &line);
    fill_cells(cells, report, &line, state, 1);
    if (report->count < methods) /* the other methods were never called */
        snprintf(name, sizeof name, "%zu of %s", report->count,
                 mm_counted(methods, "method"));
    else
        snprintf(name, sizeof name, "%s", mm_counted(report->count, "method"));
    mm_table_row(table, cells, barred(report, name, 0, text, sizeof text));
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

/* Print how many calls were aggregated or lost. */
static void print_kept(const struct report *report)
{
    struct mm_notes notes = {0};

    if (mm_kept_note(&notes, "", &report->kept))
        puts("out of memory: notes about calls that were not kept are missing");
    for (size_t i = 0; i < notes.count; i++)
        puts(mm_safe(notes.items[i]));
    mm_notes_done(&notes);
}

/* Print the functions whose own time is less than its uncertainty, most uncertain first:
 * only an upper bound of their time is known. */
static void print_too_short(const struct mm_dual *dual, double all)
{
    enum { MOST = 3 };
    double before = INFINITY;

    for (int shown = 0; shown < MOST; shown++) {
        const struct mm_vertex *next = NULL;

        for (size_t i = 0; i < dual->thread_vertex; i++) {
            const struct mm_vertex *v = &dual->vertices[i];

            if (v->calls && v->uncertain_ns > (double)v->exclusive_ns &&
                v->uncertain_ns > .01 * all && v->uncertain_ns < before &&
                (!next || v->uncertain_ns > next->uncertain_ns))
                next = v;
        }
        if (!next)
            break;
        before = next->uncertain_ns;
        printf("%s%s at most %s a call",
               shown ? ",\n  " : "too short to time beside the cost of recording: ",
               mm_safe(next->method->method),
               mm_time(((double)next->exclusive_ns + next->uncertain_ns) /
                       (double)next->calls));
    }
    if (before < INFINITY)
        putchar('\n');
}

/* Print the cost of recording that was subtracted; print its range, too, if the choice
 * within it changes the times by more than two percent. */
static void print_subtracted(const struct mm_dual *dual)
{
    double overhead = (double)dual->overhead_ns, all = (double)dual->total_ns + overhead;
    double percent = all > 0 ? 100 * overhead / all : 0;

    printf("recording took %s ns a call; %s (%.2g %%) are subtracted\n",
           mm_amount(mm_report_call_ns(dual)), mm_time(overhead),
           percent < 1e-4 ? 0 : percent);
    if (dual->recording_most_ns - dual->recording_least_ns > .02 * all)
        printf("all calls: at least %s, in a loop, at most %s, with cold caches\n",
               mm_time(dual->recording_least_ns), mm_time(dual->recording_most_ns));
    print_too_short(dual, all);
}

static void print_recording(const struct report *report)
{
    const struct mm_dual *dual = report->dual;

    if (mm_metric_is_peak(report->metric))
        printf("%s instead of own time: the largest of each method's calls, of the whole "
               "process\n",
               mm_safe(report->metric->name));
    else if (!mm_report_is_own(report))
        printf("%s instead of own time; the cost of recording is %ssubtracted\n",
               mm_safe(report->metric->name), dual->recording_ns > 0 ? "" : "not ");
    else if (dual->recording_ns > 0)
        print_subtracted(dual);
    else if (report->experiment->origin)
        printf("the rows were %s%s%s; nothing is subtracted for recording\n",
               mm_safe(report->experiment->origin),
               report->experiment->source ? " from " : "",
               report->experiment->source ? mm_safe(report->experiment->source) : "");
    else
        puts("the cost of recording is unknown; callers' times include it");
}

/* Print the CPU time that recording took in the process, by part. */
static void print_cost(const struct report *report)
{
    const double parts[] = {
        report->experiment->cost.calls_ns,  report->experiment->cost.files_ns,
        report->experiment->cost.helper_ns, report->experiment->cost.setup_ns,
        report->experiment->cost.mpi_ns,    report->experiment->cost.openmp_ns};
    static const char *const names[] = {"calls", "files", "helper",
                                        "setup", "MPI",   "OpenMP"};
    double all = report->experiment->cost.process_ns, sum = 0,
           samples = report->shares->samples.cost_ns;
    int printed = 0;

    if (!mm_report_is_own(report) || !(all > 0))
        return;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        sum += parts[i];
    printf("measuring cost %s of %s CPU%s", mm_percent(sum / all), mm_time(all),
           report->experiment->ranks > 1 ? " on rank 0" : "");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i] > 0)
            printf("%s %s %s", printed++ ? "," : ":", names[i], mm_time(parts[i]));
    if (samples > 0) {
        printf("; samples of the rest %s", mm_percent(samples / all));
        printf(", %s", mm_time(samples));
    }
    putchar('\n');
}

static void print_clock_back(const struct report *report, uint64_t calls)
{
    int printed = 0;

    printf("the clock went back in %s, which %s as no time:", mm_counted(calls, "call"),
           calls == 1 ? "counts" : "count");
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
    struct oddities odd = mm_report_oddities(report);

    if (odd.broken)
        printf("%s %s left by an exception or longjmp; their times are upper bounds\n",
               mm_counted(odd.broken, "call"), odd.broken == 1 ? "was" : "were");
    if (odd.clock_back)
        print_clock_back(report, odd.clock_back);
    if (odd.negative)
        printf("%s %s less inclusive time than its callees: its exclusive time is "
               "negative\n",
               mm_counted(odd.negative, "method"),
               odd.negative == 1 ? "has" : "have each");
}

/* Print why an interposer did not see calls, wrapped. */
static void print_not_seen(const struct report *report)
{
    for (size_t i = 0; i < report->experiment->not_seen_count; i++) {
        const char *words = mm_safe(report->experiment->not_seen[i]);
        int column = 0;

        while (*words) {
            int length = (int)strcspn(words, " ");

            column += printf("%s%.*s",
                             !column                    ? ""
                             : column + 1 + length > 98 ? "\n    "
                                                        : " ",
                             length, words);
            if (column > 98)
                column = 4 + length;
            words += length;
            words += strspn(words, " ");
        }
        putchar('\n');
    }
}

/* True if a method in the table has calls that were counted alone. */
static int has_counted(const struct report *report)
{
    uint64_t calls;
    int is_least;

    for (size_t i = 0; i < report->count; i++)
        if (mm_experiment_counted(report->experiment, report->lines[i]->method, &calls,
                                  &is_least))
            return 1;
    return 0;
}

static void print_foot(const struct report *report)
{
    const struct mm_dual *dual = report->dual;

    putchar('\n');
    mm_report_print_host(report);
    print_recording(report);
    print_cost(report);
    print_kept(report);
    if (report->rank >= 0)
        printf("rank %d of %d alone\n", report->rank, report->experiment->ranks);
    if (dual->threads > 1)
        printf("sums over %d threads of %d rank%s\n", dual->threads, dual->ranks,
               dual->ranks == 1 ? "" : "s");
    print_oddities(report);
    mm_report_print_swaps(report);
    if (has_counted(report))
        puts("> marks functions with later calls that were counted alone, or not at all: "
             "their times\n    are those of the recorded calls");
    print_not_seen(report);
    if (!report->experiment->finished)
        printf("this run did not end in order (%s); results are up to that point\n",
               mm_kept_end(report->experiment));
    mm_report_print_ends(report);
    if (report->missing && mm_metric_is_peak(report->metric))
        printf("%s inside others %s none of their own\n",
               mm_counted(report->missing, "call"),
               report->missing == 1 ? "has" : "have");
    else if (report->missing)
        printf("%s %s no value of it; > marks sums that lack some\n",
               mm_counted(report->missing, "call"),
               report->missing == 1 ? "has" : "have");
    if (dual->open_count && mm_report_is_own(report)) {
        puts("> marks methods with open calls: their times are lower bounds");
        print_open(dual);
    }
}

static void print_methods(const struct report *report)
{
    char heads[MM_TABLE_COLUMNS][MM_CELL];
    struct report_line sum;

    if (!report->count && report->kept.losses.dropped) {
        puts("no measured call was kept");
        print_kept(report);
        return;
    }
    if (!report->count && report->mpi->count) {
        puts("no method was measured, only MPI");
        mm_report_print_shares(report);
        mm_report_print_mpi(report);
        mm_report_messages_print(report->messages, report->dual);
        if (!report->experiment->finished || report->experiment->not_seen_count)
            putchar('\n');
        print_not_seen(report);
        mm_report_print_ends(report);
        return;
    }
    if (!report->count) {
        printf("nothing was measured: %s %s a proxy, none was called%s\n",
               mm_counted(report->silent, "method"), report->silent == 1 ? "has" : "have",
               report->experiment->finished
                   ? ""
                   : " yet, or there was no room for the files of its thread");
        mm_report_messages_print(report->messages, report->dual);
        return;
    }
    mm_table_print(fill_cells(heads, report, NULL, mm_report_sum(report, &sum), 0),
                   method_rows, report);
    mm_report_print_shares(report);
    mm_report_print_ranks(report);
    mm_report_print_mpi(report);
    mm_report_messages_print(report->messages, report->dual);
    print_foot(report);
}

int mm_report_print_text(const struct report *report)
{
    print_methods(report);
    return mm_report_print_mesh(report);
}

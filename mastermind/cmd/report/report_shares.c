/* SPDX-License-Identifier: BSD-3-Clause */
/* report_shares.c: divide the time of the program into its own time, the times of each
 * library and of MPI, and the rest. */
#include "mastermind/cmd/report/report.h"

#include <math.h>
#include <string.h>

#define MUCH .1    /* share of measuring in the run above which short calls are printed */
#define FEW .02    /* least share of the remainder for a line of a function */
#define LEAST .001 /* least share of the run for a line of a function */
#define SHORT 10   /* a short call is below this multiple of the cost of recording it */

enum { TIME, SHARE, CALLS, CELLS, SHOWN = 3, REST_LINES = 10 };

static void row(struct mm_table *table, const struct mm_shares *shares, int64_t ns,
                uint64_t calls, const char *name)
{
    char cells[CELLS][MM_CELL] = {{0}};

    mm_cell_set(cells[TIME], mm_amount((double)ns / 1e6));
    if (!shares->side_by_side)
        snprintf(cells[SHARE], MM_CELL, "%.1f",
                 100 * (double)ns / (double)shares->elapsed_ns);
    if (calls)
        mm_cell_set(cells[CALLS], mm_thousands(calls));
    mm_table_row(table, cells, name);
}

/* A function or file of the remainder, by its samples. */
static void put_sampled(struct mm_table *table, const struct mm_shares *shares,
                        uint64_t samples, const char *file, const char *function,
                        const char *line)
{
    char name[200];

    if (function && strncmp(function, file, strlen(file)) == 0) { /* "libz.so.1+0x4970" */
        file = function;
        function = NULL;
    }
    snprintf(name, sizeof name, "  %.40s%s%.60s%s%.40s", mm_safe(file),
             function ? ": " : "", function ? mm_safe(function) : "", line ? "  " : "",
             line ? mm_safe(line) : "");
    row(table, shares, llround((double)samples * shares->sample_ns), 0, name);
}

/* The remainder by samples: a line for each function with a large share of it, one line
 * for the others, and the time in which the program was on no core. */
static void put_remainder(struct mm_table *table, const struct mm_shares *shares)
{
    const struct mm_run_samples *samples = &shares->samples;
    uint64_t all = 0, others = 0;
    int64_t idle_ns;

    for (size_t i = 0; i < samples->rest_count; i++)
        all += samples->rest[i].samples;
    for (size_t i = 0, shown = 0; i < samples->rest_count; i++) {
        const struct mm_sampled_line *line = &samples->rest[i];

        if (shown < REST_LINES && line->samples >= FEW * (double)all &&
            (double)line->samples * shares->sample_ns >=
                LEAST * (double)shares->elapsed_ns) {
            put_sampled(table, shares, line->samples, line->file, line->function,
                        line->line);
            shown++;
        } else {
            others += line->samples;
        }
    }
    if (others)
        put_sampled(table, shares, others, "others", NULL, NULL);
    idle_ns = shares->rest_ns - llround((double)all * shares->sample_ns);
    if (!shares->side_by_side && idle_ns > 0 && all)
        row(table, shares, idle_ns, 0, "  on no core: waiting, and the host");
}

static void rows(const void *context, struct mm_table *table)
{
    const struct mm_shares *shares = context;
    char heads[][MM_CELL] = {"ms", "%", "calls"}, name[200];

    mm_table_row(table, heads, shares->side_by_side ? "sums over threads" : "where");
    for (size_t i = 0; i < shares->count; i++)
        row(table, shares, shares->list[i].ns, shares->list[i].calls,
            shares->list[i].instance);
    if (shares->mpi_ns)
        row(table, shares, shares->mpi_ns, 0, "MPI");
    if (shares->host_ns)
        row(table, shares, shares->host_ns, 0, "the host, of the calls above");
    row(table, shares, shares->measuring_ns, 0, "measuring");
    if (shares->side_by_side) {
        put_remainder(table, shares);
        return;
    }
    row(table, shares, shares->rest_ns, 0,
        "the rest: the program itself, and unmeasured functions");
    put_remainder(table, shares);
    snprintf(name, sizeof name, "in all%s", shares->ranks > 1 ? ", over all ranks" : "");
    row(table, shares, shares->elapsed_ns, 0, name);
}

/* If measuring took much of the run, print the short calls that caused it. */
static void print_short_calls(const struct report *report)
{
    const struct mm_shares *shares = report->shares;
    double call_ns = mm_report_call_ns(report->dual);
    const struct mm_vertex *worst[SHOWN] = {NULL};
    size_t count = 0;

    if ((double)shares->measuring_ns < MUCH * (double)shares->elapsed_ns ||
        !(call_ns > 0))
        return;
    for (size_t i = 0; i < report->dual->thread_vertex; i++) {
        const struct mm_vertex *v = &report->dual->vertices[i];

        if (!v->calls ||
            (double)v->calls * call_ns < .02 * (double)shares->measuring_ns ||
            (double)v->exclusive_ns > SHORT * call_ns * (double)v->calls)
            continue;
        for (size_t k = 0; k < SHOWN; k++)
            if (!worst[k] || v->calls > worst[k]->calls) {
                memmove(&worst[k + 1], &worst[k], (SHOWN - 1 - k) * sizeof(worst[0]));
                worst[k] = v;
                count += count < SHOWN;
                break;
            }
    }
    if (!count)
        return;
    printf("measuring is %.0f %% of the run, mostly for short calls, and slows it by "
           "more than that:\n    record without them:",
           100 * (double)shares->measuring_ns / (double)shares->elapsed_ns);
    for (size_t k = 0; k < count; k++)
        printf("%s%s", k ? "," : " --except '", mm_safe(worst[k]->method->method));
    puts("'");
}

static void print_unlike(const struct mm_shares *shares)
{
    const struct mm_unlike *unlike = &shares->unlike;

    if (shares->samples.lost)
        printf("%s were lost\n", mm_counted(shares->samples.lost, "sample"));
    if (!unlike->method)
        return;
    printf("rows and samples differ: %s has %s of CPU time",
           mm_safe(unlike->method->name), mm_time(unlike->rows_ns));
    printf(" by rows, %s", mm_time(unlike->samples_ns));
    printf(" by samples (+-%s)\n", mm_time(unlike->error_ns));
}

static json_t *make_rest(const struct mm_shares *shares)
{
    json_t *list = json_array();

    for (size_t i = 0; i < shares->samples.rest_count; i++) {
        const struct mm_sampled_line *line = &shares->samples.rest[i];

        json_array_append_new(
            list,
            mm_json_object(
                "file function line samples ns", line->file,
                line->function ? json_string(line->function) : NULL,
                line->line ? json_string(line->line) : NULL, (json_int_t)line->samples,
                (json_int_t)llround((double)line->samples * shares->sample_ns)));
    }
    return list;
}

/* Add the samples of the run to the document's times. */
static void put_samples(const struct mm_shares *shares, json_t *time)
{
    const struct mm_run_samples *samples = &shares->samples;
    const struct mm_unlike *unlike = &shares->unlike;

    if (!samples->count)
        return;
    mm_json_set(time, "rest samples", make_rest(shares),
                mm_json_object("count lost period_ns cost_ns", (json_int_t)samples->count,
                               (json_int_t)samples->lost, samples->period_ns,
                               (json_int_t)llround(samples->cost_ns)));
    if (samples->peak_bytes) /* peak memory of the largest process, from the kernel at its
                                end */
        mm_json_put(time, "peak_bytes", json_integer(samples->peak_bytes));
    if (unlike->method)
        json_object_set_new(time, "unlike",
                            mm_json_object("method rows_ns samples_ns error_ns",
                                           unlike->method->name,
                                           (json_int_t)llround(unlike->rows_ns),
                                           (json_int_t)llround(unlike->samples_ns),
                                           (json_int_t)llround(unlike->error_ns)));
}

void mm_report_print_shares(const struct report *report)
{
    const struct mm_shares *shares = report->shares;
    double ranks = shares->ranks;

    if (!shares->elapsed_ns || !mm_report_is_own(report))
        return;
    putchar('\n');
    printf("the program ran %s", mm_time((double)shares->elapsed_ns / ranks));
    printf(" and used %s CPU%s", mm_time((double)shares->cpu_ns / ranks),
           shares->ranks > 1 ? " on a rank, in the mean" : "");
    if (shares->load_ns)
        printf("; loading took %s before", mm_time((double)shares->load_ns / ranks));
    if (shares->peak_bytes)
        printf("; peak memory %s%s", mm_bytes((double)shares->peak_bytes),
               shares->ranks > 1 ? " on the largest rank" : "");
    putchar('\n');
    mm_table_print(CELLS, rows, shares);
    print_short_calls(report);
    print_unlike(shares);
    if (shares->side_by_side)
        printf(
            "%d threads called measured functions side by side: the time of the program\n"
            "itself is not known\n",
            shares->threads);
}

void mm_report_put_shares(const struct report *report, json_t *document)
{
    const struct mm_shares *shares = report->shares;
    json_t *time = json_object(), *list = json_array();

    if (!shares->elapsed_ns) {
        json_decref(time);
        json_decref(list);
        return;
    }
    mm_json_set(time, "elapsed_ns cpu_ns load_ns", shares->elapsed_ns, shares->cpu_ns,
                shares->load_ns ? json_integer(shares->load_ns) : NULL);
    if (shares->peak_bytes)
        mm_json_put(time, "peak_bytes", json_integer(shares->peak_bytes));
    for (size_t i = 0; i < shares->count; i++) {
        json_array_append_new(
            list, mm_json_object("instance calls own_ns", shares->list[i].instance,
                                 (json_int_t)shares->list[i].calls, shares->list[i].ns));
    }
    mm_json_set(time, "instances mpi_ns host_ns measuring_ns rest_ns", list,
                shares->mpi_ns, shares->host_ns, shares->measuring_ns,
                shares->side_by_side ? NULL : json_integer(shares->rest_ns));
    put_samples(shares, time);
    mm_json_put(document, "time", time);
}

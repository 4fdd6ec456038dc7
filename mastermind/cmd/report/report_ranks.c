/* SPDX-License-Identifier: BSD-3-Clause */
/* report_ranks.c: imbalance of the ranks, time in MPI, and how each rank ended. */
#include "mastermind/cmd/report/report.h"

#include <string.h>

static double scale(const struct report *report)
{
    return mm_report_is_time(report) ? 1e-6 : 1;
}

static const struct mm_rank_sum *sums_of(const struct report *report,
                                         const struct mm_vertex *v)
{
    return report->ranks->sums + v->method->index;
}

static size_t shown_of(const struct report *report)
{
    return report->count < report->limit ? report->count : report->limit;
}

/* True where there is more than one rank to compare. */
static int has_ranks(const struct report *report)
{
    return report->rank < 0 && report->experiment->ranks > 1;
}

/* --- Text ----------------------------------------------------------------- */

/* Write the number of ranks that called a method: "3 of 4". */
static void set_ranks(char cell[MM_CELL], const struct mm_rank_spread *s)
{
    snprintf(cell, MM_CELL, "%d of %d", s->with_calls, s->ranks);
}

/* Write minimum, mean and maximum over the ranks, the rank with the maximum, and the
 * imbalance in percent. The minimum is 0 if a rank did not call the method. */
static void set_spread(char cells[][MM_CELL], const struct mm_rank_spread *s,
                       double scaled)
{
    mm_cell_set(cells[0], mm_amount(s->min * scaled));
    mm_cell_set(cells[1], mm_amount(s->mean * scaled));
    mm_cell_set(cells[2], mm_amount(s->max * scaled));
    snprintf(cells[3], MM_CELL, "%d", s->most);
    snprintf(cells[4], MM_CELL, "%.1f", 100 * s->imbalance);
    set_ranks(cells[5], s);
}

static void spread_rows(const void *context, struct mm_table *table)
{
    const struct report *report = context;
    char heads[][MM_CELL] = {"min", "mean", "max", "on rank", "imbalance %", "ranks"};

    mm_table_row(table, heads, "name");
    for (size_t i = 0; i < shown_of(report); i++) {
        const struct mm_vertex *v = report->lines[i];
        struct mm_rank_spread spread = mm_rank_spread(
            sums_of(report, v), report->ranks->count, report->ranks->method_count);
        char cells[6][MM_CELL];

        set_spread(cells, &spread, scale(report));
        mm_table_row(table, cells, v->name);
    }
}

/* Print the sum over ranks of the rows that --limit left out. */
static void print_left_ranks(const struct report *report)
{
    uint64_t calls = 0;
    double cost = 0;

    if (report->limit >= report->count)
        return;
    for (size_t i = report->limit; i < report->count; i++) {
        for (int rank = 0; rank < report->ranks->count; rank++) {
            const struct mm_rank_sum *sum = sums_of(report, report->lines[i]) +
                                            (size_t)rank * report->ranks->method_count;

            calls += sum->calls;
            cost += (double)sum->exclusive_ns;
        }
    }
    mm_report_print_left("method", report->count - report->limit,
                         mm_cost(report->metric, cost), calls);
}

static void print_left_functions(const struct report *report)
{
    uint64_t calls = 0;
    double ns = 0;

    if (report->limit >= report->mpi->count)
        return;
    for (size_t i = report->limit; i < report->mpi->count; i++) {
        calls += report->mpi->functions[i].calls;
        ns += (double)report->mpi->functions[i].ns;
    }
    mm_report_print_left("function", report->mpi->count - report->limit, mm_time(ns),
                         calls);
}

static void by_rank_rows(const void *context, struct mm_table *table)
{
    const struct report *report = context;
    char heads[][MM_CELL] = {"rank", "calls", "excl"};

    mm_table_row(table, heads, "name");
    for (size_t i = 0; i < shown_of(report); i++) {
        for (int rank = 0; rank < report->ranks->count; rank++) {
            const struct mm_rank_sum *sum = sums_of(report, report->lines[i]) +
                                            (size_t)rank * report->ranks->method_count;
            char cells[3][MM_CELL];

            snprintf(cells[0], MM_CELL, "%d", rank);
            mm_cell_set(cells[1], mm_thousands(sum->calls));
            mm_cell_set(cells[2], mm_amount((double)sum->exclusive_ns * scale(report)));
            mm_table_row(table, cells, report->lines[i]->name);
        }
    }
}

static void mpi_rows(const void *context, struct mm_table *table)
{
    const struct report *report = context;
    char heads[][MM_CELL] = {"%mpi", "total ms", "calls",       "usec/call", "min",
                             "mean", "max",      "imbalance %", "ranks"};
    double all = 0;

    mm_table_row(table, heads, "name");
    for (size_t i = 0; i < report->mpi->count; i++)
        all += (double)report->mpi->functions[i].ns;
    for (size_t i = 0; i < report->mpi->count && i < report->limit; i++) {
        const struct mm_mpi_function *f = &report->mpi->functions[i];
        struct mm_rank_spread s = mm_rank_spread(f->ranks, report->mpi->rank_count, 1);
        char cells[MM_TABLE_COLUMNS][MM_CELL];

        snprintf(cells[0], MM_CELL, "%.1f", all > 0 ? 100 * (double)f->ns / all : 0);
        mm_cell_set(cells[1], mm_amount((double)f->ns * 1e-6));
        mm_cell_set(cells[2], mm_thousands(f->calls));
        mm_cell_set(cells[3],
                    mm_amount(f->calls ? (double)f->ns * 1e-3 / (double)f->calls : 0));
        mm_cell_set(cells[4], mm_amount(s.min * 1e-6));
        mm_cell_set(cells[5], mm_amount(s.mean * 1e-6));
        mm_cell_set(cells[6], mm_amount(s.max * 1e-6));
        snprintf(cells[7], MM_CELL, "%.1f", 100 * s.imbalance);
        set_ranks(cells[8], &s);
        mm_table_row(table, cells, f->name);
    }
}

void mm_report_print_ranks(const struct report *report)
{
    if (!has_ranks(report) || !report->count)
        return;
    printf(
        "\nexclusive %s on %d ranks; imbalance is how far the most is above the mean\n",
        mm_report_is_time(report) ? "ms" : "counts", report->ranks->count);
    mm_table_print(6, spread_rows, report);
    print_left_ranks(report);
    if (!report->by_rank)
        return;
    printf("\nexclusive %s by rank\n", mm_report_is_time(report) ? "ms" : "counts");
    mm_table_print(3, by_rank_rows, report);
    print_left_ranks(report);
}

void mm_report_print_mpi(const struct report *report)
{
    if (!report->mpi->count)
        return;
    if (has_ranks(report))
        printf("\ninside MPI, ms, over %d ranks%s\n", report->mpi->rank_count,
               report->mpi->told < report->mpi->rank_count
                   ? "; ranks without data count as 0"
                   : "");
    else
        puts("\ninside MPI, ms");
    mm_table_print(has_ranks(report) ? 9 : 4, mpi_rows, report);
    print_left_functions(report);
}

static int is_asked_for(const struct report *report, int rank)
{
    return report->rank < 0 || report->rank == rank;
}

/* The latest known time of a rank, from its rows or its calls of MPI. */
static int64_t last_of(const struct report *report, int rank)
{
    int64_t last = report->ranks->ends[rank].last_ns,
            mpi = report->mpi->ends[rank].last_ns;

    return mpi > last ? mpi : last;
}

static int rank_count(const struct report *report)
{
    int count = report->experiment->ranks;

    return report->ranks->count < count ? report->ranks->count : count;
}

static int is_abort(const struct report *report, int rank)
{
    return strcmp(report->mpi->ends[rank].inside, "MPI_Abort()") == 0;
}

/* True if rank `a` seems to have ended before rank `b`. A rank inside MPI is alive: it
 * waits for a rank that ended or is late. */
static int ended_before(const struct report *report, int a, int b)
{
    int a_inside = *report->mpi->ends[a].inside != 0,
        b_inside = *report->mpi->ends[b].inside != 0;

    if (is_abort(report, a) != is_abort(report, b))
        return is_abort(report, a);
    if (a_inside != b_inside)
        return b_inside;
    return a_inside ? last_of(report, a) > last_of(report, b)
                    : last_of(report, a) < last_of(report, b);
}

/* Of several ranks that ended abnormally, find the rank that seems to have ended
 * first, or to hang. Returns -1 if fewer than two did, or one of them has no data. */
static int ended_first(const struct report *report)
{
    int first = -1, count = 0, known = 0;

    for (int rank = 0; rank < rank_count(report); rank++) {
        if (mm_experiment_rank_finished(report->experiment, rank))
            continue;
        count++;
        known += last_of(report, rank) != 0;
        if (first < 0 || ended_before(report, rank, first))
            first = rank;
    }
    return count > 1 && known == count ? first : -1;
}

static const char *why_first(const struct report *report, int rank)
{
    return is_abort(report, rank) ? "it called MPI_Abort"
           : *report->mpi->ends[rank].inside
               ? "all were inside MPI; it entered last"
               : "it was not inside MPI and its calls ended first";
}

static void print_end(const struct report *report, int rank)
{
    const struct mm_rank_end *end = &report->ranks->ends[rank];
    const struct mm_mpi_end *mpi = &report->mpi->ends[rank];

    printf("rank %d did not end in order", rank);
    if (end->rows || end->open)
        printf(": %s calls ended, %s open; last seen %s after the start",
               mm_thousands(end->rows), mm_thousands(end->open),
               mm_time((double)last_of(report, rank)));
    else if (mpi->last_ns)
        printf(": last seen %s after the start", mm_time((double)mpi->last_ns));
    else
        printf(", before its first call was recorded");
    printf("%s%s\n", *mpi->inside ? ", inside " : "", mm_safe(mpi->inside));
}

/* Print the last known state of each rank that ended abnormally. */
void mm_report_print_ends(const struct report *report)
{
    int first = report->rank < 0 ? ended_first(report) : -1;

    for (int rank = 0; rank < rank_count(report); rank++)
        if (is_asked_for(report, rank) &&
            !mm_experiment_rank_finished(report->experiment, rank))
            print_end(report, rank);
    if (first >= 0)
        printf("look at rank %d first: %s\n", first, why_first(report, first));
}

/* --- JSON ----------------------------------------------------------------- */

static json_t *spread_json(const struct mm_rank_spread *spread, const char *unit)
{
    json_t *json = json_object();
    char key[16];

    snprintf(key, sizeof key, "min%s", unit);
    mm_json_put(json, key, mm_json_finite(spread->min));
    snprintf(key, sizeof key, "mean%s", unit);
    mm_json_put(json, key, mm_json_finite(spread->mean));
    snprintf(key, sizeof key, "max%s", unit);
    mm_json_put(json, key, mm_json_finite(spread->max));
    mm_json_set(json, "least most imbalance with_calls", spread->least, spread->most,
                spread->imbalance, spread->with_calls);
    return json;
}

static json_t *by_rank_json(const struct mm_rank_sum *sums, int count, size_t stride,
                            const char *key)
{
    json_t *array = json_array();

    for (int rank = 0; rank < count; rank++) {
        json_t *item = json_object();

        mm_json_set(item, "rank calls", rank,
                    (json_int_t)sums[(size_t)rank * stride].calls);
        mm_json_put(item, key, json_integer(sums[(size_t)rank * stride].exclusive_ns));
        json_array_append_new(array, item);
    }
    return array;
}

/* Set "ranks" of a method, and "by_rank" with --by-rank. */
void mm_report_put_ranks(const struct report *report, json_t *line,
                         const struct mm_vertex *v)
{
    const char *unit = mm_report_is_own(report) ? "_ns" : "";
    struct mm_rank_spread spread;

    if (!has_ranks(report))
        return;
    spread = mm_rank_spread(sums_of(report, v), report->ranks->count,
                            report->ranks->method_count);
    mm_json_put(line, "ranks", spread_json(&spread, unit));
    if (report->by_rank)
        mm_json_put(
            line, "by_rank",
            by_rank_json(sums_of(report, v), report->ranks->count,
                         report->ranks->method_count,
                         mm_report_is_own(report) ? "exclusive_ns" : "exclusive"));
}

static json_t *mpi_json(const struct report *report)
{
    json_t *functions = json_array();

    for (size_t i = 0; i < report->mpi->count; i++) {
        const struct mm_mpi_function *f = &report->mpi->functions[i];
        struct mm_rank_spread spread =
            mm_rank_spread(f->ranks, report->mpi->rank_count, 1);
        json_t *item = json_object();

        mm_json_set(item, "name calls inclusive_ns", f->name, (json_int_t)f->calls,
                    f->ns);
        if (has_ranks(report))
            mm_json_put(item, "ranks", spread_json(&spread, "_ns"));
        if (has_ranks(report) && report->by_rank)
            mm_json_put(
                item, "by_rank",
                by_rank_json(f->ranks, report->mpi->rank_count, 1, "inclusive_ns"));
        json_array_append_new(functions, item);
    }
    return functions;
}

static json_t *end_json(const struct report *report, int rank)
{
    const struct mm_rank_end *end = &report->ranks->ends[rank];
    int finished = mm_experiment_rank_finished(report->experiment, rank);
    json_t *json = json_object();

    mm_json_set(json, "rank finished calls open last_ns", rank, json_boolean(finished),
                (json_int_t)end->rows, (json_int_t)end->open, last_of(report, rank));
    if (!finished && *report->mpi->ends[rank].inside)
        mm_json_put(json, "inside", mm_json_escaped(report->mpi->ends[rank].inside));
    return json;
}

static json_t *ends_json(const struct report *report)
{
    json_t *ends = json_array();

    for (int rank = 0; rank < rank_count(report); rank++)
        json_array_append_new(ends, end_json(report, rank));
    return ends;
}

void mm_report_put_document(const struct report *report, json_t *document)
{
    if (report->rank >= 0)
        mm_json_put(document, "rank", json_integer(report->rank));
    if (report->experiment->has_mpi)
        mm_json_put(document, "mpi", mpi_json(report));
    if (has_ranks(report)) {
        mm_json_put(document, "rank_ends", ends_json(report));
        if (ended_first(report) >= 0)
            mm_json_put(document, "ended_first", json_integer(ended_first(report)));
    }
}

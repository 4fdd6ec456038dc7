/* SPDX-License-Identifier: BSD-3-Clause */
/* summary.c: print a sweep for people and as a document. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/cmd/cmd.h"
#include "mastermind/cmd/sweep/sweep.h"

enum { POINT_TEXT = 2000 };

static const size_t *values_of(const struct sweep *sweep, size_t point)
{
    return sweep->plan->values + point * sweep->axis_count;
}

void sweep_print_plan(const struct sweep *sweep)
{
    const struct mm_plan *plan = sweep->plan;
    char text[POINT_TEXT];

    printf("%s of %s: ", mm_counted(plan->run_count, "run"),
           mm_counted(plan->point_count, "point"));
    if (plan->is_grid)
        puts("the full grid");
    else
        printf("%zu on main lines, %zu where two axes cross; the grid has %s\n",
               plan->main_points, plan->point_count - plan->main_points,
               plan->grid_points < 1e12 ? mm_thousands((uint64_t)plan->grid_points)
                                        : mm_range_number(plan->grid_points));
    for (size_t i = 0; i < plan->run_count; i++)
        printf("%4zu  %s\n", i + 1,
               sweep_point_text(sweep, values_of(sweep, plan->runs[i].point), text,
                                sizeof text));
}

/* --- The table ---------------------------------------------------------------------- */

/* Sums over the finished runs of a point. */
struct sums {
    size_t planned, done;
    double time_s, cpu_s, wait_s, squares, seen_s, lost_s;
    uint64_t rows;
};

static struct sums sums_of(const struct sweep *sweep, size_t point)
{
    struct sums sums = {0};

    for (size_t i = 0; i < sweep->plan->run_count; i++) {
        const struct sweep_run *run = &sweep->runs[i];

        if (sweep->plan->runs[i].point != point)
            continue;
        sums.planned++;
        if (run->state != SWEEP_DONE)
            continue;
        sums.done++;
        sums.time_s += run->time_s;
        sums.cpu_s += run->cpu_s;
        sums.wait_s += run->wait_s;
        sums.seen_s += run->seen_s;
        sums.lost_s += run->lost_s;
        sums.rows = run->rows;
    }
    for (size_t i = 0; i < sweep->plan->run_count && sums.done > 1; i++) {
        const struct sweep_run *run = &sweep->runs[i];
        int is_cpu = !isnan(sums.cpu_s) && isnan(sums.wait_s);

        if (sweep->plan->runs[i].point == point && run->state == SWEEP_DONE)
            sums.squares +=
                pow((is_cpu ? run->cpu_s / sums.cpu_s : run->time_s / sums.time_s) *
                            (double)sums.done -
                        1,
                    2);
    }
    return sums;
}

static void set_seconds(char cell[MM_CELL], double seconds)
{
    mm_cell_set(cell, isfinite(seconds) ? mm_time(1e9 * seconds) : "-");
}

static void add_rows(const void *context, struct mm_table *table)
{
    const struct sweep *sweep = context;
    char counted[48],
        cells[6][MM_CELL] = {"runs", "time", "CPU", "spread", "host", "rows"};
    char text[POINT_TEXT];

    mm_table_row(table, cells, "mean of a run with");
    for (size_t p = 0; p < sweep->plan->point_count; p++) {
        struct sums sums = sums_of(sweep, p);
        double n = (double)sums.done;

        snprintf(counted, sizeof counted, sums.done < sums.planned ? "%zu of %zu" : "%zu",
                 sums.done, sums.planned);
        mm_cell_set(cells[0], counted);
        set_seconds(cells[1], sums.done ? sums.time_s / n : NAN);
        set_seconds(cells[2], sums.done ? sums.cpu_s / n : NAN);
        mm_cell_set(cells[3],
                    sums.done > 1 ? mm_percent(sqrt(sums.squares / (n - 1))) : "-");
        mm_cell_set(cells[4],
                    sums.seen_s > 0 ? mm_percent(sums.lost_s / sums.seen_s) : "-");
        mm_cell_set(cells[5], sums.done ? mm_thousands(sums.rows) : "-");
        mm_table_row(table, cells,
                     sweep_point_text(sweep, values_of(sweep, p), text, sizeof text));
    }
}

/* --- The verdict -------------------------------------------------------------------- */

static void print_repeats(const struct sweep_verdict *v)
{
    if (v->freedom)
        printf("repeats %s: equal runs%s differ by %s in %s",
               v->repeats_suffice ? "suffice" : "do not suffice",
               v->one_rank ? " on one rank" : "", mm_percent(v->spread),
               v->is_cpu   ? "CPU time"
               : v->is_own ? "own time"
                           : "time");
    else
        printf("repeats do not suffice: no two equal runs, so no interval between runs");
    if (v->least && v->freedom)
        printf(", so the mean of %zu is good to %s (95 %%)", v->least,
               mm_percent(2 * v->spread / sqrt((double)v->least)));
    if (v->wanted > SWEEP_MOST_REPEATS)
        printf("; %s needs a quiet host", mm_percent(SWEEP_BAR));
    else if (v->wanted > v->least)
        printf("; %s needs %zu", mm_percent(SWEEP_BAR), v->wanted);
    else if (v->least < SWEEP_REPEATS)
        printf("; an interval needs %d", SWEEP_REPEATS);
    putchar('\n');
}

static void print_sizes(const struct sweep *sweep, const struct sweep_verdict *v)
{
    const char *before = "sizes do not suffice: ";

    if (v->sizes_suffice) {
        puts("sizes suffice");
        return;
    }
    for (size_t a = 0; a < sweep->axis_count; a++) {
        const struct sweep_axis *axis = &sweep->axes[a];
        double next = sweep_next_number(axis);

        if (!v->is_short[a])
            continue;
        printf("%s%s has %zu", before, mm_safe(axis->name), v->sizes[a]);
        if (v->sizes[a] < axis->count)
            printf(" of %zu", axis->count);
        if (isfinite(next))
            printf(axis->parameter ? " (add a file of %.0f bytes)" : " (add %.10g)",
                   next);
        before = ", ";
    }
    printf("; a scaling function a + b x^c and a check of it need %d\n", SWEEP_SIZES);
}

static void print_host(const struct sweep_verdict *v)
{
    if (isnan(v->lost)) {
        puts("host unknown: these experiments have no readings of it");
        return;
    }
    printf("host %s: it took %s of %s", v->is_quiet ? "quiet" : "not quiet",
           mm_percent(v->lost),
           v->is_own ? "wall time, which own time is without" : "the time");
    if (v->worst_lost > SWEEP_QUIET)
        printf(", %s of run %zu", mm_percent(v->worst_lost), v->worst + 1);
    if (isfinite(v->wall_per_cpu) && !v->is_own)
        printf("; time / CPU time %.2f on one rank", v->wall_per_cpu);
    if (v->is_shared)
        printf("; equal runs differ by %s in %s, as if others shared the core",
               mm_percent(v->spread), v->is_cpu ? "CPU time" : "own time");
    puts(v->oversubscribed ? "; runs with more ranks than cores wait for each other"
                           : "");
}

static void print_advice(const struct sweep *sweep, const struct sweep_verdict *v)
{
    const char *before = " with ";

    if (!v->has_advice)
        return;
    printf("a run");
    for (size_t a = 0; a < sweep->axis_count; a++) {
        printf("%s%s=", before, mm_safe(sweep->axes[a].name));
        before = " ";
        if (a == v->extend)
            printf(sweep->axes[a].parameter ? "a file of %.0f bytes" : "%.10g",
                   sweep_next_number(&sweep->axes[a]));
        else
            printf("%s", mm_safe(sweep->axes[a].texts[v->advice.values[a]]));
    }
    if (v->extend < sweep->axis_count)
        printf(" would sharpen most: another size\n");
    else
        printf("%s would sharpen most: it takes away %s of the variance\n",
               v->advice.made ? " again" : "", mm_percent(v->advice.gain));
}

static void print_failures(const struct sweep *sweep)
{
    char text[POINT_TEXT];

    for (size_t i = 0; i < sweep->plan->run_count; i++)
        if (sweep->runs[i].state == SWEEP_FAILED)
            printf("run %zu failed: %s: %s\n", i + 1,
                   sweep_point_text(sweep, values_of(sweep, sweep->plan->runs[i].point),
                                    text, sizeof text),
                   mm_safe(sweep->runs[i].error ? sweep->runs[i].error : "-"));
}

/* Print the hosts of a shared sweep: equal runs on different machines need not cost the
 * same. */
static void print_hosts(const struct sweep *sweep)
{
    size_t count = sweep->plan->run_count, hosts = 0;
    const char *before = "runs by host: ";

    for (int pass = 0; pass < 2 && (!pass || hosts > 1); pass++)
        for (size_t i = 0; i < count; i++) {
            const char *host = sweep->runs[i].host;
            size_t same = 0, first = count;

            for (size_t k = 0; host && k < count; k++)
                if (sweep->runs[k].state == SWEEP_DONE && sweep->runs[k].host &&
                    strcmp(sweep->runs[k].host, host) == 0) {
                    same++;
                    first = k < first ? k : first;
                }
            if (first != i)
                continue;
            hosts++;
            if (pass) {
                printf("%s%s %zu", before, mm_safe(host), same);
                before = ", ";
            }
        }
    if (hosts > 1)
        putchar('\n');
}

void sweep_print(const struct sweep *sweep, const struct sweep_verdict *v)
{
    mm_table_print(6, add_rows, sweep);
    putchar('\n');
    printf("%zu of %s of %s%s, in %s\n", v->done,
           mm_counted(sweep->plan->run_count, "run"),
           mm_counted(sweep->plan->point_count, "point"),
           sweep->plan->is_grid ? " (the full grid)" : "", mm_time(1e9 * v->elapsed_s));
    print_hosts(sweep);
    print_failures(sweep);
    if (!v->done)
        return;
    print_repeats(v);
    print_sizes(sweep, v);
    if (!sweep->is_plain || !isnan(v->lost)) /* runs of other commands have no readings */
        print_host(v);
    print_advice(sweep, v);
}

/* --- The document ------------------------------------------------------------------- */

static json_t *axes_json(const struct sweep *sweep, const struct sweep_verdict *v)
{
    json_t *axes = json_array();

    for (size_t a = 0; a < sweep->axis_count; a++) {
        const struct sweep_axis *axis = &sweep->axes[a];
        json_t *item = json_object(), *values = json_array();
        double next = sweep_next_number(axis);

        mm_json_set(item, "kind name", sweep_kind_word(axis->kind), axis->name);
        for (size_t i = 0; i < axis->count; i++)
            json_array_append_new(values, json_string(axis->texts[i]));
        mm_json_set(item, "values made add", values, (json_int_t)v->sizes[a], next);
        if (axis->parameter)
            mm_json_set(item, "parameter", axis->parameter);
        json_array_append_new(axes, item);
    }
    return axes;
}

static json_t *run_json(const struct sweep *sweep, size_t at)
{
    static const char *const states[] = {"open", "done", "failed", "taken"};
    const struct sweep_run *run = &sweep->runs[at];
    json_t *item = json_object();
    char name[32];

    snprintf(name, sizeof name, "run-%03zu.mm", at + 1);
    mm_json_set(item, "experiment values repeat state", name,
                sweep_point_json(sweep, values_of(sweep, sweep->plan->runs[at].point)),
                (json_int_t)sweep->plan->runs[at].repeat + 1, states[run->state]);
    if (run->state == SWEEP_DONE) {
        mm_json_set(item, "time_s cpu_s wait_s seen_s lost_s rows", run->time_s,
                    run->cpu_s, run->wait_s, run->seen_s, run->lost_s,
                    (json_int_t)run->rows);
        if (sweep->is_plain)
            mm_json_set(item, "peak_bytes functions", run->peak_bytes,
                        json_incref(run->functions));
    }
    mm_json_set(item, "host", run->host);
    if (run->state == SWEEP_DONE || run->state == SWEEP_FAILED)
        mm_json_put(item, "elapsed_s", mm_json_finite(run->elapsed_s));
    mm_json_set(item, "error", run->error);
    if (run->failures)
        mm_json_set(item, "failures wrong", (json_int_t)run->failures,
                    (json_int_t)run->wrong);
    return item;
}

static json_t *advice_json(const struct sweep *sweep, const struct sweep_verdict *v)
{
    json_t *next = json_object(), *values = sweep_point_json(sweep, v->advice.values);
    char number[32];

    if (v->extend < sweep->axis_count) {
        snprintf(number, sizeof number, "%.10g",
                 sweep_next_number(&sweep->axes[v->extend]));
        mm_json_put(values, sweep->axes[v->extend].name, json_string(number));
    } else {
        mm_json_set(next, "made variance_share", (json_int_t)v->advice.made,
                    v->advice.gain);
    }
    mm_json_put(next, "values", values);
    return next;
}

json_t *sweep_json(const struct sweep *sweep, const struct sweep_verdict *v)
{
    json_t *document = mm_json_document("sweep"), *runs = json_array();

    mm_json_set(document, "directory axes points is_grid", sweep->dir,
                axes_json(sweep, v), (json_int_t)sweep->plan->point_count,
                json_boolean(sweep->plan->is_grid));
    for (size_t i = 0; i < sweep->plan->run_count; i++)
        json_array_append_new(runs, run_json(sweep, i));
    mm_json_set(document, "runs elapsed_s spread_of spread", runs, v->elapsed_s,
                v->is_cpu ? "CPU_TIME" : "TIME", v->spread);
    if (v->wanted)
        mm_json_put(document, "repeats_wanted", json_integer((json_int_t)v->wanted));
    mm_json_set(document, "repeats_suffice sizes_suffice host_share",
                json_boolean(v->repeats_suffice), json_boolean(v->sizes_suffice),
                v->lost);
    if (isfinite(v->lost))
        mm_json_put(document, "host_quiet", json_boolean(v->is_quiet));
    mm_json_put(document, "wall_per_cpu", mm_json_finite(v->wall_per_cpu));
    if (v->has_advice)
        mm_json_put(document, "next", advice_json(sweep, v));
    return document;
}

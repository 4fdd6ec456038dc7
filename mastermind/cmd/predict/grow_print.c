/* SPDX-License-Identifier: BSD-3-Clause */
/* grow_print.c: the results of grow as a table, as lines for Slurm, and as a document. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/cmd/predict/grow.h"

#define MIB 1048576.
#define SMALL .001 /* a function with a smaller share has no line */
/* Where the sum of the functions' predictions differs by more from the total's, both are
 * printed. */
#define APART .1

/* --- Table -------------------------------------------------------------------------- */

static void add_measured(const struct grow *grow, struct mm_table *table)
{
    for (size_t i = 0; i < grow_axis(grow)->count; i++) {
        const struct grow_size *size = &grow->sizes[i];
        char cells[MM_TABLE_COLUMNS][MM_CELL] = {{0}}, name[100] = "no run finished";

        mm_cell_set(cells[0], mm_safe(size->text));
        mm_cell_set(cells[1], size->runs ? mm_time(1e9 * size->time_s) : "-");
        mm_cell_set(cells[2], size->peak_bytes > 0 ? mm_bytes(size->peak_bytes) : "-");
        if (size->runs > 1)
            snprintf(name, sizeof name, "%s, which differ by %s",
                     mm_counted(size->runs, "run"), mm_percent(size->spread));
        else if (size->runs)
            snprintf(name, sizeof name, "1 run");
        mm_table_row(table, cells, name);
    }
}

static void interval_text(const struct grow_total *total, const char *(*text)(double),
                          char interval[80])
{
    char low[40];

    snprintf(low, sizeof low, "%s", text(total->low));
    if (isfinite(total->low))
        snprintf(interval, 80, "%s to %s", low, text(total->high));
    else
        snprintf(interval, 80, "unknown");
}

static void add_predicted(const struct grow *grow, struct mm_table *table)
{
    for (size_t i = 0; i < grow->at_count; i++) {
        const struct grow_total *time = &grow->time[i], *peak = &grow->peak[i];
        char cells[MM_TABLE_COLUMNS][MM_CELL] = {{0}}, name[200], interval[2][80];

        mm_cell_set(cells[0], mm_safe(grow->at[i]));
        mm_cell_set(cells[1], isfinite(time->value) ? mm_time(time->value) : "?");
        mm_cell_set(cells[2], isfinite(peak->value) ? mm_bytes(peak->value) : "-");
        interval_text(time, mm_time, interval[0]);
        interval_text(peak, mm_bytes, interval[1]);
        snprintf(name, sizeof name, "predicted, 90 %%: %s%s%s", interval[0],
                 isfinite(peak->value) ? "; " : "",
                 isfinite(peak->value) ? interval[1] : "");
        mm_table_row(table, cells, name);
    }
}

static void add_rows(const void *context, struct mm_table *table)
{
    const struct grow *grow = context;
    char cells[MM_TABLE_COLUMNS][MM_CELL] = {"", "CPU time", "peak"};

    mm_cell_set(cells[0], mm_safe(sweep_axis_parameter(grow_axis(grow))));
    mm_table_row(table, cells, "");
    add_measured(grow, table);
    add_predicted(grow, table);
}

/* --- Functions ---------------------------------------------------------------------- */

static void add_functions(const void *context, struct mm_table *table)
{
    const struct grow *grow = context;
    size_t last = grow->at_count - 1;
    char cells[MM_TABLE_COLUMNS][MM_CELL] = {{0}}, name[700];

    mm_cell_set(cells[0], mm_safe(grow->sizes[grow_axis(grow)->count - 1].text));
    mm_cell_set(cells[1], mm_safe(grow->at[last]));
    mm_table_row(table, cells, "of the CPU time by function");
    for (size_t i = 0; i < grow->function_count; i++) {
        const struct grow_function *function = &grow->functions[i];
        char formula[400] = "";

        if (!(function->share >= SMALL) && !(function->share_at[last] >= SMALL))
            continue;
        mm_cell_set(cells[0], mm_percent(function->share));
        mm_cell_set(cells[1], isfinite(function->share_at[last])
                                  ? mm_percent(function->share_at[last])
                                  : "-");
        if (function->has_model)
            mm_model_print(&function->model, formula, sizeof formula);
        snprintf(name, sizeof name, "%-24.60s  %.400s", mm_safe(function->name),
                 mm_safe(formula));
        mm_table_row(table, cells, name);
    }
}

enum { MOST_REPEATS = 20 }; /* more runs of a size are no useful advice */

/* --- Slurm -------------------------------------------------------------------------- */

int grow_slurm(const struct grow *grow, size_t at, char text[80])
{
    double seconds = ceil(1e-9 * grow->time[at].high * fmax(grow_wall_per_cpu(grow), 1)),
           mebibytes = ceil(grow->peak[at].high / MIB);
    unsigned long minutes;

    if (!(seconds < 1e9) || !(mebibytes < 1e12))
        return -1;
    minutes = (unsigned long)seconds / 60 + 1;
    snprintf(text, 80, "--time=%lu:%02lu:00 --mem=%.0fM", minutes / 60, minutes % 60,
             mebibytes);
    return 0;
}

static void print_slurm(const struct grow *grow)
{
    char text[80];

    for (size_t i = 0; i < grow->at_count; i++)
        if (!grow_slurm(grow, i, text))
            printf("#SBATCH %s    %s=%s, upper ends of the intervals\n", text,
                   mm_safe(sweep_axis_parameter(grow_axis(grow))), mm_safe(grow->at[i]));
}

/* --- All ---------------------------------------------------------------------------- */

static void print_laws(const struct grow *grow)
{
    if (*grow->law)
        printf("CPU time     %s\n", mm_safe(grow->law));
    if (*grow->peak_law)
        printf("peak bytes   %s\n", mm_safe(grow->peak_law));
}

/* Print the difference between equal runs, and the step that makes the intervals
 * narrower: more runs where a few are enough, else a size between the measured ones and
 * those asked for.
 */
static void print_spread(const struct grow *grow)
{
    const struct sweep_verdict *v = &grow->verdict;
    const double *x = grow_axis(grow)->numbers + grow_axis(grow)->count;
    double next = x[-1] * x[-1] / x[-2], most = 0;
    double step = pow(10, floor(log10(next)) - 1);

    for (size_t i = 0; i < grow->at_count; i++)
        most = fmax(most, strtod(grow->at[i], NULL));
    next = round(next / step) * step;
    printf("equal runs differ by %s in CPU time", mm_percent(v->spread));
    if (v->wanted > grow->sweep.repeats && v->wanted <= MOST_REPEATS)
        printf(": --repeat %zu makes the intervals narrower\n", v->wanted);
    else if (v->sizes_suffice && next > x[-1] && next < most)
        printf(": runs of %s=%.10g, too, make the intervals narrower\n",
               mm_safe(grow_axis(grow)->name), next);
    else
        puts(": on a quieter machine the intervals are narrower");
}

static void print_weak(const struct grow *grow)
{
    const struct sweep_axis *axis = grow_axis(grow);
    const struct sweep_verdict *v = &grow->verdict;
    double next = sweep_next_number(axis);

    for (size_t i = 0; i < grow->at_count; i++)
        if (*grow->time[i].why)
            printf("%s=%s: %s\n", mm_safe(sweep_axis_parameter(axis)),
                   mm_safe(grow->at[i]), mm_safe(grow->time[i].why));
    if (!v->sizes_suffice && isfinite(next))
        printf(
            "%s has %zu sizes: add %.10g, as a scaling function and a check of it need "
            "%d\n",
            mm_safe(sweep_axis_parameter(axis)), v->sizes[0], next, SWEEP_SIZES);
    if (!v->repeats_suffice && isfinite(v->spread))
        print_spread(grow);
}

/* Report where the functions, added up, would give another total: the second of two
 * answers from the same runs. */
static void print_sums(const struct grow *grow)
{
    for (size_t i = 0; i < grow->at_count; i++)
        if (fabs(grow->sum_ns[i] / grow->time[i].value - 1) > APART)
            printf("%s=%s: the functions' scaling functions add up to %s\n",
                   mm_safe(sweep_axis_parameter(grow_axis(grow))), mm_safe(grow->at[i]),
                   mm_time(grow->sum_ns[i]));
}

void grow_print(const struct grow *grow)
{
    mm_table_print(3, add_rows, grow);
    putchar('\n');
    print_laws(grow);
    if (grow->function_count) {
        putchar('\n');
        mm_table_print(2, add_functions, grow);
        print_sums(grow);
    } else if (grow->sweep.is_plain) {
        puts("no function: the runs were not sampled, or are too short for it");
    }
    putchar('\n');
    print_slurm(grow);
    print_weak(grow);
    mm_print_notes(&grow->notes);
    printf("%s in %s are kept: 'mastermind predict %s --set %s=%s' has the reasons\n",
           mm_counted(grow->verdict.done, "run"), mm_safe(grow->sweep.dir),
           mm_safe(grow->sweep.dir), mm_safe(sweep_axis_parameter(grow_axis(grow))),
           mm_safe(grow->at[0]));
}

/* --- The document ------------------------------------------------------------------- */

static json_t *total_json(const struct grow_total *total, double unit)
{
    json_t *object = mm_json_object("value low high", total->value * unit,
                                    total->low * unit, total->high * unit);

    if (*total->why)
        mm_json_set(object, "why", total->why);
    return object;
}

static json_t *predictions_json(const struct grow *grow)
{
    json_t *list = json_array();

    for (size_t i = 0; i < grow->at_count; i++) {
        json_t *item =
            mm_json_object("value cpu_s functions_s", grow->at[i],
                           total_json(&grow->time[i], 1e-9), 1e-9 * grow->sum_ns[i]);
        char text[80];

        if (grow->sweep.is_plain)
            mm_json_put(item, "peak_bytes", total_json(&grow->peak[i], 1));
        if (!grow_slurm(grow, i, text))
            mm_json_set(item, "slurm", text);
        json_array_append_new(list, item);
    }
    return list;
}

static json_t *functions_json(const struct grow *grow)
{
    json_t *list = json_array();

    for (size_t i = 0; i < grow->function_count; i++) {
        const struct grow_function *function = &grow->functions[i];
        json_t *shares = json_array(),
               *item = mm_json_object("name share", function->name, function->share);
        char formula[400];

        for (size_t k = 0; k < grow->at_count && function->has_model; k++)
            json_array_append_new(shares, json_real(function->share_at[k]));
        mm_json_put(item, "share_at", shares);
        if (function->has_model) {
            mm_model_print(&function->model, formula, sizeof formula);
            mm_json_set(item, "formula growth", formula,
                        mm_model_growth(&function->model, 0));
        }
        json_array_append_new(list, item);
    }
    return list;
}

json_t *grow_json(const struct grow *grow)
{
    json_t *document = mm_json_document("grow"), *sizes = json_array();

    for (size_t i = 0; i < grow_axis(grow)->count; i++) {
        const struct grow_size *size = &grow->sizes[i];

        json_array_append_new(
            sizes,
            mm_json_object("value runs cpu_s spread elapsed_s peak_bytes", size->text,
                           (json_int_t)size->runs, size->time_s, size->spread,
                           size->wall_s, size->peak_bytes > 0 ? size->peak_bytes : NAN));
    }
    mm_json_set(document, "directory parameter sizes", grow->sweep.dir,
                sweep_axis_parameter(grow_axis(grow)), sizes);
    if (*grow->law)
        mm_json_set(document, "law", grow->law);
    if (*grow->peak_law)
        mm_json_set(document, "peak_law", grow->peak_law);
    mm_json_set(
        document, "predictions functions spread repeats_suffice sizes_suffice notes",
        predictions_json(grow), functions_json(grow), grow->verdict.spread,
        json_boolean(grow->verdict.repeats_suffice),
        json_boolean(grow->verdict.sizes_suffice), mm_json_notes(&grow->notes, NULL));
    return document;
}

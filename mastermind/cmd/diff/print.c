/* SPDX-License-Identifier: BSD-3-Clause */
/* print.c: a comparison as a table and sentences, or as a document. */
#include <math.h>
#include <string.h>

#include "mastermind/cmd/diff/diff_verb.h"

static const char *const part_names[] = {"calls", "sizes", "dearer", "rare", "all"};
static const char *const verdict_names[] = {"same", "worse", "better", "open"};
static const char *const whole_keys[MM_DIFF_WHOLES] = {"cpu", "rest", "memory"};
static const char *const whole_names[MM_DIFF_WHOLES] = {
    "the program's CPU time", "the rest: own code, and unrecorded functions",
    "peak memory"};

static int is_time(const struct mm_diff_verb *verb)
{
    return strcmp(mm_metric_unit(&verb->input.metric), "ns") == 0;
}

/* --- Document ------------------------------------------------------------- */

static json_t *amount_json(const struct mm_diff_amount *amount, int has_verdict)
{
    json_t *object = json_object();

    mm_json_set(object, "change low high", amount->ns, amount->low, amount->high);
    if (has_verdict)
        mm_json_set(object, "p exact verdict", amount->p, json_boolean(amount->exact),
                    verdict_names[amount->verdict]);
    return object;
}

static json_t *parts_json(const struct mm_diff_amount *amounts, int methods)
{
    json_t *parts = json_object();

    for (int i = 0; i < MM_DIFF_PARTS; i++)
        mm_json_put(
            parts, part_names[i],
            amount_json(&amounts[i], methods ? i < MM_DIFF_RARE : i == MM_DIFF_ALL));
    return parts;
}

static json_t *method_json(const struct mm_diff_method *method)
{
    json_t *object = json_object();

    mm_json_put(object, "name", mm_json_escaped(method->table->name));
    for (int side = 0; side < 2; side++)
        if (method->table->class[side])
            mm_json_put(object, side ? "class_b" : "class_a",
                        mm_json_escaped(method->table->class[side]));
    mm_json_set(object,
                "a b calls_a calls_b parts dearer dearer_low dearer_high by_model tested",
                method->ns[0], method->ns[1], method->calls[0], method->calls[1],
                parts_json(method->part, 1), method->dearer, method->dearer_low,
                method->dearer_high, json_boolean(method->by_model),
                json_boolean(method->tested));
    mm_json_set(object, "shape verdict", json_boolean(method->shape),
                verdict_names[method->verdict]);
    return object;
}

static json_t *total_json(const struct mm_diff_total *total)
{
    json_t *object = amount_json(&total->amount, 1);

    mm_json_set(object, "a b", total->mean[0], total->mean[1]);
    return object;
}

json_t *mm_diff_methods_json(const struct mm_diff_verb *verb)
{
    json_t *methods = json_array();

    for (size_t i = 0; i < verb->diff.count; i++)
        json_array_append_new(methods, method_json(&verb->diff.methods[i]));
    return methods;
}

static int print_json(const struct mm_diff_verb *verb)
{
    const struct mm_diff *diff = &verb->diff;
    json_t *document = mm_json_document("diff");
    int status;

    mm_json_set(document,
                "metric unit runs_a runs_b threshold share same questions splits serial",
                verb->metric, mm_metric_unit(&verb->input.metric),
                (json_int_t)diff->runs[0], (json_int_t)diff->runs[1],
                verb->limits.threshold, verb->limits.share, verb->limits.same,
                (json_int_t)diff->questions, (json_int_t)diff->splits, diff->serial);
    mm_json_set(document, "a b parts verdict shape", diff->ns[0], diff->ns[1],
                parts_json(diff->part, 0), verdict_names[diff->verdict],
                json_boolean(diff->shape));
    for (int i = 0; i < MM_DIFF_WHOLES; i++)
        if (diff->whole[i].known)
            mm_json_put(document, whole_keys[i], total_json(&diff->whole[i]));
    mm_json_put(document, "methods", mm_diff_methods_json(verb));
    status = mm_json_print(document);
    return status ? status : diff->verdict == MM_DIFF_WORSE ? MM_EXIT_NO : MM_EXIT_DONE;
}

/* --- Table ---------------------------------------------------------------- */

enum { A, B, ALL, CALLS, SIZES, DEARER, RARE, RELATIVE, CELLS };

static void set_signed(char cell[MM_CELL], double value, double least)
{
    if (isnan(value) || fabs(value) < least)
        snprintf(cell, MM_CELL, "0");
    else
        snprintf(cell, MM_CELL, "%s%.30s", value < 0 ? "-" : "+", mm_amount(fabs(value)));
}

static void fill(char cells[][MM_CELL], const struct mm_diff_verb *verb,
                 const double ns[2], const struct mm_diff_amount *part, double dearer)
{
    double unit = is_time(verb) ? 1e6 : 1, least = 1e-5 * fmax(ns[0], ns[1]) / unit;

    memset(cells, 0, CELLS * sizeof *cells);
    mm_cell_set(cells[A], mm_amount(ns[0] / unit));
    mm_cell_set(cells[B], mm_amount(ns[1] / unit));
    set_signed(cells[ALL], part[MM_DIFF_ALL].ns / unit, least);
    set_signed(cells[CALLS], part[MM_DIFF_CALLS].ns / unit, least);
    set_signed(cells[SIZES], part[MM_DIFF_SIZES].ns / unit, least);
    set_signed(cells[DEARER], part[MM_DIFF_DEARER].ns / unit, least);
    set_signed(cells[RARE], part[MM_DIFF_RARE].ns / unit, least);
    if (!isnan(dearer))
        snprintf(cells[RELATIVE], MM_CELL, "%+.1f", 100 * dearer);
}

static void total_row(struct mm_table *table, const struct mm_diff_total *total,
                      const char *name)
{
    char cells[CELLS][MM_CELL] = {{0}};

    if (!total->known)
        return;
    mm_cell_set(cells[A], mm_amount(1e-6 * total->mean[0]));
    mm_cell_set(cells[B], mm_amount(1e-6 * total->mean[1]));
    set_signed(cells[ALL], 1e-6 * total->amount.ns,
               1e-11 * fmax(total->mean[0], total->mean[1]));
    mm_table_row(table, cells, name);
}

static void rows(const void *context, struct mm_table *table)
{
    const struct mm_diff_verb *verb = context;
    const struct mm_diff *diff = &verb->diff;
    char heads[][MM_CELL] = {"A ms",  "B ms", "change", "calls",
                             "sizes", "cost", "rare",   "cost %"};
    char cells[CELLS][MM_CELL], name[200];
    double left[2] = {0, 0};
    struct mm_diff_amount others[MM_DIFF_PARTS] = {{0}};
    size_t skipped = 0;

    if (!is_time(verb)) {
        mm_cell_set(heads[A], "A");
        mm_cell_set(heads[B], "B");
    }
    mm_table_row(table, heads, "name");
    for (size_t i = 0; i < diff->count; i++) {
        const struct mm_diff_method *method = &diff->methods[i];

        if (i >= verb->top && !mm_diff_is_change(method->verdict)) {
            skipped++;
            for (int side = 0; side < 2; side++)
                left[side] += method->ns[side];
            for (int k = 0; k < MM_DIFF_PARTS; k++)
                others[k].ns += method->part[k].ns;
            continue;
        }
        fill(cells, verb, method->ns, method->part, method->dearer);
        mm_table_row(table, cells, method->table->name);
    }
    if (skipped) {
        fill(cells, verb, left, others, NAN);
        snprintf(name, sizeof name, "%s that changed less",
                 mm_counted(skipped, "method"));
        mm_table_row(table, cells, name);
    }
    fill(cells, verb, diff->ns, diff->part, NAN);
    mm_table_row(table, cells, mm_counted(diff->count, "method"));
}

static void rows_and_totals(const void *context, struct mm_table *table)
{
    const struct mm_diff_verb *verb = context;
    const struct mm_diff_total *whole = verb->diff.whole;

    rows(context, table);
    total_row(table, &whole[MM_DIFF_REST], whole_names[MM_DIFF_REST]);
    total_row(table, &whole[MM_DIFF_CPU], whole_names[MM_DIFF_CPU]);
}

/* --- Sentences ------------------------------------------------------------ */

static const char *cost_of(const struct mm_diff_verb *verb, double value)
{
    return mm_cost(&verb->input.metric, value);
}

static void print_chance(const struct mm_diff_amount *amount)
{
    if (amount->exact)
        puts("   no chance: all runs of a side agree");
    else
        printf("   p = %.2g\n", fmax(amount->p, 1e-4));
}

void mm_diff_part_text(const struct mm_diff_method *method, enum mm_diff_part part,
                       char text[160])
{
    if (part == MM_DIFF_CALLS) {
        size_t length = (size_t)snprintf(text, 160, "%s calls where there were ",
                                         mm_amount(method->calls[1]));

        snprintf(text + length, 160 - length, "%s", mm_amount(method->calls[0]));
    } else if (part == MM_DIFF_SIZES) {
        snprintf(text, 160, "%s parameters",
                 method->part[part].ns < 0 ? "smaller" : "larger");
    } else {
        snprintf(text, 160, "%.1f %% %s at equal parameters (95 %%: %.1f to %.1f)%s",
                 100 * fabs(method->dearer), method->dearer < 0 ? "cheaper" : "costlier",
                 100 * (method->dearer < 0 ? -method->dearer_high : method->dearer_low),
                 100 * (method->dearer < 0 ? -method->dearer_low : method->dearer_high),
                 method->by_model ? ", by A's model" : "");
    }
}

static void print_part(const struct mm_diff_verb *verb,
                       const struct mm_diff_method *method, enum mm_diff_part part)
{
    const struct mm_diff_amount *amount = &method->part[part];
    const char *sign = amount->ns < 0 ? "-" : "+";
    char text[160];

    if (!mm_diff_is_change(amount->verdict))
        return;
    printf("%-6s %s: ", method->shape ? "shape" : verdict_names[amount->verdict],
           mm_safe(method->table->name));
    mm_diff_part_text(method, part, text);
    fputs(text, stdout);
    printf(", %s%s", sign, cost_of(verb, fabs(amount->ns)));
    print_chance(amount);
}

/* Print the answer about a total: "worse  NAME: 14 ms to 283 ms, +1900 % (...)". */
static void print_total(const char *name, const double mean[2],
                        const struct mm_diff_amount *amount,
                        const char *(*text)(const struct mm_diff_verb *, double),
                        const struct mm_diff_verb *verb)
{
    double a = mean[0];

    printf("%-6s %s: %s to ",
           amount->verdict == MM_DIFF_OPEN ? "undecided" : verdict_names[amount->verdict],
           name, text(verb, a));
    printf("%s", text(verb, mean[1]));
    if (a > 0)
        printf(", %+.1f %%", 100 * amount->ns / a);
    if (!isnan(amount->low) && a > 0)
        printf(" (95 %%: %+.1f to %+.1f)", 100 * amount->low / a, 100 * amount->high / a);
    putchar('\n');
}

static const char *bytes_of(const struct mm_diff_verb *verb, double value)
{
    (void)verb;
    return mm_bytes(value);
}

static const char *time_of(const struct mm_diff_verb *verb, double value)
{
    (void)verb;
    return mm_time(value);
}

/* Totals in the order in which they decide: a cost of the whole program, or all methods
 * together. */
enum { METHODS = MM_DIFF_WHOLES, TOTALS };
static const int totals[TOTALS] = {MM_DIFF_CPU, METHODS, MM_DIFF_MEMORY, MM_DIFF_REST};

static const struct mm_diff_amount *total_amount(const struct mm_diff *diff, int total)
{
    return total == METHODS ? &diff->part[MM_DIFF_ALL] : &diff->whole[total].amount;
}

static int is_known(const struct mm_diff *diff, int total)
{
    return total == METHODS ? diff->count > 0 : diff->whole[total].known;
}

/* Return the total that has the verdict of the whole comparison; -1: changed methods have
 * it. */
static int decisive_total(const struct mm_diff *diff)
{
    for (int i = 0; i < TOTALS; i++)
        if (is_known(diff, totals[i]) &&
            total_amount(diff, totals[i])->verdict == diff->verdict)
            return totals[i];
    return -1;
}

static void print_any_total(const struct mm_diff_verb *verb, int total)
{
    const struct mm_diff *diff = &verb->diff;

    if (total == METHODS)
        print_total("all methods together", diff->ns, total_amount(diff, total), cost_of,
                    verb);
    else
        print_total(whole_names[total], diff->whole[total].mean,
                    total_amount(diff, total),
                    total == MM_DIFF_MEMORY ? bytes_of : time_of, verb);
}

/* Print the totals; the last line is the verdict of the whole comparison. */
static void print_totals(const struct mm_diff_verb *verb)
{
    const struct mm_diff *diff = &verb->diff;
    int decisive = decisive_total(diff);

    for (int i = TOTALS - 1; i >= 0; i--) {
        int is_said = totals[i] == METHODS || totals[i] == MM_DIFF_CPU ||
                      mm_diff_is_change(total_amount(diff, totals[i])->verdict);

        if (totals[i] != decisive && is_said && is_known(diff, totals[i]))
            print_any_total(verb, totals[i]);
    }
    if (diff->shape && diff->verdict != MM_DIFF_WORSE)
        puts("the shape changed, the total did not: no verdict");
    if (decisive >= 0)
        print_any_total(verb, decisive);
    else
        printf("worse  the changes named above, together: +%s\n",
               cost_of(verb, diff->found_ns));
}

static void print_notes(const struct mm_diff_verb *verb)
{
    const struct mm_diff *diff = &verb->diff;
    size_t small = 0;
    char questions[40];

    snprintf(questions, sizeof questions, "%zu question%s", diff->questions,
             diff->questions == 1 ? " has" : "s share");
    for (size_t i = 0; i < diff->count; i++)
        small += !diff->methods[i].tested;
    if (!mm_diff_has_repeats(diff)) {
        puts("no verdict: fewer than two runs a side, so that change cannot be separated "
             "from chance");
        return;
    }
    printf("%s an error of 5 %%%s; changes below %.3g %% of a method do "
           "not "
           "matter",
           questions, diff->splits ? "" : " (few runs: by Bonferroni)",
           100 * verb->limits.threshold);
    if (small)
        printf(",\nnor do %s below %.3g %% of the run", mm_counted(small, "method"),
               100 * verb->limits.share);
    putchar('\n');
    if (diff->verdict == MM_DIFF_OPEN)
        printf("undecided: the interval is not within %.3g %%; more runs a side, by "
               "turns, make it narrower\n",
               100 * verb->limits.same);
    if (diff->serial > 1.05)
        puts("the sides were not run by turns: a change of the host looks like a change "
             "of the program;\nso stronger evidence is required");
    for (size_t i = 0; i < verb->input.count; i++)
        if (strcmp(verb->metric, "WALL_TIME") == 0 ||
            (strcmp(verb->metric, "TIME") == 0 &&
             !verb->input.experiments[i]->has_losses)) {
            puts("this is wall time, which includes disturbances by the host");
            break;
        }
}

void mm_diff_print_methods(const struct mm_diff_verb *verb, int has_totals)
{
    const struct mm_diff *diff = &verb->diff;

    mm_table_print(CELLS, has_totals ? rows_and_totals : rows, verb);
    putchar('\n');
    for (size_t i = 0; i < diff->count; i++)
        for (int part = 0; part < MM_DIFF_RARE; part++)
            print_part(verb, &diff->methods[i], (enum mm_diff_part)part);
}

int mm_diff_print(const struct mm_diff_verb *verb)
{
    const struct mm_diff *diff = &verb->diff;

    if (verb->json)
        return print_json(verb);
    printf("A: %s, B: %s; %s of a run, in the mean\n", mm_counted(diff->runs[0], "run"),
           mm_counted(diff->runs[1], "run"), mm_safe(verb->metric));
    mm_diff_print_methods(verb, 1);
    print_notes(verb);
    if (mm_diff_has_repeats(diff))
        print_totals(verb);
    return mm_finish_output(diff->verdict == MM_DIFF_WORSE ? MM_EXIT_NO : MM_EXIT_DONE);
}

/* --- Series --------------------------------------------------------------- */

/* The name of the cost that changed. */
static const char *changed_name(const struct mm_diff_change *change)
{
    if (change->total < 0)
        return mm_safe(change->table->name);
    return change->total < MM_DIFF_WHOLES ? whole_names[change->total]
                                          : "all methods together";
}

static const char *changed_part(const struct mm_diff_change *change)
{
    int is_less = change->relative < 0;

    switch (change->part) {
    case MM_DIFF_CALLS:
        return is_less ? "fewer calls, " : "more calls, ";
    case MM_DIFF_SIZES:
        return is_less ? "smaller parameters, " : "larger parameters, ";
    case MM_DIFF_DEARER:
        return is_less ? "cheaper at equal parameters, "
                       : "costlier at equal parameters, ";
    default:
        return "";
    }
}

static json_t *change_json(const struct mm_diff_verb *verb,
                           const struct mm_diff_change *change)
{
    json_t *object = mm_json_object(
        "run experiment part relative p shape", (json_int_t)change->run + 1,
        verb->input.experiments[change->run]->name, part_names[change->part],
        change->relative, change->p, json_boolean(change->shape));

    mm_json_set(object, "verdict", verdict_names[change->verdict]);
    if (change->table) {
        mm_json_put(object, "name", mm_json_escaped(change->table->name));
        return object;
    }
    mm_json_set(object, "total a b",
                change->total < MM_DIFF_WHOLES ? whole_keys[change->total] : "methods",
                change->mean[0], change->mean[1]);
    return object;
}

static int series_status(const struct mm_diff_verb *verb)
{
    return mm_diff_series_verdict(verb->changes, verb->change_count) == MM_DIFF_WORSE
               ? MM_EXIT_NO
               : MM_EXIT_DONE;
}

static int print_series_json(const struct mm_diff_verb *verb)
{
    json_t *document = mm_json_document("diff-series"), *changes = json_array();
    int status;

    mm_json_set(document, "metric runs verdict", verb->metric,
                (json_int_t)verb->tables.runs[0],
                verdict_names[mm_diff_series_verdict(verb->changes, verb->change_count)]);
    for (size_t i = 0; i < verb->change_count; i++)
        json_array_append_new(changes, change_json(verb, &verb->changes[i]));
    mm_json_put(document, "changes", changes);
    status = mm_json_print(document);
    return status ? status : series_status(verb);
}

/* Print a change: "the program's CPU time: 14 ms to 283 ms, x 20". */
static void print_what(const struct mm_diff_verb *verb,
                       const struct mm_diff_change *change)
{
    const char *(*text)(const struct mm_diff_verb *, double) =
        change->total == MM_DIFF_MEMORY  ? bytes_of
        : change->total < MM_DIFF_WHOLES ? time_of
                                         : cost_of;

    printf("%s: ", changed_name(change));
    if (change->total >= 0 && !isnan(change->mean[0])) {
        printf("%s to ", text(verb, change->mean[0]));
        printf("%s, ", text(verb, change->mean[1]));
    }
    if (isinf(change->relative))
        fputs(change->total < 0 ? "called, and never before" : "new", stdout);
    else if (change->relative == -1)
        fputs(change->total < 0 ? "no longer called" : "gone", stdout);
    else
        printf("%s%+.1f %%", changed_part(change), 100 * change->relative);
}

/* Return the change that has the verdict of the series: the last one of the program's CPU
 * time, else the last one. */
static const struct mm_diff_change *decisive_change(const struct mm_diff_verb *verb)
{
    enum mm_diff_verdict verdict =
        mm_diff_series_verdict(verb->changes, verb->change_count);
    const struct mm_diff_change *found = NULL;

    for (size_t i = 0; i < verb->change_count; i++) {
        const struct mm_diff_change *change = &verb->changes[i];

        if (change->verdict == verdict &&
            (!found || found->total != MM_DIFF_CPU || change->total == MM_DIFF_CPU))
            found = change;
    }
    return found;
}

static const char *run_name(const struct mm_diff_verb *verb,
                            const struct mm_diff_change *change)
{
    return mm_safe(verb->input.experiments[change->run]->name);
}

/* Print the verdict of the series, the last line. */
static void print_series_verdict(const struct mm_diff_verb *verb)
{
    const struct mm_diff_change *change = decisive_change(verb);
    size_t runs = verb->tables.runs[0];

    if (!verb->change_count) {
        printf("no change in %s that matters%s\n", mm_counted(runs, "run"),
               runs < 6 ? "; six runs are the least that can show one" : "");
        return;
    }
    if (change->shape) {
        puts("the shape changed, the total did not: no verdict");
        return;
    }
    printf("%-6s from run %zu of %zu on, %s: ", verdict_names[change->verdict],
           change->run + 1, runs, run_name(verb, change));
    print_what(verb, change);
    putchar('\n');
}

int mm_diff_print_series(const struct mm_diff_verb *verb)
{
    if (verb->json)
        return print_series_json(verb);
    for (size_t i = 0; i < verb->change_count; i++) {
        const struct mm_diff_change *change = &verb->changes[i];

        printf("%-6s run %zu, %s: ",
               change->shape ? "shape" : verdict_names[change->verdict], change->run + 1,
               run_name(verb, change));
        print_what(verb, change);
        printf("   p = %.2g\n", fmax(change->p, 1e-4));
    }
    print_series_verdict(verb);
    return mm_finish_output(series_status(verb));
}

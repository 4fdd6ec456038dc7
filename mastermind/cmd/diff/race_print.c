/* SPDX-License-Identifier: BSD-3-Clause */
/* race_print.c: a race as a table and sentences, as a document, as a summary in Markdown,
 * and as a JUnit file. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "common/xml.h"
#include "mastermind/cmd/diff/race.h"

enum { MOST_FUNCTIONS = 8 };

static const char *const verdict_names[] = {"open", "same", "worse", "better"};
static const char *const cost_names[] = {"CPU time", "peak memory"};

static const char *amount_of(int cost, double value)
{
    return cost == RACE_CPU ? mm_time(1e9 * value) : mm_bytes(value);
}

const char *race_change_text(double relative, char text[32])
{
    if (relative >= 1)
        snprintf(text, 32, "x %.3g", 1 + relative);
    else
        snprintf(text, 32, "%+.1f %%", 100 * relative);
    return text;
}

/* "+2.1 % to +8.0 %", or "unknown: too few pairs". */
static const char *interval_text(const struct race_change *change, char text[80])
{
    char low[32], high[32];

    if (isinf(change->high))
        snprintf(text, 80, "unknown: too few pairs");
    else
        snprintf(text, 80, "%s to %s", race_change_text(change->low, low),
                 race_change_text(change->high, high));
    return text;
}

/* --- Sentences ---------------------------------------------------------------------- */

/* "12 pairs", "5 and 5 runs" */
static void amount_of_runs(const struct race *race, char text[60])
{
    if (race->is_of_experiments)
        snprintf(text, 60, "%zu and %zu runs", race->why.diff.runs[RACE_A],
                 race->why.diff.runs[RACE_B]);
    else
        snprintf(text, 60, "%s", mm_counted(race->pairs, "pair"));
}

/* The answer about one cost, without a newline. */
static void verdict_text(const struct race *race, int cost, char text[240])
{
    const struct race_change *change = &race->change[cost];
    char size[32], interval[80], runs[60];

    interval_text(change, interval);
    race_change_text(change->relative, size);
    amount_of_runs(race, runs);
    if (change->verdict == RACE_OPEN)
        snprintf(text, 240, "undecided: %s of B is %s (95 %%: %s) after %s",
                 cost_names[cost], size, interval, runs);
    else if (change->verdict == RACE_SAME)
        snprintf(text, 240, "same: %s changed by less than %.3g %% (%s; 95 %%: %s)",
                 cost_names[cost], 100 * race->same_change, size, interval);
    else
        snprintf(text, 240, "%s: %s of B is %s (95 %%: %s)",
                 verdict_names[change->verdict], cost_names[cost], size, interval);
}

/* The answer about recorded functions, where it alone is worse. */
static void functions_text(const struct race *race, char text[240])
{
    snprintf(text, 240, "worse: the changed functions of B, together: +%s",
             mm_time(race->why.diff.found_ns));
}

/* 1: recorded functions changed, but their sum, and the total, did not. */
static int is_shape(const struct race *race)
{
    return race->has_why && race_verdict(race) != RACE_WORSE &&
           race->change[RACE_CPU].verdict < RACE_WORSE &&
           (race->why.diff.shape || race->why.diff.verdict == MM_DIFF_WORSE);
}

static size_t changed_functions(const struct race *race)
{
    size_t count = 0;

    for (size_t i = 0; i < race->function_count; i++)
        count += race_is_changed(race, &race->functions[i]);
    return count;
}

/* Indices of the changed functions to print, at most MOST_FUNCTIONS. */
static size_t shown_functions(const struct race *race, size_t shown[MOST_FUNCTIONS])
{
    size_t count = 0;

    for (size_t i = 0; i < race->function_count && count < MOST_FUNCTIONS; i++)
        if (race_is_changed(race, &race->functions[i]))
            shown[count++] = i;
    return count;
}

/* --- Table -------------------------------------------------------------------------- */

static void cost_rows(const void *context, struct mm_table *table)
{
    const struct race *race = context;
    char cells[MM_TABLE_COLUMNS][MM_CELL] = {"A", "B", "change"}, text[80], name[160];
    double wall[RACE_SIDES] = {0, 0};

    mm_table_row(table, cells, "95 %");
    for (int cost = 0; cost < RACE_COSTS; cost++) {
        const struct race_change *change = &race->change[cost];

        for (int side = 0; side < RACE_SIDES; side++)
            mm_cell_set(cells[side], amount_of(cost, change->cost[side]));
        race_change_text(change->relative, cells[2]);
        snprintf(name, sizeof name, "%-22s  %s", interval_text(change, text),
                 cost_names[cost]);
        mm_table_row(table, cells, name);
    }
    if (race->is_together || race->is_of_experiments)
        return; /* half of their time they wait for each other */
    for (int side = 0; side < RACE_SIDES; side++) {
        for (size_t i = 0; i < race->pairs; i++)
            wall[side] += race->runs[side][i].wall_s / (double)race->pairs;
        mm_cell_set(cells[side], mm_time(1e9 * wall[side]));
    }
    race_change_text(wall[RACE_B] / wall[RACE_A] - 1, cells[2]);
    snprintf(name, sizeof name, "%-22s  %s", "", "wall time");
    mm_table_row(table, cells, name);
}

static void function_rows(const void *context, struct mm_table *table)
{
    const struct race *race = context;
    char cells[MM_TABLE_COLUMNS][MM_CELL] = {"A ms", "B ms", "change ms", "+-"};
    size_t shown[MOST_FUNCTIONS], count = shown_functions(race, shown);

    mm_table_row(table, cells, "function");
    for (size_t i = 0; i < count; i++) {
        const struct race_function *function = &race->functions[shown[i]];

        mm_cell_set(cells[0], mm_amount(1e3 * function->cpu_s[RACE_A]));
        mm_cell_set(cells[1], mm_amount(1e3 * function->cpu_s[RACE_B]));
        snprintf(cells[2], MM_CELL, "%s%.30s", function->change_s < 0 ? "-" : "+",
                 mm_amount(1e3 * fabs(function->change_s)));
        mm_cell_set(cells[3], mm_amount(1e3 * function->half_s));
        mm_table_row(table, cells, mm_safe(function->name));
    }
}

static void print_functions(const struct race *race)
{
    size_t count = changed_functions(race);

    if (race->is_of_experiments)
        return;
    if (*race->runs[RACE_A][0].unsampled) {
        printf("functions were not sampled: %s\n", race->runs[RACE_A][0].unsampled);
        return;
    }
    if (!count)
        return;
    putchar('\n');
    mm_table_print(4, function_rows, race);
    if (count > MOST_FUNCTIONS)
        printf("%zu more functions changed by less\n", count - MOST_FUNCTIONS);
    if (race->change[RACE_CPU].verdict == RACE_SAME)
        puts("functions changed, their sum did not");
}

/* Print how the runs were made. */
static void print_head(const struct race *race)
{
    char runs[60];

    amount_of_runs(race, runs);
    printf("A: %s\nB: %s\n%s", mm_safe(race->name[RACE_A]), mm_safe(race->name[RACE_B]),
           runs);
    if (race->is_of_experiments)
        puts(", recorded before\n");
    else if (race->is_together)
        printf(" in %s, both sides at the same time on one core\n\n",
               mm_time(1e9 * race->elapsed_s));
    else
        printf(" in %s, by turns%s%s\n\n", mm_time(1e9 * race->elapsed_s),
               *race->apart ? ": " : "", race->apart);
}

/* Print the recorded functions that changed, and the cause of each. */
static void print_why(const struct race *race)
{
    if (*race->unrecorded)
        printf("\nnothing was recorded: %s\n", mm_safe(race->unrecorded));
    if (!race->has_why || !race->why.diff.count)
        return;
    printf("\nrecorded functions, own time of a run in the mean of %zu and %zu\n",
           race->why.diff.runs[RACE_A], race->why.diff.runs[RACE_B]);
    mm_diff_print_methods(&race->why, race->is_of_experiments);
}

/* Print the verdicts on the costs; the last line is the verdict of the race. */
static void print_verdicts(const struct race *race)
{
    enum race_verdict memory = race->change[RACE_MEMORY].verdict;
    int is_memory = memory == RACE_WORSE && race->change[RACE_CPU].verdict != RACE_WORSE;
    char text[240];

    for (int i = 0; i < RACE_COSTS; i++) {
        int cost = i == is_memory ? RACE_MEMORY : RACE_CPU;

        if (cost == RACE_MEMORY && memory < RACE_WORSE)
            continue;
        verdict_text(race, cost, text);
        puts(text);
    }
    if (race_is_by_functions(race)) {
        functions_text(race, text);
        puts(text);
    }
}

void race_print(const struct race *race)
{
    char text[400];

    print_head(race);
    mm_table_print(3, cost_rows, race);
    print_functions(race);
    print_why(race);
    putchar('\n');
    if (race->outputs_differ)
        puts("note: A and B print different results");
    if (is_shape(race))
        puts("recorded functions changed, the total did not: no verdict");
    if (race->change[RACE_CPU].verdict == RACE_OPEN && !race->is_of_experiments)
        printf("it ended because of %s; changes below %.3g %% are not sought\n",
               strcmp(race->ended, "budget") ? "--pairs" : "--budget",
               100 * race->least_change);
    print_verdicts(race);
    if (race->confirmed) {
        race_agreement_text(race, text);
        puts(text);
    }
}

/* --- Documents ---------------------------------------------------------------------- */

static json_t *change_json(const struct race_change *change)
{
    return mm_json_object("a b relative low high verdict", change->cost[RACE_A],
                          change->cost[RACE_B], change->relative, change->low,
                          change->high, verdict_names[change->verdict]);
}

static json_t *words_json(char *const *words)
{
    json_t *list = json_array();

    for (; *words; words++)
        json_array_append_new(list, mm_json_escaped(*words));
    return list;
}

/* The race of the other machine, and whether both agree. */
static json_t *confirm_json(const struct race *race)
{
    const json_t *cpu = json_object_get(race->confirmed, "cpu_s");

    return mm_json_object("machine verdict relative agrees",
                          json_incref(json_object_get(race->confirmed, "machine")),
                          verdict_names[race->there],
                          json_number_value(json_object_get(cpu, "relative")),
                          json_boolean(race_agrees(race)));
}

json_t *race_json(const struct race *race)
{
    json_t *document = mm_json_document("race"), *functions = json_array();
    json_t *runs = json_array();

    mm_json_set(document, "a b pairs elapsed_s min_change same ended verdict",
                race->name[RACE_A], race->name[RACE_B], (json_int_t)race->pairs,
                race->elapsed_s, race->least_change, race->same_change, race->ended,
                verdict_names[race_verdict(race)]);
    mm_json_set(document, "command_a command_b machine",
                words_json(race->command[RACE_A]), words_json(race->command[RACE_B]),
                race_machine_json());
    if (race->build.command)
        mm_json_set(document, "build commit_a commit_b", race->build.command,
                    race->build.commits[RACE_A], race->build.commits[RACE_B]);
    if (race->confirmed)
        mm_json_set(document, "confirm", confirm_json(race));
    mm_json_set(document, "together apart", json_boolean(race->is_together),
                *race->apart ? json_string(race->apart) : NULL);
    mm_json_set(
        document, "cpu_s peak_bytes outputs_differ", change_json(&race->change[RACE_CPU]),
        change_json(&race->change[RACE_MEMORY]), json_boolean(race->outputs_differ));
    for (size_t i = 0; i < race->function_count; i++) {
        const struct race_function *function = &race->functions[i];

        json_array_append_new(
            functions,
            mm_json_object("name a_s b_s change_s half_s changed", function->name,
                           function->cpu_s[RACE_A], function->cpu_s[RACE_B],
                           function->change_s, function->half_s,
                           json_boolean(race_is_changed(race, function))));
    }
    mm_json_put(document, "functions", functions);
    for (size_t i = 0; i < race->pairs; i++) {
        const struct sweep_cost *a = &race->runs[RACE_A][i], *b = &race->runs[RACE_B][i];

        json_array_append_new(
            runs, mm_json_object("cpu_a_s cpu_b_s wall_a_s wall_b_s peak_a_bytes "
                                 "peak_b_bytes",
                                 a->cpu_s, b->cpu_s, a->wall_s, b->wall_s, a->peak_bytes,
                                 b->peak_bytes));
    }
    mm_json_put(document, "runs", runs);
    if (race->has_why) {
        mm_json_set(document, "recorded_a recorded_b shape",
                    (json_int_t)race->why.diff.runs[RACE_A],
                    (json_int_t)race->why.diff.runs[RACE_B],
                    json_boolean(is_shape(race)));
        mm_json_put(document, "methods", mm_diff_methods_json(&race->why));
    }
    return document;
}

/* --- Files -------------------------------------------------------------------------- */

static FILE *begin_file(const char *path)
{
    FILE *file = fopen(path, "we");

    if (!file)
        mm_refuse(MM_EXIT_SYSTEM, "cannot write '%s': %s", mm_safe(path),
                  strerror(errno));
    return file;
}

static int end_file(FILE *file, const char *path)
{
    int failed = ferror(file);

    return fclose(file) || failed ? mm_refuse(MM_EXIT_SYSTEM, "cannot write '%s': %s",
                                              mm_safe(path), strerror(errno))
                                  : -1;
}

/* Write a text as a cell of a table in Markdown. */
static void put_cell(FILE *file, const char *text)
{
    for (; *text; text++) {
        if (strchr("|\\`*_<>[]", *text))
            putc('\\', file);
        putc(*text == '\n' ? ' ' : *text, file);
    }
}

/* "**B costs more**: CPU time +45 % ..." as the heading that a person reads first. */
static void put_heading(FILE *file, const struct race *race)
{
    static const char *const answers[] = {"Undecided", "B costs the same", "B costs more",
                                          "B costs less"};
    const struct race_change *cpu = &race->change[RACE_CPU];
    const struct race_change *memory = &race->change[RACE_MEMORY];
    enum race_verdict verdict = race_verdict(race);
    int is_memory = memory->verdict == RACE_WORSE && cpu->verdict != RACE_WORSE;
    const struct race_change *named = is_memory ? memory : cpu;
    char size[32], interval[80], text[240];

    fprintf(file, "### %s: %s %s\n\n", answers[verdict],
            cost_names[is_memory ? RACE_MEMORY : RACE_CPU],
            race_change_text(named->relative, size));
    amount_of_runs(race, text);
    fprintf(file, "95 %% interval: %s, from %s", interval_text(named, interval), text);
    if (race->is_of_experiments)
        fputs(" recorded before", file);
    else
        fputs(race->is_together ? " at the same time on one core" : " by turns", file);
    fputs(".\n", file);
    if (verdict == RACE_OPEN)
        fprintf(file, "More pairs would be needed to find a change of this size.\n");
    if (race_is_by_functions(race)) {
        functions_text(race, text);
        fprintf(file, "%s.\n", text);
    }
    if (race->outputs_differ)
        fputs("**A and B print different results.**\n", file);
    if (is_shape(race))
        fputs("Functions changed, their sum did not.\n", file);
    if (race->confirmed) {
        char agreement[400];

        race_agreement_text(race, agreement);
        fprintf(file, "\n**%s**\n", agreement);
    }
}

/* Write the change of a time in s with its sign. */
static void put_change(FILE *file, double change_s)
{
    fprintf(file, " %s%s |", change_s < 0 ? "-" : "+", mm_time(1e9 * fabs(change_s)));
}

static void put_functions(FILE *file, const struct race *race)
{
    size_t shown[MOST_FUNCTIONS], count = shown_functions(race, shown);

    for (size_t i = 0; i < count; i++) {
        const struct race_function *function = &race->functions[shown[i]];

        fputs("| ", file);
        put_cell(file, mm_safe(function->name));
        fprintf(file, " | %s |", mm_time(1e9 * function->cpu_s[RACE_A]));
        fprintf(file, " %s |", mm_time(1e9 * function->cpu_s[RACE_B]));
        put_change(file, function->change_s);
        fputs(" by samples |\n", file);
    }
}

/* The rows of recorded functions that changed, with the cause of each. */
static void put_methods(FILE *file, const struct race *race)
{
    for (size_t i = 0; race->has_why && i < race->why.diff.count; i++) {
        const struct mm_diff_method *method = &race->why.diff.methods[i];
        char text[160];
        int causes = 0;

        if (method->verdict != MM_DIFF_WORSE && method->verdict != MM_DIFF_BETTER)
            continue;
        fputs("| ", file);
        put_cell(file, mm_safe(method->table->name));
        fprintf(file, " | %s |", mm_time(method->ns[RACE_A]));
        fprintf(file, " %s |", mm_time(method->ns[RACE_B]));
        put_change(file, 1e-9 * method->part[MM_DIFF_ALL].ns);
        for (int part = 0; part < MM_DIFF_RARE; part++)
            if (method->part[part].verdict == MM_DIFF_WORSE ||
                method->part[part].verdict == MM_DIFF_BETTER) {
                mm_diff_part_text(method, (enum mm_diff_part)part, text);
                fprintf(file, "%s %s", causes++ ? ";" : "", text);
            }
        fputs(" |\n", file);
    }
}

int race_write_markdown(const struct race *race, const char *path)
{
    FILE *file = begin_file(path);
    char relative[32], interval[80];

    if (!file)
        return MM_EXIT_SYSTEM;
    put_heading(file, race);
    fputs("\n| | A | B | change | |\n|---|---:|---:|---:|---|\n", file);
    for (int cost = 0; cost < RACE_COSTS; cost++) {
        const struct race_change *change = &race->change[cost];

        fprintf(file, "| **%s** | %s |", cost_names[cost],
                amount_of(cost, change->cost[RACE_A]));
        fprintf(file, " %s | %s | %s: %s |\n", amount_of(cost, change->cost[RACE_B]),
                race_change_text(change->relative, relative),
                change->verdict == RACE_OPEN ? "undecided"
                                             : verdict_names[change->verdict],
                interval_text(change, interval));
    }
    put_functions(file, race);
    put_methods(file, race);
    fputs("\nA: ", file);
    put_cell(file, mm_safe(race->name[RACE_A]));
    fputs("  \nB: ", file);
    put_cell(file, mm_safe(race->name[RACE_B]));
    fputs("\n", file);
    return end_file(file, path);
}

int race_write_junit(const struct race *race, const char *path)
{
    FILE *file = begin_file(path);
    int functions = race_is_by_functions(race), failures = functions;
    char text[240];

    if (!file)
        return MM_EXIT_SYSTEM;
    for (int cost = 0; cost < RACE_COSTS; cost++)
        failures += race->change[cost].verdict == RACE_WORSE;
    fprintf(file,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuite name=\"mastermind race\" tests=\"%d\" failures=\"%d\" "
            "time=\"%.3f\">\n",
            RACE_COSTS + functions, failures, race->elapsed_s);
    for (int cost = 0; cost < RACE_COSTS; cost++) {
        verdict_text(race, cost, text);
        fprintf(file, "  <testcase classname=\"race\" name=\"%s\">", cost_names[cost]);
        if (race->change[cost].verdict == RACE_WORSE) {
            fputs("<failure message=\"", file);
            cca_xml_put(file, text, sizeof text);
            fputs("\"/>", file);
        } else {
            fputs("<system-out>", file);
            cca_xml_put(file, text, sizeof text);
            fputs("</system-out>", file);
        }
        fputs("</testcase>\n", file);
    }
    if (functions) {
        functions_text(race, text);
        fprintf(file,
                "  <testcase classname=\"race\" name=\"recorded functions\">"
                "<failure message=\"%s\"/></testcase>\n",
                text);
    }
    fputs("</testsuite>\n", file);
    return end_file(file, path);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* whole_table.c: print where the CPU time of a whole run went: a line for each file and
 * kind of time, and below it its functions. The lines of files add up to the CPU time,
 * the lines of functions to their file's. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "common/array.h"
#include "common/statistics.h"
#include "mastermind/cmd/cmd.h"
#include "mastermind/cmd/record/callers.h"
#include "mastermind/cmd/record/whole.h"
#include "messages/read/lookup.h"

/* A file has a line from LEAST_FILE on, others share one; a function from LEAST_SHARE on,
 * one of a library from LEAST_LIBRARY_SHARE on, others share one for each file. */
#define LEAST_FILE .004
#define LEAST_SHARE .004
#define LEAST_LIBRARY_SHARE .02
enum {
    MOST_LINES = 20,
    MOST_FILES = 9,
    NAME = 42,
    PLACE = 24,
    WORDS = 200,
    /* columns of a line that names callers, and of the name in front of them */
    CALLED_LINE = 70,
    CALLED = 24
};
/* A function of the program that calls others, without much time of its own, has a line
 * from LEAST_INCLUSIVE on; MOST_ABOVE functions have. Stacks count from FEWEST_STACKS
 * on. */
#define LEAST_INCLUSIVE .05
enum { MOST_ABOVE = 7, FEWEST_STACKS = 10, MOST_TREE_LINES = 30 };

enum kind { PROGRAM, OTHER_PROGRAM, LIBRARY, MPI, OPENMP, MADE, KERNEL, REST, MEASURING };

/* Samples of a file, or of a kind of time without files. */
struct group {
    enum kind kind;
    const char *path; /* NULL: none */
    uint64_t count;
    size_t functions;  /* number of functions that the file's symbols name */
    uint64_t listed;   /* samples of functions that have a line */
    size_t shown;      /* number of functions that have a line */
    uint64_t nameless; /* samples outside of the file's named functions */
    const char *first; /* the file's function that has most samples */
};

struct sheet {
    const struct mm_whole *whole;
    struct mm_samples *samples;
    char *program; /* real path of the program's file */
    double cpu_ns, sample_ns, cost_ns;
    double rest_ns;       /* time that was neither sampled nor measured */
    struct group *groups; /* [count] groups, the group with most samples first */
    size_t count;
    unsigned char *is_shown; /* [samples->row_count] true if the row has a line */
    struct mm_callers *callers;
    int has_callers; /* true if there are enough stacks */
};

static const char *name_of_file(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;

    return slash ? slash + 1 : path;
}

/* --- Kinds ------------------------------------------------------------------ */

static int begins(const char *name, const char *const *beginnings)
{
    for (; *beginnings; beginnings++)
        if (strncmp(name, *beginnings, strlen(*beginnings)) == 0)
            return 1;
    return 0;
}

static enum kind kind_of(const struct sheet *sheet, const char *path)
{
    static const char *const ours[] = {"libmm_", "libmeas_", NULL}, *const openmp[] = {
                                                                        "libgomp.",
                                                                        "libomp.",
                                                                        "libomp-",
                                                                        "libiomp", NULL};
    const char *name = name_of_file(path);

    if (!path)
        return MADE;
    if (begins(name, ours))
        return MEASURING;
    if (mm_path_is_mpi(path))
        return MPI;
    if (begins(name, openmp))
        return OPENMP;
    if (strstr(name, ".so") || *name == '[')
        return LIBRARY;
    return sheet->program && strcmp(path, sheet->program) == 0 ? PROGRAM : OTHER_PROGRAM;
}

/* The group of a path, or of a kind without files; NULL: out of memory. */
static struct group *find_group(struct sheet *sheet, enum kind kind, const char *path)
{
    struct group *group;

    for (size_t i = 0; i < sheet->count; i++) {
        group = &sheet->groups[i];
        if (group->kind == kind && (kind == MEASURING || !path ||
                                    (group->path && strcmp(group->path, path) == 0)))
            return group;
    }
    group = cca_array_add(&sheet->groups, &sheet->count, sizeof *group);
    if (group) {
        group->kind = kind;
        group->path = path;
    }
    return group;
}

static int order_groups(const void *left, const void *right)
{
    const struct group *a = left, *b = right;

    if (a->count != b->count)
        return a->count < b->count ? 1 : -1;
    return (a->kind > b->kind) - (a->kind < b->kind);
}

static int add_groups(struct sheet *sheet)
{
    const struct mm_samples *samples = sheet->samples;
    struct group *group;

    for (size_t i = 0; i < samples->row_count; i++) {
        const struct mm_sample_row *row = &samples->rows[i];

        group = find_group(sheet, kind_of(sheet, row->path), row->path);
        if (!group)
            return -ENOMEM;
        group->count += row->count;
        if (!row->function)
            group->nameless += row->count;
        else if (!group->functions++)
            group->first = row->function;
    }
    if (samples->kernel) {
        group = find_group(sheet, KERNEL, NULL);
        if (!group)
            return -ENOMEM;
        group->count += samples->kernel;
    }
    if (sheet->rest_ns > 0 && !find_group(sheet, REST, NULL))
        return -ENOMEM;
    if (sheet->cost_ns > 0 && !find_group(sheet, MEASURING, NULL))
        return -ENOMEM;
    if (sheet->count)
        qsort(sheet->groups, sheet->count, sizeof *sheet->groups, order_groups);
    return 0;
}

/* --- Callers ---------------------------------------------------------------- */

static int is_program(const void *context, const char *path)
{
    enum kind kind = kind_of(context, path);

    return kind == PROGRAM || kind == OTHER_PROGRAM;
}

/* Share of all CPU time in which a row's function has called another one. */
static double share_above(const struct sheet *sheet, const struct mm_sample_row *row)
{
    const struct mm_callers *callers = sheet->callers;
    int64_t found = sheet->has_callers && row->path
                        ? mm_callers_find(callers, row->path, row->begin)
                        : -1;

    return found < 0 ? 0 : (double)callers->above[found] / (double)callers->stacks.count;
}

static int has_row(const struct mm_samples *samples,
                   const struct mm_stack_function *function)
{
    for (size_t i = 0; i < samples->row_count; i++)
        if (samples->rows[i].path && samples->rows[i].begin == function->begin &&
            strcmp(samples->rows[i].path, function->path) == 0)
            return 1;
    return 0;
}

/* Add a row for the program's function that is most often above others in stacks, of
 * those without a sample. Returns 0; -ENOENT: there is none; -ENOMEM. */
static int add_above(struct sheet *sheet)
{
    struct mm_samples *samples = sheet->samples;
    const struct mm_stacks *stacks = &sheet->callers->stacks;
    const struct mm_stack_function *best = NULL;
    uint64_t most = (uint64_t)(LEAST_INCLUSIVE * (double)stacks->count);
    struct mm_sample_row *row;

    for (size_t i = 0; i < stacks->function_count; i++) {
        const struct mm_stack_function *function = &stacks->functions[i];

        if (sheet->callers->above[i] <= most || function->kind != MM_STACK_FILE ||
            !function->name || kind_of(sheet, function->path) != PROGRAM ||
            strcmp(function->name, "main") == 0 || mm_callers_is_start(function->name) ||
            has_row(samples, function))
            continue;
        most = sheet->callers->above[i];
        best = function;
    }
    if (!best)
        return -ENOENT;
    row = cca_array_add(&samples->rows, &samples->row_count, sizeof *row);
    if (!row)
        return -ENOMEM;
    row->function = strdup(best->name);
    row->path = strdup(best->path);
    row->begin = row->hottest = best->begin;
    row->is_symbol = 1;
    return row->function && row->path ? 0 : -ENOMEM;
}

/* Add rows for functions that only call others. Returns 0 or -ENOMEM. */
static int add_callers(struct sheet *sheet)
{
    int result = 0;

    sheet->has_callers = sheet->callers->stacks.count >= FEWEST_STACKS;
    for (int i = 0; i < MOST_ABOVE && sheet->has_callers && !result; i++)
        result = add_above(sheet);
    return result == -ENOENT ? 0 : result;
}

/* --- Which functions have a line -------------------------------------------- */

/* Source position of a row, such as "heat.c:2". The text is new; NULL: unknown. A row
 * without a symbol gets its name of debug information, where there is some. */
static char *place_of(struct mm_lookup **lookup, const char **path,
                      struct mm_sample_row *row)
{
    char function[256] = "", inlined[256] = "", line[256] = "";

    if (!*path || strcmp(*path, row->path) != 0) {
        mm_lookup_free(*lookup);
        *lookup = mm_lookup_new(row->path);
        *path = row->path;
    }
    if (*lookup && row->hottest) {
        mm_lookup_place(*lookup, row->begin, function, line);
        mm_lookup_place(*lookup, row->hottest, inlined, line);
    }
    /* only with debug information (`line` is known): else `function` may be another
     * symbol that precedes the address */
    if (!row->is_symbol && *line && *line != '?' && *function && *function != '?') {
        char *name = strdup(function);

        if (name) {
            free(row->function);
            row->function = name;
        }
    }
    return *line && *line != '?' ? strdup(line) : NULL;
}

static int has_functions(const struct group *group)
{
    return group->kind <= OPENMP;
}

/* Reserve lines for the program's functions that call others for most time, and have
 * little themselves: their rows come late. Returns the number of lines. */
static size_t reserve_above(const struct sheet *sheet, unsigned char *is_above)
{
    const struct mm_samples *samples = sheet->samples;
    size_t count = 0;

    for (; count < MOST_ABOVE && sheet->has_callers; count++) {
        double most = LEAST_INCLUSIVE;
        size_t best = samples->row_count;

        for (size_t i = 0; i < samples->row_count; i++) {
            const struct mm_sample_row *row = &samples->rows[i];
            double above;

            if (is_above[i] || !row->function || kind_of(sheet, row->path) != PROGRAM ||
                (double)row->count >= LEAST_SHARE * (double)samples->count)
                continue;
            above = share_above(sheet, row);
            if (above > most) {
                most = above;
                best = i;
            }
        }
        if (best == samples->row_count)
            break;
        is_above[best] = 1;
    }
    return count;
}

/* Choose functions for lines of their own, the functions with most samples first, as long
 * as there is room. */
static int choose_functions(struct sheet *sheet)
{
    const struct mm_samples *samples = sheet->samples;
    size_t lines = sheet->count < MOST_FILES ? sheet->count : MOST_FILES + 1;
    unsigned char *is_above = calloc(samples->row_count + 1, 1);
    size_t most_lines = MOST_LINES - (sheet->whole->rank_count > 1 ? 2 : 0);
    struct mm_lookup *lookup = NULL;
    const char *path = NULL; /* path of the file whose symbols `lookup` has */

    sheet->is_shown = calloc(samples->row_count + 1, 1);
    if (!sheet->is_shown || !is_above) {
        free(is_above);
        return -ENOMEM;
    }
    lines += reserve_above(sheet, is_above);
    for (size_t i = 0; i < samples->row_count; i++) {
        struct mm_sample_row *row = &samples->rows[i];
        struct group *group = find_group(sheet, kind_of(sheet, row->path), row->path);
        double share = (double)row->count / (double)samples->count;
        size_t more = group && !group->shown ? 2 : 1;

        if (group && group->kind == PROGRAM)
            share += share_above(sheet, row);
        lines -= is_above[i];
        if (!row->function || !group || !has_functions(group) ||
            group - sheet->groups >= MOST_FILES || lines + more > most_lines ||
            share < (group->kind == PROGRAM ? LEAST_SHARE : LEAST_LIBRARY_SHARE))
            continue;
        lines += more;
        group->shown++;
        group->listed += row->count;
        sheet->is_shown[i] = 1;
        if (!row->place)
            row->place = place_of(&lookup, &path, row);
    }
    mm_lookup_free(lookup);
    free(is_above);
    return 0;
}

/* --- Lines ------------------------------------------------------------------ */

/* Print a line; `inclusive`: share of the CPU time with all that the function calls;
 * below 0: none. */
static void put_line(const struct sheet *sheet, struct mm_table *table, double count,
                     double extra_ns, double inclusive, const char *name)
{
    char cells[MM_TABLE_COLUMNS][MM_CELL] = {{0}};
    double ns = count * sheet->sample_ns + extra_ns, low, high;

    snprintf(cells[0], MM_CELL, "%.1f", 100 * ns / sheet->cpu_ns);
    if (count > 0 && !sheet->whole->is_timed) {
        cca_share_interval(count, (double)sheet->samples->count, .9, &low, &high);
        snprintf(cells[1], MM_CELL, "%.1f",
                 50 * (high - low) * (1 - sheet->rest_ns / sheet->cpu_ns));
    }
    snprintf(cells[2], MM_CELL, "%s", mm_amount(ns / 1e6));
    if (inclusive >= 0)
        snprintf(cells[3], MM_CELL, "%.1f", 100 * inclusive);
    mm_table_row(table, cells, name);
}

/* Append from where functions were called, if that is known. */
static void put_called(const struct sheet *sheet, const struct mm_called *called,
                       char text[2 * WORDS + 8])
{
    char from[WORDS];
    size_t length = strlen(text), room = CALLED_LINE;

    if (!sheet->has_callers || length + 2 >= room)
        return;
    if (called->function >= 0 && length < CALLED) /* callers of functions line up */
        length = CALLED;
    mm_callers_print(sheet->callers, called, is_program, sheet, from, room - length - 1);
    if (*from)
        snprintf(text, 2 * WORDS + 8, "%-*s  %s", (int)length, strdupa(text), from);
}

static void put_function(const struct sheet *sheet, struct mm_table *table, size_t i,
                         enum kind kind)
{
    const struct mm_sample_row *row = &sheet->samples->rows[i];
    struct mm_called called = {-1, row->path};
    char name[WORDS], line[WORDS], text[2 * WORDS + 8];
    double inclusive = -1;

    if (sheet->has_callers) {
        called.function = mm_callers_find(sheet->callers, row->path, row->begin);
        inclusive = (double)row->count * sheet->sample_ns / sheet->cpu_ns +
                    share_above(sheet, row) *
                        (1 - (sheet->cost_ns + sheet->rest_ns) / sheet->cpu_ns);
    }
    mm_callers_fit(mm_safe(row->function), NAME, name);
    mm_callers_fit(row->place ? mm_safe(row->place) : "", PLACE, line);
    snprintf(text, sizeof text, "  %s", name);
    if (kind >= LIBRARY && called.function >= 0)
        put_called(sheet, &called, text);
    if (*line && !strstr(text, "  from "))
        snprintf(text, sizeof text, "  %-*s  %s", NAME, name, line);
    put_line(sheet, table, (double)row->count, 0, inclusive, text);
}

/* Print one line for the functions of a group that have no line of their own. */
static void put_others(const struct sheet *sheet, struct mm_table *table,
                       const struct group *group)
{
    uint64_t rest = group->count - group->listed;
    char name[WORDS];

    if (!rest)
        return;
    if (2 * group->nameless > rest)
        snprintf(name, sizeof name, "  (functions without names)");
    else
        snprintf(name, sizeof name, "  (%zu other function%s)",
                 group->functions - group->shown,
                 group->functions - group->shown == 1 ? "" : "s");
    put_line(sheet, table, (double)rest, 0, -1, name);
}

/* The name of a group other than REST. */
static void name_group(const struct group *group, char name[WORDS])
{
    static const char *const kinds[] = {"", "", "", "MPI, ", "OpenMP, ", "", "", "", ""};
    char file[WORDS], first[WORDS] = "";

    if (group->kind == KERNEL) {
        snprintf(name, WORDS, "kernel: system calls, page faults");
        return;
    }
    if (group->kind == MADE) {
        snprintf(name, WORDS, "code that the program made");
        return;
    }
    if (group->kind == MEASURING) {
        snprintf(name, WORDS, "measuring");
        return;
    }
    mm_callers_fit(mm_safe(name_of_file(group->path)), NAME, file);
    if (!group->shown && 2 * group->nameless > group->count)
        snprintf(first, sizeof first, "functions without names");
    else if (!group->shown && group->functions > 1)
        snprintf(first, sizeof first, "%zu functions, %.40s first", group->functions,
                 mm_safe(group->first));
    else if (!group->shown && group->functions)
        snprintf(first, sizeof first, "%.46s", mm_safe(group->first));
    snprintf(name, WORDS, "%s%.60s%s%.60s", kinds[group->kind], file, *first ? ": " : "",
             first);
}

static void put_group(const struct sheet *sheet, struct mm_table *table,
                      const struct group *group)
{
    double extra_ns = group->kind == MEASURING ? sheet->cost_ns
                      : group->kind == REST    ? sheet->rest_ns
                                               : 0;
    const struct mm_called called = {-1, group->path};
    char name[2 * WORDS + 8];

    if (!group->count && !group->shown && !(extra_ns > 0))
        return;
    if (group->kind == REST && sheet->whole->is_timed)
        snprintf(name, sizeof name, "the rest: outside of the functions above");
    else if (group->kind == REST)
        snprintf(name, sizeof name, "not sampled: ends of %llu processes and threads",
                 (unsigned long long)sheet->samples->tasks + 1);
    else
        name_group(group, name);
    if (group->kind == KERNEL ||
        (group->kind >= LIBRARY && group->kind <= OPENMP && !group->shown))
        put_called(sheet, &called, name);
    put_line(sheet, table, (double)group->count, extra_ns, -1, name);
    if (!group->shown)
        return;
    for (size_t i = 0; i < sheet->samples->row_count; i++)
        if (sheet->is_shown[i] && sheet->samples->rows[i].path &&
            strcmp(sheet->samples->rows[i].path, group->path) == 0)
            put_function(sheet, table, i, group->kind);
    put_others(sheet, table, group);
}

static void rows(const void *context, struct mm_table *table)
{
    const struct sheet *sheet = context;
    char cells[MM_TABLE_COLUMNS][MM_CELL] = {"%CPU", "+-", "CPU ms"}, name[WORDS];
    uint64_t rest = 0;
    size_t files = 0;

    if (sheet->whole->is_timed)
        *cells[1] = 0;
    if (sheet->has_callers)
        snprintf(cells[3], MM_CELL, "%%incl");
    mm_table_row(table, cells, "where");
    for (size_t i = 0; i < sheet->count; i++) {
        const struct group *group = &sheet->groups[i];

        if (group->kind >= REST)
            continue;
        if (i < MOST_FILES &&
            (!has_functions(group) || group->shown ||
             (double)group->count >= LEAST_FILE * (double)sheet->samples->count)) {
            put_group(sheet, table, group);
        } else {
            rest += group->count;
            files++;
        }
    }
    if (rest) {
        snprintf(name, sizeof name, "%zu other file%s", files, files == 1 ? "" : "s");
        put_line(sheet, table, (double)rest, 0, -1, name);
    }
    for (size_t i = 0; i < sheet->count; i++)
        if (sheet->groups[i].kind >= REST)
            put_group(sheet, table, &sheet->groups[i]);
    snprintf(cells[0], MM_CELL, "100.0");
    *cells[1] = 0;
    snprintf(cells[2], MM_CELL, "%s", mm_amount(sheet->cpu_ns / 1e6));
    *cells[3] = 0;
    mm_table_row(table, cells, "in all");
}

/* --- Lines around the table -------------------------------------------------- */

/* Print which ranks there are, of how many. */
static void print_ranks(const struct mm_whole *whole)
{
    size_t count = whole->rank_count, all = (size_t)whole->job_ranks;

    if (count == 1)
        printf("rank %d of %zu of ", whole->rank_list->samples.rank, all);
    else if (count < all)
        printf("%zu of %zu ranks of ", count, all);
    else if (count)
        printf("%zu ranks of ", count);
}

/* Print how unevenly the CPU time outside of MPI and the kernel is spread over the
 * ranks. */
static void print_imbalance(const struct mm_whole *whole)
{
    const struct mm_whole_rank *most = whole->rank_list, *least = most;
    double sum = 0, period_ns = (double)whole->samples.period_ns;

    for (size_t i = 0; i < whole->rank_count; i++) {
        const struct mm_whole_rank *rank = &whole->rank_list[i];

        sum += (double)rank->samples.own;
        if (rank->samples.own > most->samples.own)
            most = rank;
        if (rank->samples.own < least->samples.own)
            least = rank;
    }
    if (whole->rank_count < 2 || !(sum > 0))
        return;
    printf("imbalance outside of MPI and the kernel: max/mean %.2f; rank %d %s",
           (double)most->samples.own * (double)whole->rank_count / sum,
           most->samples.rank, mm_time((double)most->samples.own * period_ns));
    printf(", mean %s", mm_time(sum * period_ns / (double)whole->rank_count));
    printf(", least rank %d %s\n", least->samples.rank,
           mm_time((double)least->samples.own * period_ns));
}

static void print_totals(const struct mm_whole *whole)
{
    const struct mm_whole_rank *largest = whole->rank_list;

    for (size_t i = 1; i < whole->rank_count; i++)
        if (whole->rank_list[i].peak_bytes > largest->peak_bytes)
            largest = &whole->rank_list[i];
    print_ranks(whole);
    printf("%s: %s of CPU time in %s",
           mm_safe(name_of_file(whole->rank_count && whole->file ? whole->file
                                                                 : whole->program)),
           mm_time(whole->cpu_ns), mm_time((double)whole->wall_ns));
    printf("; peak memory %s", mm_bytes((double)whole->peak_bytes));
    if (whole->rank_count > 1)
        printf(" (rank %d)", largest->samples.rank);
    putchar('\n');
    if (whole->queued_ns >= 0) {
        printf("the host took at least %s: threads could run and had no core",
               mm_time((double)whole->queued_ns));
        if (whole->stolen_ns > 0)
            printf("; other guests took %s", mm_time((double)whole->stolen_ns));
        putchar('\n');
    }
    print_imbalance(whole);
    if (WIFSIGNALED(whole->status))
        printf("signal %d ended it: %s\n", WTERMSIG(whole->status),
               strsignal(WTERMSIG(whole->status)));
}

/* True for a word that a shell reads back, inside single quotes if it has blanks or
 * signs. */
static int is_plain(const char *word)
{
    return *word && !strpbrk(word, "'\n") && strcmp(mm_safe(word), word) == 0;
}

/* Print a line where the samples are of an interpreter, whose functions are not the
 * script's. Returns true for an interpreter. */
static int print_interpreter(const struct sheet *sheet)
{
    static const char *const interpreters[] = {
        "python", "perl",      "ruby",    "lua",     "node",  "Rscript",  "julia", "php",
        "tclsh",  "libpython", "libperl", "libruby", "libR.", "libjulia", NULL};

    for (size_t i = 0; i < sheet->count && i < MOST_FILES; i++) {
        const struct group *group = &sheet->groups[i];
        const char *name = name_of_file(group->path);

        if (group->kind <= LIBRARY && begins(name, interpreters)) {
            printf("%.40s runs a script: functions of the script are not seen, those of "
                   "the interpreter are\n",
                   mm_safe(name));
            return 1;
        }
    }
    return 0;
}

static void print_word(const char *word)
{
    static const char signs[] = " \t\"$&|;<>()*?[]{}~#!\\`";

    printf(strpbrk(word, signs) ? " '%s'" : " %s", word);
}

/* Print the command that records calls on each rank below the launcher, if its command
 * line names the ranks' program. */
static void print_next_ranks(const struct sheet *sheet, const char *function)
{
    char *const *words = sheet->whole->words, *const *at = words + 1;

    for (; *at; at++) {
        char *path = realpath(*at, NULL);
        int is_program = path && strcmp(path, sheet->program) == 0;

        free(path);
        if (is_program)
            break;
    }
    if (!*at)
        return;
    printf("next:");
    for (char *const *word = words; *word; word++) {
        if (word == at)
            printf(" mastermind record --functions '%s' --", function);
        print_word(*word);
    }
    putchar('\n');
}

/* Print the command that records each call of the function with most samples, if that is
 * in the program's own file. */
static void print_next(const struct sheet *sheet)
{
    const struct mm_whole *whole = sheet->whole;
    const struct mm_sample_row *row = sheet->samples->rows;
    size_t i = 0, count = sheet->samples->row_count;

    while (i < count && !row[i].function)
        i++;
    if (!whole->is_recordable || i == count || !row[i].is_symbol ||
        kind_of(sheet, row[i].path) != PROGRAM || strcmp(row[i].function, "main") == 0 ||
        !is_plain(row[i].function) || strpbrk(row[i].function, " ,*?[]\\"))
        return;
    for (char *const *word = whole->words; *word; word++)
        if (!is_plain(*word))
            return;
    if (whole->process_count || (whole->rank_count && whole->root)) {
        print_next_ranks(sheet, row[i].function);
        return;
    }
    printf("next%s: mastermind record --functions '%s' --",
           whole->rank_count ? ", behind the launcher" : "", row[i].function);
    for (char *const *word = whole->words; *word; word++)
        print_word(*word);
    putchar('\n');
}

/* Print the number of stacks, or why there are none. */
static void print_stacks(const struct sheet *sheet)
{
    const struct mm_stacks *stacks = &sheet->callers->stacks;
    double low, high, share = (double)stacks->cut / (double)stacks->count;

    if (*stacks->lacking) {
        printf("no callers: stacks are not taken: %s\n", stacks->lacking);
        return;
    }
    if (!sheet->has_callers)
        return;
    cca_share_interval(.5 * (double)stacks->count, (double)stacks->count, .9, &low,
                       &high);
    printf("%s; %%incl: with all callees, +- at most %.1f points",
           mm_counted(stacks->count, "stack"), 50 * (high - low));
    if (share >= .005)
        printf("; %.0f %% cut off%s", 100 * share,
               share >= .02 ? ": callers have more" : "");
    if (stacks->lost)
        printf("; %s lost", mm_counted(stacks->lost, "other"));
    putchar('\n');
}

static int print_table(struct sheet *sheet)
{
    int result = sheet->whole->is_timed ? 0 : add_callers(sheet);

    if (!result)
        result = add_groups(sheet);
    if (!result)
        result = choose_functions(sheet);
    if (result)
        return result;
    putchar('\n');
    mm_table_print(sheet->has_callers ? 4 : 3, rows, sheet);
    if (sheet->whole->is_timed)
        printf("\nno samples: %s\nThe recorder timed the calls of functions; libraries "
               "and the kernel are in the\ntime of the function that called them.\n",
               sheet->whole->unsampled);
    else
        printf(
            "\n%s, one each ms of CPU time; +- is half of a 90 %% interval, in points\n",
            mm_counted(sheet->samples->count, "sample"));
    if (!sheet->whole->is_timed)
        print_stacks(sheet);
    if (!print_interpreter(sheet))
        print_next(sheet);
    if (!sheet->whole->is_tree || !sheet->has_callers)
        return 0;
    result = mm_callers_name(sheet->callers);
    return result ? result : mm_callers_tree(sheet->callers, MOST_TREE_LINES);
}

int mm_whole_print_tree(struct mm_whole *whole)
{
    const struct sheet sheet = {.whole = whole,
                                .callers = &whole->callers,
                                .has_callers =
                                    whole->callers.stacks.count >= FEWEST_STACKS};

    putchar('\n');
    if (!whole->sampler)
        printf("no samples: %s\n", whole->unsampled);
    else
        print_stacks(&sheet);
    return sheet.has_callers ? mm_callers_tree(&whole->callers, MOST_TREE_LINES) : 0;
}

/* A process or thread has a sample after each period of its own CPU time, none for less
 * than a period at its end. Set rest_ns to the time of many such ends, which no sample
 * divides among functions; the time of a few is within the error of the others. */
static void find_unsampled(struct sheet *sheet)
{
    const struct mm_samples *samples = sheet->samples;
    double period = (double)samples->period_ns,
           unsampled = sheet->cpu_ns - (double)samples->count * period,
           most = ((double)samples->tasks + 1) * period;

    if (unsampled > most)
        unsampled = most; /* beyond that, the host kept samples from being taken */
    if (samples->tasks && unsampled > 2 * period && unsampled > .02 * sheet->cpu_ns)
        sheet->rest_ns = unsampled;
}

/* Set the times of a sheet of samples. */
static void weigh_samples(struct sheet *sheet)
{
    struct mm_samples *samples = sheet->samples;

    find_unsampled(sheet);
    sheet->cost_ns = (double)samples->count * samples->cost_ns;
    if (sheet->cost_ns > .1 * sheet->cpu_ns)
        sheet->cost_ns = .1 * sheet->cpu_ns;
    sheet->sample_ns =
        (sheet->cpu_ns - sheet->rest_ns - sheet->cost_ns) / (double)samples->count;
}

/* Set the times of a sheet of calls, whose counts are us. Costs are estimates: where the
 * sum exceeds the CPU time, measuring cost less. */
static void weigh_calls(struct sheet *sheet)
{
    double known_ns = 1000 * (double)sheet->samples->count;

    sheet->sample_ns = known_ns > sheet->cpu_ns ? 1000 * sheet->cpu_ns / known_ns : 1000;
    sheet->rest_ns = sheet->cpu_ns - known_ns - sheet->cost_ns;
    if (sheet->rest_ns < 0) {
        sheet->cost_ns = fmax(0, sheet->cpu_ns - known_ns);
        sheet->rest_ns = 0;
    }
}

/* Print the table of samples or of calls. */
static int print_sheet(struct mm_whole *whole)
{
    struct mm_samples *samples = &whole->samples;
    struct sheet sheet = {.whole = whole,
                          .samples = samples,
                          .callers = &whole->callers,
                          .cpu_ns = whole->cpu_ns,
                          .cost_ns = whole->measuring_ns};
    int result = 0;

    if (whole->is_sampled ? samples->count : samples->row_count) {
        sheet.program =
            whole->file ? strdup(whole->file) : realpath(whole->program, NULL);
        if (whole->is_sampled)
            weigh_samples(&sheet);
        else
            weigh_calls(&sheet);
        result = print_table(&sheet);
    } else if (whole->is_sampled) {
        puts("no samples: it used too little CPU time");
    } else {
        printf("no samples: %s; and the recorder timed no call\n", whole->unsampled);
    }
    if (samples->lost)
        printf("%s were lost: shares are of the others\n",
               mm_counted(samples->lost, "sample"));
    free(sheet.is_shown);
    free(sheet.groups);
    free(sheet.program);
    return result;
}

int mm_whole_print(struct mm_whole *whole)
{
    print_totals(whole);
    if (whole->is_sampled || whole->is_timed)
        return print_sheet(whole);
    printf("no samples: %s\n", whole->unsampled);
    if (*whole->untimed)
        printf("no times of functions: %s\n", whole->untimed);
    return 0;
}

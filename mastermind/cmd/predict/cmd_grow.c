/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_grow.c: the verb grow: run a command with growing sizes and predict larger ones. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/same.h"
#include "mastermind/cmd/predict/grow.h"
#include "mastermind/cmd/sweep/asked.h"

enum { SIZES, VARIABLE, AT, REPEAT, BUDGET, OUTPUT, SVG, SLURM, TASKS, SBATCH, JSON };
/* Runs of each size by default, with few and with many sizes. */
enum { LEAST_SIZES = 3, FEW_SIZES = 5, REPEATS_FEW = 5, REPEATS_MANY = 3 };

static const struct cca_option option_table[] = {
    [SIZES] = {"-n", "VALUE,...",
               "values of {n} in the command: numbers, or files by their sizes"},
    [VARIABLE] = {"-D", "NAME=VALUE,...", "values of {NAME}, in place of -n"},
    [AT] = {"--at", "VALUE,...",
            "predict runs of these sizes (default: twice the largest)"},
    [REPEAT] = {"--repeat", "N",
                "most runs of each size; fewer if equal runs are alike (default 5, of "
                "more than 5 "
                "sizes 3)"},
    [BUDGET] = {"--budget", "TIME",
                "start no run that would end after this much time of runs: 90s, 10m, "
                "1.5h"},
    [OUTPUT] = {"--output", "DIR",
                "directory of the runs, which sweep, model and predict take, too "
                "(default: PROGRAM.grow)",
                "-o"},
    [SVG] = {"--svg", "FILE",
             "draw the CPU time of the runs, the curve and its 90 % band into FILE"},
    [SLURM] = {"--slurm", NULL,
               "make the runs by a job array of Slurm; then 'grow -o DIR' prints"},
    [TASKS] =
        {"--tasks", "N",
         "with --slurm: tasks of the array (default: one for each run, at most 100)"},
    [SBATCH] = {"--sbatch", "OPTIONS",
                "with --slurm: options of sbatch, as '--partition=long --time=30:00'"},
    [JSON] = {"--json", NULL, "print one document, mastermind/grow/1"},
};

/* --- The request -------------------------------------------------------------------- */

/* Refuse an axis that is no size. Returns -1 to go on. */
static int check_axis(const struct sweep *sweep)
{
    if (!sweep->axes[0].numbers)
        return mm_refuse(MM_EXIT_MISUSE,
                         "found values of %s that are no numbers, and no files of "
                         "different sizes",
                         mm_safe(sweep->axes[0].name));
    if (!(sweep->axes[0].numbers[0] > 0))
        return mm_refuse(MM_EXIT_MISUSE, "found %s=%s, expected sizes above 0",
                         mm_safe(sweep->axes[0].name), sweep->axes[0].texts[0]);
    if (sweep->axes[0].count < LEAST_SIZES)
        return mm_refuse(MM_EXIT_MISUSE,
                         "found %s of %s, expected at least three sizes: fewer show no "
                         "growth",
                         mm_counted(sweep->axes[0].count, "value"),
                         mm_safe(sweep->axes[0].name));
    return -1;
}

static int read_axis(const struct cca_given *options, struct sweep *sweep)
{
    const char *sizes = cca_given_value(&options[SIZES]);
    char *word = NULL;
    int result;

    if (options[SIZES].given + options[VARIABLE].given != 1)
        return mm_refuse(MM_EXIT_MISUSE,
                         "found %s of -n and -D, expected one: grow varies one "
                         "parameter, sweep several",
                         options[SIZES].given + options[VARIABLE].given ? "several"
                                                                        : "none");
    if (sizes && asprintf(&word, "n=%s", sizes) < 0)
        return mm_no_memory();
    result = sweep_axis_add(sweep, SWEEP_VARIABLE,
                            word ? word : cca_given_value(&options[VARIABLE]));
    free(word);
    return result;
}

/* The directory by default: "PROGRAM.grow" in the working directory. New. */
static char *default_directory(char *const *words)
{
    const char *slash = strrchr(words[0], '/');
    char *name;

    return asprintf(&name, "%s.grow", slash ? slash + 1 : words[0]) < 0 ? NULL : name;
}

/* Read the size of a file, "10MB" or the name of a file, as number of bytes. Returns
 * false if it is neither. */
static int read_bytes(const char *text, double *bytes)
{
    static const struct {
        const char *unit;
        double bytes;
    } units[] = {{"", 1},         {"B", 1},       {"kB", 1e3},     {"MB", 1e6},
                 {"GB", 1e9},     {"TB", 1e12},   {"KiB", 0x1p10}, {"MiB", 0x1p20},
                 {"GiB", 0x1p30}, {"TiB", 0x1p40}};
    struct stat status;
    char *end;

    *bytes = strtod(text, &end);
    for (size_t i = 0; i < sizeof units / sizeof *units && end != text; i++)
        if (strcmp(end, units[i].unit) == 0) {
            *bytes = round(*bytes * units[i].bytes);
            return 1;
        }
    if (stat(text, &status) || !S_ISREG(status.st_mode))
        return 0;
    *bytes = (double)status.st_size;
    return 1;
}

static int add_at(struct grow *grow, const char *text, size_t length)
{
    int is_file = grow_axis(grow)->parameter != NULL;
    char *copy, *end;
    double value;

    if (grow->at_count == GROW_AT_MOST)
        return mm_refuse(MM_EXIT_MISUSE, "--at: found more than %d sizes", GROW_AT_MOST);
    copy = strndup(text, length);
    if (copy && is_file && read_bytes(copy, &value)) {
        free(copy);
        if (asprintf(&copy, "%.0f", value) < 0)
            copy = NULL;
    }
    if (!copy)
        return mm_no_memory();
    grow->at_texts[grow->at_count] = copy;
    grow->at[grow->at_count++] = copy;
    if (!(strtod(copy, &end) > 0) || *end || !isfinite(strtod(copy, NULL)))
        return mm_refuse(MM_EXIT_MISUSE, "--at: found '%s', expected %s", mm_safe(copy),
                         is_file ? "a size as 10MB, or a file" : "a number above 0");
    return -1;
}

/* Read the sizes to predict; by default twice the largest. */
static int read_at(struct grow *grow, const struct cca_given *option)
{
    const struct sweep_axis *axis = grow_axis(grow);
    char twice[40];
    int result = -1;

    for (int i = 0; i < option->given && result < 0; i++)
        for (const char *text = option->values[i]; text && result < 0;) {
            size_t length = strcspn(text, ",");

            result = add_at(grow, text, length);
            text = text[length] ? text + length + 1 : NULL;
        }
    if (option->given || result >= 0)
        return result;
    snprintf(twice, sizeof twice, "%.15g", 2 * axis->numbers[axis->count - 1]);
    return add_at(grow, twice, strlen(twice));
}

/* Without a command: read the runs that a sweep or an earlier call has made, and make
 * none. */
static int read_made(struct grow *grow, const struct cca_given *options)
{
    struct sweep *sweep = &grow->sweep;
    int result;

    grow->svg = cca_given_value(&options[SVG]);
    sweep->dir = cca_given_value(&options[OUTPUT]);
    if (!sweep->dir)
        return mm_refuse(MM_EXIT_MISUSE,
                         "found no command; expected grow -n 100,200,400 -- ./solver "
                         "'{n}', or grow -o DIR with runs that are made");
    for (int i = 0; i < JSON; i++)
        if (options[i].given && i != AT && i != OUTPUT && i != SVG)
            return mm_refuse(MM_EXIT_MISUSE, "found no command; option '%s' needs one",
                             options[i].name);
    result = sweep_read(sweep);
    if (result < 0 && sweep->axis_count != 1)
        result = mm_refuse(MM_EXIT_MISUSE,
                           "'%s' varies %zu parameters, expected one: use predict",
                           mm_safe(sweep->dir), sweep->axis_count);
    if (result < 0)
        result = check_axis(sweep);
    return result < 0 ? read_at(grow, &options[AT]) : result;
}

/* The repeats by default: the plan in the directory has them, if there is one. */
static size_t default_repeats(const struct sweep *sweep)
{
    int missing;
    json_t *plan = sweep_load(sweep->dir, SWEEP_PLAN, &missing);
    json_int_t repeats = json_integer_value(json_object_get(plan, "repeats"));

    json_decref(plan);
    if (repeats > 0)
        return (size_t)repeats;
    return sweep->axes[0].count > FEW_SIZES ? REPEATS_MANY : REPEATS_FEW;
}

static int read_request(struct grow *grow, const struct cca_args *args, char **own_dir)
{
    const struct cca_given *options = args->options;
    struct sweep *sweep = &grow->sweep;
    double repeats = 0;
    int result;

    if (args->count)
        return mm_refuse(MM_EXIT_MISUSE, "found '%s'; expected -- before the command",
                         mm_safe(args->words[0]));
    if (!args->command || !*args->command)
        return read_made(grow, options);
    result = mm_option_count(&options[REPEAT], 1, &repeats);
    sweep->grid_limit = MM_PLAN_POINTS;
    sweep->seed = 1;
    if (result < 0)
        result = read_axis(options, sweep);
    if (result < 0)
        result = sweep_copy_command(sweep, args->command);
    if (result < 0)
        result = sweep_command_check(sweep);
    if (result < 0)
        result = check_axis(sweep);
    if (result < 0)
        result = read_at(grow, &options[AT]);
    if (result >= 0)
        return result;
    grow->svg = cca_given_value(&options[SVG]);
    sweep->dir = cca_given_value(&options[OUTPUT]);
    if (!sweep->dir)
        sweep->dir = *own_dir = default_directory(args->command);
    if (!sweep->dir)
        return mm_no_memory();
    sweep->repeats =
        repeats > 0 ? (size_t)fmin(repeats, MM_PLAN_RUNS) : default_repeats(sweep);
    return -1;
}

/* --- Runs --------------------------------------------------------------------------- */

/* True if all points have equally many runs and these suffice, so that no further round
 * of runs is needed; or if all runs of the first round failed. */
static int is_enough(const struct sweep *sweep)
{
    const struct mm_plan *plan = sweep->plan;
    struct sweep_verdict verdict;
    size_t rounds = 0, closed = 0, done = 0;

    for (size_t i = 0; i < plan->run_count; i++)
        if (sweep->runs[i].state != SWEEP_OPEN) {
            closed++;
            done += sweep->runs[i].state == SWEEP_DONE;
            rounds =
                rounds > plan->runs[i].repeat + 1 ? rounds : plan->runs[i].repeat + 1;
        }
    if (closed == plan->point_count && !done)
        return 1;
    if (closed < rounds * plan->point_count || rounds < SWEEP_REPEATS)
        return 0;
    return !sweep_judge(sweep, &verdict) && verdict.repeats_suffice;
}

size_t grow_next_run(const struct grow *grow, size_t size, size_t from)
{
    const struct mm_plan *plan = grow->sweep.plan;

    while (from < plan->run_count &&
           (grow->sweep.runs[from].state != SWEEP_DONE ||
            mm_plan_value(plan, plan->runs[from].point, 0) != size))
        from++;
    return from;
}

static void sum_size(const struct grow *grow, size_t at, struct grow_size *size)
{
    double sum = 0, squares = 0, runs;

    *size = (struct grow_size){.spread = NAN};
    if (grow_axis(grow)->parameter)
        snprintf(size->text, sizeof size->text, "%.0f", grow_axis(grow)->numbers[at]);
    else
        snprintf(size->text, sizeof size->text, "%s", grow_axis(grow)->texts[at]);
    for (size_t i = grow_next_run(grow, at, 0); i < grow->sweep.plan->run_count;
         i = grow_next_run(grow, at, i + 1)) {
        const struct sweep_run *run = &grow->sweep.runs[i];

        size->runs++;
        sum += run->cpu_s;
        size->wall_s += run->elapsed_s;
        size->peak_bytes = fmax(size->peak_bytes, run->peak_bytes);
    }
    runs = (double)size->runs;
    size->time_s = sum / runs;
    size->wall_s /= runs;
    for (size_t i = grow_next_run(grow, at, 0); i < grow->sweep.plan->run_count;
         i = grow_next_run(grow, at, i + 1))
        squares += pow(grow->sweep.runs[i].cpu_s - size->time_s, 2);
    if (size->runs > 1)
        size->spread = sqrt(squares / (runs - 1)) / size->time_s;
}

double grow_wall_per_cpu(const struct grow *grow)
{
    for (size_t i = grow_axis(grow)->count; i-- > 0;)
        if (grow->sizes[i].runs)
            return grow->sizes[i].wall_s / grow->sizes[i].time_s;
    return NAN;
}

static int sum_sizes(struct grow *grow)
{
    size_t count = grow_axis(grow)->count, measured = 0;

    grow->sizes = calloc(count, sizeof *grow->sizes);
    if (!grow->sizes)
        return mm_no_memory();
    for (size_t i = 0; i < count; i++) {
        sum_size(grow, i, &grow->sizes[i]);
        measured += grow->sizes[i].runs > 0;
    }
    return measured >= 2
               ? -1
               : mm_refuse(MM_EXIT_NO,
                           "%s: found finished runs of %s, expected at least 2",
                           mm_safe(grow->sweep.dir), mm_counted(measured, "size"));
}

/* --- The verb ----------------------------------------------------------------------- */

/* Make the runs, or let Slurm make them. Returns -1 to go on. */
static int make_runs(struct grow *grow, double budget_s, const struct sweep_slurm *slurm)
{
    int result = sweep_make_plan(&grow->sweep);

    if (result < 0)
        result = sweep_open(&grow->sweep);
    if (result >= 0)
        return result;
    sweep_hold_signals();
    if (slurm)
        return sweep_slurm_submit(&grow->sweep, slurm);
    result = sweep_make_runs(&grow->sweep, budget_s, is_enough);
    if (result > 128)
        fprintf(stderr,
                "mastermind: ended by signal %d; the same command goes on in %s\n",
                result - 128, mm_safe(grow->sweep.dir));
    return result;
}

static int print_grow(struct grow *grow, int json)
{
    int result;

    if (sweep_judge(&grow->sweep, &grow->verdict))
        return mm_no_memory();
    result = sum_sizes(grow);
    if (result < 0)
        result = grow_find_totals(grow);
    if (result < 0)
        result = grow_find_functions(grow);
    if (result >= 0)
        return result;
    if (json)
        result = mm_json_print(grow_json(grow));
    else
        grow_print(grow);
    result = json ? result : mm_finish_output(MM_EXIT_DONE);
    return result == MM_EXIT_DONE && grow->verdict.failed ? MM_EXIT_NO : result;
}

static void grow_done(struct grow *grow)
{
    for (size_t i = 0; i < grow->at_count; i++)
        free(grow->at_texts[i]);
    for (size_t i = 0; i < grow->function_count; i++)
        if (grow->functions[i].has_model)
            mm_model_done(&grow->functions[i].model);
    mm_notes_done(&grow->notes);
    free(grow->sizes);
    sweep_done(&grow->sweep);
}

static int grow_verb(const struct cca_args *args)
{
    struct grow grow = {
        .sweep = {.lock = -1, .run_lock = -1, .patience_s = SWEEP_PATIENCE_S}};
    char *own_dir = NULL;
    double budget_s;
    const struct cca_given *options = args->options;
    struct sweep_slurm slurm = {.results = "mastermind grow -o"};
    int result = sweep_budget(&options[BUDGET], &budget_s);

    slurm.budget = cca_given_value(&options[BUDGET]);
    if (result < 0)
        result =
            sweep_slurm_asked(&options[SLURM], &options[TASKS], &options[SBATCH], &slurm);
    if (result < 0)
        result = read_request(&grow, args, &own_dir);
    if (result < 0 && args->command && *args->command)
        result = make_runs(&grow, budget_s, options[SLURM].given ? &slurm : NULL);
    if (result < 0)
        result = print_grow(&grow, options[JSON].given);
    grow_done(&grow);
    free(own_dir);
    return result;
}

const struct cca_verb mm_verb_grow = {
    .name = "grow",
    .summary = "how a command's time and memory grow with a size",
    .examples = "mastermind grow -n 100,200,300,400 -- ./solver '{n}'\n"
                "mastermind grow -D rows=1000,2000,4000,8000 --at 64000 -- "
                "python3 fit.py '{rows}'\n"
                "mastermind grow -o DIR\n",
    .about = "Run a command with several sizes until equal runs are known well enough, "
             "and print the scaling functions of its CPU time, of its peak memory and of "
             "the functions that matter, with the run at larger sizes. The runs are a "
             "sweep in a directory: the same command again goes on with it, or prints "
             "it.\n",
    .takes_command = 1,
    CCA_OPTIONS(option_table),
    .notes = "Exit status 1: a run failed. 130, 143: ended by SIGINT, SIGTERM.\n",
    .run = grow_verb,
};

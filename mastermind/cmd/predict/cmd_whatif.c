/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_whatif.c: the whole run if methods cost another amount. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "mastermind/cmd/line.h"
#include "mastermind/cmd/predict/what_if.h"

#define TABLE_ROWS 20 /* methods of the table that are printed */

enum {
    SET,
    VARIABLE,
    CLASS,
    RANKS,
    METRIC,
    ANY_MACHINE,
    SO_FAR,
    RUN,
    PAIRS,
    BESIDE,
    LIMIT,
    JSON
};

static const struct cca_option option_table[] = {
    [SET] = {"--set", "NAME=VALUE",
             "another run than the base: an instance gets a class, a parameter "
             "(INSTANCE.PORT.NAME) or a variable a value; may be repeated"},
    [VARIABLE] = {"-D", "NAME=VALUE", "a variable, where NAME is an instance, too"},
    [CLASS] = {"--class", "INSTANCE=CLASS", "a class, where INSTANCE is a variable, too"},
    [RANKS] = {"--ranks", "N", "number of ranks"},
    [METRIC] = {"--metric", "NAME",
                "the cost of this instead of own time: WALL_TIME, CPU_TIME, a counter"},
    [ANY_MACHINE] = {"--any-machine", NULL,
                     "take models of other machines out of repositories"},
    [SO_FAR] = {"--so-far", NULL, MM_SO_FAR_HELP},
    [RUN] =
        {"--run", NULL,
         "prove it by runs, too: all else is delayed in proportion, on all ranks, and "
         "the delays are taken off; another class is also run itself. The command is "
         "that of the first experiment, or the words after --"},
    [PAIRS] = {"--pairs", "N", "with --run: runs of each kind, by turns; default 5"},
    [BESIDE] = {"--beside", NULL,
                "with --run: run a pair at the same time on one core, where other "
                "programs slow both alike; for runs on one rank that write no files in "
                "common"},
    [LIMIT] = {"--limit", "N",
               "print the N methods that matter most; default 20, 0: all"},
    [JSON] = {"--json", NULL, "print one document, mastermind/whatif/1"},
};

/* A question, and the forecast that answers it without changes. */
struct what {
    struct mm_run_input runs;
    struct mm_library *library;
    struct mm_forecaster *forecaster;
    struct mm_question question;
    struct mm_forecast *forecast;
    struct mm_phases phases;
    int has_phases;
    struct what_method *methods; /* [method_count] */
    size_t method_count;
    struct mm_change *changes;
    const struct what_method **changed;
    struct what_row *rows;
    char **swaps;
    size_t change_count;
    const struct cca_given *options;
};

/* True for an argument METHOD=VALUE that is no path. */
static int is_change(const char *word)
{
    struct stat status;

    return strchr(word, '=') && stat(word, &status) != 0;
}

/* --- The forecast ------------------------------------------------------------------- */

/* Read where the ranks of the base wait. Returns -1 to go on. */
static int read_phases(struct what *what)
{
    struct mm_experiment *base = what->runs.experiments[0];
    struct mm_row_source source = mm_row_source_of(base);
    struct cca_error err = {0};

    if (!what->runs.by_rank || base->ranks < 2)
        return -1;
    if (!what->runs.has_base ||
        !mm_question_is_base(&what->question, mm_forecaster_axes(what->forecaster)))
        return mm_notes_add(&what->library->notes,
                            "the run did not happen: the rank that is the busiest is "
                            "taken to stay so")
                   ? mm_no_memory()
                   : -1;
    if (mm_phases_read(&what->phases, &source, &err))
        return mm_complain(&err);
    what->has_phases = 1;
    return -1;
}

/* Returns -1 to go on. */
static int forecast_run(struct what *what, const struct cca_given *options)
{
    const struct mm_question_options question = {&options[SET], &options[VARIABLE],
                                                 &options[CLASS], &options[RANKS]};
    const struct mm_question_rule rule = {.has_base = what->runs.has_base};
    struct cca_error err = {0};
    int result = -1;

    what->library = mm_forecast_library(&what->runs, &err);
    if (what->library)
        what->forecaster =
            mm_forecaster_new(what->runs.runs, what->runs.run_count, what->library, &err);
    if (!what->forecaster)
        return mm_complain(&err);
    result = mm_question_read(&what->question, mm_forecaster_axes(what->forecaster),
                              &question, &rule);
    if (result < 0)
        result = mm_question_check_classes(
            &what->question, mm_forecaster_axes(what->forecaster), &what->runs.models);
    if (result >= 0)
        return result;
    what->forecast = mm_forecast_new(what->forecaster, what->question.text, &err);
    if (!what->forecast)
        return err.code == -ENODATA
                   ? mm_refuse(MM_EXIT_NO, "no prediction: %s", mm_safe(err.text))
                   : mm_complain(&err);
    for (size_t i = 0; i < what->forecast->part_count; i++)
        if (*what->forecast->parts[i].why)
            return mm_refuse(MM_EXIT_NO, "no prediction: %s",
                             mm_safe(what->forecast->parts[i].why));
    if (what->forecast->unknown || !(what->forecast->total_ns > 0))
        return mm_refuse(MM_EXIT_NO, "no prediction: %s",
                         what->forecast->why ? what->forecast->why
                                             : "nothing was measured");
    return read_phases(what);
}

/* --- Methods ------------------------------------------------------------------------ */

/* Add a method that the busiest rank does not call, with the cost and calls of the rank
 * with most of it. */
static void add_elsewhere(struct what *what, const struct mm_profile *profile, size_t at)
{
    const struct mm_method_info *info = profile->source.methods[at];
    struct what_method *method = &what->methods[what->method_count];

    for (size_t i = 0; i < what->method_count; i++)
        if (strcmp(what->methods[i].info->name, info->name) == 0)
            return;
    *method =
        (struct what_method){.change = {.name = info->name, .factor = 1, .call_ns = NAN},
                             .info = info,
                             .is_elsewhere = 1};
    for (int r = 0; r < profile->ranks.count; r++) {
        const struct mm_rank_sum *sum =
            &profile->ranks.sums[(size_t)r * profile->ranks.method_count + at];

        if ((double)sum->exclusive_ns <= method->change.cost_ns)
            continue;
        method->change.cost_ns = (double)sum->exclusive_ns;
        method->change.calls = (double)sum->calls;
    }
    what->method_count += method->change.cost_ns > 0;
}

/* The profile of all ranks of the first run that ended. */
static const struct mm_profile *base_profile(const struct what *what)
{
    const struct mm_input *models = &what->runs.models;
    size_t at = 0;

    while (models->experiments[at] != what->runs.experiments[0])
        at++;
    return models->profiles[at];
}

/* List the methods of the forecast, and of other ranks of the base. Returns -1 to go on.
 */
static int list_methods(struct what *what)
{
    const struct mm_profile *profile = base_profile(what);
    const struct mm_cells *cells = &mm_forecaster_structure(what->forecast->by)->cells;

    what->methods = calloc(what->forecast->part_count + profile->source.method_count + 1,
                           sizeof *what->methods);
    if (!what->methods)
        return mm_no_memory();
    for (size_t i = 0; i < what->forecast->part_count; i++) {
        const struct mm_forecast_part *part = &what->forecast->parts[i];
        struct what_method *method = &what->methods[what->method_count++];

        mm_change_of_part(&method->change, what->forecast, part);
        method->info = cells->vertices[part->vertex].method;
    }
    for (size_t i = 0; i < profile->source.method_count && what->has_phases; i++)
        add_elsewhere(what, profile, i);
    return -1;
}

/* --- Changes ------------------------------------------------------------------------ */

static int find_what_if(const struct what *what, const struct mm_change *changes,
                        size_t count, struct mm_what_if *found)
{
    return mm_what_if(
        what->forecast, changes, count, what->has_phases ? &what->phases : NULL,
        what->has_phases ? what->runs.experiments[0]->methods : NULL, found);
}

static int row_order(const void *left, const void *right)
{
    const struct what_row *a = left, *b = right;
    double x = a->less.change_ns, y = b->less.change_ns;

    return x != y ? (x > y) - (x < y) : (a->method > b->method) - (a->method < b->method);
}

/* Find the gain by each method. Returns -1 to go on. */
static int find_rows(struct what *what)
{
    what->rows = calloc(what->method_count + 1, sizeof *what->rows);
    if (!what->rows)
        return mm_no_memory();
    for (size_t i = 0; i < what->method_count; i++) {
        struct mm_change less = what->methods[i].change, none = less;

        less.factor = WHAT_LESS;
        none.factor = 0;
        what->rows[i].method = &what->methods[i];
        if (find_what_if(what, &less, 1, &what->rows[i].less) ||
            find_what_if(what, &none, 1, &what->rows[i].none))
            return mm_no_memory();
    }
    qsort(what->rows, what->method_count, sizeof *what->rows, row_order);
    return -1;
}

static void find_assumed(const struct what *what, const char **assumed)
{
    size_t threads = 0, count = 0;

    for (size_t i = 0; i < what->runs.run_count; i++)
        if ((size_t)what->runs.runs[i].profile->dual->threads > threads)
            threads = (size_t)what->runs.runs[i].profile->dual->threads;
    assumed[count++] =
        "numbers of calls and the costs of all other methods stay (caches, bandwidth)";
    if (what->runs.described)
        assumed[count++] = "the recorded calls are the run: all else stays";
    if (what->has_phases && what->phases.count < 2)
        assumed[count++] = "the ranks wait for each other at the end of the run alone";
    else if (!what->has_phases && threads > 1)
        assumed[count++] = "times of threads are added up: elapsed time follows where "
                           "they do not run side by side";
}

/* --- Other classes --------------------------------------------------------------------
 */

static int has_class(const struct what *what, const struct what_method *method,
                     const char *class_name)
{
    for (size_t i = 0; i < what->library->count; i++) {
        const struct mm_method_info *info = what->library->sets[i].method;

        if (strcmp(info->class_name, class_name) == 0 &&
            strcmp(info->port_type, method->info->port_type) == 0 &&
            strcmp(info->method, method->info->method) == 0)
            return 1;
    }
    return 0;
}

/* Find the part of a method in a forecast. */
static const struct mm_forecast_part *find_part(const struct mm_forecast *forecast,
                                                const char *name)
{
    const struct mm_cells *cells = &mm_forecaster_structure(forecast->by)->cells;

    for (size_t i = 0; i < forecast->part_count; i++)
        if (strcmp(cells->vertices[forecast->parts[i].vertex].method->name, name) == 0)
            return &forecast->parts[i];
    return NULL;
}

/* Forecast the run with another class. Returns -1 to go on. */
static int forecast_class(struct what *what, const struct what_method *method,
                          const char *swap, double *factor)
{
    const struct cca_given *given = &what->options[CLASS];
    const char **values = calloc((size_t)given->given + 1, sizeof *values);
    const struct cca_given classes = {given->name, given->given + 1, values};
    const struct mm_question_options options = {
        &what->options[SET], &what->options[VARIABLE], &classes, &what->options[RANKS]};
    const struct mm_question_rule rule = {.has_base = what->runs.has_base};
    const struct mm_forecast_part *part;
    struct mm_question question = {0};
    struct mm_forecast *forecast = NULL;
    struct cca_error err = {0};
    int result = values ? -1 : mm_no_memory();

    if (result < 0) {
        memcpy(values, given->values, (size_t)given->given * sizeof *values);
        values[given->given] = swap;
        result = mm_question_read(&question, mm_forecaster_axes(what->forecaster),
                                  &options, &rule);
    }
    if (result < 0) {
        forecast = mm_forecast_new(what->forecaster, question.text, &err);
        if (!forecast)
            result = mm_complain(&err);
    }
    part = forecast ? find_part(forecast, method->info->name) : NULL;
    if (part && method->change.cost_ns > 0)
        *factor = part->cost_ns / method->change.cost_ns;
    mm_forecast_free(forecast);
    mm_question_done(&question);
    free(values);
    return result;
}

/* See struct what_methods. */
static int class_factor(void *context, const struct what_method *method,
                        const char *class_name, double *factor)
{
    struct what *what = context;
    char *swap;
    int result;

    *factor = NAN;
    if (!has_class(what, method, class_name))
        return -1;
    if (asprintf(&swap, "%s=%s", method->info->instance, class_name) < 0)
        return mm_no_memory();
    result = forecast_class(what, method, swap, factor);
    free(swap);
    if (result < 0 && isnan(*factor))
        return mm_refuse(MM_EXIT_NO, "no prediction of %s with %s",
                         mm_safe(method->info->name), mm_safe(class_name));
    return result;
}

/* Returns -1 to go on. */
static int read_changes(struct what *what, char *const *changes, size_t count)
{
    const struct what_methods methods = {what->methods, what->method_count, class_factor,
                                         what};
    int result =
        what_changes_read(what->changes, what->changed, changes, count, &methods);

    if (result < 0 && what_swaps_list(&what->swaps, what->changed, changes, count))
        result = mm_no_memory();
    what->change_count = count;
    return result;
}

static int is_time(const struct mm_metric *metric)
{
    return metric->kind == MM_METRIC_TIME || metric->kind == MM_METRIC_WALL_TIME ||
           metric->kind == MM_METRIC_CPU_TIME || metric->kind == MM_METRIC_COMPUTE_TIME;
}

/* Make the runs that prove the changes. Returns -1 to go on. */
static int run_changes(const struct cca_args *args, struct what_report *report)
{
    double pairs = 5;
    int result = mm_option_count(&args->options[PAIRS], 1, &pairs);

    if (result < 0 && !args->options[RUN].given &&
        (args->options[PAIRS].given || args->options[BESIDE].given ||
         args->command_count))
        result =
            mm_refuse(MM_EXIT_MISUSE, "--pairs, --beside and a command are of --run");
    if (result >= 0 || !args->options[RUN].given)
        return result;
    if (!is_time(&report->runs->models.metric))
        return mm_refuse(MM_EXIT_MISUSE, "--run: delays stretch times, not %s",
                         report->runs->models.metric.name);
    if (!args->command_count &&
        !mm_question_is_base(report->question, mm_forecaster_axes(report->forecaster)))
        return mm_refuse(MM_EXIT_MISUSE, "--run: give the command of the run that is "
                                         "asked for after --");
    if (!report->change_count)
        return mm_refuse(MM_EXIT_MISUSE, "--run proves a change: give METHOD=CHANGE");
    return what_run(report,
                    &(struct what_run_options){.words = args->command,
                                               .word_count = (size_t)args->command_count,
                                               .rounds = (size_t)pairs,
                                               .beside = args->options[BESIDE].given,
                                               .metric = &args->options[METRIC]});
}

static int answer(struct what *what, const struct cca_args *args, char *const *changes,
                  size_t count)
{
    const struct cca_given *options = args->options;
    struct what_report report = {.runs = &what->runs,
                                 .metric = mm_run_metric(&what->runs),
                                 .forecaster = what->forecaster,
                                 .forecast = what->forecast,
                                 .question = &what->question,
                                 .stretch = mm_input_stretch(&what->runs.models),
                                 .phases = what->has_phases ? &what->phases : NULL,
                                 .limit = TABLE_ROWS,
                                 .notes = &what->library->notes};
    double limit = TABLE_ROWS;
    int result = -1;

    if (options[LIMIT].given)
        result = mm_option_count(&options[LIMIT], 0, &limit);
    report.limit = limit > 0 ? (size_t)limit : SIZE_MAX;
    if (result < 0 && report.stretch)
        mm_forecast_stretch(what->forecast, report.stretch);
    what->changes = calloc(count + 1, sizeof *what->changes);
    what->changed = calloc(count + 1, sizeof *what->changed);
    if (result < 0 && (!what->changes || !what->changed))
        result = mm_no_memory();
    if (result < 0)
        result = list_methods(what);
    if (result < 0)
        result = count ? read_changes(what, changes, count) : find_rows(what);
    if (result < 0 && find_what_if(what, what->changes, count, &report.changed))
        result = mm_no_memory();
    if (result >= 0)
        return result;
    find_assumed(what, report.assumed);
    report.changes = what->changes;
    report.changed_methods = what->changed;
    report.change_count = count;
    report.rows = what->rows;
    report.row_count = what->rows ? what->method_count : 0;
    report.swaps = what->swaps;
    result = run_changes(args, &report);
    if (result >= 0)
        return result;
    if (options[JSON].given)
        return what_print_json(&report);
    what_print(&report);
    mm_stretch_print(report.stretch);
    mm_print_notes(report.notes);
    mm_print_notes(&what->forecast->notes);
    return mm_finish_output(MM_EXIT_DONE);
}

static int whatif_verb(const struct cca_args *args)
{
    struct what what = {.options = args->options};
    char **paths = calloc((size_t)args->count + 1, sizeof *paths);
    char **changes = calloc((size_t)args->count + 1, sizeof *changes);
    size_t change_count = 0;
    int path_count = 0, result = -1;

    if (!paths || !changes)
        result = mm_no_memory();
    for (int i = 0; i < args->count && result < 0; i++) {
        if (is_change(args->words[i]))
            changes[change_count++] = args->words[i];
        else
            paths[path_count++] = args->words[i];
    }
    if (result < 0)
        result = mm_run_input_open(&what.runs, paths, path_count,
                                   &(struct mm_run_options){&args->options[METRIC],
                                                            &args->options[ANY_MACHINE],
                                                            &args->options[SO_FAR], 0},
                                   NULL);
    if (result < 0 && mm_metric_is_peak(&what.runs.models.metric))
        result = mm_refuse(MM_EXIT_MISUSE, "--metric %s: peaks of methods do not add up",
                           what.runs.models.metric.name);
    if (result < 0)
        result = forecast_run(&what, args->options);
    if (result < 0)
        result = answer(&what, args, changes, change_count);
    what_swaps_free(what.swaps, what.change_count);
    free(what.rows);
    free(what.changes);
    free(what.changed);
    free(what.methods);
    mm_phases_done(&what.phases);
    mm_forecast_free(what.forecast);
    mm_question_done(&what.question);
    mm_forecaster_free(what.forecaster);
    mm_library_free(what.library);
    mm_run_input_done(&what.runs);
    free(changes);
    free(paths);
    return result;
}

const struct cca_verb mm_verb_whatif = {
    .name = "whatif",
    .summary = "the whole run if a method cost less, and where that gains most",
    .usage = "mastermind whatif EXPERIMENT... [METHOD=CHANGE]... [options]\n",
    .examples =
        "mastermind whatif run.mm\n"
        "mastermind whatif run.mm flux.flux.compute=-30%\n"
        "mastermind whatif run.mm flux.flux.compute=2us states.states.reconstruct=+10%\n"
        "mastermind whatif sweep --set NX=256 --set flux=HLLCFlux\n"
        "mastermind whatif efm.mm hllc.mm flux.flux.compute=HLLCFlux --run\n",
    .about =
        "Predict the run in which methods cost another amount themselves, without what "
        "they call (docs/guide/predict.md): by a percentage, a time per call, or as "
        "another "
        "class that the experiments have. On "
        "several ranks a method gains where the other ranks wait for it. Without a "
        "change, rank all methods by what 10 % less would gain.\n",
    .takes_command = 1,
    CCA_OPTIONS(option_table),
    .run = whatif_verb,
};

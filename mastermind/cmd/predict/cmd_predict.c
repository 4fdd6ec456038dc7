/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_predict.c: what a run would cost with other classes in its slots. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/forecast/composite/predict.h"
#include "mastermind/cmd/predict/forecast_verb.h"
#include "mastermind/cmd/kept.h"
#include "mastermind/cmd/line.h"
#include "mastermind/cmd/predict/predict_points.h"

static const char usage[] =
    "mastermind predict efm.mm godunov.mm --set flux=GodunovFlux\n"
    "mastermind predict efm.mm\n"
    "mastermind predict sweep --set NX=256 --set flux=HLLCFlux --ranks 2\n"
    "mastermind predict efm.mm --points points.csv --method flux.flux.compute\n"
    "\n"
    "Predict the run of the first experiment with other classes. Methods that stay keep\n"
    "their measured times; methods of CLASS are modelled from all experiments. Without\n"
    "--set every method is modelled, to compare models with measured times. With\n"
    "--points print what single calls would cost.\n"
    "\n"
    "  --set SLOT=CLASS   put CLASS in the place of instance SLOT; may be repeated\n"
    "  --metric NAME      predict this instead of wall time: CPU_TIME, MPI_TIME,\n"
    "                     COMPUTE_TIME, a counter or an out-parameter (o.NAME)\n"
    "  --ledger FILE      keep the prediction in a ledger, whose earlier ones "
    "recalibrate\n"
    "                     its interval (mastermind ledger -h); also by MM_LEDGER\n"
    "  --json             print one document, mastermind/predict/1\n"
    "\n"
    "Of a sweep's runs, predict a run that never happened (docs/predict.md):\n"
    "\n"
    "  --set NAME=VALUE   an instance gets a class, a parameter (INSTANCE.PORT.NAME) or "
    "a\n"
    "                     variable a value; what varied has to be set\n"
    "  -D NAME=VALUE, --class INSTANCE=CLASS\n"
    "                     where NAME is both a variable and an instance\n"
    "  --ranks N          number of ranks\n"
    "  --against RUN.mm   predict this run, which happened, and print the errors of "
    "cost\n"
    "                     and of structure\n"
    "\n"
    "  --points FILE.csv  repeat the lines of the file, which has a column for each\n"
    "                     parameter and mode, with the columns typ, mean, sd, lo, hi (95 "
    "%\n"
    "                     of calls) and beyond (1: inside the sizes seen, else how many\n"
    "                     times outside), in the unit of the import or ns\n"
    "  --method NAME, --class CLASS\n"
    "                     the method of the points, if the experiments have several\n"
    "  --curve            with --points: fit_lo, fit_hi, too, before beyond: 90 % of "
    "the\n"
    "                     typical cost\n";

static int read_sets(const struct mm_option *option, struct mm_substitution *sets,
                     char **copies)
{
    for (int i = 0; i < option->given; i++) {
        char *equals;

        copies[i] = strdup(option->values[i]);
        if (!copies[i])
            return mm_no_memory();
        equals = strchr(copies[i], '=');
        if (!equals || equals == copies[i] || !equals[1])
            return mm_refuse(MM_EXIT_MISUSE, "'%s', expected SLOT=CLASS",
                             mm_safe(copies[i]));
        *equals = '\0';
        sets[i] = (struct mm_substitution){copies[i], equals + 1};
        for (int k = 0; k < i; k++) {
            if (strcmp(sets[k].instance, sets[i].instance) == 0)
                return mm_refuse(MM_EXIT_MISUSE, "'%s' is set twice",
                                 mm_safe(sets[i].instance));
        }
    }
    return -1;
}

static double part_total(const struct mm_part *part)
{
    return part->predicted_ns + part->below_ns;
}

/* Print "flux 71 %, states 17 %, rest 3 %", the shares of instances, on a line that has
 * `used` columns. */
static void print_shares(const struct mm_prediction *p, int used)
{
    double rest = 0;
    int printed = 0;

    for (size_t i = 0; i < p->part_count; i++) {
        double share = 0;
        size_t first = 0;

        while (strcmp(p->parts[first].method->instance, p->parts[i].method->instance) !=
               0)
            first++;
        if (first < i)
            continue;
        for (size_t k = i; k < p->part_count; k++) {
            if (strcmp(p->parts[k].method->instance, p->parts[i].method->instance) == 0)
                share += part_total(&p->parts[k]);
        }
        share /= p->total_ns > 0 ? p->total_ns : 1;
        if (share < .02 || used + (int)strlen(p->parts[i].method->instance) > 100 - 22) {
            rest += share;
            continue;
        }
        used += printf("%s%s %.0f %%", printed ? ", " : "   ",
                       mm_safe(p->parts[i].method->instance), 100 * share);
        printed = 1;
    }
    if (rest > 0)
        printf("%srest %.2g %%", printed ? ", " : "   ", 100 * rest);
    putchar('\n');
}

static void print_part(const struct mm_part *part, const struct mm_metric *metric,
                       int width)
{
    char what[600];

    snprintf(what, sizeof what, "%s", mm_safe(part->method->name));
    printf("%-*s %10s %9s ", width, what,
           mm_thousands((uint64_t)llround(part->calls_now)),
           mm_cost(metric, part->measured_ns));
    if (part->unknown_calls)
        printf("%9s %9s", "no model", "");
    else
        printf("%9s %9s", mm_cost(metric, part_total(part)),
               !mm_part_is_changed(part) ? "measured"
               : isfinite(part->error)   ? mm_percent(part->error)
                                         : "");
    if (strcmp(part->class_name, part->method->class_name) != 0)
        printf("  %s", mm_safe(part->class_name));
    if (part->follows && llround(part->calls_now) != (long long)part->calls)
        printf("  %s in the base", mm_counted(part->calls, "call"));
    putchar('\n');
}

static void print_parts(const struct mm_prediction *p, const struct mm_metric *metric)
{
    int width = 10;

    for (size_t i = 0; i < p->part_count; i++) {
        int length = (int)strlen(mm_safe(p->parts[i].method->name));

        width = length > width && length <= 44 ? length : width;
    }
    printf("\n%-*s %10s %9s %9s %9s\n", width, "method", "calls", "measured", "predicted",
           "error");
    for (size_t i = 0; i < p->part_count; i++)
        print_part(&p->parts[i], metric, width);
}

static void print_interval(const struct mm_prediction *p,
                           const struct mm_library *library,
                           const struct mm_metric *metric, const struct mm_keeper *keeper)
{
    if (!isfinite(p->half_ns)) {
        puts("no interval: a model knows too little, or calls cannot be compared");
        return;
    }
    printf("95 %% from %s to %s", mm_cost(metric, keeper->low),
           mm_cost(metric, keeper->high));
    printf("; runs differ by %s, which is in it\n", mm_percent(library->runs.all.sd));
}

/* Print why the number of a part is weaker than it looks, if the part matters. */
static void print_reasons(const struct mm_prediction *p, const struct mm_part *part,
                          const struct mm_metric *metric)
{
    unsigned flags = part->flags & ~(unsigned)(MM_BEYOND | MM_RIVALS | MM_ONE_RUN);
    struct mm_line line;
    char head[300];

    snprintf(head, sizeof head, "%s:", mm_safe(part->method->name));
    if (part->beyond > 1)
        printf("%s %s is %s beyond the sizes that %s was seen with, in %s of %s "
               "invocations\n",
               head, mm_safe(part->beyond_name), mm_factor(part->beyond),
               mm_safe(part->class_name), mm_thousands(part->beyond_calls),
               mm_thousands((uint64_t)llround(part->calls_now)));
    if (part->flags & MM_RIVALS)
        printf("%s %s, or %s by a formula that fits as well; measure %s to decide\n",
               head, mm_cost(metric, part->predicted_ns), mm_cost(metric, part->rival_ns),
               *part->doubt ? mm_safe(part->doubt) : "other sizes");
    if (part->predicted_ns < .02 * p->total_ns)
        return;
    if (flags & MM_NO_PARAMETER && !mm_has_parameter(part->method)) {
        printf("%s nothing is marked: the mean of all calls stands for each\n", head);
        flags &= ~(unsigned)MM_NO_PARAMETER;
    }
    if (!flags)
        return;
    mm_line_begin_note(&line, head);
    mm_line_add_reasons(&line, flags);
    mm_line_end(&line);
}

static void print_text(const struct mm_input *input, const struct mm_prediction *p,
                       const struct mm_library *library, int check,
                       const struct mm_keeper *keeper)
{
    const struct mm_metric *metric = &input->metric;

    if (!p->part_count) {
        puts("nothing was measured: nothing to predict");
        return;
    }
    if (p->unknown_calls)
        printf("no prediction: %s invocations have no model\n",
               mm_thousands(p->unknown_calls));
    else {
        print_shares(p,
                     printf("total %s%s%s", mm_cost(metric, p->total_ns),
                            metric->kind == MM_METRIC_TIME ? "" : " of ",
                            metric->kind == MM_METRIC_TIME ? "" : mm_safe(metric->name)));
        printf("measured %s as it ran", mm_cost(metric, p->measured_ns));
        if (p->measured_ns > 0)
            printf(" (%s %+.1f %%)", check ? "the models say" : "predicted",
                   100 * (p->total_ns / p->measured_ns - 1));
        putchar('\n');
        print_interval(p, library, metric, keeper);
    }
    print_parts(p, metric);
    for (size_t i = 0; i < p->part_count; i++)
        print_reasons(p, &p->parts[i], metric);
}

static int run_predict(const struct mm_input *input, const struct mm_substitution *sets,
                       size_t count, int json, struct mm_keeper *keeper)
{
    struct cca_error err = {0};
    struct mm_library *library = mm_input_library(input, NULL, &err);
    struct mm_prediction *prediction = NULL;
    int result;

    if (library && !mm_kept_note_input(&library->notes, input, &err))
        prediction =
            mm_prediction_new(input->profiles[0], library, sets, count, count == 0, &err);
    if (!prediction) {
        result = mm_complain(&err);
    } else {
        mm_prediction_keep(keeper, input, prediction, sets, count);
        if (json) {
            result = mm_prediction_print_json(input, prediction, library, keeper);
        } else {
            print_text(input, prediction, library, count == 0, keeper);
            mm_print_notes(&library->notes);
            mm_print_notes(&prediction->notes);
            result = mm_finish_output(MM_EXIT_DONE);
        }
        result = mm_keeper_finish(keeper, result, json);
    }
    if (prediction && result == MM_EXIT_DONE &&
        (prediction->unknown_calls || !prediction->part_count))
        result = MM_EXIT_NO;
    mm_prediction_free(prediction);
    mm_library_free(library);
    return result;
}

static const char *last_value(const struct mm_option *option)
{
    return option->given ? option->values[option->given - 1] : NULL;
}

/* Predict the points of a file in the place of a run. */
static int run_points(struct mm_option *options, char *const *paths, int count)
{
    struct mm_input input = {0};
    int result;

    if (options[0].given || options[1].given)
        return mm_refuse(MM_EXIT_MISUSE,
                         "%s with --points, which prints CSV of one method",
                         options[options[0].given ? 0 : 1].name);
    if (options[11].given)
        return mm_refuse(MM_EXIT_MISUSE,
                         "--ledger with --points: a ledger keeps totals of runs");
    result = mm_input_open_models(&input, paths, count, &options[2], &options[7], 1);
    if (result < 0)
        result =
            mm_predict_points(&input, last_value(&options[3]), last_value(&options[4]),
                              last_value(&options[5]), options[6].given);
    mm_input_done(&input);
    return result;
}

/* True where the scripts of an experiment have used a variable of this name. */
static int has_variable(const char *path, const char *name)
{
    struct cca_error err = {0};
    struct mm_experiment *experiment =
        mm_repository_is(path) ? NULL : mm_experiment_open(path, &err);
    int found = experiment && mm_run_value(&experiment->run.variables, name);

    mm_experiment_free(experiment);
    return found;
}

/* True where another run than a measured one is asked for: a sweep stands among the
 * experiments, or an option sets more than classes. */
static int is_forecast(const struct mm_option *options, char *const *argv, int count)
{
    if (options[8].given || options[9].given || options[10].given || options[5].given)
        return 1;
    for (int i = 0; i < count; i++)
        if (mm_path_is_sweep(argv[i]))
            return 1;
    for (int i = 0; i < options[1].given; i++) {
        size_t length = strcspn(options[1].values[i], "=");
        char name[256];

        snprintf(name, sizeof name, "%.*s", (int)length, options[1].values[i]);
        if (strchr(name, '.') || (count && has_variable(argv[0], name)))
            return 1;
    }
    return 0;
}

static int run_forecast(const struct mm_option *options, char *const *argv, int count)
{
    struct mm_question_options question = {&options[1], &options[8], &options[5],
                                           &options[9]};

    return mm_forecast_verb(argv, count, &options[2], &options[7], &question,
                            last_value(&options[10]), &options[11], options[0].given);
}

int cmd_predict(int argc, char **argv)
{
    struct mm_option options[] = {{.name = "--json"},
                                  {.name = "--set", .takes_value = 1},
                                  {.name = "--metric", .takes_value = 1},
                                  {.name = "--points", .takes_value = 1},
                                  {.name = "--method", .takes_value = 1},
                                  {.name = "--class", .takes_value = 1},
                                  {.name = "--curve"},
                                  {.name = "--any-machine"},
                                  {.name = "-D", .takes_value = 1},
                                  {.name = "--ranks", .takes_value = 1},
                                  {.name = "--against", .takes_value = 1},
                                  MM_LEDGER_OPTION};
    struct mm_substitution sets[MM_OPTION_VALUES];
    char *copies[MM_OPTION_VALUES] = {NULL};
    struct mm_input input = {0};
    struct mm_keeper keeper = {0};
    int count, result;

    result = mm_options_read(options, 12, usage, argc, argv, &count);
    if (result >= 0)
        return result;
    if (options[3].given)
        return run_points(options, argv, count);
    for (int i = 4; i < 7; i += 2)
        if (options[i].given)
            return mm_refuse(MM_EXIT_MISUSE, "%s without --points", options[i].name);
    if (is_forecast(options, argv, count))
        return run_forecast(options, argv, count);
    result = read_sets(&options[1], sets, copies);
    if (result < 0)
        result = mm_input_open_models(&input, argv, count, &options[2], &options[7], 0);
    if (result < 0 && mm_question_sets_variable(&options[1], &input))
        result = run_forecast(options, argv, count);
    for (int i = 0; i < options[1].given && result < 0; i++) {
        result = mm_input_check_instance(&input, sets[i].instance);
        if (result < 0)
            result = mm_input_check_class(&input, sets[i].class_name);
    }
    if (result < 0)
        result = mm_keeper_open(&keeper, &options[11], argv, count, NULL);
    if (result < 0)
        result = run_predict(&input, sets, (size_t)options[1].given, options[0].given,
                             &keeper);
    mm_keeper_done(&keeper);
    mm_input_done(&input);
    for (int i = 0; i < options[1].given; i++)
        free(copies[i]);
    return result;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_predict.c: predict the cost of a run with other classes and parameters. */
#include "mastermind/cmd/predict/forecast_verb.h"
#include "mastermind/cmd/predict/predict_points.h"

enum {
    SET,
    VARIABLE,
    CLASS,
    RANKS,
    AGAINST,
    METRIC,
    ANY_MACHINE,
    SO_FAR,
    LEDGER,
    JSON,
    POINTS,
    METHOD,
    OF_CLASS,
    CURVE
};

static const struct cca_option option_table[] = {
    [SET] = {"--set", "NAME=VALUE",
             "an instance gets a class, a parameter (INSTANCE.PORT.NAME) or a variable a "
             "value; may be repeated"},
    [VARIABLE] = {"-D", "NAME=VALUE", "a variable, where NAME is an instance, too"},
    [CLASS] = {"--class", "INSTANCE=CLASS", "a class, where INSTANCE is a variable, too"},
    [RANKS] = {"--ranks", "N", "number of ranks"},
    [AGAINST] = {"--against", "RUN.mm",
                 "predict this run, which happened, and print the errors of cost and of "
                 "structure"},
    [METRIC] = {"--metric", "NAME",
                "predict this instead of own time: WALL_TIME, MPI_TIME, COMPUTE_TIME, a "
                "counter or an out-parameter (o.NAME)"},
    [ANY_MACHINE] = {"--any-machine", NULL,
                     "take models of other machines out of repositories"},
    [SO_FAR] = {"--so-far", NULL, MM_SO_FAR_HELP},
    [LEDGER] = {"--ledger", "FILE",
                "keep the prediction in a ledger, whose earlier ones recalibrate its "
                "interval (mastermind ledger -h); also by MM_LEDGER"},
    [JSON] = {"--json", NULL, "print one document, mastermind/predict/1"},
    [POINTS] =
        {"--points", "FILE.csv",
         "repeat the lines of the file, which has a column for each parameter and mode, "
         "with the columns typ, mean, sd, lo, hi (95 % of calls) and beyond (1: inside "
         "the sizes seen, else how many times outside), in the unit of the import or ns"},
    [METHOD] = {"--method", "NAME",
                "with --points: the method, if the experiments have several"},
    [OF_CLASS] = {"--of-class", "CLASS", "with --points: the class of the method"},
    [CURVE] =
        {"--curve", NULL,
         "with --points: fit_lo, fit_hi, too, before beyond: 90 % of the typical cost"},
};

/* Predict the calls in a CSV file (--points). */
static int run_points(const struct cca_given *options, char *const *paths, int count)
{
    struct mm_input input = {0};
    int result;

    if (options[JSON].given || options[SET].given)
        return mm_refuse(MM_EXIT_MISUSE,
                         "%s with --points, which prints CSV of one method",
                         options[options[JSON].given ? JSON : SET].name);
    if (options[LEDGER].given)
        return mm_refuse(MM_EXIT_MISUSE,
                         "--ledger with --points: a ledger keeps totals of runs");
    result = mm_input_open_models(&input, paths, count, &options[METRIC],
                                  &options[ANY_MACHINE], MM_INPUT_ALONE);
    if (result < 0)
        result = mm_predict_points(
            &input, cca_given_value(&options[POINTS]), cca_given_value(&options[METHOD]),
            cca_given_value(&options[OF_CLASS]), options[CURVE].given);
    mm_input_done(&input);
    return result;
}

static int predict_verb(const struct cca_args *args)
{
    const struct cca_given *options = args->options;
    const struct mm_question_options question = {&options[SET], &options[VARIABLE],
                                                 &options[CLASS], &options[RANKS]};

    if (options[POINTS].given)
        return run_points(options, args->words, args->count);
    for (int i = METHOD; i <= CURVE; i++)
        if (options[i].given)
            return mm_refuse(MM_EXIT_MISUSE, "%s without --points", options[i].name);
    return mm_forecast_verb(args->words, args->count,
                            &(struct mm_run_options){&options[METRIC],
                                                     &options[ANY_MACHINE],
                                                     &options[SO_FAR], 0},
                            &question, cca_given_value(&options[AGAINST]),
                            &options[LEDGER], options[JSON].given);
}

const struct cca_verb mm_verb_predict = {
    .name = "predict",
    .summary = "the cost of a run with other classes in its slots",
    .examples =
        "mastermind predict efm.mm godunov.mm --set flux=GodunovFlux\n"
        "mastermind predict efm.mm\n"
        "mastermind predict sweep --set NX=256 --set flux=HLLCFlux --ranks 2\n"
        "mastermind predict efm.mm --points points.csv --method flux.flux.compute\n",
    .about =
        "Predict a run from others (docs/guide/predict.md): numbers of calls by scaling "
        "functions of the run's parameters, times the cost of a call by its model. "
        "Parameters that are not set have the values of the first experiment; for a "
        "sweep, all that varied have to be set. A measured run is compared with its "
        "prediction. With --points print what single calls would cost.\n",
    CCA_OPTIONS(option_table),
    .run = predict_verb,
};

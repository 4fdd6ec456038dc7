/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_predict.c: what a run would cost with other classes and parameters. */
#include "mastermind/cmd/predict/forecast_verb.h"
#include "mastermind/cmd/predict/predict_points.h"

static const char usage[] =
    "mastermind predict efm.mm godunov.mm --set flux=GodunovFlux\n"
    "mastermind predict efm.mm\n"
    "mastermind predict sweep --set NX=256 --set flux=HLLCFlux --ranks 2\n"
    "mastermind predict efm.mm --points points.csv --method flux.flux.compute\n"
    "\n"
    "Predict a run from others (docs/predict.md): counts of calls by laws of the run's\n"
    "parameters, times the cost of a call by its model. Parameters that are not set are\n"
    "those of the first experiment; of a sweep, all that varied have to be set. A run\n"
    "that happened is held against its prediction. With --points print what single\n"
    "calls would cost.\n"
    "\n"
    "  --set NAME=VALUE   an instance gets a class, a parameter (INSTANCE.PORT.NAME) or "
    "a\n"
    "                     variable a value; may be repeated\n"
    "  -D NAME=VALUE, --class INSTANCE=CLASS\n"
    "                     where NAME is both a variable and an instance\n"
    "  --ranks N          number of ranks\n"
    "  --against RUN.mm   predict this run, which happened, and print the errors of "
    "cost\n"
    "                     and of structure\n"
    "  --metric NAME      predict this instead of own time: WALL_TIME, MPI_TIME,\n"
    "                     COMPUTE_TIME, a counter or an out-parameter (o.NAME)\n"
    "  --any-machine      take models of other machines out of repositories\n"
    "  --ledger FILE      keep the prediction in a ledger, whose earlier ones "
    "recalibrate\n"
    "                     its interval (mastermind ledger -h); also by MM_LEDGER\n"
    "  --json             print one document, mastermind/predict/1\n"
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

enum {
    JSON,
    SET,
    METRIC,
    POINTS,
    METHOD,
    CLASS,
    CURVE,
    ANY_MACHINE,
    VARIABLE,
    RANKS,
    AGAINST,
    LEDGER,
    OPTIONS
};

static const char *last_value(const struct mm_option *option)
{
    return option->given ? option->values[option->given - 1] : NULL;
}

/* Predict the points of a file in the place of a run. */
static int run_points(struct mm_option *options, char *const *paths, int count)
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
                                  &options[ANY_MACHINE], 1);
    if (result < 0)
        result = mm_predict_points(&input, last_value(&options[POINTS]),
                                   last_value(&options[METHOD]),
                                   last_value(&options[CLASS]), options[CURVE].given);
    mm_input_done(&input);
    return result;
}

int cmd_predict(int argc, char **argv)
{
    struct mm_option options[OPTIONS] = {
        [JSON] = {.name = "--json"},
        [SET] = {.name = "--set", .takes_value = 1},
        [METRIC] = {.name = "--metric", .takes_value = 1},
        [POINTS] = {.name = "--points", .takes_value = 1},
        [METHOD] = {.name = "--method", .takes_value = 1},
        [CLASS] = {.name = "--class", .takes_value = 1},
        [CURVE] = {.name = "--curve"},
        [ANY_MACHINE] = {.name = "--any-machine"},
        [VARIABLE] = {.name = "-D", .takes_value = 1},
        [RANKS] = {.name = "--ranks", .takes_value = 1},
        [AGAINST] = {.name = "--against", .takes_value = 1},
        [LEDGER] = MM_LEDGER_OPTION};
    const struct mm_question_options question = {&options[SET], &options[VARIABLE],
                                                 &options[CLASS], &options[RANKS]};
    int count, result = mm_options_read(options, OPTIONS, usage, argc, argv, &count);

    if (result >= 0)
        return result;
    if (options[POINTS].given)
        return run_points(options, argv, count);
    for (int i = METHOD; i <= CURVE; i += CURVE - METHOD)
        if (options[i].given)
            return mm_refuse(MM_EXIT_MISUSE, "%s without --points", options[i].name);
    return mm_forecast_verb(argv, count, &options[METRIC], &options[ANY_MACHINE],
                            &question, last_value(&options[AGAINST]), &options[LEDGER],
                            options[JSON].given);
}

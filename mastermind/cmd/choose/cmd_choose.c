/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_choose.c: the verb choose, which selects classes for the slots of an assembly. */
#include <math.h>
#include <string.h>

#include "mastermind/cmd/choose/choose_verb.h"

enum {
    SET,
    VARIABLE,
    CLASS,
    RANKS,
    REQUIRE,
    FRONT,
    WITHIN,
    SLOT,
    OVER,
    USES,
    CHECK,
    MAY_FAIL,
    ANY_MACHINE,
    SO_FAR,
    METRIC,
    WRITE,
    DISPATCH,
    FORCE,
    RUN,
    OUTPUT,
    LAUNCHER,
    LEDGER,
    QUIET,
    JSON
};

static const struct cca_option option_table[] = {
    [SET] = {"--set", "NAME=VALUE",
             "a variable, parameter or class of the requested run"},
    [VARIABLE] = {"-D", "NAME=VALUE", "a variable, where NAME is an instance, too"},
    [CLASS] = {"--class", "INSTANCE=CLASS", "a class, where INSTANCE is a variable, too"},
    [RANKS] = {"--ranks", "N", "its number of ranks"},
    [REQUIRE] = {"--require", "'QUALITY <= X'",
                 "bound a quality of the assembly (< <= == >= >); may be repeated"},
    [FRONT] = {"--front", "QUALITY",
               "list the Pareto front of cost and the quality; QUALITY:greater and "
               "QUALITY:smaller state which values are better"},
    [WITHIN] = {"--within", "F",
                "list the assemblies that cost at most F times the least"},
    [SLOT] = {"--slot", "SLOT", "exchange this instance only"},
    [OVER] = {"--over", "NAME,...",
              "rank the values of these axes of a sweep: of any command by elapsed time, "
              "of ccafe by own time"},
    [USES] =
        {"--uses", "NAME",
         "with --over: this axis has the number of uses of what a run sets up; print "
         "set-up, cost of each use, and from how many uses on a value costs least"},
    [CHECK] = {"--check", "COMMAND",
               "with --over: judge the result of each run, as sweep --check does"},
    [MAY_FAIL] = {"--may-fail", "P",
                  "with --over: largest share of failed runs of a chosen value (default "
                  "0)"},
    [ANY_MACHINE] = {"--any-machine", NULL,
                     "take models of other machines out of repositories"},
    [SO_FAR] = {"--so-far", NULL, MM_SO_FAR_HELP},
    [METRIC] = {"--metric", "NAME",
                "rank by this instead of own time: WALL_TIME, MPI_TIME, COMPUTE_TIME, a "
                "counter or an out-parameter (o.NAME)"},
    [WRITE] = {"--write", "FILE.rc", "write the script of the choice"},
    [DISPATCH] = {"--dispatch", "FILE",
                  "choose the class of the slot in each call: write rules about the "
                  "calls' parameters for the command dispatch of a script"},
    [FORCE] = {"--force", NULL,
               "the file of --write or --dispatch may exist: write it anew"},
    [RUN] = {"--run", NULL,
             "run the choice, with the options of ccafe after --, and print the measured "
             "time beside the predicted one"},
    [OUTPUT] = {"--output", "EXP", "experiment of that run (default choice-1.mm, ...)",
                "-o"},
    [LAUNCHER] = {"--launcher", "COMMAND",
                  "command that starts it; %n is replaced by the number of ranks "
                  "(default for several ranks: mpirun -n %n)"},
    [LEDGER] = {"--ledger", "FILE",
                "keep the choice's prediction in a ledger, whose earlier ones "
                "recalibrate intervals (mastermind ledger -h); also by MM_LEDGER"},
    [QUIET] = {"--quiet", NULL, "print SLOT=CLASS only, a line for each slot"},
    [JSON] = {"--json", NULL, "print one document, mastermind/choose/1"},
};

/* Read --front and --within. */
static int read_query(struct mm_choose_asked *asked, const struct cca_given *options)
{
    const char *text = cca_given_value(&options[FRONT]);
    const char *colon = text ? strrchr(text, ':') : NULL;
    double within = NAN;
    int result = mm_option_number(&options[WITHIN], 1, &within);

    if (result >= 0)
        return result;
    asked->has_query = text || options[WITHIN].given;
    asked->query = (struct mm_choice_query){text, within, -1};
    if (text && options[WITHIN].given)
        return mm_refuse(MM_EXIT_MISUSE, "--front and --within list different things");
    if (asked->has_query && asked->quiet)
        return mm_refuse(MM_EXIT_MISUSE, "--quiet prints the choice only, no list");
    if (!colon)
        return -1;
    if (strcmp(colon, ":greater") != 0 && strcmp(colon, ":smaller") != 0)
        return mm_refuse(MM_EXIT_MISUSE, "'%s', expected :greater or :smaller",
                         mm_safe(text));
    asked->query.greater = colon[1] == 'g';
    snprintf(asked->front, sizeof asked->front, "%.*s", (int)(colon - text), text);
    asked->query.front = asked->front;
    return -1;
}

static int read_asked(struct mm_choose_asked *asked, const struct cca_given *options)
{
    struct cca_error err = {0};

    asked->slot = cca_given_value(&options[SLOT]);
    asked->write = cca_given_value(&options[WRITE]);
    asked->output = cca_given_value(&options[OUTPUT]);
    asked->launcher = cca_given_value(&options[LAUNCHER]);
    asked->force = options[FORCE].given;
    asked->run = options[RUN].given;
    asked->json = options[JSON].given;
    asked->quiet = options[QUIET].given;
    if (!asked->run && (asked->output || asked->launcher || asked->word_count))
        return mm_refuse(MM_EXIT_MISUSE, "%s without --run",
                         asked->output     ? "--output"
                         : asked->launcher ? "--launcher"
                                           : "words behind --");
    asked->dispatch = cca_given_value(&options[DISPATCH]);
    if (asked->force && !asked->write && !asked->dispatch)
        return mm_refuse(MM_EXIT_MISUSE, "--force without --write or --dispatch");
    asked->requirement_count = (size_t)options[REQUIRE].given;
    for (size_t i = 0; i < asked->requirement_count; i++)
        if (mm_requirement_parse(&asked->requirements[i], options[REQUIRE].values[i],
                                 &err) < 0)
            return mm_complain(&err);
    return read_query(asked, options);
}

/* Read --over and the options with it. Returns -1 to go on. */
static int read_over(struct mm_choose_asked *asked, const struct cca_given *options)
{
    static const int without[] = {REQUIRE, FRONT,  WITHIN,      SLOT,  WRITE,
                                  RUN,     LEDGER, ANY_MACHINE, SO_FAR};

    asked->over = &options[OVER];
    asked->uses = cca_given_value(&options[USES]);
    asked->check = cca_given_value(&options[CHECK]);
    if (!asked->over->given && (asked->check || asked->uses || options[MAY_FAIL].given))
        return mm_refuse(MM_EXIT_MISUSE, "%s without --over",
                         asked->check  ? "--check"
                         : asked->uses ? "--uses"
                                       : "--may-fail");
    for (size_t i = 0; i < sizeof without / sizeof *without && asked->over->given; i++)
        if (options[without[i]].given)
            return mm_refuse(MM_EXIT_MISUSE,
                             "%s with --over, which ranks values of a sweep",
                             options[without[i]].name);
    return mm_option_number(&options[MAY_FAIL], 0, &asked->may_fail);
}

/* Refuse options that choose an assembly together with --dispatch. Returns -1 to go
 * on. */
static int check_dispatch(const struct cca_given *options)
{
    static const int without[] = {SET,    VARIABLE, CLASS, RANKS, REQUIRE, FRONT,
                                  WITHIN, OVER,     WRITE, RUN,   LEDGER,  QUIET};

    for (size_t i = 0; i < sizeof without / sizeof *without; i++)
        if (options[DISPATCH].given && options[without[i]].given)
            return mm_refuse(MM_EXIT_MISUSE,
                             "%s with --dispatch, which chooses for the calls of the "
                             "first run",
                             options[without[i]].name);
    return -1;
}

static int choose_verb(const struct cca_args *args)
{
    const struct cca_given *options = args->options;
    struct mm_keeper keeper = {0};
    struct mm_choose_asked asked = {
        .question = {&options[SET], &options[VARIABLE], &options[CLASS], &options[RANKS]},
        .from = {&options[METRIC], &options[ANY_MACHINE], &options[SO_FAR]},
        .words = args->command,
        .word_count = args->command_count,
        .keeper = &keeper};
    int result;

    result = read_asked(&asked, options);
    if (result < 0)
        result = read_over(&asked, options);
    if (result < 0)
        result = check_dispatch(options);
    if (result >= 0)
        return result;
    if (asked.dispatch)
        return mm_choose_dispatch(args->words, args->count, &asked);
    if (asked.over->given)
        return mm_choose_over(args->words, args->count, &asked);
    result = mm_keeper_open(&keeper, &options[LEDGER], args->words, args->count, NULL);
    if (result < 0)
        result = mm_choose_open(args->words, args->count, &asked);
    result = mm_keeper_finish(&keeper, result, asked.quiet || asked.json);
    mm_keeper_done(&keeper);
    return result;
}

const struct cca_verb mm_verb_choose = {
    .name = "choose",
    .summary = "which classes to plug in, or which values to run with",
    .examples =
        "mastermind choose efm.mm godunov.mm hllc.mm\n"
        "mastermind choose efm.mm godunov.mm hllc.mm --require 'oddeven_m6 <= .05'\n"
        "mastermind choose efm.mm godunov.mm hllc.mm --write best.rc --run\n"
        "mastermind choose SWEEP --set NX=1024 --front oddeven_m6\n"
        "mastermind choose scalar.mm vector.mm --dispatch flux.dispatch\n"
        "mastermind choose SWEEP --over threads,blas --set n=1600\n"
        "mastermind choose SWEEP --over solver --uses k --set n=1600\n",
    .about = "Rank the classes of each slot by the predicted time of the whole run. "
             "Slots are the instances that the runs had with several classes. Parameters "
             "that are not set are those of the first experiment; of a sweep, all that "
             "varied have to be set. With --over rank values of axes of a sweep: numbers "
             "of threads or ranks, libraries, options, parameters, classes.\n",
    .takes_command = 1,
    CCA_OPTIONS(option_table),
    .notes = "Exit status 1: no class fulfils the requirements, or no slot has another "
             "class. Where the run fails, its status.\n",
    .run = choose_verb,
};

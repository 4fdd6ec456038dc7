/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_choose.c: which classes to plug in. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/cmd/choose/choose_verb.h"

static const char usage[] =
    "mastermind choose efm.mm godunov.mm hllc.mm\n"
    "mastermind choose efm.mm godunov.mm hllc.mm --require 'oddeven_m6 <= .05'\n"
    "mastermind choose efm.mm godunov.mm hllc.mm --write best.rc --run\n"
    "mastermind choose SWEEP --set NX=1024 --front oddeven_m6\n"
    "\n"
    "Rank the classes of each slot by the predicted time of the whole run. Slots are\n"
    "the instances that the runs had with several classes. Parameters that are not set\n"
    "are those of the first experiment; of a sweep, all that varied have to be set.\n"
    "\n"
    "  --set NAME=VALUE           a variable, parameter or class of the run asked for;\n"
    "                             -D NAME=VALUE, --class INSTANCE=CLASS: one of a kind\n"
    "  --ranks N                  its number of ranks\n"
    "  --require 'QUALITY <= X'   bound a quality of the assembly (< <= == >= >); may\n"
    "                             be repeated\n"
    "  --front QUALITY            list the Pareto front of cost and the quality;\n"
    "                             QUALITY:greater and QUALITY:smaller say what is "
    "better\n"
    "  --within F                 list the assemblies that cost at most F times the "
    "least\n"
    "  --slot SLOT                exchange this instance only\n"
    "  --any-machine              take models of other machines out of repositories\n"
    "  --metric NAME              rank by this instead of own time: WALL_TIME,\n"
    "                             MPI_TIME, COMPUTE_TIME, a counter or an\n"
    "                             out-parameter (o.NAME)\n"
    "  --write FILE.rc            write the script of the choice; --force: anew\n"
    "  --run [-- OPTION...]       run the choice, with options of ccafe, and print what "
    "it\n"
    "                             took beside what was predicted\n"
    "  -o, --output EXP           experiment of that run (default choice-1.mm, ...)\n"
    "  --launcher COMMAND         start it by this, %n stands for the number of ranks\n"
    "                             (default for several ranks: mpirun -n %n)\n"
    "  --ledger FILE              keep the choice's prediction in a ledger, whose "
    "earlier\n"
    "                             ones recalibrate intervals (mastermind ledger -h);\n"
    "                             also by MM_LEDGER\n"
    "  --quiet                    print SLOT=CLASS only, a line for each slot\n"
    "  --json                     print one document, mastermind/choose/1\n"
    "\n"
    "Exit status 1: no class fulfils the requirements, or no slot has another class. "
    "Where\n"
    "the run fails, its status.\n";

enum {
    JSON,
    QUIET,
    SLOT,
    REQUIRE,
    METRIC,
    ANY_MACHINE,
    FRONT,
    WITHIN,
    WRITE,
    FORCE,
    RUN,
    OUTPUT,
    LAUNCHER,
    SET,
    VARIABLE,
    CLASS,
    RANKS,
    LEDGER,
    OPTIONS
};

static const char *last_value(const struct mm_option *option)
{
    return option->given ? option->values[option->given - 1] : NULL;
}

/* Read --front and --within. */
static int read_query(struct mm_choose_asked *asked, const struct mm_option *options)
{
    const char *text = last_value(&options[FRONT]);
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

static int read_asked(struct mm_choose_asked *asked, const struct mm_option *options)
{
    struct cca_error err = {0};

    asked->slot = last_value(&options[SLOT]);
    asked->write = last_value(&options[WRITE]);
    asked->output = last_value(&options[OUTPUT]);
    asked->launcher = last_value(&options[LAUNCHER]);
    asked->force = options[FORCE].given;
    asked->run = options[RUN].given;
    asked->json = options[JSON].given;
    asked->quiet = options[QUIET].given;
    if (!asked->run && (asked->output || asked->launcher || asked->word_count))
        return mm_refuse(MM_EXIT_MISUSE, "%s without --run",
                         asked->output     ? "--output"
                         : asked->launcher ? "--launcher"
                                           : "words behind --");
    if (asked->force && !asked->write)
        return mm_refuse(MM_EXIT_MISUSE, "--force without --write");
    asked->requirement_count = (size_t)options[REQUIRE].given;
    for (size_t i = 0; i < asked->requirement_count; i++)
        if (mm_requirement_parse(&asked->requirements[i], options[REQUIRE].values[i],
                                 &err) < 0)
            return mm_complain(&err);
    return read_query(asked, options);
}

int cmd_choose(int argc, char **argv)
{
    struct mm_option options[OPTIONS] = {
        [JSON] = {.name = "--json"},
        [QUIET] = {.name = "--quiet"},
        [SLOT] = {.name = "--slot", .takes_value = 1},
        [REQUIRE] = {.name = "--require", .takes_value = 1},
        [METRIC] = {.name = "--metric", .takes_value = 1},
        [ANY_MACHINE] = {.name = "--any-machine"},
        [FRONT] = {.name = "--front", .takes_value = 1},
        [WITHIN] = {.name = "--within", .takes_value = 1},
        [WRITE] = {.name = "--write", .takes_value = 1},
        [FORCE] = {.name = "--force"},
        [RUN] = {.name = "--run"},
        [OUTPUT] = {.name = "--output", .takes_value = 1, .letter = "-o"},
        [LAUNCHER] = {.name = "--launcher", .takes_value = 1},
        [SET] = {.name = "--set", .takes_value = 1},
        [VARIABLE] = {.name = "-D", .takes_value = 1},
        [CLASS] = {.name = "--class", .takes_value = 1},
        [RANKS] = {.name = "--ranks", .takes_value = 1},
        [LEDGER] = MM_LEDGER_OPTION};
    struct mm_keeper keeper = {0};
    struct mm_choose_asked asked = {
        .question = {&options[SET], &options[VARIABLE], &options[CLASS], &options[RANKS]},
        .metric = &options[METRIC],
        .any_machine = &options[ANY_MACHINE],
        .keeper = &keeper};
    int own = 0, count, result;

    while (own < argc && strcmp(argv[own], "--") != 0)
        own++;
    asked.words = argv + (own < argc ? own + 1 : argc);
    asked.word_count = own < argc ? argc - own - 1 : 0;
    result = mm_options_read(options, OPTIONS, usage, own, argv, &count);
    if (result >= 0)
        return result;
    result = read_asked(&asked, options);
    if (result >= 0)
        return result;
    result = mm_keeper_open(&keeper, &options[LEDGER], argv, count, NULL);
    if (result < 0)
        result = mm_choose_open(argv, count, &asked);
    result = mm_keeper_finish(&keeper, result, asked.quiet || asked.json);
    mm_keeper_done(&keeper);
    return result;
}

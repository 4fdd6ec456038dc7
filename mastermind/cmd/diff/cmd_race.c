/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_race.c: run two commands by turns until it is known which one costs more. */
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/random.h"
#include "mastermind/cmd/diff/race.h"
#include "mastermind/cmd/sweep/asked.h"
#include "mastermind/cmd/sweep/sweep.h"

enum {
    PAIRS,
    BUDGET,
    MIN_CHANGE,
    SAME,
    PAIRING,
    FUNCTIONS,
    LIBRARY,
    ONLY,
    EXCEPT,
    BUILD,
    SAVE,
    CONFIRM,
    SEED,
    MARKDOWN,
    JUNIT,
    JSON
};
/* Pairs by default: of short commands on a loud host more than 30, which take a minute at
 * most. */
enum { DEFAULT_PAIRS = 30, SHORT_PAIRS = 150 };
#define SHORT_S 60.
#define DEFAULT_CHANGE 1.

static const struct cca_option option_table[] = {
    [PAIRS] = {"--pairs", "N",
               "at most N pairs of runs (default: 30, or as many of "
               "short commands as fit into 60s, up to 150)"},
    [BUDGET] = {"--budget", "TIME",
                "end before the pair that would not fit into TIME: 90s, 10m, 1.5h"},
    [MIN_CHANGE] = {"--min-change", "P", "a change must be above P percent (default: 1)"},
    [SAME] = {"--same", "P",
              "the race ends as well once the change is surely below P percent "
              "(default: 3)"},
    [PAIRING] = {"--pairing", "WAY",
                 "run the sides of a pair together: at the same time on one core; by "
                 "turns: one after the other; or auto: together unless a side has "
                 "threads, writes files or binds sockets (default)"},
    [FUNCTIONS] = {"--functions", "LIST",
                   "record functions of the programs in five further pairs, as record "
                   "--functions does, and print which have more calls, larger parameters "
                   "or dearer calls"},
    [LIBRARY] = {"--library", "LIST", "the same for calls of libraries, as record"},
    [ONLY] = {"--only", "LIST", "record only functions that match these patterns"},
    [EXCEPT] = {"--except", "LIST", "nor those that match these"},
    [BUILD] =
        {"--build", "COMMAND",
         "the sides are commits: check each out into a temporary folder, run COMMAND "
         "in a shell there, then race the program behind the second --"},
    [SAVE] = {"--save", "FILE", "write the race to a file, for --confirm"},
    [CONFIRM] = {"--confirm", "FILE",
                 "repeat the race of another machine, with the commands of its file "
                 "unless there are others, and report whether both agree"},
    [SEED] = {"--seed", "N", "of the order within pairs (default: 1)"},
    [MARKDOWN] = {"--markdown", "FILE", "write a summary, as for the page of a CI job"},
    [JUNIT] = {"--junit", "FILE", "write the verdicts as a JUnit file"},
    [JSON] = {"--json", NULL, "print one document, mastermind/race/1"},
};

/* --- Request ------------------------------------------------------------------------ */

static int read_pairing(struct race *race, const struct cca_given *option)
{
    static const char *const ways[] = {
        [RACE_AUTO] = "auto", [RACE_TOGETHER] = "together", [RACE_TURNS] = "turns"};

    for (int i = 0; i < 3; i++)
        if (!option->given || strcmp(cca_given_value(option), ways[i]) == 0) {
            race->pairing = (enum race_pairing)i;
            return -1;
        }
    return mm_refuse(MM_EXIT_MISUSE,
                     "found --pairing %s, expected auto, together or turns",
                     mm_safe(cca_given_value(option)));
}

static int read_options(struct race *race, const struct cca_given *options)
{
    double pairs = SHORT_PAIRS, change = DEFAULT_CHANGE, same = MM_DIFF_SAME_PERCENT,
           seed = 1;
    int result = mm_option_count(&options[PAIRS], 2, &pairs);

    if (result < 0)
        result = sweep_budget(&options[BUDGET], &race->budget_s);
    if (result < 0)
        result = mm_option_number(&options[MIN_CHANGE], 0, &change);
    if (result < 0)
        result = mm_option_number(&options[SAME], 0, &same);
    if (result < 0)
        result = mm_option_count(&options[SEED], 0, &seed);
    if (result < 0 && same <= change)
        result = mm_refuse(MM_EXIT_MISUSE,
                           "found --same %g and --min-change %g, expected --same above",
                           same, change);
    if (result < 0)
        result = read_pairing(race, &options[PAIRING]);
    race->most_pairs = (size_t)fmin(pairs, 1e6);
    race->may_end_early = !options[PAIRS].given && !options[BUDGET].given;
    race->least_change = change / 100;
    race->has_least_change = options[MIN_CHANGE].given > 0;
    race->same_change = same / 100;
    race->seed = (uint64_t)seed;
    return result;
}

/* --- The race ----------------------------------------------------------------------- */

static void show_progress(const struct race *race, double left_s)
{
    const struct race_change *change = &race->change[RACE_CPU];

    if (!isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "\r\033[K%s of at most %zu", mm_counted(race->pairs, "pair"),
            race->most_pairs);
    if (race->pairs > 1 && isfinite(change->high))
        fprintf(stderr, ", CPU time %+.1f %% (%+.1f to %+.1f)", 100 * change->relative,
                100 * change->low, 100 * change->high);
    if (isfinite(left_s))
        fprintf(stderr, "  %s left", mm_time(1e9 * left_s));
    fflush(stderr);
}

/* A core that this process may use, at random; 0 where they are unknown. */
static int choose_core(uint64_t *state)
{
    cpu_set_t set;
    int count, wanted;

    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) || !(count = CPU_COUNT(&set)))
        return 0;
    wanted = (int)(cca_random_next(state) % (uint64_t)count);
    for (int core = 0; core < CPU_SETSIZE; core++)
        if (CPU_ISSET((size_t)core, &set) && !wanted--)
            return core;
    return 0;
}

static int run_pair(struct race *race, uint64_t *state)
{
    int first = (int)(cca_random_next(state) & 1);
    int result = race_run_pair(race, first, choose_core(state));

    if (result < 0)
        race->pairs++;
    return result;
}

/* Make pairs until the change of CPU time is known. -1 to go on. */
static int run_pairs(struct race *race)
{
    int64_t start = cca_clock_ns(CLOCK_MONOTONIC);
    uint64_t state = race->seed;
    int result = race_warm_up(race);

    race->ended = "pairs";
    while (result < 0 && race->pairs < race->most_pairs) {
        double elapsed_s = 1e-9 * (double)(cca_clock_ns(CLOCK_MONOTONIC) - start);

        if (race->may_end_early && race->pairs >= DEFAULT_PAIRS && elapsed_s >= SHORT_S)
            break;
        show_progress(race, race->budget_s - elapsed_s);
        if (race->pairs &&
            elapsed_s + race->elapsed_s / (double)race->pairs > race->budget_s) {
            race->ended = "budget";
            break;
        }
        result = run_pair(race, &state);
        race->elapsed_s = 1e-9 * (double)(cca_clock_ns(CLOCK_MONOTONIC) - start);
        if (result < 0 && race_judge(race))
            result = mm_no_memory();
        if (race->change[RACE_CPU].verdict != RACE_OPEN) {
            race->ended = "sure";
            break;
        }
    }
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    return result;
}

/* 1: B costs more, on both machines if there are two. */
static int is_no(const struct race *race)
{
    return race_verdict(race) == RACE_WORSE &&
           (!race->confirmed || race->there == RACE_WORSE);
}

static int print(const struct race *race, const struct cca_given *options)
{
    int result = -1;

    if (options[MARKDOWN].given)
        result = race_write_markdown(race, cca_given_value(&options[MARKDOWN]));
    if (result < 0 && options[JUNIT].given)
        result = race_write_junit(race, cca_given_value(&options[JUNIT]));
    if (result < 0 && options[SAVE].given)
        result = race_save(race, cca_given_value(&options[SAVE]));
    if (result >= 0)
        return result;
    result = is_no(race) ? MM_EXIT_NO : MM_EXIT_DONE;
    if (options[JSON].given) {
        int status = mm_json_print(race_json(race));

        return status ? status : result;
    }
    race_print(race);
    return mm_finish_output(result);
}

static void race_done(struct race *race)
{
    for (int side = 0; side < RACE_SIDES; side++) {
        for (size_t i = 0; race->runs[side] && i < race->most_pairs; i++)
            sweep_cost_done(&race->runs[side][i]);
        free(race->runs[side]);
        free(race->name[side]);
    }
    race_build_done(race);
    mm_diff_verb_done(&race->why);
    free(race->record.words);
    json_decref(race->confirmed);
    free(race->copy);
    sweep_names_done(&race->names);
    free(race->functions);
    race_folder_remove(race);
}

/* Take the sides from the arguments, or from the file of another machine. -1 to go on. */
static int read_sides(struct race *race, const struct cca_args *args)
{
    const struct cca_given *options = args->options;

    race->build.command = cca_given_value(&options[BUILD]);
    return options[CONFIRM].given
               ? race_confirm_read(race, cca_given_value(&options[CONFIRM]), args->words)
               : race_words_read(race, args->words);
}

/* Collect the options for recorded runs. -1 to go on. */
static int read_record(struct race *race, const struct cca_given *options)
{
    static const int passed[] = {FUNCTIONS, LIBRARY, ONLY, EXCEPT};
    size_t room = 0;

    if (!options[FUNCTIONS].given && !options[LIBRARY].given)
        return options[ONLY].given || options[EXCEPT].given
                   ? mm_refuse(MM_EXIT_MISUSE, "found --only or --except, expected them "
                                               "with --functions or --library")
                   : -1;
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
        room += 2 * (size_t)options[passed[i]].given;
    race->record.words = calloc(room, sizeof *race->record.words);
    if (!race->record.words)
        return mm_no_memory();
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
        for (int k = 0; k < options[passed[i]].given; k++) {
            race->record.words[race->record.count++] = option_table[passed[i]].name;
            race->record.words[race->record.count++] = options[passed[i]].values[k];
        }
    return -1;
}

/* Seconds of the budget that are left. */
static double left_s(void *context)
{
    const struct race *race = context;

    return race->budget_s -
           1e-9 * (double)(cca_clock_ns(CLOCK_MONOTONIC) - race->start_ns);
}

static int race_commands(struct race *race)
{
    uint64_t state = race->seed + 1;
    int result = -1;

    race->start_ns = cca_clock_ns(CLOCK_MONOTONIC);

    for (int side = 0; side < RACE_SIDES && result < 0; side++)
        if (!(race->runs[side] = calloc(race->most_pairs, sizeof *race->runs[side])))
            result = mm_no_memory();
    if (result < 0)
        result = race_folder_make(race);
    if (result < 0) {
        sweep_hold_signals();
        if (race->build.command)
            result = race_build(race);
    }
    if (result < 0)
        result = run_pairs(race);
    if (result < 0 && race_find_functions(race))
        result = mm_no_memory();
    if (result < 0 && race->record.count)
        result = race_record(race, &state, left_s, race);
    return result;
}

static int race_verb(const struct cca_args *args)
{
    struct race race = {.cwd = {".", "."}};
    int result = read_options(&race, args->options);

    if (result < 0)
        result = read_record(&race, args->options);
    if (result < 0)
        result = read_sides(&race, args);
    if (result < 0)
        result = race.is_of_experiments ? race_experiments(&race) : race_commands(&race);
    if (result < 0)
        result = print(&race, args->options);
    race_done(&race);
    return result;
}

const struct cca_verb mm_verb_race = {
    .name = "race",
    .summary = "which of two commands costs more: pairs of runs until it is sure",
    .usage = "mastermind race [options] A [ARGUMENT]... -- B [ARGUMENT]...\n"
             "mastermind race [options] EXP... -- EXP...\n"
             "mastermind race --build COMMAND COMMIT -- COMMIT -- PROGRAM [ARGUMENT]...\n"
             "mastermind race --confirm FILE",
    .examples = "mastermind race ./old 400 -- ./new 400\n"
                "mastermind race --budget 5m --junit race.xml ./main -- ./change\n"
                "mastermind race --build 'make -s' main -- HEAD -- ./solver 400\n",
    .about =
        "Run two commands in pairs, at the same time on one core or by turns, until the "
        "change of CPU time is above --min-change or below --same for sure, or "
        "until --pairs or --budget ends. The intervals may be looked at after each "
        "pair: all of a race together hold with 95 %. Both commands read nothing, "
        "and their output is compared and discarded. The functions whose CPU time "
        "changed are found by samples.\n",
    .options_first = 1,
    CCA_OPTIONS(option_table),
    .notes = "Exit status 1: B costs more CPU time or memory, with --confirm on both "
             "machines; 4: a command failed.\n",
    .run = race_verb,
};

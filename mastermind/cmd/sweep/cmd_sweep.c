/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_sweep.c: the verb sweep, which measures a program with different parameters. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "mastermind/cmd/sweep/asked.h"

static const struct cca_option option_table[] = {
    [SWEEP_VARIABLE] =
        {"-D", "NAME=VALUE,...",
         "values of a variable of the script, or of {NAME} in any other command; of "
         "files the size in bytes is the parameter, NAME.bytes"},
    [ASKED_VARY] = {"--vary", "INSTANCE.PORT.NAME=VALUE,...", "values of a parameter"},
    [SWEEP_CLASS] = {"--class", "INSTANCE=CLASS,...", "classes of an instance"},
    [ASKED_RANKS] = {"--ranks", "N,...", "numbers of ranks"},
    [ASKED_ENV] = {"--env", "NAME=VALUE,...",
                   "values of a variable of the environment, as OMP_NUM_THREADS=1,2,4"},
    [ASKED_LAUNCHER] = {"--launcher", "COMMAND",
                        "command that starts runs; %n is replaced by the number of ranks "
                        "(default with --ranks: mpirun -n %n)"},
    [ASKED_CHECK] =
        {"--check", "COMMAND",
         "judge the result of each run: the command gets the path of its "
         "standard output as last word, or for {out}; status 1 to 125: wrong, "
         "which counts as a failure"},
    [ASKED_REPEAT] = {"--repeat", "N", "runs of each point (default 3)"},
    [ASKED_BUDGET] =
        {"--budget", "TIME",
         "start no run that would end after this much time of runs: 90s, 10m, 1.5h"},
    [ASKED_GRID] =
        {"--grid", "N",
         "make the full grid if it has at most N points, else a design (default 32)"},
    [ASKED_SEED] = {"--seed", "N", "of the order (default 1)"},
    [ASKED_OVER] = {"--over", "NAME,...",
                    "make only the runs that decide which values of these axes cost "
                    "least, for each combination of values of the others"},
    [ASKED_WITHIN] = {"--within", "P",
                      "with --over: until a choice is expected to cost at most this "
                      "share more than the best value (default .02)"},
    [ASKED_METRIC] = {"--metric", "NAME",
                      "with --over: the cost, WALL_TIME (default) or CPU_TIME"},
    [ASKED_OUTPUT] =
        {"--output", "DIR",
         "directory of the sweep; new, empty, or of this sweep (default, of any "
         "command but ccafe: PROGRAM.sweep)",
         "-o"},
    [ASKED_DRY] = {"--dry-run", NULL, "print the runs in their order, and make none"},
    [ASKED_STATUS] = {"--status", NULL, "print the results so far, and make no run"},
    [ASKED_SHARED] = {"--shared", NULL,
                      "make runs beside other processes that do so in this directory, on "
                      "this host or others"},
    [ASKED_PATIENCE] = {"--patience", "TIME",
                        "with --shared: time after which a run of another host that does "
                        "not renew its claim is made again (default 60s)"},
    [ASKED_SLURM] = {"--slurm", NULL,
                     "make the runs by a job array of Slurm: write and submit "
                     "DIR/sweep.sbatch"},
    [ASKED_TASKS] = {"--tasks", "N",
                     "with --slurm: tasks of the array, each of which makes runs until "
                     "none is left (default: one for each run, at most 100)"},
    [ASKED_SBATCH] = {"--sbatch", "OPTIONS",
                      "with --slurm: options of sbatch, as '--partition=long "
                      "--time=30:00'"},
    [ASKED_JSON] = {"--json", NULL, "print one document, mastermind/sweep/1"},
};

/* --- The verb ----------------------------------------------------------------------- */

/* Report a race. */
static int tell_race(const struct sweep *sweep, const struct sweep_verdict *verdict,
                     int json)
{
    struct sweep_race race;
    int result = MM_EXIT_SYSTEM;

    if (sweep_race_find(sweep, &race)) {
        result = mm_no_memory();
    } else if (json) {
        json_t *document = sweep_json(sweep, verdict);

        mm_json_put(document, "choices", sweep_race_json(sweep, &race));
        result = mm_json_print(document);
    } else {
        sweep_race_print(sweep, &race);
        result = mm_finish_output(MM_EXIT_DONE);
    }
    if (result == MM_EXIT_DONE && race.decision.decided < race.decision.contexts)
        result = MM_EXIT_NO;
    sweep_race_done(&race);
    return result;
}

/* Report the sweep. `ended` is the exit code that ended it, or -1. */
static int tell(const struct sweep *sweep, int json, int is_status, double budget_s,
                int ended)
{
    struct sweep_verdict verdict;
    int result;

    if (sweep_judge(sweep, &verdict))
        return mm_no_memory();
    if (sweep->over && ended < 0)
        return tell_race(sweep, &verdict, json);
    if (ended < 0 && verdict.taken) {
        printf("%zu of %s are done, other workers make %zu%s: 'mastermind sweep -o %s "
               "--status' prints the results\n",
               verdict.done, mm_counted(sweep->plan->run_count, "run"), verdict.taken,
               verdict.open ? ", the rest is open" : "", mm_safe(sweep->dir));
        if (!is_status)
            return mm_finish_output(verdict.failed ? MM_EXIT_NO : MM_EXIT_DONE);
    }
    if (ended > 128)
        fprintf(stderr,
                "mastermind: ended by signal %d with %zu of %s; 'mastermind sweep -o %s' "
                "goes on\n",
                ended - 128, verdict.done, mm_counted(sweep->plan->run_count, "run"),
                mm_safe(sweep->dir));
    else if (verdict.open && !is_status)
        fprintf(
            stderr,
            "mastermind: the budget of %s ends with %zu of %s; a larger --budget goes "
            "on\n",
            mm_time(1e9 * budget_s), verdict.done,
            mm_counted(sweep->plan->run_count, "run"));
    if (ended > 0)
        return ended;
    if (json)
        result = mm_json_print(sweep_json(sweep, &verdict));
    else
        sweep_print(sweep, &verdict);
    result = json ? result : mm_finish_output(MM_EXIT_DONE);
    return result == MM_EXIT_DONE && verdict.failed ? MM_EXIT_NO : result;
}

/* Read how the sweep shares its runs. Returns -1 to go on. */
static int read_sharing(const struct cca_given *options, struct sweep *sweep,
                        struct sweep_slurm *slurm)
{
    int result =
        sweep_time_asked(&options[ASKED_PATIENCE], SWEEP_PATIENCE_S, &sweep->patience_s);

    sweep->is_shared = options[ASKED_SHARED].given;
    slurm->budget = cca_given_value(&options[ASKED_BUDGET]);
    slurm->results = "mastermind sweep --status -o";
    if (result < 0 && options[ASKED_SHARED].given && options[ASKED_SLURM].given)
        result =
            mm_refuse(MM_EXIT_MISUSE,
                      "found --shared and --slurm: the tasks of a job array share the "
                      "runs anyway");
    return result < 0 ? sweep_slurm_asked(&options[ASKED_SLURM], &options[ASKED_TASKS],
                                          &options[ASKED_SBATCH], slurm)
                      : result;
}

/* Print the sweep in a directory as it is. */
static int print_status(const struct cca_given *options, char **words,
                        struct sweep *sweep)
{
    int result = -1;

    sweep->dir = cca_given_value(&options[ASKED_OUTPUT]);
    if (!sweep->dir || (words && *words))
        return mm_refuse(MM_EXIT_MISUSE, "expected sweep --status -o DIR");
    result = sweep_read(sweep);
    return result < 0 ? tell(sweep, options[ASKED_JSON].given, 1, INFINITY, -1) : result;
}

static int run_sweep(const struct cca_given *options, char **words, struct sweep *sweep)
{
    struct sweep_slurm slurm = {0};
    double budget_s;
    int result = sweep_budget(&options[ASKED_BUDGET], &budget_s);

    if (result < 0)
        result = read_sharing(options, sweep, &slurm);
    if (result < 0 && options[ASKED_STATUS].given)
        return print_status(options, words, sweep);
    if (result < 0)
        result = sweep_asked(options, words, sweep);
    if (result < 0)
        result = sweep_make_plan(sweep);
    if (result < 0 && options[ASKED_DRY].given) {
        sweep_print_plan(sweep);
        return mm_finish_output(MM_EXIT_DONE);
    }
    if (result < 0 && sweep->over &&
        (options[ASKED_SHARED].given || options[ASKED_SLURM].given))
        return mm_refuse(MM_EXIT_MISUSE,
                         "found --over with --shared or --slurm: each run of a race "
                         "depends on the ones before it");
    if (result < 0)
        result = sweep_open(sweep);
    if (result >= 0)
        return result;
    sweep_hold_signals();
    if (options[ASKED_SLURM].given)
        return sweep_slurm_submit(sweep, &slurm);
    result = sweep_make_runs(sweep, budget_s, NULL);
    return result >= 0 && result < 128
               ? result
               : tell(sweep, options[ASKED_JSON].given, 0, budget_s, result);
}

static int sweep_verb(const struct cca_args *args)
{
    const struct cca_given *options = args->options;
    struct sweep sweep = {.lock = -1, .run_lock = -1};
    int result;

    if (args->count)
        return mm_refuse(MM_EXIT_MISUSE, "found '%s'; expected -- before the command",
                         mm_safe(args->words[0]));
    result = run_sweep(options, args->command, &sweep);
    sweep_done(&sweep);
    return result;
}

const struct cca_verb mm_verb_sweep = {
    .name = "sweep",
    .summary = "run a program with many parameters",
    .examples = "mastermind sweep -D NX=64,128,256 -o DIR -- ccafe -D NY=32 SCRIPT\n"
                "mastermind sweep -D n=100,200,400 -o DIR -- ./solver {n}\n"
                "mastermind sweep -o DIR\n"
                "mastermind sweep -D ksp=cg,gmres -D pc=ilu,gamg --over ksp,pc -o DIR -- "
                "./solver -ksp_type {ksp} -pc_type {pc}\n"
                "mastermind sweep --slurm --sbatch --time=30:00 -D n=100,200 -o DIR -- "
                "./solver {n}\n",
    .about = "Make measured runs with each of these values, in an order that a drifting "
             "host does not disturb, and report whether they suffice. Of a command other "
             "than ccafe a run is one row with its CPU time and peak memory, and {NAME} "
             "in it is replaced by a value. Again with the same options, or with -o "
             "alone, it goes on where it ended. Other verbs take DIR for the experiments "
             "in it.\n",
    .takes_command = 1,
    CCA_OPTIONS(option_table),
    .notes = "Exit status 1: a run failed, or a race is not decided. 130, 143: ended by "
             "SIGINT, SIGTERM.\n",
    .run = sweep_verb,
};

/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_sweep.c: the verb sweep, which measures a program with different parameters. */
#include <stdlib.h>
#include <unistd.h>

#include "mastermind/cmd/sweep/asked.h"

static const struct cca_option option_table[] = {
    [SWEEP_VARIABLE] =
        {"-D", "NAME=VALUE,...",
         "values of a variable of the script, or of {NAME} in any other command"},
    [ASKED_VARY] = {"--vary", "INSTANCE.PORT.NAME=VALUE,...", "values of a parameter"},
    [SWEEP_CLASS] = {"--class", "INSTANCE=CLASS,...", "classes of an instance"},
    [ASKED_RANKS] = {"--ranks", "N,...", "numbers of ranks"},
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
    [ASKED_OUTPUT] = {"--output", "DIR",
                      "directory of the sweep; new, empty, or of this sweep", "-o"},
    [ASKED_DRY] = {"--dry-run", NULL, "print the runs in their order, and make none"},
    [ASKED_JSON] = {"--json", NULL, "print one document, mastermind/sweep/1"},
};

int sweep_make_plan(struct sweep *sweep)
{
    struct mm_plan_axis *axes = calloc(sweep->axis_count + 1, sizeof *axes);
    struct cca_error err = {0};

    if (!axes)
        return mm_no_memory();
    for (size_t a = 0; a < sweep->axis_count; a++)
        axes[a] = (struct mm_plan_axis){sweep->axes[a].count, sweep->axes[a].numbers};
    sweep->plan = mm_plan_new(&(struct mm_plan_request){.axes = axes,
                                                        .axis_count = sweep->axis_count,
                                                        .repeats = sweep->repeats,
                                                        .grid_limit = sweep->grid_limit,
                                                        .seed = sweep->seed},
                              &err);
    free(axes);
    if (!sweep->plan)
        return mm_complain(&err);
    sweep->runs = calloc(sweep->plan->run_count, sizeof *sweep->runs);
    return sweep->runs ? -1 : mm_no_memory();
}

void sweep_done(struct sweep *sweep)
{
    for (size_t a = 0; a < sweep->axis_count; a++)
        sweep_axis_done(&sweep->axes[a]);
    for (size_t i = 0; sweep->runs && i < sweep->plan->run_count; i++) {
        free(sweep->runs[i].error);
        json_decref(sweep->runs[i].functions);
    }
    free(sweep->axes);
    free(sweep->launcher);
    free(sweep->check);
    sweep_words_free(sweep->command);
    free(sweep->cwd);
    free(sweep->path);
    free(sweep->runs);
    mm_plan_free(sweep->plan);
    if (sweep->lock >= 0)
        close(sweep->lock);
    if (sweep->run_lock >= 0)
        close(sweep->run_lock);
}

/* --- The verb ----------------------------------------------------------------------- */

static int tell(const struct sweep *sweep, int json, double budget_s, int ended)
{
    struct sweep_verdict verdict;
    int result;

    if (sweep_judge(sweep, &verdict))
        return mm_no_memory();
    if (ended > 128)
        fprintf(stderr,
                "mastermind: ended by signal %d with %zu of %s; 'mastermind sweep -o %s' "
                "goes on\n",
                ended - 128, verdict.done, mm_counted(sweep->plan->run_count, "run"),
                mm_safe(sweep->dir));
    else if (verdict.open)
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

static int run_sweep(const struct cca_given *options, char **words, struct sweep *sweep)
{
    double budget_s;
    int result = sweep_budget(&options[ASKED_BUDGET], &budget_s);

    if (result < 0)
        result = sweep_asked(options, words, sweep);
    if (result < 0)
        result = sweep_make_plan(sweep);
    if (result < 0 && options[ASKED_DRY].given) {
        sweep_print_plan(sweep);
        return mm_finish_output(MM_EXIT_DONE);
    }
    if (result < 0)
        result = sweep_open(sweep);
    if (result >= 0)
        return result;
    sweep_hold_signals();
    result = sweep_make_runs(sweep, budget_s, NULL);
    return result >= 0 && result < 128
               ? result
               : tell(sweep, options[ASKED_JSON].given, budget_s, result);
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
                "mastermind sweep -o DIR\n",
    .about = "Make measured runs with each of these values, in an order that a drifting "
             "host does not disturb, and report whether they suffice. Of a command other "
             "than ccafe a run is one row with its CPU time and peak memory, and {NAME} "
             "in it is replaced by a value. Again with the same options, or with -o "
             "alone, it goes on where it ended. Other verbs take DIR for the experiments "
             "in it.\n",
    .takes_command = 1,
    CCA_OPTIONS(option_table),
    .notes = "Exit status 1: a run failed. 130, 143: ended by SIGINT, SIGTERM.\n",
    .run = sweep_verb,
};

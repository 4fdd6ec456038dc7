/* SPDX-License-Identifier: BSD-3-Clause */
/* race.h: shared by the files of the verb race: two commands that run by turns until it
 * is known which one costs more. */
#ifndef MASTERMIND_CMD_DIFF_RACE_H
#define MASTERMIND_CMD_DIFF_RACE_H

#include "mastermind/compare/pairs.h"
#include "mastermind/cmd/cmd.h"
#include "mastermind/cmd/sweep/cost.h"

enum { RACE_A, RACE_B, RACE_SIDES };

/* Costs of a run that get a verdict. */
enum race_cost { RACE_CPU, RACE_MEMORY, RACE_COSTS };

/* How the sides of a pair run: at the same time where the warm-up shows that they may,
 * always, or never. */
enum race_pairing { RACE_AUTO, RACE_TOGETHER, RACE_TURNS };

enum race_verdict { RACE_OPEN, RACE_SAME, RACE_WORSE, RACE_BETTER };

/* The change from A to B of a cost. */
struct race_change {
    double cost[RACE_SIDES]; /* mean cost of the runs of each side, s or bytes */
    /* B / A - 1, and its interval, valid at all looks together; INFINITY: unknown */
    double relative, low, high;
    enum race_verdict verdict;
};

/* The change of a function's CPU time. */
struct race_function {
    const char *name;
    double cpu_s[RACE_SIDES]; /* mean CPU time of each side */
    /* change from A to B, and half-width of its 95 % interval (for this function alone)
     */
    double change_s, half_s;
};

struct race {
    /* The request. */
    /* the commands A and B, each ending with NULL; borrowed */
    char **command[RACE_SIDES];
    const char *name[RACE_SIDES];
    size_t most_pairs;
    /* time limit; least_change, same_change: relative changes, .01 is 1 % */
    double budget_s, least_change, same_change;
    uint64_t seed;
    enum race_pairing pairing;
    const char *cwd[RACE_SIDES]; /* working directory of each side */
    /* The runs. */
    /* 1: the sides of a pair run at the same time on one core, so that a disturbance of
     * one disturbs the other; 0: one after the other, and the reason */
    int is_together;
    char apart[160];
    double peak_bytes[RACE_SIDES]; /* peaks of memory of the warm-up */
    /* path of a temporary folder for the outputs of the runs */
    char *folder;
    /* [pairs] costs of the runs of each side, without the warm-up */
    struct sweep_cost *runs[RACE_SIDES];
    size_t pairs;
    struct sweep_names names; /* names of functions */
    int outputs_differ; /* 1: A and B print different results, while two runs of A print
                         * the same */
    double elapsed_s;
    /* The answer. */
    struct race_change change[RACE_COSTS];
    /* [function_count] functions, the largest change first */
    struct race_function *functions;
    size_t function_count;
    const char *ended; /* reason for the end: "sure", "pairs", "budget" */
};

/* --- race_run.c --------------------------------------------------------------------- */

/* Run each side once without keeping its cost, and find whether they may run at the same
 * time. Returns -1 to go on, else an exit code after a message. */
int race_warm_up(struct race *race);
/* Run both sides, `first` first, and keep their costs. -1 to go on. */
int race_run_pair(struct race *race, int first, int core);
/* Make the folder for outputs; remove it with all in it. -1 to go on. */
int race_folder_make(struct race *race);
void race_folder_remove(struct race *race);

/* --- race_habits.c ------------------------------------------------------------------ */

/* Run a side for nothing, its output in files, and set `text` to a habit because of which
 * it must not run beside the other side, "writes 'x'", or "". Sets `peak_bytes`. Returns
 * 0 or a negative errno. */
int race_watch_side(struct race *race, int side, const char *out, const char *err,
                    int *status, int *signal_number, char text[120]);

/* --- race_judge.c ------------------------------------------------------------------- */

/* Set `change` from the runs so far. 0 or -ENOMEM. */
int race_judge(struct race *race);
/* Set `functions`. 0 or -ENOMEM. */
int race_find_functions(struct race *race);
/* 1: a function's CPU time changed beyond its interval, and by at least `least_change` of
 * the run. */
int race_is_changed(const struct race *race, const struct race_function *function);
/* The verdict on all costs together. */
enum race_verdict race_verdict(const struct race *race);

/* --- race_print.c ------------------------------------------------------------------- */

void race_print(const struct race *race);
json_t *race_json(const struct race *race);
/* Write a summary in Markdown, or a JUnit file. -1 to go on. */
int race_write_markdown(const struct race *race, const char *path);
int race_write_junit(const struct race *race, const char *path);

#endif

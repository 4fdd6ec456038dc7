/* SPDX-License-Identifier: BSD-3-Clause */
/* race.h: shared by the files of the verb race: two commands that run by turns until it
 * is known which one costs more. */
#ifndef MASTERMIND_CMD_DIFF_RACE_H
#define MASTERMIND_CMD_DIFF_RACE_H

#include "mastermind/compare/pairs.h"
#include "mastermind/cmd/cmd.h"
#include "mastermind/cmd/diff/diff_verb.h"
#include "mastermind/cmd/sweep/cost.h"

enum { RACE_A, RACE_B, RACE_SIDES };

/* Costs of a run that get a verdict. */
enum race_cost { RACE_CPU, RACE_MEMORY, RACE_COSTS };

/* How the sides of a pair run: at the same time where the warm-up shows that they may,
 * always, or never. */
enum race_pairing { RACE_AUTO, RACE_TOGETHER, RACE_TURNS };

enum race_verdict { RACE_OPEN, RACE_SAME, RACE_WORSE, RACE_BETTER, RACE_VERDICTS };

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

/* Two commits that are built to be the sides. */
struct race_build {
    const char *command; /* of a shell, in the folder of each commit; NULL: no commits */
    char *words[RACE_SIDES];   /* the commits as given */
    char *commits[RACE_SIDES]; /* their names as git has them */
    char *trees[RACE_SIDES];   /* the folders that they are checked out to */
    int made[RACE_SIDES];      /* 1: that has begun */
    char *cwd[RACE_SIDES];     /* where the program is run */
};

struct race {
    /* The request. */
    char **copy; /* the arguments; each "--" between sides is NULL */
    /* the commands A and B, or their experiments, each ending with NULL; borrowed */
    char **command[RACE_SIDES];
    char *name[RACE_SIDES];
    int is_of_experiments;
    int has_least_change; /* 1: least_change was given */
    struct race_build build;
    /* options of `record` for runs with recorded calls */
    struct {
        const char **words; /* [count] */
        size_t count;
    } record;
    json_t *confirmed;       /* the document of another machine's race; NULL: none */
    enum race_verdict there; /* its verdict */
    size_t most_pairs;
    int may_end_early; /* 1: neither pairs nor time were given, so a race of long commands
                        * ends with fewer pairs */
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
    int64_t start_ns;   /* CLOCK_MONOTONIC at the start */
    double elapsed_s;
    /* The answer. */
    struct race_change change[RACE_COSTS];
    /* [function_count] functions, the largest change first */
    struct race_function *functions;
    size_t function_count;
    const char *ended; /* reason for the end: "sure", "pairs", "budget", "runs" */
    /* recorded runs, compared; `has_why` 0: none, for the reason in `unrecorded` if runs
     * were to be recorded */
    struct mm_diff_verb why;
    enum race_verdict recorded; /* verdict of `why`; of a race of experiments */
    int has_why;
    char unrecorded[200];
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

/* Run other words for a side, one run. -1 to go on. */
int race_run_words(struct race *race, int side, char *const *words);

/* --- race_record.c ------------------------------------------------------------------ */

/* Run pairs with recorded calls, while `left_s` is above 0 from the third on, and compare
 * them into `why`. -1 to go on. */
int race_record(struct race *race, uint64_t *state, double (*left_s)(void *context),
                void *context);
/* Compare the experiments of both sides into `why` and `change`. -1 to go on. */
int race_experiments(struct race *race);

/* --- race_habits.c ------------------------------------------------------------------ */

/* Run a side for nothing, its output in files, and set `text` to a habit because of which
 * it must not run beside the other side, "writes 'x'", or "". Sets `peak_bytes`. Returns
 * 0 or a negative errno. */
int race_watch_side(struct race *race, int side, const char *out, const char *err,
                    int *status, int *signal_number, char text[120]);

/* The path of a file in the race's folder, new; NULL: out of memory. */
char *race_path(const struct race *race, const char *name);

/* --- race_words.c ------------------------------------------------------------------- */

/* Set the commands from the arguments, which must outlive the race. -1 to go on. */
int race_words_read(struct race *race, char **given);
/* Words as one text, new; NULL: out of memory. */
char *race_join(char *const *words);

/* --- race_build.c ------------------------------------------------------------------- */

/* Check out and build both commits, and set `cwd`. -1 to go on, else an exit code after a
 * message. */
int race_build(struct race *race);
/* Remove the folders of both commits. */
void race_build_done(struct race *race);

/* --- race_file.c -------------------------------------------------------------------- */

/* This machine: host and cpu, new. */
json_t *race_machine_json(void);
/* Write the document of a race to a file. -1 to go on. */
int race_save(const struct race *race, const char *path);
/* Read the race of another machine, and take its commands where `words` has none. -1 to
 * go on. */
int race_confirm_read(struct race *race, const char *path, char **words);
/* 1: both machines have the same verdict. */
int race_agrees(const struct race *race);
/* The result of the confirmation in one line. */
void race_agreement_text(const struct race *race, char text[400]);

/* --- race_judge.c ------------------------------------------------------------------- */

/* Set `change` from the runs so far. 0 or -ENOMEM. */
int race_judge(struct race *race);
/* Set `functions`. 0 or -ENOMEM. */
int race_find_functions(struct race *race);
/* 1: a function's CPU time changed beyond its interval, and by at least `least_change` of
 * the run. */
int race_is_changed(const struct race *race, const struct race_function *function);
/* The verdict on all costs together, in a race of experiments also of the changed
 * functions, as of diff. */
enum race_verdict race_verdict(const struct race *race);
/* 1: the verdict is worse only because recorded functions are. */
int race_is_by_functions(const struct race *race);

/* --- race_print.c ------------------------------------------------------------------- */

void race_print(const struct race *race);
/* "+5.1 %", or "x 4.9" from twice on. */
const char *race_change_text(double relative, char text[32]);
json_t *race_json(const struct race *race);
/* Write a summary in Markdown, or a JUnit file. -1 to go on. */
int race_write_markdown(const struct race *race, const char *path);
int race_write_junit(const struct race *race, const char *path);

#endif

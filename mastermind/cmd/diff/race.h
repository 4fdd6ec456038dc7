/* SPDX-License-Identifier: BSD-3-Clause */
/* race.h: shared by the files of the verb race: two commands that run by turns until it
 * is known which one costs more. */
#ifndef MASTERMIND_CMD_DIFF_RACE_H
#define MASTERMIND_CMD_DIFF_RACE_H

#include "mastermind/compare/pairs.h"
#include "mastermind/cmd/cmd.h"

enum { RACE_A, RACE_B, RACE_SIDES };

/* Costs of a run that get a verdict. */
enum race_cost { RACE_CPU, RACE_MEMORY, RACE_COSTS };

/* CPU time of a function in one run. */
struct race_part {
    const char *name; /* borrowed from struct race */
    double cpu_s;
};

struct race_run {
    double cpu_s; /* user and system time, with all processes that it waited for */
    double wall_s;
    double peak_bytes;       /* of its largest process */
    struct race_part *parts; /* [part_count] by samples; none: it was not sampled */
    size_t part_count;
};

enum race_verdict { RACE_OPEN, RACE_SAME, RACE_WORSE, RACE_BETTER };

/* The change from A to B of a cost. */
struct race_change {
    double cost[RACE_SIDES];    /* mean of the runs of a side, s or bytes */
    double relative, low, high; /* B / A - 1, and its interval at all looks together;
                                 * INFINITY: unknown */
    enum race_verdict verdict;
};

/* The change of a function's CPU time. */
struct race_function {
    const char *name;
    double cpu_s[RACE_SIDES]; /* means of the runs */
    double change_s, half_s;  /* half-width of its 95 % interval, by itself */
};

struct race {
    /* The request. */
    char **command[RACE_SIDES]; /* each ends with NULL; borrowed */
    const char *name[RACE_SIDES];
    size_t most_pairs;
    double budget_s, least_change, same_change; /* the last two relative: .01 is 1 % */
    uint64_t seed;
    /* The runs. */
    char *folder;                      /* temporary, for what the runs print */
    struct race_run *runs[RACE_SIDES]; /* [pairs], without the warm-up */
    size_t pairs;
    char **names; /* [name_count] of functions */
    size_t name_count;
    int outputs_differ; /* 1: standard output of A and B differ, and that of two runs of A
                         * does not */
    char unsampled[200]; /* why functions were not sampled, or "" */
    double elapsed_s;
    /* The answer. */
    struct race_change change[RACE_COSTS];
    struct race_function *functions; /* [function_count], largest change first */
    size_t function_count;
    const char *ended; /* why it ended: "sure", "pairs", "budget" */
};

/* --- race_run.c --------------------------------------------------------------------- */

/* Run a side once, and keep its costs in `run`, which is owned by the race; NULL: a
 * warm-up. Returns -1 to go on, else an exit code after a message. */
int race_run_side(struct race *race, int side, struct race_run *run);
/* Make the folder for outputs; remove it with all in it. -1 to go on. */
int race_folder_make(struct race *race);
void race_folder_remove(struct race *race);
/* 1: the outputs of the last runs of both sides differ. */
int race_outputs_differ(const struct race *race);
/* Keep the output of A's last run to compare it with the next; 1: they differ. */
int race_output_keep(const struct race *race);
int race_output_moved(const struct race *race);
void race_run_done(struct race_run *run);

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

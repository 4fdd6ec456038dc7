/* SPDX-License-Identifier: BSD-3-Clause */
/* search_verb.h: a search, which makes runs in a directory until their properties are
 * decided.
 *
 *   search.json    the request, and the steps with a run each
 *   run-001.mm     experiment of a step; run-001.part: of an unfinished run
 *   run-001.out, run-001.err   what the run printed
 *   run-001.sh     job script of a step that Slurm is to run */
#ifndef MASTERMIND_CMD_SEARCH_SEARCH_VERB_H
#define MASTERMIND_CMD_SEARCH_SEARCH_VERB_H

#include <jansson.h>

#include "mastermind/cmd/cmd.h"
#include "mastermind/cmd/properties/properties_verb.h"
#include "properties/search/search.h"

enum search_state { SEARCH_OPEN, SEARCH_DONE, SEARCH_FAILED, SEARCH_SUBMITTED };

struct search_step {
    struct mm_search_run run; /* run of the step; its `seconds` are estimated, after
                               * the run measured */
    enum search_state state;
    char *decided; /* line about decided properties; NULL: not known yet */
};

struct search {
    /* The request. */
    int *ranks; /* [ranks_count] numbers of ranks on which to run, ascending */
    size_t ranks_count;
    char *launcher; /* launcher of the runs: "mpirun -n %n", or NULL */
    char **command; /* ends with NULL */
    size_t program; /* index of ccafe or mastermind in the command */
    char *cwd;      /* working directory of the runs */
    double threshold, confidence;
    int slurm, quiet; /* `slurm`: write job scripts; `quiet`: print no lines for steps */
    /* The state. */
    const char *dir; /* directory of the search as the user gave it */
    char *path;      /* absolute path of the directory */
    struct search_step *steps;
    size_t step_count;
    int lock;
};

/* --- command.c ---------------------------------------------------------------------- */

/* Find ccafe or `mastermind record` in the command, and refuse options that the search
 * sets itself. Returns -1 to go on. */
int search_command_check(struct search *search);
/* Make a new array of the words of a step, NULL at its end; NULL: out of memory. */
char **search_command_of(const struct search *search, size_t at);
/* Bits of enum mm_search_ask: the quantities besides times that runs of this command can
 * measure. */
unsigned search_asks_possible(const struct search *search);
/* Text of bits of enum mm_search_ask: "MPI_SPLIT, messages", or "times alone". In a
 * static buffer. */
const char *search_asks_text(unsigned asks);

/* --- directory.c -------------------------------------------------------------------- */

/* Path of a file of step `at`, "DIR/run-001" plus `ending`: new, or NULL. */
char *search_path(const struct search *search, size_t at, const char *ending);
/* Make the directory, or read the steps in it; lock it for this process. Returns -1 to go
 * on. */
int search_open(struct search *search);
/* Read the request from the directory into an empty search. Returns -1 to go on. */
int search_read_asked(struct search *search);
/* Write the request and the steps. Returns -1 to go on. */
int search_write(const struct search *search);
/* Add a step; NULL: out of memory. */
struct search_step *search_add(struct search *search, const struct mm_search_run *run);
void search_done(struct search *search);

/* --- runs.c ------------------------------------------------------------------------- */

/* Make the run of step `at`. Returns -1 to go on, else an exit code: 128 plus the number
 * of a signal that ended the search. */
int search_make_run(struct search *search, size_t at);
/* Write the job script of step `at`. Returns -1 to go on. */
int search_write_job(const struct search *search, size_t at);
/* Update submitted steps that have ended. Returns how many are still submitted. */
size_t search_look_for_jobs(struct search *search);

/* --- questions.c -------------------------------------------------------------------- */

struct search_questions {
    struct mm_search_question *all;
    size_t count;
    unsigned allowed; /* union of enum mm_search_ask over all questions */
};

/* Find the questions that the finished runs leave open; `asked` is NULL if there is no
 * run yet. Returns -1 to go on. Free `questions->all`. */
int search_questions(struct search_questions *questions, const struct search *search,
                     const struct properties_asked *asked);
/* Evaluate all properties of all finished runs; `looks` is the number of evaluations so
 * far, for the correction of repeated tests. Returns -1 to go on; call
 * properties_asked_done in any case. */
int search_ask(const struct search *search, struct properties_asked *asked,
               struct mm_paths *paths, unsigned looks);

#endif

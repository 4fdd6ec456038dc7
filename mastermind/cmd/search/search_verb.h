/* SPDX-License-Identifier: BSD-3-Clause */
/* search_verb.h: a search: runs that are made until their properties are decided, in a
 * directory.
 *
 *   search.json    what was asked, and the steps: a run each
 *   run-001.mm     experiment of a step; run-001.part: of a run that did not end
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
    struct mm_search_run run; /* `seconds`: as estimated, later as it took */
    enum search_state state;
    char *decided; /* a line for people, NULL: not known yet */
};

struct search {
    /* What was asked. */
    int *ranks; /* [ranks_count], ascending */
    size_t ranks_count;
    char *launcher; /* "mpirun -n %n", or NULL */
    char **command; /* with NULL at its end */
    size_t program; /* position of ccafe or of mastermind in it */
    char *cwd;      /* directory of the runs */
    double threshold, confidence;
    int slurm, quiet; /* quiet: no lines of steps */
    /* What is made of it. */
    const char *dir; /* as it was given */
    char *path;      /* the same, absolute */
    struct search_step *steps;
    size_t step_count;
    int lock;
};

/* --- command.c ---------------------------------------------------------------------- */

/* Find ccafe, or `mastermind record`, in the command, and refuse what belongs to the
 * search. Returns -1 to go on. */
int search_command_check(struct search *search);
/* New array of the words of a step, NULL at its end; NULL: out of memory. */
char **search_command_of(const struct search *search, size_t at);
/* What runs of the command can measure beyond times; bits of mm_search_ask. */
unsigned search_asks_possible(const struct search *search);
/* "MPI_SPLIT, messages", what a run measures beyond times; "times alone". In a static
 * buffer. */
const char *search_asks_text(unsigned asks);

/* --- directory.c ---------------------------------------------------------------------
 */

/* Path of a file of step `at`, "DIR/run-001" with `ending`: new, or NULL. */
char *search_path(const struct search *search, size_t at, const char *ending);
/* Make the directory, or read the steps that it has; take it for this process. Returns -1
 * to go on. */
int search_open(struct search *search);
/* Read what was asked from the directory, into an empty search. Returns -1 to go on. */
int search_read_asked(struct search *search);
/* Write what was asked and the steps. Returns -1 to go on. */
int search_write(const struct search *search);
/* Add a step; NULL: out of memory. */
struct search_step *search_add(struct search *search, const struct mm_search_run *run);
void search_done(struct search *search);

/* --- runs.c --------------------------------------------------------------------------
 */

/* Make the run of step `at`. Returns -1 to go on, else an exit code: 128 and a signal's
 * number if it ended the search. */
int search_make_run(struct search *search, size_t at);
/* Write the job script of step `at`. Returns -1 to go on. */
int search_write_job(const struct search *search, size_t at);
/* Find which of the submitted steps have ended. Returns how many have not. */
size_t search_look_for_jobs(struct search *search);

/* --- questions.c ---------------------------------------------------------------------
 */

struct search_questions {
    struct mm_search_question *all;
    size_t count;
    unsigned allowed; /* enum mm_search_ask, of all questions */
};

/* What the runs made so far leave open; `asked` may be NULL: none was made. Returns -1 to
 * go on. Free `questions->all`. */
int search_questions(struct search_questions *questions, const struct search *search,
                     const struct properties_asked *asked);
/* Ask everything of all finished runs, with `looks` looks so far. Returns -1 to go on;
 * properties_asked_done in any case. */
int search_ask(const struct search *search, struct properties_asked *asked,
               struct mm_paths *paths, unsigned looks);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* run.h: the run of a choice, measured and held against what was predicted. */
#ifndef MASTERMIND_CMD_CHOOSE_RUN_H
#define MASTERMIND_CMD_CHOOSE_RUN_H

#include "mastermind/cmd/cmd.h"
#include "mastermind/cmd/sweep/sweep.h"

/* What was predicted. */
struct mm_choose_run {
    const char *what;                     /* "HLLCFlux" */
    double predicted_ns, low_ns, high_ns; /* low, high NaN: no interval */
    char *experiment;   /* out: path of the experiment of the run, new */
    double measured_ns; /* out */
};

/* Run a command of a sweep, or of a sweep made for the purpose.
 *
 *   sweep    in   launcher, command, program, directory
 *   ranks    in   for the launcher, or NULL
 *   options  in   options of ccafe, NULL at their end
 *   output   in   path of the experiment; NULL: the first of choice-1.mm, choice-2.mm ...
 *                 that is not there
 *   metric   in   of the prediction
 *   run      out  experiment; mm_choose_run_done either way
 *
 * The output of the command goes to standard error. -1 to go on, else an exit code after
 * a message. */
int mm_choose_run(const struct sweep *sweep, const char *ranks, char *const *options,
                  const char *output, const struct mm_metric *metric,
                  struct mm_choose_run *run);
void mm_choose_run_done(struct mm_choose_run *run);
/* Run a script. `words` (word_count) are further options of ccafe; `launcher` may be
 * NULL, for one rank, or for "mpirun -n %n". As mm_choose_run. */
int mm_choose_run_script(const char *script, int ranks, const char *launcher,
                         char *const *words, int word_count, const char *output,
                         const struct mm_metric *metric, struct mm_choose_run *run);

/* "HLLCFlux: predicted 17.1 s, measured 17.3 s (+1.2 %), inside the interval"; "the
 * choice" stands for long names. */
void mm_choose_run_print(const struct mm_choose_run *run, const struct mm_metric *metric);
json_t *mm_choose_run_json(const struct mm_choose_run *run,
                           const struct mm_metric *metric);

#endif

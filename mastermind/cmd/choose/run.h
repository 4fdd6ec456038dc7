/* SPDX-License-Identifier: BSD-3-Clause */
/* run.h: run the chosen assembly and compare it with the prediction. */
#ifndef MASTERMIND_CMD_CHOOSE_RUN_H
#define MASTERMIND_CMD_CHOOSE_RUN_H

#include "mastermind/cmd/cmd.h"
#include "mastermind/cmd/sweep/sweep.h"

/* The prediction and the measurement. */
struct mm_choose_run {
    const char *what;                     /* name of the choice, "HLLCFlux" */
    double predicted_ns, low_ns, high_ns; /* predicted time and its interval; low, high
                                           * NaN: no interval */
    char *experiment;                     /* out: path of the run's experiment, new */
    double measured_ns;                   /* out: measured time of the run */
};

/* Run the command of a sweep; the caller may make a sweep just for this run.
 *
 *   sweep    in   launcher, command, program, directory
 *   ranks    in   for the launcher, or NULL
 *   options  in   options of ccafe, NULL at their end
 *   output   in   path of the experiment; NULL: the first of choice-1.mm, choice-2.mm ...
 *                 that does not exist
 *   metric   in   metric of the prediction
 *   run      out  path of the experiment; call mm_choose_run_done either way
 *
 * The output of the command goes to standard error. Returns -1 to go on, else an exit
 * code after a message. */
int mm_choose_run(const struct sweep *sweep, const char *ranks, char *const *options,
                  const char *output, const struct mm_metric *metric,
                  struct mm_choose_run *run);
void mm_choose_run_done(struct mm_choose_run *run);
/* Run a script with ccafe. `words` [word_count] are further arguments of ccafe.
 * `launcher` is the command that starts several ranks, with %n for their number; NULL:
 * none for one rank, "mpirun -n %n" for more. Returns as mm_choose_run. */
int mm_choose_run_script(const char *script, int ranks, const char *launcher,
                         char *const *words, int word_count, const char *output,
                         const struct mm_metric *metric, struct mm_choose_run *run);

/* Print "HLLCFlux: predicted 17.1 s, measured 17.3 s (+1.2 %), inside the interval"; a
 * long name is replaced by "the choice". */
void mm_choose_run_print(const struct mm_choose_run *run, const struct mm_metric *metric);
json_t *mm_choose_run_json(const struct mm_choose_run *run,
                           const struct mm_metric *metric);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* run_input.h: the measured runs that a prediction is based on.
 *
 * For runs on several ranks with known time inside MPI, models and counts are those of
 * the busiest rank: the one with the most time outside MPI. */
#ifndef MASTERMIND_CMD_PREDICT_RUN_INPUT_H
#define MASTERMIND_CMD_PREDICT_RUN_INPUT_H

#include "mastermind/forecast/forecast.h"
#include "mastermind/cmd/cmd.h"

struct mm_run_input {
    struct mm_input models;   /* models and runs of the metric, or of COMPUTE_TIME with
                               * by_rank */
    struct mm_input *busiest; /* [models.count] with by_rank: rows of the busiest rank of
                               * each run; count 0 for a run on one rank */
    struct mm_forecast_run *runs; /* [run_count] runs that ended, as a killed run has
                                   * incomplete counts; borrows from the other members */
    struct mm_experiment **experiments; /* [run_count] experiments of `runs`; borrowed */
    size_t run_count;                   /* > 0 */
    struct mm_run *described; /* [models.count] descriptions of runs whose parameters are
                               * unknown, such as runs of programs other than ccafe, by
                               * classes and number of calls; NULL: all parameters are
                               * known */
    char (*call_texts)[24];
    unsigned how; /* as in struct mm_run_options */
    int by_rank;
    int has_base; /* 1: no path is a sweep: the first run is the base and supplies the
                   * values that are not set */
    const char *without_mpi; /* name of a run on several ranks without known time inside
                              * MPI, which then counts as compute; NULL: none */
};

/* Options of a verb about its runs; each may be NULL. */
struct mm_run_options {
    const struct cca_given *metric, *any_machine;
    const struct cca_given *so_far; /* --so-far: the first run counts even if it has not
                                     * ended */
    unsigned how;                   /* a set of enum mm_input_how */
};
#define MM_SO_FAR_HELP "the first run need not have ended: its calls so far are the run"

/* Open the experiments in `paths`, as mm_input_open_models does. With `alike` (or NULL)
 * use by_rank as `alike` has it. Returns -1 to go on, else an exit code after a message;
 * call mm_run_input_done either way. */
int mm_run_input_open(struct mm_run_input *input, char *const *paths, int count,
                      const struct mm_run_options *options,
                      const struct mm_run_input *alike);
/* The metric of totals: TIME with by_rank. Borrowed. */
const struct mm_metric *mm_run_metric(const struct mm_run_input *input);
void mm_run_input_done(struct mm_run_input *input);

#endif

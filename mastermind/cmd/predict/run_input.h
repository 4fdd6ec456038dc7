/* SPDX-License-Identifier: BSD-3-Clause */
/* run_input.h: runs to learn from, on one rank or several.
 *
 * Where runs on several ranks have their time inside MPI, models and structure are of the
 * time outside it: of the rank that had most of it. */
#ifndef MASTERMIND_CMD_PREDICT_RUN_INPUT_H
#define MASTERMIND_CMD_PREDICT_RUN_INPUT_H

#include "mastermind/forecast/forecast.h"
#include "mastermind/cmd/cmd.h"

struct mm_run_input {
    struct mm_input models;   /* of the metric, or of COMPUTE_TIME with by_rank */
    struct mm_input *busiest; /* [models.count] with by_rank: of the rank that had most
                                 compute time; none (count 0) of runs on one rank */
    struct mm_forecast_run *runs; /* [run_count] borrows from the others: the models' runs
                                     without those that did not end, whose counts are not
                                     those of a run */
    struct mm_experiment **experiments; /* [run_count] of these runs; borrowed */
    size_t run_count;                   /* > 0 */
    struct mm_run *described; /* [models.count] of runs whose parameters are not known, as
                                 of other programs than ccafe: they differ by their
                                 classes and their number of calls. NULL: all are known */
    char (*call_texts)[24];
    int by_rank;
    int has_base; /* no sweep is among the paths: the first run is the base, and what is
                     not asked for is as it was there */
    const char *without_mpi; /* a run on several ranks, whose time inside MPI is not
                                known, so that it counts as compute; NULL: none */
};

/* Open what stands in `paths`, as mm_input_open_models does. With `alike` (or NULL) by
 * rank if that is. Returns -1 to go on, else an exit code after having said why;
 * mm_run_input_done either way. */
int mm_run_input_open(struct mm_run_input *input, char *const *paths, int count,
                      const struct mm_option *metric, const struct mm_option *any_machine,
                      const struct mm_run_input *alike);
/* The metric of totals: TIME where by_rank. Borrowed. */
const struct mm_metric *mm_run_metric(const struct mm_run_input *input);
void mm_run_input_done(struct mm_run_input *input);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* export_tau.h: an experiment as profile files of TAU. */
#ifndef MASTERMIND_CMD_EXPORT_TAU_H
#define MASTERMIND_CMD_EXPORT_TAU_H

#include "mastermind/analysis/experiment.h"

/* Write profile.RANK.0.THREAD into `directory`, which is made or is empty; with counters
 * into a directory MULTI__METRIC in it for each metric. A line a method, below one for the
 * thread itself; an event for each parameter and out-parameter. Notes go to stderr.
 *
 * 0; -EINVAL the directory is not empty; the reader's errors; -EIO, -ENOMEM. */
int mm_export_tau(struct mm_experiment *experiment, const char *directory,
                  struct cca_error *err);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* tau_profile.h: write an experiment as TAU profile files. */
#ifndef MASTERMIND_EXPORT_TAU_PROFILE_H
#define MASTERMIND_EXPORT_TAU_PROFILE_H

#include "mastermind/reader/experiment.h"
#include "mastermind/counts/counts.h"

/* Write profile.RANK.0.THREAD into `directory`, which is created or empty; if there are
 * counters, into a subdirectory MULTI__METRIC for each metric. Each has a line for the
 * thread itself, then a line for each method, and an event for each parameter and
 * out-parameter. Times exclude the recording cost in callers.
 *
 *   notes  in out  data missing in the profiles
 *
 * 0; -EINVAL the directory is not empty; the reader's errors; -EIO, -ENOMEM. */
int mm_tau_profiles(struct mm_experiment *experiment, const char *directory,
                    struct mm_notes *notes, struct cca_error *err);

#endif

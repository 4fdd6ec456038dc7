/* SPDX-License-Identifier: BSD-3-Clause */
/* tau_profile.h: write an experiment as TAU profile files. */
#ifndef MASTERMIND_EXPORT_TAU_PROFILE_H
#define MASTERMIND_EXPORT_TAU_PROFILE_H

#include "mastermind/reader/experiment.h"
#include "mastermind/counts/counts.h"

/* Write a file profile.RANK.0.THREAD for each thread into `directory`, which is created,
 * or must be empty; if there are counters, into a subdirectory MULTI__METRIC for each
 * metric. A file has a line for the thread itself, then a line for each method, and an
 * event for each parameter and out-parameter. Times of callers do not contain the cost of
 * recording their callees.
 *
 *   notes  in out  reports data that the profiles lack
 *
 * Returns 0; -EINVAL: the directory is not empty; errors of the reader; -EIO; -ENOMEM. */
int mm_tau_profiles(struct mm_experiment *experiment, const char *directory,
                    struct mm_notes *notes, struct cca_error *err);

#endif

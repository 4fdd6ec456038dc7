/* SPDX-License-Identifier: BSD-3-Clause */
/* tau_profile.h: an experiment as profile files of TAU. */
#ifndef MASTERMIND_EXPORT_TAU_PROFILE_H
#define MASTERMIND_EXPORT_TAU_PROFILE_H

#include "mastermind/reader/experiment.h"
#include "mastermind/counts/dual/notes.h"

/* Write profile.RANK.0.THREAD into `directory`, which is made or is empty; with counters
 * into a directory MULTI__METRIC in it for each metric. A line a method, below one for
 * the thread itself; an event for each parameter and out-parameter. Times are less what
 * recording took of callers.
 *
 *   notes  in out  what is not in them
 *
 * 0; -EINVAL the directory is not empty; the reader's errors; -EIO, -ENOMEM. */
int mm_tau_profiles(struct mm_experiment *experiment, const char *directory,
                    struct mm_notes *notes, struct cca_error *err);

#endif

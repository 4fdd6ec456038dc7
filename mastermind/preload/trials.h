/* SPDX-License-Identifier: BSD-3-Clause */
/* trials.h: call an empty function through each kind of entry, for mm_recorder_entry. The
 * thread does nothing else meanwhile; `context` is an argument of the functions that make
 * one call. */
#ifndef MASTERMIND_PRELOAD_TRIALS_H
#define MASTERMIND_PRELOAD_TRIALS_H

#include "mastermind/preload/own.h"
#include "mastermind/recorder/recorder.h"

void mm_trial_nothing(void);

mm_entry_function mm_interposer_trial, mm_patched_trial, mm_instrumented_trial,
    mm_region_trial;

/* Return the struct mm_own whose calls are measured for one kind of entry; borrowed,
 * never freed. NULL: this process has no entry of that kind. */
struct mm_own *mm_patched_trial_own(void);
struct mm_own *mm_instrumented_trial_own(void);
struct mm_own *mm_region_trial_own(void);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* call_cost.h: measure what recording one call costs on this host. */
#ifndef MASTERMIND_RECORDER_CALL_COST_H
#define MASTERMIND_RECORDER_CALL_COST_H

#include "mastermind/recorder/thread.h"

/* Set call_ns and fold_ns: the cost in a loop that does nothing else. 0 or -ENOMEM. */
int mm_call_cost_loop(struct mm_recorder *recorder, struct cca_error *err);
/* Set cold_call_ns and cold_fold_ns: the cost in a program whose own data fill the
 * nearest cache. ns_per_tick must be known. 0 or -ENOMEM. */
int mm_call_cost_cold(struct mm_recorder *recorder, struct cca_error *err);
/* Add what the two readings of CPU time and counters cost to all four. */
void mm_call_cost_extra(struct mm_recorder *recorder);

#endif

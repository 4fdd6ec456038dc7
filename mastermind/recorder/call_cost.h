/* SPDX-License-Identifier: BSD-3-Clause */
/* call_cost.h: measure what recording one call costs on this host. */
#ifndef MASTERMIND_RECORDER_CALL_COST_H
#define MASTERMIND_RECORDER_CALL_COST_H

#include "mastermind/recorder/thread.h"

/* Set the recorder's costs, but those of entries. Units are ns where ns_per_tick
 * is known, ticks where it is 1. 0 or -ENOMEM. */
int mm_call_cost_measure(struct mm_recorder *recorder, struct cca_error *err);
/* Add what the two readings of CPU time and counters cost to all kinds of row. */
void mm_call_cost_extra(struct mm_recorder *recorder);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* call_cost.h: measure the cost of recording one call on this host. */
#ifndef MASTERMIND_RECORDER_CALL_COST_H
#define MASTERMIND_RECORDER_CALL_COST_H

#include "mastermind/recorder/thread.h"

/* Set the recorder's costs of recording a call, except costs of entries. Units are ns if
 * ns_per_tick is known, ticks if it is 1. 0 or -ENOMEM. */
int mm_call_cost_measure(struct mm_recorder *recorder, struct cca_error *err);
/* Add the cost of two readings of CPU time and counters to all kinds of rows. */
void mm_call_cost_extra(struct mm_recorder *recorder);

#endif

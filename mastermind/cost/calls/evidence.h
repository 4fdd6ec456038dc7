/* SPDX-License-Identifier: BSD-3-Clause */
/* evidence.h: time that the host took from calls, by the recorder's readings. */
#ifndef MASTERMIND_COST_CALLS_EVIDENCE_H
#define MASTERMIND_COST_CALLS_EVIDENCE_H

#include "mastermind/cost/calls/location.h"
#include "mastermind/cost/calls/sample.h"

/* A call of which the host may have taken a larger share is left out of the typical cost.
 */
#define MM_SUSPECT .02

/* The part of the time of `call` that is attributed to the host; `typ` is the typical
 * cost of its size. Time lost counts up to the excess over `typ`, if it explains at least
 * half of the excess, the thread did not wait, and the call costs more than `usual`.
 * Otherwise, and without evidence, 0. */
double mm_host_part(const struct mm_call *call, double typ, double usual);

/* Fill `values` [mm_sample_count] with the costs from which the typical cost of a size is
 * estimated: the times of calls that the host did not disturb, if they are enough; else
 * the possible costs of all calls on which most of them agree. Returns their number. */
size_t mm_evidence_values(const struct mm_sample *sample, struct mm_value *values);

#endif

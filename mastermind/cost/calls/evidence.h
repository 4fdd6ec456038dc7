/* SPDX-License-Identifier: BSD-3-Clause */
/* evidence.h: time that the host has taken of calls, by the recorder's readings. */
#ifndef MASTERMIND_COST_CALLS_EVIDENCE_H
#define MASTERMIND_COST_CALLS_EVIDENCE_H

#include "mastermind/cost/calls/location.h"
#include "mastermind/cost/calls/sample.h"

/* A call that may have lost this share of its time is not used for the typical cost. */
#define MM_SUSPECT .02

/* Time of `call`, of a size whose typical cost is `typ`, that is put down to the host: 0
 * without evidence, else what was lost of the excess over `typ`, if that explains at
 * least half of the excess, the thread did not wait, and the call costs more than `usual`
 * at all. */
double mm_host_part(const struct mm_call *call, double typ, double usual);

/* Fill `values` [mm_sample_count] with costs of a size to locate: without calls that the
 * host may have disturbed if the others are enough; else what the calls can have cost and
 * agree on. Returns their number. */
size_t mm_evidence_values(const struct mm_sample *sample, struct mm_value *values);

#endif

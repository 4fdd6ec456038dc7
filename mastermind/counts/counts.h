/* SPDX-License-Identifier: BSD-3-Clause */
/* counts.h: the header of this room for other rooms: calls and sums of sizes of runs as
 * scaling functions, the dual, calling contexts, and profiles. */
#ifndef MASTERMIND_COUNTS_COUNTS_H
#define MASTERMIND_COUNTS_COUNTS_H

#include "mastermind/counts/axes.h"
#include "mastermind/counts/classes.h"
#include "mastermind/counts/contexts/contexts.h"
#include "mastermind/counts/contexts/core.h"
#include "mastermind/counts/contexts/modes.h"
#include "mastermind/counts/dual/dual.h"
#include "mastermind/counts/dual/metric.h"
#include "mastermind/counts/dual/mpi_profile.h"
#include "mastermind/counts/dual/notes.h"
#include "mastermind/counts/dual/phases.h"
#include "mastermind/counts/dual/shares.h"
#include "mastermind/counts/laws/evidence.h"
#include "mastermind/counts/laws/law.h"
#include "mastermind/counts/laws/law_forms.h"
#include "mastermind/counts/laws/ranks.h"
#include "mastermind/counts/laws/variable.h"
#include "mastermind/counts/means.h"
#include "mastermind/counts/profile/profile.h"
#include "mastermind/counts/profile/runs.h"
#include "mastermind/counts/profile/stretch.h"
#include "mastermind/counts/structure.h"

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* cost.h: the header of this room for other rooms: models of the cost of a call, fits,
 * estimates, and formulas as text. */
#ifndef MASTERMIND_COST_COST_H
#define MASTERMIND_COST_COST_H

#include "mastermind/cost/caches.h"
#include "mastermind/cost/calls/evidence.h"
#include "mastermind/cost/calls/points.h"
#include "mastermind/cost/estimate.h"
#include "mastermind/cost/forms/basis.h"
#include "mastermind/cost/forms/fit.h"
#include "mastermind/cost/forms/form.h"
#include "mastermind/cost/forms/formula_read.h"
#include "mastermind/cost/model.h"
#include "mastermind/cost/model_print.h"

#endif
